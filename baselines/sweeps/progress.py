"""Progress of a sweep: which trials run, have ended or failed, a line for each change and every ten seconds."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from baselines.sweeps.plan import Trial
from baselines.sweeps.trial import METRIC, PERCENT, TRIAL
from minesweeper_env.notices import say

LOOK_SECONDS = 10.0
"""Time between two lines while no trial changes."""


class Progress:
    """State of the trials, as Ray Tune reports it.

    Attributes:
        ended: numbers of the trials that are complete, or that the scheduler ended.
        failed: reasons by the numbers of failed trials.
    """

    def __init__(self, trials: Sequence[Trial]) -> None:
        """Takes the trials; none has begun."""
        self.ended: set[int] = set()
        self.failed: dict[int, str] = {}
        self._trials = trials
        self._shown = {trial.number: len(trial.points) for trial in trials}
        self._said_at = time.monotonic()

    def callback(self) -> Any:
        """Returns the callback for Ray Tune, which is imported here alone."""
        from ray.tune import Callback

        progress = self

        class Report(Callback):
            def on_trial_result(self, iteration: int, trials: Any, trial: Any, result: Any, **_: Any) -> None:  # noqa: ARG002
                progress.reported(trial.config[TRIAL], result)

            def on_trial_complete(self, iteration: int, trials: Any, trial: Any, **info: Any) -> None:  # noqa: ARG002
                progress.ended.add(trial.config[TRIAL])

            def on_trial_error(self, iteration: int, trials: Any, trial: Any, **info: Any) -> None:  # noqa: ARG002
                progress.failed[trial.config[TRIAL]] = _reason(trial)

            def on_step_end(self, iteration: int, trials: Any, **info: Any) -> None:  # noqa: ARG002
                progress.look(sum(trial.status == "RUNNING" for trial in trials))

        return Report()

    def reported(self, number: int, result: Any) -> None:
        """Prints an evaluation, unless an earlier run of the sweep did."""
        if PERCENT not in result:
            return
        if self._shown[number] > 0:
            self._shown[number] -= 1
            return
        values = ", ".join(f"{name}={value}" for name, value in self._trials[number].values.items())
        self._say(f"trial {number} ({values}): {result[PERCENT]}% of its budget, wins {result[METRIC]:.1%}")

    def look(self, running: int) -> None:
        """Prints the numbers of trials, if nothing was printed for some time."""
        if time.monotonic() - self._said_at > LOOK_SECONDS:
            left = len(self._trials) - len(self.ended) - running
            self._say(f"{len(self.ended)} of {len(self._trials)} trials have ended, {running} run, {left} wait")

    def _say(self, text: str) -> None:
        self._said_at = time.monotonic()
        say(text)


def _reason(trial: Any) -> str:
    """Returns the last line of the error of a trial."""
    error = trial.get_error() if hasattr(trial, "get_error") else None
    lines = str(error or "its worker or node was lost").strip().splitlines()
    return lines[-1].strip()
