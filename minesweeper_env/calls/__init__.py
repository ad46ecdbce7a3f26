"""Calls of the environments: checks of their arguments, and calls of the single games of a batch. Internal."""
