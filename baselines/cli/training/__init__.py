"""Trainings from command lines: games, options, and the run in a folder."""
