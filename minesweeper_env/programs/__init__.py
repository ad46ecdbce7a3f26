"""Installed programs. All modules are internal."""
