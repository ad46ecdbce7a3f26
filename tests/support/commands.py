"""What commands print on stderr."""

from __future__ import annotations

ANNOUNCEMENTS = ("Play ", "Train ", "Draw ", "Compare ", "Write ", "Check ", "Measure ", "Merge ")
"""The beginnings of the line in which a command says what it is about to do."""


def complaint(stderr: str) -> str:
    """Returns the only line on stderr below the announcement, which a command prints once the cheap checks passed."""
    lines = stderr.splitlines()
    (line,) = lines[1:] if lines and lines[0].startswith(ANNOUNCEMENTS) else lines
    return line
