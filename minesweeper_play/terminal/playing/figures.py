"""The line above the board: mines left, time, moves, 3BV and efficiency, the board and its seed."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from textual.content import Content
from textual.widgets import Static

Figure = tuple[str, str]
"""A label and a value, in the language of the player."""


class FigureLine(Static):
    """Shows as many figures as fit, the first ones first."""

    DEFAULT_CSS = "FigureLine { height: 1; width: 1fr; background: $panel; color: $foreground; text-align: center; }"

    def __init__(self) -> None:
        """Shows nothing yet."""
        super().__init__(id="figures")
        self._figures: Sequence[Figure] = ()
        self._shown: Content | None = None

    def show(self, figures: Sequence[Figure]) -> None:
        """Shows figures, the most important first."""
        self._figures = figures
        self._write()

    def on_resize(self) -> None:
        """Fits the figures to the width."""
        self._write()

    def _write(self) -> None:
        fitting = list(self._figures)
        while len(fitting) > 1 and _width(fitting) > self.size.width:
            fitting.pop()
        content = Content("   ").join(Content.from_markup("$label [b]$value[/]", label=a, value=b) for a, b in fitting)
        # The clock asks twice a second; only what changed is drawn again.
        if content != self._shown:
            self._shown = content
            self.update(content)


def _width(figures: Sequence[Figure]) -> int:
    return sum(cell_len(label) + 1 + cell_len(value) for label, value in figures) + 3 * (len(figures) - 1)
