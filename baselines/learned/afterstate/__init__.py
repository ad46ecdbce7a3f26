"""Afterstate learning: one network of safety, counts and worth, which searches one click ahead with all three."""
