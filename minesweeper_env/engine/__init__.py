"""Compiled rules of the game, on batches of boards."""
