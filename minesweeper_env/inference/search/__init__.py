"""Enumeration of mine layouts, and exact search for the best play."""
