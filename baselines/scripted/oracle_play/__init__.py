"""Policies that play by exact mine probabilities."""
