"""Training: from the settings to the agent in a run folder, by one loop; read `run` first."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import closing, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import torch
from stable_baselines3.common.logger import Logger
from torch import nn

from baselines.evaluation.seeds import SELECTION_SEEDS
from baselines.hub import pinned_within
from baselines.learned.agents import keep_freed_memory, load_network, policy_of, save_agent
from baselines.learned.common.budget import Budget, Clock
from baselines.learned.common.tensor_files import Tensors
from baselines.learned.configurations import MAY_CHANGE, RUN_FILE, check_earlier, training_of
from baselines.learned.settings import TrainingSettings
from baselines.learned.training.console import TrainingPanel, View
from baselines.learned.training.curves import draw_curves
from baselines.learned.training.evaluation import Evaluation, Score, play_references, play_selection
from baselines.learned.training.files import (
    Log,
    Progress,
    earlier_run,
    record_session,
    restore,
    start_tracking,
    write_checkpoint,
)
from baselines.learned.training.signals import StopSignals
from baselines.registry import CHECKPOINT_FILE, agent_folder, agent_names

CHECKPOINT_SECONDS = 30.0
"""Time between two checkpoints."""

EVALUATIONS, EVALUATION_FRACTION = 10, 0.1
"""Evaluations over the budget, and the largest fraction of the time that they may take under a budget of time."""

LOG_ROWS = 200
"""Rows of the log over the whole budget, in addition to the rows of the evaluations."""

Snapshot = tuple[Tensors, dict[str, Any]]
"""State of a learner: tensors, and JSON-able values."""


class Learner(Protocol):
    """Something that learns, round by round.

    Attributes:
        clock: the time spent on "environment", "inference" and "update".
    """

    clock: Clock

    @property
    def steps(self) -> int:
        """The number of steps so far, earlier sessions included."""

    def rounds(self, budget: Budget, logger: Logger) -> Iterator[None]:
        """Learns without end, and yields before each round, when `snapshot` is exact; schedules follow the budget."""

    def current_network(self) -> nn.Module:
        """Returns the network that plays; it may share weights with the training, which keeps changing them."""

    def log(self) -> None:
        """Writes a log row: the means since the last row."""

    def begin_with(self, network: nn.Module) -> None:
        """Copies the weights of a network of any depth; raises ValueError if it is of another kind or width."""

    def snapshot(self) -> Snapshot:
        """Returns its whole state."""

    def restore(self, tensors: Tensors, state: dict[str, Any]) -> None:
        """Continues from the snapshot of an equal learner; raises ValueError if it is of another one."""


class Outcome(NamedTuple):
    """Result of a training: whether a signal ended the session, and the steps of all sessions.

    Attributes:
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


def train(
    settings: TrainingSettings,
    folder: Path,
    command: str = "",
    *,
    resume: bool = False,
    compares: bool = True,
    **how: Any,
) -> Outcome:
    """Trains an agent, and leaves it in a run folder.

    The training may run in any thread; it handles signals in the main thread alone.

    Args:
        settings: of the training.
        folder: the run folder, which exists.
        command: recorded in `run.json`.
        resume: whether to continue from the checkpoint in the folder, if there is one.
        compares: whether scripted policies play the selection games, too.
        **how: see `run`.

    Raises:
        ValueError: the checkpoint is damaged, the agent to start from does not fit, or there is no such device.
    """
    training = prepare(settings, folder, resume)
    training.compares = compares
    return run(training, command, **how)


def prepare(settings: TrainingSettings, folder: Path, resume: bool = False) -> Training:
    """Returns a training that is ready to run; it writes nothing. For the arguments and errors see `train`."""
    settings = resolve_settings(settings)
    earlier_run(folder / RUN_FILE)
    if resume:
        check_earlier(folder, {name: value for name, value in settings.to_json().items() if name not in MAY_CHANGE})
    learner, start, progress, checkpoint = (
        settings.own.make_learner(settings),
        None,
        Progress(0, 0, None, 0, None),
        folder / CHECKPOINT_FILE,
    )
    if resume and checkpoint.exists():
        progress = restore(learner, checkpoint)
    elif settings.start is not None:  # A training that ended before its first checkpoint starts again.
        start = _start_from(learner, settings.start)
    budget = Budget(settings.steps, None if settings.minutes is None else 60 * settings.minutes, progress.seconds)
    # Without a kept agent the first evaluation was cut off, and is due again.
    done = 0 if progress.kept is None else int(budget.progress(learner.steps) * EVALUATIONS)
    return Training(settings, folder, learner, budget, progress, start, done)


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
        learner.begin_with(load_network(folder))
    except ValueError as error:
        raise ValueError(f"the training cannot start from {agent}: {error}") from error
    return training_of(folder)


def run(
    training: Training,
    command: str = "",
    *,
    bar: bool = True,
    checkpoint_seconds: float | None = None,
    on_checkpoint: Callable[[int], object] = lambda _steps: None,
    on_evaluation: Callable[[Evaluation], bool] | None = None,
    track: bool = False,
) -> Outcome:
    """Runs a training until its budget is spent or a signal arrives; either leaves a checkpoint and an agent.

    Args:
        training: of `prepare`.
        command: recorded in `run.json`.
        bar: whether to show the progress on stderr.
        checkpoint_seconds: time between two checkpoints; None for `CHECKPOINT_SECONDS`.
        on_checkpoint: called with the number of steps after each checkpoint of the loop.
        on_evaluation: called once after each evaluation, when its agent and a checkpoint are written. If it returns
            False, the training ends: its run folder is complete, and it can be resumed.
        track: whether Weights & Biases gets the settings and every row of the log.
    """
    learner, budget, folder = training.learner, training.budget, training.folder
    interval = CHECKPOINT_SECONDS if checkpoint_seconds is None else checkpoint_seconds
    training.on_evaluation = on_evaluation
    record_session(folder / RUN_FILE, training.settings, command, learner.steps, training.start)
    rows, saved_at = int(LOG_ROWS * budget.progress(learner.steps)), time.monotonic()
    tracked = start_tracking(folder, training.settings) if track else nullcontext()
    panel = TrainingPanel(training.view, bar)
    with tracked, closing(Log(folder)) as log, panel:
        with StopSignals(bar) as stop:
            for _ in learner.rounds(budget, log):
                if training.is_over(stop):
                    break
                saves = time.monotonic() - saved_at >= interval
                if training.is_due():
                    training.evaluate(log)
                    if training.is_over(stop):
                        break
                    saves = saves or training.has_news()
                elif (now := int(LOG_ROWS * budget.progress(learner.steps))) > rows:
                    rows = now
                    learner.log()
                if saves:
                    training.save()
                    training.report()
                    on_checkpoint(learner.steps)
                    saved_at = time.monotonic()
                    if training.is_ended:
                        break
                panel.show()
            training.finish(log, stop)
        training.report()
        panel.show()
    kept = training.progress.kept
    return Outcome(
        stop.requested,
        learner.steps,
        kept["summary"] if kept else "",
        learner.clock.fractions(),
        kept["steps"] if kept else 0,
        training.newest,
    )


@dataclass
class Training:
    """A training: what `prepare` made, and what has come of it in this session.

    Attributes:
        progress: what the checkpoint holds besides the learner.
        start: the training of the agent whose weights this session began with; None if it began with no agent.
        done: evaluations so far, skipped ones included.
        cost: time that the last one took, in seconds.
        score: of the last evaluation of this session, which was at the step `evaluated_at`.
        reported_at: step of the last evaluation that the caller knows.
        is_drawn: whether the curves show the last evaluation.
        compares: whether scripted policies play the selection games, too; `player` is the one that plays now.
        evaluating_since: start of the running evaluation; None if there is none.
        evaluated: seconds that the evaluations of this session took, with those of the scripted policies.
        on_evaluation: the caller, see `run`; it may ask for the end, `is_ended`.
    """

    settings: TrainingSettings
    folder: Path
    learner: Learner
    budget: Budget
    progress: Progress
    start: dict[str, Any] | None = None
    done: int = 0
    cost: float = 0.0
    score: Score | None = None
    evaluated_at: int = -1
    reported_at: int = -1
    is_drawn: bool = True
    compares: bool = True
    player: str = ""
    evaluating_since: float | None = None
    evaluated: float = 0.0
    on_evaluation: Callable[[Evaluation], bool] | None = None
    is_ended: bool = False

    def is_over(self, stop: StopSignals) -> bool:
        """Returns whether the budget is spent, or a signal or the caller asked for the end."""
        return stop.requested or self.is_ended or self.budget.is_spent(self.learner.steps)

    def is_due(self) -> bool:
        """Returns whether to evaluate now; an evaluation that would take too long is skipped."""
        reached = int(self.budget.progress(self.learner.steps) * EVALUATIONS)
        if reached <= self.done:
            return False
        allowed, spent = EVALUATION_FRACTION * self.budget.elapsed(), self.progress.evaluation_seconds
        affordable = self.budget.seconds is None or spent + self.cost <= allowed
        if not affordable:
            self.done = reached
        return affordable

    def evaluate(self, log: Log, *, compares: bool = True) -> None:
        """Plays the selection games, and keeps the agent unless an earlier one won more by over a standard error.

        Args:
            log: of the session.
            compares: whether the scripted policies play these games first, if they have not.
        """
        if self.progress.kept is None:
            # A run folder with an agent always has a checkpoint, so that a killed training can be resumed.
            self.save()
        self.evaluating_since = time.monotonic()
        try:
            if compares and self.compares and not self.progress.references:
                with self.budget.paused():
                    self.progress.references = play_references(
                        self.settings, lambda name: setattr(self, "player", name)
                    )
                self.player = ""
            self._play(log)
        finally:
            self.evaluated += time.monotonic() - self.evaluating_since
            self.evaluating_since = None

    def _play(self, log: Log) -> None:
        progress, minutes, begin = self.progress, self.budget.elapsed() / 60, time.perf_counter()
        # Once: PPO draws random numbers to make the network, which the training would miss.
        network = self.learner.current_network()
        self.score = score = play_selection(self.settings, lambda config: policy_of(network, config))
        self.cost, self.evaluated_at, self.is_drawn = time.perf_counter() - begin, self.learner.steps, False
        self.done = max(self.done + 1, int(self.budget.progress(self.learner.steps) * EVALUATIONS))
        progress.evaluation_seconds += self.cost
        log.record_evaluation(score, progress.references or {}, minutes, self.cost)
        self.learner.log()
        if progress.kept is None or score.is_as_good_as(progress.highest):
            self._keep(network, score)
        progress.highest = max(progress.highest, score.win_rate)

    def _keep(self, network: nn.Module, score: Score) -> None:
        settings = self.settings
        self.progress.kept = {
            "win_rate": score.win_rate,
            "win_rates": score.win_rates,
            "games": score.games,
            "first_seed": SELECTION_SEEDS.start,
            "steps": self.learner.steps,
            "summary": score.in_words(self.progress.references or {}),
        }
        level = {} if settings.no_guess == "none" else {"no_guess": settings.no_guess}
        facts = {
            "algo": settings.algo,
            "trained_on": {"boards": list(settings.boards), "first_click": settings.first_click, **level},
            "teacher": settings.teacher,
            "selected_by": self.progress.kept,
        }
        save_agent(self.folder, network, settings.network, facts)

    @property
    def newest(self) -> float | None:
        """Win rate of the newest weights in the selection games; None if they did not play."""
        return None if self.score is None or self.evaluated_at != self.learner.steps else self.score.win_rate

    def has_news(self) -> bool:
        """Returns whether the caller does not know the evaluation of the newest weights."""
        return self.on_evaluation is not None and self.newest is not None and self.reported_at != self.evaluated_at

    def report(self) -> None:
        """Reports the evaluation of the newest weights to the caller, once."""
        if not self.has_news():
            return
        assert self.on_evaluation is not None
        assert self.score is not None
        assert self.progress.kept is not None
        steps, score = self.learner.steps, self.score
        minutes, fraction = self.budget.elapsed() / 60, self.budget.progress(steps)
        kept_rate, self.reported_at = float(self.progress.kept["win_rate"]), steps
        evaluation = Evaluation(steps, minutes, fraction, score.win_rate, score.win_rates, kept_rate)
        self.is_ended = not self.on_evaluation(evaluation)

    def save(self, snapshot: Snapshot | None = None) -> None:
        """Writes the checkpoint with a snapshot, None for the present one, and draws the curves of a new evaluation."""
        tensors, state = snapshot or self.learner.snapshot()
        self.progress.seconds = self.budget.elapsed()
        write_checkpoint(self.folder, tensors, state, self.progress)
        if not self.is_drawn:
            draw_curves(self.folder)
            self.is_drawn = True

    def finish(self, log: Log, stop: StopSignals) -> None:
        """Evaluates the newest weights and saves; a stop by SIGTERM evaluates only if there is no agent yet."""
        if not stop.requested:
            if self.newest is None:
                self.evaluate(log)
            self.save()
            return
        snapshot = self.learner.snapshot()
        self.save(snapshot)
        if self.newest is None and (self.progress.kept is None or not stop.is_quick):
            # An evaluation draws random numbers; a resumed training misses those of this one unless it was due.
            is_due, stop.is_last = self.is_due(), True
            # The games of the scripted policies may take longer than anyone waits for an end.
            self.evaluate(log, compares=False)
            stop.is_last = False
            self.save(None if is_due else snapshot)

    def view(self) -> View:
        """Returns what the panel shows."""
        running = 0.0 if self.evaluating_since is None else time.monotonic() - self.evaluating_since
        return View(
            title=self.settings.title,
            budget=self.budget,
            steps=self.learner.steps,
            score=self.score,
            references=self.progress.references or {},
            kept=self.progress.kept,
            next_evaluation=(self.done + 1) / EVALUATIONS,
            time_fractions=self.learner.clock.fractions(),
            evaluating=running if self.evaluating_since is not None else None,
            evaluated=self.evaluated + running,
            player=self.player,
        )
