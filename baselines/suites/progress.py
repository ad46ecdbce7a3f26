"""Progress of a suite: one bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any

from baselines.suites.schedule import Schedule

LINE_SECONDS = 30.0
"""Maximum time between two lines where stderr is no terminal."""


class Progress:
    """A context manager that reports on stderr the games played so far."""

    def __init__(self, schedule: Schedule) -> None:
        """Prepares to report on a schedule."""
        self._schedule = schedule
        self._next_line = time.monotonic() + LINE_SECONDS
        self._bar: Any = None

    def __enter__(self) -> Progress:
        """Shows the bar if stderr is a terminal."""
        if sys.stderr.isatty():
            from tqdm import tqdm

            form = "{percentage:3.0f}% |{bar}| {elapsed}, {postfix}"
            self._bar = tqdm(total=1.0, bar_format=form, leave=False, dynamic_ncols=True)
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        """Removes the bar."""
        if self._bar is not None:
            self._bar.close()

    def finished(self, text: str) -> None:
        """Reports that a task is done."""
        if self._bar is None:
            self._print(f"{text}; {self._state()}")

    def show(self) -> None:
        """Updates the display; the runner calls it about every second."""
        if self._bar is not None:
            self._bar.n = self._schedule.fraction_done()
            self._bar.set_postfix_str(self._state(), refresh=True)
        elif time.monotonic() >= self._next_line:
            self._print(self._state())

    def _print(self, line: str) -> None:
        print(line, file=sys.stderr, flush=True)
        self._next_line = time.monotonic() + LINE_SECONDS

    def _state(self) -> str:
        seconds = self._schedule.seconds_left()
        left = "time left not known yet" if seconds is None else f"about {format_seconds(seconds)} left"
        return f"{self._schedule.done} of {self._schedule.games} games, {left}"


def format_seconds(seconds: float) -> str:
    """Returns a time in seconds, minutes or hours, whichever reads best."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 90 * 60:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
