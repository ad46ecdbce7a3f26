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
"""Seconds between two lines of progress where stderr is no terminal."""

MOST_NAME, LEAST_BAR, MOST_BAR = 20, 6, 40
"""Widths in a line of progress: the longest name, and the shortest and longest bar; in less room there is no bar."""


@contextmanager
def progress_display(
    draw: Callable[[int], RenderableType], line: Callable[[], str], seconds: float = LINE_SECONDS, leave: bool = False
) -> Generator[Callable[..., None]]:
    """Shows progress on stderr: a live display on a terminal, and lines elsewhere.

    On a terminal, a thread shows `draw(columns)`, below what other code prints; with `leave` the last display stays.
    Elsewhere, the yielded function prints `line()` if called with news or `at_once`, or `seconds` after the last line.
    """
    is_terminal, next_line_at = is_live(sys.stderr), time.monotonic() + seconds

    def show(news: str = "", at_once: bool = False) -> None:
        nonlocal next_line_at
        if not is_terminal and (news or at_once or time.monotonic() >= next_line_at):
            next_line_at = time.monotonic() + seconds
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
    # A closed terminal must not end the work.
    with suppress(OSError, ValueError):
        live.stop()


@contextmanager
def game_bar(verb: str, name: str, games: int, unit: str = "games") -> Generator[Callable[[int], object]]:
    """Shows on stderr how many games, or other units, are finished; yields a callback for newly finished ones."""
    done, start = 0, time.monotonic()

    def facts() -> str:
        return f"{done} of {games} {unit}, {_speed_and_time_left(done, games, time.monotonic() - start)}"

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


def _speed_and_time_left(done: int, games: int, elapsed: float) -> str:
    """Returns the speed and the time left as text; the elapsed seconds alone before the first game is finished."""
    if not done:
        return format_seconds(elapsed)
    rate = done / max(elapsed, 1e-3)
    speed = f"{rate:.0f}/s" if rate >= 1 else f"{format_seconds(1 / rate)} each"
    return f"{speed}, {format_seconds((games - done) / rate)} left"


def progress_line(name: str, fraction: float, facts: str, width: int) -> RenderableType:
    """Returns a line for rich: the name, perhaps "", a bar if it fits, the finished fraction in per cent, and facts."""
    from rich.progress_bar import ProgressBar
    from rich.table import Table

    figures = f"{100 * fraction:3.0f}%  {facts}"
    room = width - len(figures) - 2  # a gap of 2 stands between the name, the bar and the figures
    name = printable(name)[: max(0, min(MOST_NAME, room))]
    bar_width = min(MOST_BAR, room - (len(name) + 2 if name else 0))
    line = Table.grid(padding=(0, 2, 0, 0))
    bar = [ProgressBar(1.0, fraction, bar_width)] if bar_width >= LEAST_BAR else []
    line.add_row(*([name] if name else []), *bar, figures)
    return line


def format_seconds(seconds: float) -> str:
    """Returns a duration as text, in seconds, minutes or hours."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 90 * 60 else f"{seconds / 3600:.1f} h"


def console_on(stream: TextIO, styled: bool, width: int | None = None) -> Console:
    """Returns a console of rich that writes to a stream; a width of None is that of the terminal."""
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
