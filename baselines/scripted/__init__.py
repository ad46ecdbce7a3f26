"""Scripted policies: deduce from the visible board, and guess by a rule if nothing is certain."""
