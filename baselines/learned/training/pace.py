"""Estimate of how long a training with a budget in steps takes, from its first seconds on."""

from __future__ import annotations

import time
from collections.abc import Callable

from baselines.learned.common.budget import Budget

FIRST_SECONDS = 5.0
"""Measured time before the first estimate."""

AGAIN_SECONDS = 30.0
"""Least time between two estimates."""

CHANGE = 1.5
"""Factor by which a new estimate differs from the last one that was said."""


class Pace:
    """Says how long a training takes: after its first seconds, and again when the machine becomes slower or faster.

    The first round is not measured, because it compiles and fills the buffer. A budget in minutes needs no estimate.

    Args:
        budget: of the training.
        say: called with a line such as "about 3 minutes left (450 steps a second)".
        clock: returns the time in seconds.
    """

    def __init__(
        self, budget: Budget, say: Callable[[str], object], clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Waits for the end of the first round."""
        self._budget, self._say, self._clock = budget, say, clock
        self._start: tuple[int, float] | None = None
        self._said: tuple[float, float] | None = None

    def follow(self, steps: int) -> None:
        """Takes note of `steps` steps, and says an estimate if one is due."""
        total, now = self._budget.steps, self._clock()
        if total is None or steps >= total:
            return
        if self._start is None:
            self._start = steps, now
            return
        first_step, begun = self._start
        if now - begun < FIRST_SECONDS or steps == first_step:
            return
        speed = (steps - first_step) / (now - begun)
        left = (total - steps) / speed
        if self._is_news(now, now + left):
            self._said = now, now + left
            self._say(f"about {in_words(left)} left ({speed:.0f} steps a second)")

    def _is_news(self, now: float, end: float) -> bool:
        """Returns whether an estimate of the end is the first one, or differs enough from the last one."""
        if self._said is None:
            return True
        said_at, said_end = self._said
        ratio = (end - now) / max(said_end - now, 1.0)
        return now - said_at >= AGAIN_SECONDS and not 1 / CHANGE < ratio < CHANGE


def in_words(seconds: float) -> str:
    """Returns a time in words, such as "3 minutes"."""
    if seconds < 95:
        return f"{max(10 * round(seconds / 10), 10)} seconds"
    if seconds < 95 * 60:
        return f"{round(seconds / 60)} minutes"
    return f"{seconds / 3600:.1f} hours"
