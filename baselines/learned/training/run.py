"""Training: from the settings to the agent in a run folder, by one loop."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, NamedTuple

import torch

from baselines.learned.agents.allocation import keep_freed_memory
from baselines.learned.agents.storage import load_network
from baselines.learned.common.budget import Budget
from baselines.learned.common.tensor_files import Tensors, read_tensors, write_tensors
from baselines.learned.settings.files import RUN_FILE
from baselines.learned.settings.training import TrainingSettings
from baselines.learned.training.console import Stopwatch, TrainingPanel, View
from baselines.learned.training.curves import draw_curves
from baselines.learned.training.evaluation import BestAgent, References, Score, Selection
from baselines.learned.training.learner import Learner, make_learner
from baselines.learned.training.log import Log
from baselines.learned.training.provenance import earlier_sessions, record_session
from baselines.learned.training.schedule import CheckpointSchedule, EvaluationSchedule, RowSchedule
from baselines.learned.training.signals import StopSignals, announce_stop

CHECKPOINT_FILE = "checkpoint.safetensors"
CHECKPOINT_SECONDS = 30.0
"""Time between two checkpoints."""

ACTIVITIES = ("environment", "inference", "update")
"""Activities of a learner, whose fractions of the time are reported."""

Snapshot = tuple[Tensors, dict[str, Any]]
"""State of a learner, as its method `snapshot` returns it."""


def _ignore(_steps: int) -> None:
    """Does nothing after a checkpoint."""


def _say_nothing(_line: str = "") -> None:
    """Announces no stop, and says no estimate."""


class Outcome(NamedTuple):
    """Result of a training.

    Attributes:
        interrupted: True if a signal ended the session.
        steps: number of steps in all sessions.
        summary: result of the kept agent in the selection games, in words.
        time_fractions: fractions of this session's time, by activity.
        kept_steps: step of the agent in the run folder.
        newest: win rate of the newest weights in the selection games; None if they did not play.
    """

    interrupted: bool
    steps: int
    summary: str
    time_fractions: dict[str, float]
    kept_steps: int
    newest: float | None


@dataclass
class Progress:
    """State of a training that is not its learner's; a checkpoint holds it as JSON."""

    seconds: float = 0.0
    evaluation_seconds: float = 0.0
    kept: dict[str, Any] | None = None
    highest: float = 0.0
    references: References | None = None

    @classmethod
    def from_json(cls, content: Any) -> Progress:
        """Returns the progress that a checkpoint holds.

        Raises:
            ValueError: it lacks a value, or has one of another kind.
        """
        names = [entry.name for entry in fields(cls)]
        if not isinstance(content, dict) or set(content) != set(names):
            raise ValueError(f"its progress must have {', '.join(names)}")
        numbers = [content[name] for name in ("seconds", "evaluation_seconds", "highest")]
        if not all(isinstance(number, int | float) and 0 <= number < math.inf for number in numbers):
            raise ValueError("its seconds and win rates must be numbers of at least 0")
        if not all(isinstance(content[name], dict | None) for name in ("kept", "references")):
            raise ValueError("its kept agent and its references must be objects")
        if content["kept"] is not None and not {"summary", "steps", "win_rate"} <= content["kept"].keys():
            raise ValueError("its kept agent must have summary, steps and win_rate")
        return cls(**content)


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
        score: of the last evaluation; None before the first one of this session.
        evaluated_at: step of the last evaluation; None before the first one of this session.
        is_drawn: whether the curves show the last evaluation.
        evaluations: time that the evaluations of this session take, with those of the scripted policies.
    """

    settings: TrainingSettings
    folder: Path
    learner: Learner
    selection: Selection
    best: BestAgent
    budget: Budget
    schedule: EvaluationSchedule
    score: Score | None = None
    evaluated_at: int | None = None
    is_drawn: bool = True
    evaluations: Stopwatch = field(default_factory=Stopwatch)

    def evaluate(self, log: Log, *, compares: bool = True) -> None:
        """Plays the selection games, and keeps the agent if no earlier one was better.

        Args:
            log: of the session.
            compares: whether the scripted policies play these games first, if they have not.
        """
        with self.evaluations:
            self._evaluate(log, compares)

    def _evaluate(self, log: Log, compares: bool) -> None:
        if compares:
            with self.budget.paused():
                self.selection.play_references()
        learner, begin = self.learner, time.perf_counter()
        # Once: PPO draws random numbers to make the network, which the training would miss.
        network = learner.current_network()
        score = self.selection.score(lambda config: learner.policy(network, config))
        seconds = time.perf_counter() - begin
        self.schedule.took(seconds, learner.steps)
        log.record(score, self.selection.references, seconds)
        learner.log()
        self.best.offer(network, score, learner.steps, self.selection.describe(score))
        self.score, self.evaluated_at, self.is_drawn = score, learner.steps, False

    @property
    def newest(self) -> float | None:
        """Win rate of the newest weights in the selection games; None if they did not play."""
        return None if self.score is None or self.evaluated_at != self.learner.steps else self.score.win_rate

    def view(self) -> View:
        """Returns what the panel shows."""
        return View(
            title=f"{self.settings.algo} on {', '.join(self.settings.boards)}",
            budget=self.budget,
            steps=self.learner.steps,
            score=self.score,
            references=self.selection.references,
            kept=self.best.kept,
            next_evaluation=self.schedule.next_at,
            time_fractions=self.learner.clock.fractions(*ACTIVITIES),
            evaluating=self.evaluations.running(),
            evaluated=self.evaluations.seconds(),
        )

    def is_over(self, stop: StopSignals) -> bool:
        """Returns whether the budget is spent, or a signal asked for the end."""
        return stop.requested or self.budget.is_spent(self.learner.steps)

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
        write_tensors(self.folder / CHECKPOINT_FILE, tensors, {"learner": state, "progress": asdict(progress)})
        if not self.is_drawn:
            draw_curves(self.folder)
            self.is_drawn = True


def train(
    settings: TrainingSettings,
    folder: Path,
    command: str = "",
    *,
    resume: bool = False,
    bar: bool = True,
    checkpoint_seconds: float | None = None,
    on_checkpoint: Callable[[int], None] = _ignore,
) -> Outcome:
    """Trains an agent, and leaves it in a run folder.

    Args:
        settings: of the training.
        folder: the run folder, which exists.
        command: recorded in `run.json`.
        resume: whether to continue from the checkpoint in the folder, if there is one.
        bar: whether to show the progress on stderr.
        checkpoint_seconds: time between two checkpoints; None for `CHECKPOINT_SECONDS`.
        on_checkpoint: called with the number of steps after each checkpoint of the loop.

    Raises:
        ValueError: the checkpoint is damaged, the agent to start from does not fit, or there is no such device.
    """
    training = prepare(settings, folder, resume)
    return run(training, command, bar=bar, checkpoint_seconds=checkpoint_seconds, on_checkpoint=on_checkpoint)


def prepare(settings: TrainingSettings, folder: Path, resume: bool = False) -> Training:
    """Returns a training that is ready to run; it writes nothing.

    Raises:
        ValueError: as `train` says; the message is one line.
    """
    settings = resolve_settings(settings)
    earlier_sessions(folder / RUN_FILE)
    learner = make_learner(settings)
    # A training that ended before its first checkpoint starts again.
    checkpoint = folder / CHECKPOINT_FILE if resume and (folder / CHECKPOINT_FILE).exists() else None
    if checkpoint is None and settings.start is not None:
        _start_from(learner, settings.start)
    progress = Progress() if checkpoint is None else _restore(learner, checkpoint)
    selection = Selection(settings, progress.references)
    seconds = None if settings.minutes is None else 60 * settings.minutes
    budget = Budget(settings.steps, seconds, progress.seconds)
    schedule = EvaluationSchedule(budget)
    schedule.resume(learner.steps, progress.evaluation_seconds)
    best = BestAgent(folder, settings, progress.kept, progress.highest)
    return Training(settings, folder, learner, selection, best, budget, schedule)


def run(
    training: Training,
    command: str = "",
    *,
    bar: bool = True,
    checkpoint_seconds: float | None = None,
    on_checkpoint: Callable[[int], None] = _ignore,
) -> Outcome:
    """Runs a training until its budget is spent or a signal arrives; either leaves a checkpoint and an agent.

    For the arguments see `train`.
    """
    learner, budget = training.learner, training.budget
    record_session(training.folder / RUN_FILE, training.settings, command, learner.steps)
    rows = RowSchedule(budget, learner.steps)
    checkpoints = CheckpointSchedule(CHECKPOINT_SECONDS if checkpoint_seconds is None else checkpoint_seconds)
    panel = TrainingPanel(training.view, bar)
    with Log(training.folder) as log, panel:
        with StopSignals(announce_stop if bar else _say_nothing) as stop:
            for _ in learner.rounds(budget, log.logger):
                if training.is_over(stop):
                    break
                if training.schedule.is_due(learner.steps):
                    training.evaluate(log)
                    if training.is_over(stop):
                        break
                if rows.is_due(learner.steps):
                    learner.log()
                if checkpoints.is_due():
                    training.save()
                    on_checkpoint(learner.steps)
                    checkpoints.saved()
                panel.show()
            training.finish(log, stop)
        panel.show()
    time_fractions = learner.clock.fractions(*ACTIVITIES)
    best = training.best
    return Outcome(stop.requested, learner.steps, best.summary, time_fractions, best.steps, training.newest)


def resolve_settings(settings: TrainingSettings) -> TrainingSettings:
    """Returns the settings with the device chosen, and sets the number of threads of PyTorch.

    Raises:
        ValueError: there is no such device.
    """
    if settings.device == "cuda" and not torch.cuda.is_available():
        raise ValueError("device cuda is not available; use cpu or auto")
    torch.set_num_threads(settings.threads)
    keep_freed_memory()
    if settings.device != "auto":
        return settings
    return replace(settings, device="cuda" if torch.cuda.is_available() else "cpu")


def _start_from(learner: Learner, agent: str) -> None:
    from baselines.registry import agent_folder, agent_names

    folder = agent_folder(agent) or Path(agent)
    if not folder.is_dir():
        known = ", ".join(agent_names())
        raise ValueError(f"the training cannot start from {folder}: there are the agents {known}, and run folders")
    try:
        learner.begin_with(load_network(folder))
    except ValueError as error:
        raise ValueError(f"the training cannot start from {folder}: {error}") from error


def _restore(learner: Learner, checkpoint: Path) -> Progress:
    """Restores the learner from a checkpoint, and returns the rest of it."""
    tensors, state = read_tensors(checkpoint)
    try:
        progress = Progress.from_json(state["progress"])
        learner.restore(tensors, state["learner"])
        return progress
    except (ValueError, TypeError, KeyError) as error:
        raise ValueError(f"{checkpoint} cannot be resumed: {error}") from error
