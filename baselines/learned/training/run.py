"""A training from its first step, or its last checkpoint, to its last: the run folder and what happens in it."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import torch
from stable_baselines3.common.logger import Logger, make_output_format

from baselines.learned.agents.allocation import keep_freed_memory
from baselines.learned.agents.storage import load_network, save_agent
from baselines.learned.common.budget import Budget
from baselines.learned.common.tensor_files import read_json, read_tensors, write_json, write_tensors
from baselines.learned.settings.training import TrainingSettings
from baselines.learned.training.callback import Between, EvaluationSchedule
from baselines.learned.training.curves import draw_curves
from baselines.learned.training.evaluation import Score, Selection
from baselines.learned.training.factory import make_model
from baselines.learned.training.learner import Learner, ModelLearner
from baselines.learned.training.provenance import describe_session
from baselines.learned.training.value_learner import make_value_learner
from baselines.registry import agent_folder
from baselines.support.board_names import file_name

RUN_FILE = "run.json"
CHECKPOINT_FILE = "checkpoint.safetensors"
CHECKPOINT_SECONDS = 30.0


class Outcome(NamedTuple):
    """How a training ended.

    Attributes:
        interrupted: whether a signal stopped it.
        steps: the steps taken in all.
        summary: what the agent in the run folder won of the selection games, in words; empty if none was evaluated.
        shares: which part of its time this session spent on what.
    """

    interrupted: bool
    steps: int
    summary: str
    shares: dict[str, float]


def resolve_settings(settings: TrainingSettings) -> TrainingSettings:
    """Returns the settings with all that depends on the machine decided.

    Raises:
        ValueError: the device is not there.
    """
    if settings.device == "cuda" and not torch.cuda.is_available():
        raise ValueError("device cuda is not there; use cpu or auto")
    torch.set_num_threads(settings.threads)
    keep_freed_memory()
    device = settings.device
    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    return replace(settings, device=device)


class TrainingRun:
    """A training and its run folder.

    Args:
        settings: what to train.
        folder: exists; a checkpoint in it, if there is one, is gone on from if `resume`.
        command: what started the training, for the record.
        resume: whether to go on.
        checkpoint_seconds: the time between two checkpoints.
        bar: whether to show a progress bar.

    Raises:
        ValueError: the checkpoint is damaged, or the device is not there; the message is one line.
    """

    def __init__(
        self,
        settings: TrainingSettings,
        folder: Path,
        command: str,
        resume: bool = False,
        checkpoint_seconds: float = CHECKPOINT_SECONDS,
        bar: bool = True,
    ) -> None:
        """Builds all parts, and plays the selection games with scripted policies; only `run` writes into the folder."""
        self.settings = resolve_settings(settings)
        self.folder = folder
        self.command = command
        self.kept: dict[str, Any] | None = None
        self.highest = 0.0
        self.learner = make_learner(self.settings)
        # A training that ended before its first checkpoint has nothing to go on from, and begins anew.
        earlier = self._restore() if resume and (folder / CHECKPOINT_FILE).exists() else None
        if settings.start is not None and earlier is None:
            self._begin_with(agent_folder(settings.start) or Path(settings.start))
        self.selection = Selection(self.settings, earlier["references"] if earlier else None)
        seconds = None if settings.minutes is None else 60 * settings.minutes
        self.budget = Budget(settings.steps, seconds, earlier["seconds"] if earlier else 0.0)
        self.schedule = EvaluationSchedule(self.budget)
        if earlier:
            self.kept, self.highest = earlier["kept"], earlier["highest"]
            self.schedule.resume(self.learner.steps, earlier["evaluation_seconds"])
        self._between = Between(
            self.learner, self.budget, self.schedule, self._evaluate, self._save_and_draw, checkpoint_seconds, bar
        )
        self._undrawn = False
        self._between.news = self.kept["summary"] if self.kept else ""

    def run(self) -> Outcome:
        """Trains until the budget is spent, or SIGINT or SIGTERM arrives; both leave a checkpoint and an agent."""
        self._record()
        self._logger = self._make_logger()
        self.learner.prepare(self.budget, self._logger)
        try:
            self._between.open()
            with self._signals_stop():
                if self.budget.progress(self.learner.steps) < 1:
                    self.learner.learn(self._between, self._between.step)
            interrupted = self._between.stop_requested
            if not interrupted or self.kept is None:
                self._evaluate()
            self._save()
            draw_curves(self.folder)
        finally:
            self._between.close()
            self._logger.close()
        summary = "" if self.kept is None else self.kept["summary"]
        shares = self.learner.clock.shares("environment", "inference", "update")
        return Outcome(interrupted, self.learner.steps, summary, shares)

    def _evaluate(self) -> str:
        """Plays the selection games; keeps the agent unless an earlier one was better."""
        begin = time.perf_counter()
        network = self.learner.network()
        score = self.selection.score(network)
        seconds = time.perf_counter() - begin
        self.schedule.took(seconds, self.learner.steps)
        summary = self.selection.describe(score)
        self._log_score(score, seconds)
        if self.kept is None or score.is_as_good_as(self.highest):
            self._keep(network, score, summary)
        self.highest = max(self.highest, score.win_rate)
        self._undrawn = True
        return summary

    def _log_score(self, score: Score, seconds: float) -> None:
        record = self._logger.record
        record("eval/win_rate", score.win_rate)
        record("eval/seconds", seconds)
        for board, rate in score.win_rates.items():
            name = file_name(board)
            record(f"eval/{name}", rate)
            for policy, reference in self.selection.references[board].items():
                record(f"eval/{name}/{policy}", reference)
        self.learner.log()

    def _keep(self, network: torch.nn.Module, score: Score, summary: str) -> None:
        self.kept = {
            "win_rate": score.win_rate,
            "win_rates": score.win_rates,
            "games": self.settings.eval_games,
            "first_seed": self.selection.seeds[0],
            "steps": self.learner.steps,
            "summary": summary,
        }
        facts = {
            "algo": self.settings.algo,
            "trained_on": {"boards": list(self.settings.boards), "first_click": self.settings.first_click},
            "teacher": self.settings.teacher,
            "selected_by": self.kept,
        }
        save_agent(self.folder, network, self.settings.network, facts)

    def _save_and_draw(self) -> None:
        self._save()
        # Not at every evaluation: a picture takes longer than one of a small network.
        if self._undrawn:
            draw_curves(self.folder)
            self._undrawn = False

    def _save(self) -> None:
        tensors, state = self.learner.snapshot()
        progress = {
            "seconds": self.budget.elapsed(),
            "evaluation_seconds": self.schedule.seconds,
            "kept": self.kept,
            "highest": self.highest,
            "references": self.selection.references,
        }
        write_tensors(self.folder / CHECKPOINT_FILE, tensors, {"learner": state, "progress": progress})

    def _restore(self) -> dict[str, Any]:
        """Brings the learner to where the checkpoint was written; returns what else it says."""
        path = self.folder / CHECKPOINT_FILE
        tensors, state = read_tensors(path)
        try:
            self.learner.restore(tensors, state["learner"])
            progress: dict[str, Any] = state["progress"]
        except (ValueError, KeyError) as error:
            raise ValueError(f"{path} cannot be gone on from: {error}") from error
        return progress

    def _begin_with(self, folder: Path) -> None:
        try:
            self.learner.begin_with(load_network(folder))
        except ValueError as error:
            raise ValueError(f"the training cannot start from {folder}: {error}") from error

    def _record(self) -> None:
        """Writes what is trained, by which command and versions; later sessions are added to the first."""
        path = self.folder / RUN_FILE
        sessions = read_json(path)["sessions"] if path.exists() else []
        session = describe_session(self.command) | {"from_step": self.learner.steps}
        write_json(path, {"settings": self.settings.to_json(), "sessions": [*sessions, session]})

    def _make_logger(self) -> Logger:
        """Returns a logger to CSV and TensorBoard; a session that resumes writes a CSV file of its own."""
        earlier = len(list(self.folder.glob("progress*.csv")))
        suffix = f"-{earlier + 1}" if earlier else ""
        folder = str(self.folder)
        formats = [
            make_output_format("csv", folder, suffix),
            make_output_format("tensorboard", f"{folder}/tensorboard"),
        ]
        return Logger(folder, formats)

    @contextmanager
    def _signals_stop(self) -> Iterator[None]:
        """Has the first SIGINT or SIGTERM end the training between two rollouts, and the next act as ever."""

        def stop(number: int, _frame: Any) -> None:
            self._between.stop_requested = True
            signal.signal(number, before[number])

        before = {int(number): signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
        for number in before:
            signal.signal(number, stop)
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def make_learner(settings: TrainingSettings) -> Learner:
    """Returns what learns by these settings, which are resolved."""
    return make_value_learner(settings) if settings.algo == "value" else ModelLearner(make_model(settings))
