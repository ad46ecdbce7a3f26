"""Times of evaluations, of rows in the log, and of checkpoints."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from baselines.learned.common.budget import Budget

EVALUATIONS = 10
EVALUATION_FRACTION = 0.1
"""Largest fraction of the time that evaluations may take under a budget of time."""

LOG_ROWS = 200
"""Rows of the log over the whole budget, in addition to the rows of the evaluations."""


@dataclass
class EvaluationSchedule:
    """Spreads `EVALUATIONS` evaluations evenly over the budget.

    Attributes:
        budget: of the training.
        done: evaluations so far, skipped ones included.
        seconds: time that all of them took.
        cost: time that the last one took, in seconds.
    """

    budget: Budget
    done: int = 0
    seconds: float = 0.0
    cost: float = 0.0

    @property
    def next_at(self) -> float:
        """The fraction of the budget at which the next evaluation is due."""
        return (self.done + 1) / EVALUATIONS

    def is_due(self, steps: int) -> bool:
        """Returns whether to evaluate after `steps` steps; an evaluation that would take too long is skipped."""
        reached = int(self.budget.progress(steps) * EVALUATIONS)
        if reached <= self.done:
            return False
        allowed = EVALUATION_FRACTION * self.budget.elapsed()
        affordable = self.budget.seconds is None or self.seconds + self.cost <= allowed
        if not affordable:
            self.done = reached
        return affordable

    def resume(self, steps: int, seconds: float) -> None:
        """Counts the `steps` steps and `seconds` seconds of evaluations of earlier sessions."""
        self.done = int(self.budget.progress(steps) * EVALUATIONS)
        self.seconds = seconds

    def took(self, seconds: float, steps: int) -> None:
        """Counts an evaluation that took `seconds` after `steps` steps."""
        self.cost = seconds
        self.seconds += seconds
        self.done = max(self.done + 1, int(self.budget.progress(steps) * EVALUATIONS))


class RowSchedule:
    """Spreads `LOG_ROWS` rows evenly over the budget.

    Args:
        budget: of the training.
        steps: taken by earlier sessions.
    """

    def __init__(self, budget: Budget, steps: int) -> None:
        """Counts the rows of earlier sessions."""
        self._budget = budget
        self._rows = self._reached(steps)

    def _reached(self, steps: int) -> int:
        return int(LOG_ROWS * self._budget.progress(steps))

    def is_due(self, steps: int) -> bool:
        """Returns whether to write a row after `steps` steps; the caller then writes it."""
        before, self._rows = self._rows, self._reached(steps)
        return self._rows > before


@dataclass
class CheckpointSchedule:
    """Asks for a checkpoint each time that `seconds` seconds have passed since the last one."""

    seconds: float
    _saved_at: float = field(default_factory=time.monotonic)

    def is_due(self) -> bool:
        """Returns whether to save."""
        return time.monotonic() - self._saved_at >= self.seconds

    def saved(self) -> None:
        """Starts the interval to the next checkpoint."""
        self._saved_at = time.monotonic()
