"""Evaluation of policies on seeded games, with confidence intervals."""
