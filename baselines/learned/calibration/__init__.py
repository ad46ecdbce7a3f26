"""Comparison of an agent's mine probabilities with the exact ones."""
