"""Analyses and reviews as text, as JSON and as pictures."""
