"""Enumeration of mine layouts, and exact search for the best play.

Internal: import from `minesweeper_env.inference`.
"""
