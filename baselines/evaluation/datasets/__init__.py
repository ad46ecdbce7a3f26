"""Data sets of recorded games, for offline learning."""
