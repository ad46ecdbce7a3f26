"""Training: from the settings to the agent in a run folder, by one loop."""

from __future__ import annotations

import platform
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import torch

import minesweeper_env
from baselines.hub import naming, pinned_within
from baselines.learned.agents.allocation import keep_freed_memory
from baselines.learned.agents.storage import load_network
from baselines.learned.common.budget import Budget
from baselines.learned.settings.command_line import MAY_CHANGE, check_earlier
from baselines.learned.settings.files import RUN_FILE, START, training_of
from baselines.learned.settings.training import TrainingSettings
from baselines.learned.training.console import TrainingPanel
from baselines.learned.training.evaluation import BestAgent, Evaluation, Selection
from baselines.learned.training.learner import Learner, make_learner
from baselines.learned.training.log import Log, start_tracking
from baselines.learned.training.session import (
    ACTIVITIES,
    CheckpointSchedule,
    EvaluationSchedule,
    Progress,
    Reports,
    RowSchedule,
    Training,
    restore,
)
from baselines.learned.training.signals import StopSignals, announce_stop
from baselines.registry import CHECKPOINT_FILE, agent_folder, agent_names
from baselines.support.files import write_json
from baselines.support.provenance import own_identity, processor_name, source_commit
from baselines.support.structs import Run, read_as

PACKAGES = ("gymnasium", "numpy", "numba", "torch", "stable-baselines3", "sb3-contrib")


def record_session(
    path: Path, settings: TrainingSettings, command: str, steps: int, start: dict[str, Any] | None = None
) -> None:
    """Writes the settings to a `run.json` and appends a session.

    Args:
        path: the file; earlier sessions in it are kept.
        settings: the settings of the training.
        command: the command line of the session.
        steps: the number of steps in earlier sessions.
        start: `training_of` the agent that the weights come from; None keeps what the file says.
    """
    earlier = earlier_run(path)
    start = start or earlier.start
    session = describe_session(command) | {"from_step": steps}
    identity = own_identity()._asdict()
    content = {"settings": settings.to_json(), "identity": identity, "sessions": [*earlier.sessions, session]}
    write_json(path, content if start is None else content | {START: start})


def earlier_run(path: Path) -> Run:
    """Returns the content of a `run.json`, without sessions if there is no such file.

    Raises:
        ValueError: the file is damaged; the message is one line.
    """
    return read_as(path, Run) if path.exists() else Run([])


def describe_session(command: str) -> dict[str, Any]:
    """Returns the command, start time, commit, versions and processor of a session, as JSON-able values."""
    return {
        "command": command,
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": source_commit(),
        "versions": _versions(),
        "processor": processor_name(),
    }


def _versions() -> dict[str, str]:
    own = {"minesweeper-env": minesweeper_env.__version__, "python": platform.python_version()}
    return own | {name: version(name) for name in PACKAGES}


CHECKPOINT_SECONDS = 30.0
"""Time between two checkpoints."""


def _ignore(_steps: int) -> None:
    """Does nothing after a checkpoint."""


def _say_nothing() -> None:
    """Announces no stop."""


class Outcome(NamedTuple):
    """Result of a training.

    Attributes:
        interrupted: True if a signal ended the session.
        steps: number of steps in all sessions.
        summary: result of the kept agent in the selection games, in words.
        time_fractions: fractions of this session's time, by activity.
        kept_steps: step at which the training wrote the agent in the run folder.
        newest: win rate of the newest weights in the selection games; None if they did not play.
    """

    interrupted: bool
    steps: int
    summary: str
    time_fractions: dict[str, float]
    kept_steps: int
    newest: float | None

    def in_words(self, games: int, folder: Path) -> list[str]:
        """Returns the lines that report it.

        Args:
            games: number of selection games of each board.
            folder: the run folder.
        """
        state = "interrupted" if self.interrupted else "trained"
        time = ", ".join(f"{name} {fraction:.1%}" for name, fraction in self.time_fractions.items())
        lines = [f"{state} after {self.steps} steps: agent of step {self.kept_steps} in {folder}"]
        if self.kept_steps != self.steps:
            lines.append(self._newest_in_words())
        if self.summary:
            lines.append(f"of {games} selection games: {self.summary}")
        return [*lines, f"time: {time}"] if time else lines

    def _newest_in_words(self) -> str:
        """Returns a line about the newest weights, which are not those of the kept agent."""
        if self.newest is None:
            return f"the newest weights, of step {self.steps}, have not been evaluated; --resume continues with them"
        newest = f"the newest weights, of step {self.steps}, win {self.newest:.1%} of the selection games"
        return f"{newest}, fewer than the kept agent"


def train(
    settings: TrainingSettings,
    folder: Path,
    command: str = "",
    *,
    resume: bool = False,
    bar: bool = True,
    checkpoint_seconds: float | None = None,
    on_checkpoint: Callable[[int], None] = _ignore,
    on_evaluation: Callable[[Evaluation], bool] | None = None,
    compares: bool = True,
    track: bool = False,
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
        on_evaluation: called after each evaluation, when its agent and a checkpoint are written. If it returns False,
            the training ends: its run folder is complete, and it can be resumed.
        compares: whether scripted policies play the selection games, too.
        track: whether Weights & Biases gets the settings and every row of the log.

    The training may run in any thread; it handles signals in the main thread alone.

    Raises:
        ValueError: the checkpoint is damaged, the agent to start from does not fit, or there is no such device.
    """
    training = prepare(settings, folder, resume)
    training.compares = compares
    return run(
        training,
        command,
        bar=bar,
        checkpoint_seconds=checkpoint_seconds,
        on_checkpoint=on_checkpoint,
        on_evaluation=on_evaluation,
        track=track,
    )


def prepare(settings: TrainingSettings, folder: Path, resume: bool = False) -> Training:
    """Returns a training that is ready to run; it writes nothing.

    Args:
        settings: of the training.
        folder: the run folder, which exists.
        resume: whether to continue from the checkpoint in the folder, if there is one.

    Raises:
        ValueError: as `train` says; the message is one line.
    """
    settings = resolve_settings(settings)
    earlier_run(folder / RUN_FILE)
    if resume:
        check_earlier(folder, {name: value for name, value in settings.to_json().items() if name not in MAY_CHANGE})
    # A training that ended before its first checkpoint starts again.
    checkpoint = folder / CHECKPOINT_FILE if resume and (folder / CHECKPOINT_FILE).exists() else None
    learner = make_learner(settings)
    anew = checkpoint is None
    start = _start_from(learner, settings.start) if anew and settings.start is not None else None
    progress = Progress(0, 0, None, 0, None) if checkpoint is None else restore(learner, checkpoint)
    selection = Selection(settings, progress.references)
    seconds = None if settings.minutes is None else 60 * settings.minutes
    budget = Budget(settings.steps, seconds, progress.seconds)
    schedule = EvaluationSchedule(budget)
    if progress.kept is not None:  # Otherwise the first evaluation was cut off, and is due again.
        schedule.resume(learner.steps, progress.evaluation_seconds)
    best = BestAgent(folder, settings, progress.kept, progress.highest)
    return Training(settings, folder, learner, selection, best, budget, schedule, start)


def run(
    training: Training,
    command: str = "",
    *,
    bar: bool = True,
    checkpoint_seconds: float | None = None,
    on_checkpoint: Callable[[int], None] = _ignore,
    on_evaluation: Callable[[Evaluation], bool] | None = None,
    track: bool = False,
) -> Outcome:
    """Runs a training until its budget is spent or a signal arrives; either leaves a checkpoint and an agent.

    An evaluation that a caller follows is followed by a checkpoint. For the arguments see `train`.
    """
    learner = training.learner
    record_session(training.folder / RUN_FILE, training.settings, command, learner.steps, training.start)
    rows = RowSchedule(training.budget, learner.steps)
    checkpoints = CheckpointSchedule(CHECKPOINT_SECONDS if checkpoint_seconds is None else checkpoint_seconds)
    reports = Reports(training, on_evaluation)
    loop = _Loop(training, rows, checkpoints, reports, on_checkpoint)
    panel = TrainingPanel(training.view, bar)
    tracked = start_tracking(training.folder, training.settings) if track else nullcontext()
    with tracked, Log(training.folder) as log, panel:
        with StopSignals(announce_stop if bar else _say_nothing) as stop:
            loop.run(log, stop, panel)
            training.finish(log, stop)
        if reports.due():
            reports.send()
        panel.show()
    return _outcome(training, stop.requested)


class _Loop(NamedTuple):
    """The loop of a session.

    Attributes:
        training: the training.
        rows: when to write a row of the log.
        checkpoints: when to write a checkpoint.
        reports: what the caller follows.
        on_checkpoint: called with the number of steps after each checkpoint.
    """

    training: Training
    rows: RowSchedule
    checkpoints: CheckpointSchedule
    reports: Reports
    on_checkpoint: Callable[[int], None]

    def run(self, log: Log, stop: StopSignals, panel: TrainingPanel) -> None:
        """Learns until the budget is spent, a signal arrives, or the caller ends the training."""
        training, learner = self.training, self.training.learner
        for _ in learner.rounds(training.budget, log.logger):
            if training.is_over(stop):
                break
            if training.schedule.is_due(learner.steps):
                self._evaluate(log, stop)
                if training.is_over(stop):
                    break
            if self.rows.is_due(learner.steps):
                learner.log()
            if self.checkpoints.is_due():
                training.save()
                self._saved()
            panel.show()

    def _evaluate(self, log: Log, stop: StopSignals) -> None:
        """Evaluates the agent; what the caller follows is saved before the caller hears of it."""
        self.training.evaluate(log)
        if not self.training.is_over(stop) and self.reports.due():
            self.training.save()
            self.reports.send()
            self._saved()

    def _saved(self) -> None:
        self.on_checkpoint(self.training.learner.steps)
        self.checkpoints.saved()


def _outcome(training: Training, interrupted: bool) -> Outcome:
    learner, best = training.learner, training.best
    time_fractions = learner.clock.fractions(*ACTIVITIES)
    return Outcome(interrupted, learner.steps, best.summary, time_fractions, best.steps, training.newest)


def resolve_settings(settings: TrainingSettings) -> TrainingSettings:
    """Returns the settings with the device chosen and the start pinned, and sets the number of threads of PyTorch.

    Raises:
        ValueError: there is no such device, or the agent of the hub to start from cannot be had.
        MissingExtraError: the client of the hub is not installed.
    """
    if settings.device == "cuda" and not torch.cuda.is_available():
        raise ValueError("device cuda is not available; use cpu or auto")
    torch.set_num_threads(settings.threads)
    keep_freed_memory()
    if settings.start is not None:
        settings = replace(settings, start=pinned_within(settings.start, settings.start))
    if settings.device != "auto":
        return settings
    return replace(settings, device="cuda" if torch.cuda.is_available() else "cpu")


def _start_from(learner: Learner, agent: str) -> dict[str, Any]:
    """Gives the learner the weights of an agent, and returns the training of that agent."""
    folder = agent_folder(agent) or Path(agent)
    if not folder.is_dir():
        known = ", ".join(agent_names())
        raise ValueError(f"the training cannot start from {folder}: there are the agents {known}, and run folders")
    try:
        learner.begin_with(naming(agent, folder, load_network)(folder))
    except ValueError as error:
        raise ValueError(f"the training cannot start from {agent}: {error}") from error
    return training_of(folder)
