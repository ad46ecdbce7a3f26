"""Progress of work on stderr: a display that rich draws on a terminal, plain lines where there is none."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, TextIO

from minesweeper_env.console import is_live, say
from minesweeper_env.escape import printable

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.live import Live

LINE_SECONDS = 30.0
"""Time between two lines of progress where stderr is no terminal."""

MOST_NAME, LEAST_BAR, MOST_BAR = 20, 6, 40
"""Maximum width of the name in a line of progress, and the bounds of its bar: in less room it has none."""


@contextmanager
def progress_display(
    draw: Callable[[int], RenderableType], line: Callable[[], str], seconds: float = LINE_SECONDS, leave: bool = False
) -> Generator[Callable[..., None]]:
    """Shows what `draw` returns for a number of columns, in another thread, or prints a line at most every `seconds`.

    Where stderr is a terminal, what others print there appears above the display, and with `leave` the last one stays.
    Elsewhere the function that the context yields prints the line: after news or `at_once`, and otherwise if it is due.
    """
    is_terminal, next_line = is_live(sys.stderr), time.monotonic() + seconds

    def show(news: str = "", at_once: bool = False) -> None:
        nonlocal next_line
        if not is_terminal and (news or at_once or time.monotonic() >= next_line):
            next_line = time.monotonic() + seconds
            say(f"{news}{line()}")

    with ExitStack() as stack:
        if is_terminal:
            from rich.live import Live

            console = console_on(sys.stderr, styled=True)
            live = Live(
                console=console,
                get_renderable=lambda: draw(console.width - 1),
                refresh_per_second=2,
                transient=not leave,
                redirect_stdout=sys.stdout.isatty(),
            )
            stack.callback(_stop, live)
            live.start(refresh=True)
        yield show


def _stop(live: Live) -> None:
    # A terminal that has gone away ends no work.
    with suppress(OSError, ValueError):
        live.stop()


@contextmanager
def game_bar(verb: str, name: str, games: int, unit: str = "games") -> Generator[Callable[[int], object]]:
    """Shows the number of finished games, or of another unit, on stderr; yields a callback that takes further ones."""
    done, begun_at = 0, time.monotonic()

    def facts() -> str:
        return f"{done} of {games} {unit}, {_pace(done, games, time.monotonic() - begun_at)}"

    def add(finished: int) -> None:
        nonlocal done
        done += finished
        show()

    def draw(width: int) -> RenderableType:
        return progress_line(name, done / games, facts(), width)

    if not is_live(sys.stderr):
        say(f"{verb} {name}")
    with progress_display(draw, lambda: f"{name}: {facts()}") as show:
        yield add


def _pace(done: int, games: int, elapsed: float) -> str:
    if not done:
        return format_seconds(elapsed)
    pace = done / max(elapsed, 1e-3)
    speed = f"{pace:.0f}/s" if pace >= 1 else f"{format_seconds(1 / pace)} each"
    return f"{speed}, {format_seconds((games - done) / pace)} left"


def progress_line(name: str, fraction: float, facts: str, width: int) -> RenderableType:
    """Returns a line for rich: a name, perhaps "", a bar where it fits, the fraction that is done, and facts."""
    from rich.progress_bar import ProgressBar
    from rich.table import Table

    numbers = f"{100 * fraction:3.0f}%  {facts}"
    name = printable(name)[: max(0, min(MOST_NAME, width - len(numbers) - 2))]
    room = min(MOST_BAR, width - len(numbers) - 2 - (len(name) + 2 if name else 0))
    line = Table.grid(padding=(0, 2, 0, 0))
    bar = [ProgressBar(1.0, fraction, room)] if room >= LEAST_BAR else []
    line.add_row(*([name] if name else []), *bar, numbers)
    return line


def format_seconds(seconds: float) -> str:
    """Returns a time in seconds, minutes or hours, whichever reads best."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 90 * 60 else f"{seconds / 3600:.1f} h"


def console_on(stream: TextIO, styled: bool, width: int | None = None) -> Console:
    """Returns rich's view of a stream, with or without styles; None is the width of the terminal."""
    from rich.console import Console

    return Console(
        file=stream,
        width=width,
        force_terminal=styled,
        force_jupyter=False,
        color_system="auto" if styled else None,
        markup=False,
        emoji=False,
        highlight=False,
    )
