"""Progress of games on a terminal, or as plain lines where there is none."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager

from baselines.terminal.bars import format_seconds, progress_line
from baselines.terminal.live_area import LiveArea
from minesweeper_env.compilation.live_line import is_live

LINE_SECONDS = 30.0
"""Time between two lines of progress where stderr is no terminal."""


class GameCount:
    """Number of finished games of one kind, and the pace of play.

    Args:
        name: name of what plays.
        games: number of games in all.
        unit: plural of what is counted, if not games.
    """

    def __init__(self, name: str, games: int, unit: str = "games") -> None:
        """Starts the clock."""
        self._name, self._games, self._unit = name, games, unit
        self._done, self._begun_at = 0, time.monotonic()
        self._next_line = self._begun_at + LINE_SECONDS

    def add(self, games: int) -> None:
        """Counts further finished games."""
        self._done += games

    def line(self, width: int) -> str:
        """Returns a line with a bar."""
        return progress_line(self._name, self._done / self._games, self._facts(), width)

    def print_sometimes(self) -> None:
        """Prints a line without a bar on stderr, at most every `LINE_SECONDS` seconds."""
        if time.monotonic() >= self._next_line:
            self._next_line = time.monotonic() + LINE_SECONDS
            print(f"{self._name}: {self._facts()}", file=sys.stderr, flush=True)

    def _facts(self) -> str:
        elapsed = time.monotonic() - self._begun_at
        facts = f"{self._done} of {self._games} {self._unit}"
        if not self._done:
            return f"{facts}, {format_seconds(elapsed)}"
        pace = self._done / max(elapsed, 1e-3)
        speed = f"{pace:.0f}/s" if pace >= 1 else f"{format_seconds(1 / pace)} each"
        return f"{facts}, {speed}, {format_seconds((self._games - self._done) / pace)} left"


@contextmanager
def game_bar(verb: str, name: str, games: int, unit: str = "games") -> Generator[Callable[[int], object]]:
    """Shows the number of finished games on stderr: a line that is drawn again, or plain lines without a terminal.

    Args:
        verb: the activity, such as "playing".
        name: its object, such as the name of a policy.
        games: number of games in all.
        unit: plural of what is counted, if not games.

    Yields:
        A callback that takes the number of further finished games.
    """
    count = GameCount(name, games, unit)
    if is_live(sys.stderr):
        with LiveArea(lambda width: [count.line(width)]):
            yield count.add
        return
    print(f"{verb} {name}", file=sys.stderr, flush=True)

    def add(finished: int) -> None:
        count.add(finished)
        count.print_sometimes()

    yield add
