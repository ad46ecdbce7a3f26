"""What commands print on stderr."""

from __future__ import annotations

ANNOUNCEMENTS = (
    *("Play ", "Train ", "Draw ", "Compare ", "Write ", "Check ", "Measure "),
    *("Load ", "Prepare ", "Connect ", "Record ", "playing ", "List "),
)
"""The beginnings of the lines in which a command says what it is about to do."""


def complaint(stderr: str) -> str:
    """Returns the only line on stderr that is no announcement; a command prints those once the cheap checks passed."""
    (line,) = (line for line in stderr.splitlines() if not line.startswith(ANNOUNCEMENTS))
    return line
