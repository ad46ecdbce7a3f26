"""Bases of the environments of both games: one game, and a batch of games."""
