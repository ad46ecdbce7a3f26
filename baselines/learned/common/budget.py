"""Limit of a training in minutes or steps, schedules that follow it, and a clock of where the time goes."""

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
        """Returns the spent fraction of the budget, 0 to 1, after `steps` steps in all."""
        if self.steps is not None:
            return min(1.0, steps / self.steps)
        assert self.seconds is not None
        return min(1.0, self.elapsed() / self.seconds)

    def is_spent(self, steps: int) -> bool:
        """Returns whether the training ends after `steps` steps in all."""
        return self.progress(steps) >= 1


@dataclass
class Clock:
    """Counts elapsed time by activity.

    Attributes:
        seconds: seconds since the clock was made, by name of the activity.
    """

    seconds: dict[str, float] = field(default_factory=dict)
    _last: float = field(default_factory=time.perf_counter)

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


@dataclass(frozen=True)
class FlatThenFalling:
    """Learning rate that is constant at first and then falls linearly.

    Attributes:
        initial: rate at the start.
        flat: fraction of the training with this rate.
        final: rate at the end, as a fraction of the initial one.
    """

    initial: float
    flat: float = 0.5
    final: float = 0.02

    def __call__(self, progress_remaining: float) -> float:
        """Returns the rate when this fraction of the training, from 1 down to 0, remains."""
        # The last rollout may pass the end of the budget, which makes the remaining fraction negative.
        falling = min(1.0, max(0.0, progress_remaining) / (1.0 - self.flat))
        return self.initial * (self.final + (1.0 - self.final) * falling)
