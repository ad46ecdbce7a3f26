"""What happens between the rollouts of a training: evaluations, checkpoints, the progress bar and the end."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from stable_baselines3.common.callbacks import BaseCallback
from tqdm import tqdm

from baselines.learned.pacing import Budget

EVALUATIONS = 10
EVALUATION_SHARE = 0.1
"""The largest share of the time that evaluations may take when the budget is one of time."""

TICKS = 1000


class TrainingStopped(Exception):  # noqa: N818 - a signal between two parts of the training, not an error
    """The training ends here, between two rollouts, where a checkpoint loses nothing."""


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


class BetweenRollouts(BaseCallback):
    """Keeps a training going until its budget is spent or `stop_requested` is set.

    Args:
        budget: of the training.
        schedule: of the evaluations.
        evaluate: called when an evaluation is due; returns the win rate.
        save: called when a checkpoint is due.
        checkpoint_seconds: the time between two checkpoints.
    """

    def __init__(
        self,
        budget: Budget,
        schedule: EvaluationSchedule,
        evaluate: Callable[[], float],
        save: Callable[[], None],
        checkpoint_seconds: float,
    ) -> None:
        """Prepares the callback."""
        super().__init__()
        self.stop_requested = False
        self.win_rate: float | None = None
        self._budget = budget
        self._schedule = schedule
        self._evaluate = evaluate
        self._save = save
        self._checkpoint_seconds = checkpoint_seconds
        self._saved_at = time.monotonic()
        self._bar: Any = None

    def _on_training_start(self) -> None:
        self._begun_at, self._steps_at_start = time.monotonic(), self.num_timesteps
        self._bar = tqdm(
            total=TICKS,
            bar_format="training {percentage:3.0f}%|{bar}| {elapsed} gone, {remaining} to go{postfix}",
            mininterval=0.5 if sys.stderr.isatty() else 20.0,
            dynamic_ncols=True,
        )
        self._bar.initial = self._bar.n = int(TICKS * self._budget.progress(self.num_timesteps))

    def _on_rollout_start(self) -> None:
        if self._schedule.is_due(self.num_timesteps):
            self.win_rate = self._evaluate()
        if self.stop_requested or self._budget.progress(self.num_timesteps) >= 1:
            raise TrainingStopped
        if time.monotonic() - self._saved_at >= self._checkpoint_seconds:
            self._save()
            self._saved_at = time.monotonic()

    def _on_step(self) -> bool:
        speed = (self.num_timesteps - self._steps_at_start) / (time.monotonic() - self._begun_at)
        rate = "-" if self.win_rate is None else f"{self.win_rate:.1%}"
        self._bar.set_postfix_str(f"{self.num_timesteps} steps, {speed:.0f} steps/s, wins {rate}", refresh=False)
        self._bar.update(int(TICKS * self._budget.progress(self.num_timesteps)) - self._bar.n)
        return True

    def close(self) -> None:
        """Leaves the progress bar as it is on the screen."""
        if self._bar is not None:
            self._bar.close()
