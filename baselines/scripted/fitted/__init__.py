"""Policies fitted to statistics of random play."""
