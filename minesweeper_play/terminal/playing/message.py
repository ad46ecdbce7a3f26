"""The line below the board: what a move did, hints, and how a game ended."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import Static

from minesweeper_play.language.wrapping import wrapped_lines

MORE = "\u2026"
"""What stands at the end of a message that has no room."""


class MessageLine(Static):
    """Shows a message on as many lines as there are."""

    def __init__(self) -> None:
        """Shows nothing yet."""
        super().__init__(id="message")
        self._text = ""

    def show(self, text: str) -> None:
        """Shows a message."""
        self._text = text
        self._write()

    def on_resize(self) -> None:
        """Wraps the message to the new width."""
        self._write()

    def _write(self) -> None:
        width, height = self.content_size
        if width > 0:
            self.update(Content("\n".join(fitted_lines(self._text, width, height))))


def fitted_lines(text: str, width: int, height: int) -> list[str]:
    """Returns at most `height` lines of a message; `MORE` stands for the rest.

    Args:
        text: the message.
        width: the columns of a line.
        height: the largest number of lines.
    """
    lines = wrapped_lines(text, width)
    if len(lines) <= height:
        return lines
    # A line that is full gives up its last word.
    *before, last = lines[: max(height, 1)]
    return [*before, f"{last if len(last) < width - 1 else last.rpartition(' ')[0]} {MORE}"]
