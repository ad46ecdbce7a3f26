"""A training in progress: its parts, their evaluation, and what a checkpoint holds of them."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import msgspec

from baselines.learned.agents.storage import kept_step
from baselines.learned.common.budget import Budget
from baselines.learned.common.tensor_files import Tensors, read_tensors, write_tensors
from baselines.learned.settings.training import TrainingSettings
from baselines.learned.training.console import Stopwatch, View
from baselines.learned.training.curves import draw_curves
from baselines.learned.training.evaluation import BestAgent, Evaluation, Score, Selection
from baselines.learned.training.learner import Learner
from baselines.learned.training.log import Log
from baselines.learned.training.signals import StopSignals
from baselines.registry import CHECKPOINT_FILE
from baselines.support.structs import Kept, Rate, convert

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


ACTIVITIES = ("environment", "inference", "update")
"""Activities of a learner, whose fractions of the time are reported."""

Snapshot = tuple[Tensors, dict[str, Any]]
"""State of a learner, as its method `snapshot` returns it."""


Seconds = Annotated[float, msgspec.Meta(ge=0, le=1e12)]


class Progress(msgspec.Struct):
    """State of a training that is not its learner's; a checkpoint holds it as JSON."""

    seconds: Seconds
    evaluation_seconds: Seconds
    kept: Kept | None
    highest: Rate
    references: dict[str, dict[str, Rate]] | None


@dataclass
class Training:
    """The parts of a training that is ready to run.

    Attributes:
        settings: with the device chosen.
        folder: the run folder.
        learner: new, started from an agent, or restored.
        selection: its selection games.
        best: the agent in the run folder.
        budget: time or steps.
        schedule: of the evaluations.
        start: the training of the agent whose weights this session began with; None if it began with no agent.
        score: of the last evaluation; None before the first one of this session.
        evaluated_at: step of the last evaluation; None before the first one of this session.
        is_drawn: whether the curves show the last evaluation.
        evaluations: time that the evaluations of this session take, with those of the scripted policies.
        compares: whether scripted policies play the selection games, too.
        is_ended: whether the caller asked for the end after an evaluation.
    """

    settings: TrainingSettings
    folder: Path
    learner: Learner
    selection: Selection
    best: BestAgent
    budget: Budget
    schedule: EvaluationSchedule
    start: dict[str, Any] | None = None
    score: Score | None = None
    evaluated_at: int | None = None
    is_drawn: bool = True
    evaluations: Stopwatch = field(default_factory=Stopwatch)
    compares: bool = True
    is_ended: bool = False

    def evaluate(self, log: Log, *, compares: bool = True) -> None:
        """Plays the selection games, and keeps the agent if no earlier one was better.

        Args:
            log: of the session.
            compares: whether the scripted policies play these games first, if they have not.
        """
        if self.best.kept is None:
            # A run folder with an agent always has a checkpoint, so that a killed training can be resumed.
            self.save()
        with self.evaluations:
            self._evaluate(log, compares)

    def _evaluate(self, log: Log, compares: bool) -> None:
        if compares and self.compares:
            with self.budget.paused():
                self.selection.play_references()
        minutes = self.budget.elapsed() / 60
        learner, begin = self.learner, time.perf_counter()
        # Once: PPO draws random numbers to make the network, which the training would miss.
        network = learner.current_network()
        score = self.selection.score(lambda config: learner.policy(network, config))
        seconds = time.perf_counter() - begin
        self.schedule.took(seconds, learner.steps)
        log.record(score, self.selection.references, minutes, seconds)
        learner.log()
        self.best.offer(network, score, learner.steps, self.selection.describe(score))
        self.score, self.evaluated_at, self.is_drawn = score, learner.steps, False

    @property
    def newest(self) -> float | None:
        """Win rate of the newest weights in the selection games; None if they did not play."""
        return None if self.score is None or self.evaluated_at != self.learner.steps else self.score.win_rate

    def last_evaluation(self) -> Evaluation | None:
        """Returns the evaluation of the newest weights; None if they did not play."""
        score, kept = self.score, self.best.kept
        if score is None or kept is None or self.newest is None:
            return None
        steps, seconds = self.learner.steps, self.budget.elapsed()
        kept_rate = float(kept["win_rate"])
        return Evaluation(steps, seconds / 60, self.budget.progress(steps), score.win_rate, score.win_rates, kept_rate)

    def view(self) -> View:
        """Returns what the panel shows."""
        return View(
            title=self.settings.title,
            budget=self.budget,
            steps=self.learner.steps,
            score=self.score,
            references=self.selection.references,
            kept=self.best.kept,
            next_evaluation=self.schedule.next_at,
            time_fractions=self.learner.clock.fractions(*ACTIVITIES),
            evaluating=self.evaluations.running(),
            evaluated=self.evaluations.seconds(),
            reference=self.selection.playing,
        )

    def is_over(self, stop: StopSignals) -> bool:
        """Returns whether the budget is spent, or a signal or the caller asked for the end."""
        return stop.requested or self.is_ended or self.budget.is_spent(self.learner.steps)

    def finish(self, log: Log, stop: StopSignals) -> None:
        """Evaluates the newest weights and saves; a stop by SIGTERM evaluates only if there is no agent yet."""
        if not stop.requested:
            if self.newest is None:
                self.evaluate(log)
            self.save()
            return
        snapshot = self.learner.snapshot()
        self.save(snapshot)
        if self.newest is None and (self.best.kept is None or not stop.is_quick):
            # An evaluation draws random numbers; a resumed training misses those of this one unless it was due.
            is_due = self.schedule.is_due(self.learner.steps)
            with stop.evaluating():
                # The games of the scripted policies may take longer than anyone waits for an end.
                self.evaluate(log, compares=False)
            self.save(None if is_due else snapshot)

    def save(self, snapshot: Snapshot | None = None) -> None:
        """Writes the checkpoint, and draws the curves if an evaluation is new.

        Args:
            snapshot: state of the learner; None for its present one.
        """
        tensors, state = snapshot or self.learner.snapshot()
        progress = Progress(
            seconds=self.budget.elapsed(),
            evaluation_seconds=self.schedule.seconds,
            kept=self.best.kept,
            highest=self.best.highest,
            references=self.selection.references or None,
        )
        write_tensors(
            self.folder / CHECKPOINT_FILE, tensors, {"learner": state, "progress": msgspec.structs.asdict(progress)}
        )
        if not self.is_drawn:
            draw_curves(self.folder)
            self.is_drawn = True


@dataclass
class Reports:
    """Reports the evaluations of a training to a caller, each one once.

    Attributes:
        training: the training.
        receive: called with an evaluation; False as its answer ends the training. None for no caller.
        sent_at: step of the last report.
    """

    training: Training
    receive: Callable[[Evaluation], bool] | None
    sent_at: int | None = None

    def due(self) -> bool:
        """Returns whether an evaluation of the newest weights waits to be reported."""
        steps = self.training.learner.steps
        return self.receive is not None and self.training.evaluated_at == steps != self.sent_at

    def send(self) -> None:
        """Reports the evaluation of the newest weights."""
        evaluation = self.training.last_evaluation()
        if self.receive is not None and evaluation is not None:
            self.sent_at = evaluation.steps
            self.training.is_ended = not self.receive(evaluation)


def restore(learner: Learner, checkpoint: Path) -> Progress:
    """Restores the learner from a checkpoint, and returns the rest of it."""
    tensors, state = read_tensors(checkpoint)
    try:
        progress = convert(state["progress"], Progress, "its progress")
        learner.restore(tensors, state["learner"])
        return progress
    except (ValueError, TypeError, KeyError, OverflowError) as error:
        raise ValueError(f"{checkpoint} cannot be resumed: {error}") from error


def stopped_at_once(folder: Path) -> str:
    """Returns a line about the files that a second Ctrl-C leaves."""
    steps = kept_step(folder)
    agent = "there is no agent yet" if steps is None else f"the kept agent is of step {steps}"
    return f"stopped at once; {agent}, and --resume continues from the last checkpoint in {folder}"
