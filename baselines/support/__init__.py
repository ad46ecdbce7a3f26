"""Helpers that all parts of the package share: files, figures, terminals, names of boards and checks."""
