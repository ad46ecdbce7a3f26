"""Progress of work on stderr: a display on a terminal, plain lines where there is none."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Self

from minesweeper_env.notices import is_live, say

if TYPE_CHECKING:
    from rich.console import RenderableType

LINE_SECONDS = 30.0
"""Time between two lines of progress where stderr is no terminal."""


class Progress(ExitStack):
    """A display that a thread draws, or a line from time to time; use it as a context manager.

    Args:
        draw: returns the display for a number of columns; another thread calls it.
        line: returns the same facts in a line.
        seconds: least time between two lines.
        leave: whether the last display stays on the screen.
    """

    def __init__(
        self,
        draw: Callable[[int], RenderableType],
        line: Callable[[], str],
        seconds: float = LINE_SECONDS,
        leave: bool = False,
    ) -> None:
        """Shows nothing yet."""
        super().__init__()
        self._draw, self._line, self._seconds, self._leave = draw, line, seconds, leave
        self._next_line = time.monotonic() + seconds
        self.is_live = is_live(sys.stderr)

    def __enter__(self) -> Self:
        """Shows the display, where stderr is a terminal."""
        if self.is_live:
            from baselines.terminal.live_area import live_area

            self.enter_context(live_area(self._draw, self._leave))
        return self

    def show(self, news: str = "", at_once: bool = False) -> None:
        """Prints a line on stderr where there is no terminal: one with news at once, otherwise if one is due."""
        if not self.is_live and (news or at_once or time.monotonic() >= self._next_line):
            self._next_line = time.monotonic() + self._seconds
            say(f"{news}{self._line()}")


class GameCount:
    """Number of finished games, or of another `unit`, and the pace of play."""

    def __init__(self, games: int, unit: str = "games") -> None:
        """Starts the clock."""
        self.games, self.done = games, 0
        self._unit, self._begun_at = unit, time.monotonic()

    def facts(self) -> str:
        """Returns the number of games, their pace, and the time left."""
        elapsed = time.monotonic() - self._begun_at
        facts = f"{self.done} of {self.games} {self._unit}"
        if not self.done:
            return f"{facts}, {format_seconds(elapsed)}"
        pace = self.done / max(elapsed, 1e-3)
        speed = f"{pace:.0f}/s" if pace >= 1 else f"{format_seconds(1 / pace)} each"
        return f"{facts}, {speed}, {format_seconds((self.games - self.done) / pace)} left"


@contextmanager
def game_bar(verb: str, name: str, games: int, unit: str = "games") -> Generator[Callable[[int], object]]:
    """Shows the number of finished games on stderr; yields a callback that takes further finished games.

    Args:
        verb: the activity, such as "playing".
        name: its object, such as the name of a policy.
        games: number of games in all.
        unit: plural of what is counted, if not games.
    """
    count = GameCount(games, unit)

    def draw(width: int) -> RenderableType:
        from baselines.terminal.live_area import progress_line

        return progress_line(name, count.done / games, count.facts(), width)

    def add(finished: int) -> None:
        count.done += finished
        progress.show()

    with Progress(draw, lambda: f"{name}: {count.facts()}", LINE_SECONDS) as progress:
        if not progress.is_live:
            say(f"{verb} {name}")
        yield add


def format_seconds(seconds: float) -> str:
    """Returns a time in seconds, minutes or hours, whichever reads best."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 90 * 60 else f"{seconds / 3600:.1f} h"
