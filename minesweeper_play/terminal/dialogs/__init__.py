"""Dialogs: a new game, settings, statistics, the manual, and questions."""
