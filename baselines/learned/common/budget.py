"""How long a training may take, schedules that follow it in minutes or in steps, and where the time goes."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

from stable_baselines3.common.base_class import BaseAlgorithm


@dataclass
class Budget:
    """A limit in steps, or in seconds of wall-clock time.

    Attributes:
        steps: the steps of the environment to take in all, or None.
        seconds: the seconds to train in all, or None; one of the two is given.
        seconds_before: the seconds of earlier sessions of a training that is resumed.
    """

    steps: int | None = None
    seconds: float | None = None
    seconds_before: float = 0.0
    _start: float = field(default_factory=time.monotonic)

    def elapsed(self) -> float:
        """Returns the seconds trained so far, those of earlier sessions included."""
        return self.seconds_before + time.monotonic() - self._start

    def progress(self, steps: int) -> float:
        """Returns how much of the budget is spent, 0 to 1, after `steps` steps in all."""
        if self.steps is not None:
            return min(1.0, steps / self.steps)
        assert self.seconds is not None
        return min(1.0, self.elapsed() / self.seconds)

    def is_spent(self, steps: int) -> bool:
        """Returns whether the training ends after `steps` steps in all."""
        return self.progress(steps) >= 1


@dataclass
class Clock:
    """Divides the time that passes among what it was spent on.

    Attributes:
        seconds: by name, since the clock was made.
    """

    seconds: dict[str, float] = field(default_factory=dict)
    _last: float = field(default_factory=time.perf_counter)

    def lap(self, name: str) -> None:
        """Counts the time since the last lap as spent on `name`."""
        now = time.perf_counter()
        self.seconds[name] = self.seconds.get(name, 0.0) + now - self._last
        self._last = now

    def shares(self, *names: str) -> dict[str, float]:
        """Returns which part of their common time each of the names took; nothing before any time is spent."""
        total = sum(self.seconds.get(name, 0.0) for name in names)
        return {name: self.seconds.get(name, 0.0) / total for name in names} if total > 0 else {}


class Paced(BaseAlgorithm):
    """A mixin whose schedules follow a `Budget` once it is set, since minutes say nothing about steps.

    Attributes:
        budget: what the schedules follow, or None for Stable-Baselines3's own count of steps.
        clock: what the time was spent on: "environment", "inference" and "update".
    """

    budget: Budget | None = None
    clock: Clock

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Passes the arguments on to the algorithm."""
        super().__init__(*args, **kwargs)
        self.clock = Clock()

    def _update_current_progress_remaining(self, num_timesteps: int, total_timesteps: int) -> None:
        if self.budget is None:
            super()._update_current_progress_remaining(num_timesteps, total_timesteps)
        else:
            self._current_progress_remaining = 1.0 - self.budget.progress(num_timesteps)


@dataclass(frozen=True)
class FlatThenFalling:
    """A learning rate that is flat at first and then falls linearly.

    Attributes:
        initial: the rate at the start.
        flat: the share of the training through which it stays.
        final: the rate at the end, as a share of the initial one.
    """

    initial: float
    flat: float = 0.5
    final: float = 0.02

    def __call__(self, progress_remaining: float) -> float:
        """Returns the rate when this share of the training, 1 down to 0, remains."""
        # The last rollout may go beyond the end.
        falling = min(1.0, max(0.0, progress_remaining) / (1.0 - self.flat))
        return self.initial * (self.final + (1.0 - self.final) * falling)
