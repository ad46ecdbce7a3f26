"""What happens between two rollouts of a training: evaluations, rows of the log, checkpoints, the bar and the end."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tqdm import tqdm

from baselines.learned.common.budget import Budget
from baselines.learned.training.learner import Learner, TrainingStopped

EVALUATIONS = 10
EVALUATION_SHARE = 0.1
"""The largest share of the time that evaluations may take when the budget is one of time."""

LOG_ROWS = 200
"""The rows that the log gets, evenly over the budget, beside those of the evaluations."""

TICKS = 1000


@dataclass
class EvaluationSchedule:
    """Says when to evaluate: `EVALUATIONS` times, evenly over the budget.

    Attributes:
        budget: of the training.
        done: how many are over, those included that were skipped.
        seconds: how long they took in all.
        cost: how long the last one took.
    """

    budget: Budget
    done: int = 0
    seconds: float = 0.0
    cost: float = 0.0

    def is_due(self, steps: int) -> bool:
        """Returns whether an evaluation should take place after so many steps; one that is skipped counts as done."""
        reached = int(self.budget.progress(steps) * EVALUATIONS)
        if reached <= self.done:
            return False
        allowed = EVALUATION_SHARE * self.budget.elapsed()
        affordable = self.budget.seconds is None or self.seconds + self.cost <= allowed
        if not affordable:
            self.done = reached
        return affordable

    def resume(self, steps: int, seconds: float) -> None:
        """Counts what earlier sessions did: `steps` steps, and `seconds` seconds of evaluations."""
        self.done = int(self.budget.progress(steps) * EVALUATIONS)
        self.seconds = seconds

    def took(self, seconds: float, steps: int) -> None:
        """Notes an evaluation."""
        self.cost = seconds
        self.seconds += seconds
        self.done = max(self.done + 1, int(self.budget.progress(steps) * EVALUATIONS))


class Between:
    """Keeps a training going until its budget is spent or `stop_requested` is set.

    Args:
        learner: what learns.
        budget: of the training.
        schedule: of the evaluations.
        evaluate: called when an evaluation is due; returns what the bar says of it.
        save: called when a checkpoint is due.
        checkpoint_seconds: the time between two checkpoints.
        bar: whether to show a progress bar.

    Attributes:
        stop_requested: whether to end the training the next time that it can be.
        news: what the bar says of the last evaluation.
    """

    def __init__(
        self,
        learner: Learner,
        budget: Budget,
        schedule: EvaluationSchedule,
        evaluate: Callable[[], str],
        save: Callable[[], None],
        checkpoint_seconds: float,
        bar: bool = True,
    ) -> None:
        """Prepares all but the bar."""
        self.stop_requested = False
        self.news = ""
        self._learner = learner
        self._budget = budget
        self._schedule = schedule
        self._evaluate = evaluate
        self._save = save
        self._checkpoint_seconds = checkpoint_seconds
        self._saved_at = self._begun_at = time.monotonic()
        self._steps_at_start = learner.steps
        self._rows = self._progress(LOG_ROWS)
        self._hidden = not bar
        self._bar: Any = None

    def _progress(self, parts: int) -> int:
        return int(parts * self._budget.progress(self._learner.steps))

    def open(self) -> None:
        """Shows the bar."""
        self._begun_at = time.monotonic()
        self._bar = tqdm(
            total=TICKS,
            initial=self._progress(TICKS),
            bar_format="training {percentage:3.0f}%|{bar}| {elapsed} gone, {remaining} to go{postfix}",
            mininterval=0.5 if sys.stderr.isatty() else 20.0,
            dynamic_ncols=True,
            disable=self._hidden,
        )

    def __call__(self) -> None:
        """Does what is due.

        Raises:
            TrainingStopped: the budget is spent, or the end was requested.
        """
        steps = self._learner.steps
        if self._schedule.is_due(steps):
            self.news = self._evaluate()
        if self.stop_requested or self._budget.progress(steps) >= 1:
            raise TrainingStopped
        if self._progress(LOG_ROWS) > self._rows:
            self._rows = self._progress(LOG_ROWS)
            self._learner.log()
        if time.monotonic() - self._saved_at >= self._checkpoint_seconds:
            self._save()
            self._saved_at = time.monotonic()

    def step(self) -> None:
        """Moves the bar on."""
        speed = (self._learner.steps - self._steps_at_start) / max(time.monotonic() - self._begun_at, 1e-3)
        text = f"{self._learner.steps} steps, {speed:.0f} steps/s"
        self._bar.set_postfix_str(f"{text}, {self.news}" if self.news else text, refresh=False)
        self._bar.update(self._progress(TICKS) - self._bar.n)

    def close(self) -> None:
        """Leaves the bar as it is on the screen."""
        if self._bar is not None:
            self._bar.close()
