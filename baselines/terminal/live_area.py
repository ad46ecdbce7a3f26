"""A display at the bottom of a terminal that rich draws again and again, below whatever else is printed.

The commands use it where they know how far their work is.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager, nullcontext, redirect_stderr, redirect_stdout, suppress

from rich.console import RenderableType
from rich.file_proxy import FileProxy
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table as Grid
from rich.text import Text

from baselines.terminal.streams import console_on
from minesweeper_env.texts import printable

DRAWINGS_PER_SECOND = 2.0

MOST_NAME, LEAST_BAR, MOST_BAR = 20, 6, 40
"""Maximum width of the name in a line of progress, and the bounds of its bar: in less room it has none."""


@contextmanager
def live_area(draw: Callable[[int], RenderableType], leave: bool = False) -> Generator[Live]:
    """Shows a display on stderr; what others print on stdout and stderr meanwhile appears above it.

    Args:
        draw: returns the display for a number of columns; another thread calls it.
        leave: whether the last state stays on the screen.
    """
    console = console_on(sys.stderr, styled=True)
    live = _Live(
        console=console,
        get_renderable=lambda: draw(console.width - 1),
        refresh_per_second=DRAWINGS_PER_SECOND,
        transient=not leave,
        redirect_stdout=False,
        redirect_stderr=False,
    )
    above = [_Above(console, stream) for stream in (sys.stderr, sys.stdout)]
    stdout = redirect_stdout(above[1]) if sys.stdout.isatty() else nullcontext()
    with redirect_stderr(above[0]), stdout:
        live.start(refresh=True)
        try:
            yield live
        finally:
            with suppress(OSError, ValueError):
                for stream in above:
                    stream.flush()
                live.stop()


class _Live(Live):
    """A display that outlives its terminal."""

    def refresh(self) -> None:
        """Draws the display, unless the terminal is gone."""
        with suppress(OSError, ValueError):
            super().refresh()


class _Above(FileProxy):
    """A stream whose lines appear above a display; it is no terminal, so that nothing else draws there."""

    def isatty(self) -> bool:
        """Returns False."""
        return False


def progress_line(name: str, fraction: float, facts: str, width: int) -> Grid:
    """Returns a line with a bar for rich; where room is short, the name folds, then the bar goes, then the name.

    Args:
        name: name of the work; "" for none.
        fraction: fraction that is done, 0 to 1.
        facts: numbers, which stay whole.
        width: maximum width of the line, in characters.
    """
    name, percentage = printable(name), f"{100 * fraction:3.0f}%"
    room = width - len(percentage) - len(facts) - 4
    grid = Grid.grid(padding=(0, 2, 0, 0))
    cells: list[RenderableType] = []
    if name and room > LEAST_BAR:
        grid.add_column(width=min(len(name), MOST_NAME, room - 2), overflow="fold")
        cells.append(Text(name))
        room -= min(len(name), MOST_NAME, room - 2) + 2
    if room >= LEAST_BAR:
        cells.append(ProgressBar(1.0, fraction, min(room, MOST_BAR)))
    grid.add_row(*cells, percentage, facts)
    return grid
