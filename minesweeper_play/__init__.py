"""Minesweeper for people: a terminal game, a line mode, a window, a coach, and policies to watch.

`play.py` starts all of it. The modules of the package are internal and may change without notice.
"""
