"""Policies that deduce from local rules."""
