"""Comparison of an agent with the exact probabilities."""
