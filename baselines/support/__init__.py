"""Helpers for files, terminals and arguments that all parts of the package share."""
