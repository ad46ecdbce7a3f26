"""Limit of a training in minutes or steps, and a clock of where the time goes."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

ACTIVITIES = ("environment", "inference", "update")
"""Activities of a learner, whose fractions of the time are reported."""


@dataclass
class Budget:
    """A limit in steps, or in seconds of wall-clock time.

    Attributes:
        steps: upper bound on environment steps in all sessions, or None.
        seconds: upper bound on seconds in all sessions, or None; exactly one of the two is given.
        seconds_before: seconds of earlier sessions of a resumed training.
    """

    steps: int | None = None
    seconds: float | None = None
    seconds_before: float = 0.0
    _start: float = field(default_factory=time.monotonic)

    def elapsed(self) -> float:
        """Returns the seconds trained so far, earlier sessions included."""
        return self.seconds_before + time.monotonic() - self._start

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Leaves the time that the block takes out of the seconds trained."""
        begin = time.monotonic()
        try:
            yield
        finally:
            self._start += time.monotonic() - begin

    def progress(self, steps: int) -> float:
        """Returns the spent fraction of the budget, 0 to 1, after `steps` steps in all; at 1 the training ends."""
        if self.steps is not None:
            return min(1.0, steps / self.steps)
        assert self.seconds is not None
        return min(1.0, self.elapsed() / self.seconds)


class Clock:
    """Counts the seconds since it was made, by the name of the activity."""

    def __init__(self) -> None:
        """Starts the first lap."""
        self.seconds: dict[str, float] = {}
        self._last = time.perf_counter()

    def lap(self, name: str) -> None:
        """Adds the time since the last lap to the activity `name`."""
        now = time.perf_counter()
        self.seconds[name] = self.seconds.get(name, 0.0) + now - self._last
        self._last = now

    def total(self) -> float:
        """Returns the seconds of all `ACTIVITIES` together."""
        return sum(self.seconds.get(name, 0.0) for name in ACTIVITIES)

    def fractions(self) -> dict[str, float]:
        """Returns the fraction of their common time that each of `ACTIVITIES` took; empty if they took none."""
        total = self.total()
        return {name: self.seconds.get(name, 0.0) / total for name in ACTIVITIES} if total > 0 else {}
