"""Progress of a suite: one line on a terminal that is drawn again, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from contextlib import ExitStack
from types import TracebackType

from baselines.suites.schedule import Schedule
from baselines.terminal.bars import format_seconds, progress_line
from baselines.terminal.game_bar import LINE_SECONDS
from baselines.terminal.live_area import LiveArea
from minesweeper_env.compilation.live_line import is_live


class Progress:
    """A context manager that reports on stderr the games played so far."""

    def __init__(self, schedule: Schedule) -> None:
        """Prepares to report on a schedule."""
        self._schedule = schedule
        self._next_line = time.monotonic() + LINE_SECONDS
        self._area = ExitStack()
        self._is_live = False

    def __enter__(self) -> Progress:
        """Shows the line if stderr is a terminal."""
        self._is_live = is_live(sys.stderr)
        if self._is_live:
            self._area.enter_context(LiveArea(lambda width: [self._line(width)]))
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        """Removes the line."""
        self._area.close()

    def finished(self, text: str) -> None:
        """Reports that a task is done."""
        if not self._is_live:
            self._print(f"{text}; {self._state()}")

    def show(self) -> None:
        """Prints a line from time to time where there is no terminal; the runner calls it about every second."""
        if not self._is_live and time.monotonic() >= self._next_line:
            self._print(self._state())

    def _print(self, line: str) -> None:
        print(line, file=sys.stderr, flush=True)
        self._next_line = time.monotonic() + LINE_SECONDS

    def _line(self, width: int) -> str:
        return progress_line("", self._schedule.fraction_done(), self._state(), width)

    def _state(self) -> str:
        seconds = self._schedule.seconds_left()
        left = "time left not known yet" if seconds is None else f"about {format_seconds(seconds)} left"
        return f"{self._schedule.done} of {self._schedule.games} games, {left}"
