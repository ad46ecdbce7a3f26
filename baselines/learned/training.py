"""A training from its first step, or its last checkpoint, to its last: the run folder and what happens in it."""

from __future__ import annotations

import platform
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import torch
from stable_baselines3.common.logger import Logger, make_output_format

import minesweeper_env
from baselines.learned.callback import BetweenRollouts, EvaluationSchedule, TrainingStopped
from baselines.learned.checkpoints import save_agent
from baselines.learned.files import read_json, write_json
from baselines.learned.models import hyperparameters, make_env, make_model
from baselines.learned.pacing import Budget
from baselines.learned.policy import LearnedPolicy
from baselines.learned.settings import TrainingSettings
from baselines.learned.snapshots import restore_snapshot, save_snapshot
from baselines.playing import play_games
from baselines.seeds import SELECTION_SEEDS

RUN_FILE = "run.json"
CHECKPOINT_SECONDS = 30.0
LOG_INTERVALS = {"dqn": 2_000, "ppo": 1}
"""How often Stable-Baselines3 writes its log: after so many games, or rollouts."""

PACKAGES = ("gymnasium", "numpy", "numba", "torch", "stable-baselines3", "sb3-contrib")


class Outcome(NamedTuple):
    """How a training ended.

    Attributes:
        interrupted: whether a signal stopped it.
        steps: the steps taken in all.
        win_rate: of the agent in the run folder, on the selection games; None if none was evaluated.
    """

    interrupted: bool
    steps: int
    win_rate: float | None


class TrainingRun:
    """A training and its run folder.

    Args:
        settings: what to train.
        folder: exists; a checkpoint in it is gone on from if `resume`.
        command: what started the training, for the record.
        resume: whether to go on.
        checkpoint_seconds: the time between two checkpoints.

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
    ) -> None:
        """Builds all parts; only `run` writes into the folder."""
        if settings.device == "cuda" and not torch.cuda.is_available():
            raise ValueError("device cuda is not there; use cpu or auto")
        torch.set_num_threads(settings.threads)
        self.settings = settings
        self.folder = folder
        self.command = command
        self.best: dict[str, Any] | None = None
        self.env = make_env(settings)
        self.model = make_model(settings, self.env)
        earlier = restore_snapshot(folder, self.model, self.env) if resume else None
        seconds = None if settings.minutes is None else 60 * settings.minutes
        self.budget = Budget(settings.steps, seconds, earlier["seconds"] if earlier else 0.0)
        self.schedule = EvaluationSchedule(self.budget)
        if earlier:
            self.best = earlier["best"]
            self.schedule.resume(self.model.num_timesteps, earlier["evaluation_seconds"])
        self.model.budget = self.budget
        self._callback = BetweenRollouts(self.budget, self.schedule, self._evaluate, self._save, checkpoint_seconds)
        self._callback.win_rate = self.best["win_rate"] if self.best else None

    def run(self) -> Outcome:
        """Trains until the budget is spent, or SIGINT or SIGTERM arrives; both leave a checkpoint and an agent."""
        self._record()
        self.model.set_logger(self._make_logger())
        try:
            with self._signals_stop():
                self._learn()
            interrupted = self._callback.stop_requested
            if not interrupted or self.best is None:
                self._evaluate()
            self._save()
        finally:
            self._callback.close()
            self.model.logger.close()
        return Outcome(interrupted, self.model.num_timesteps, None if self.best is None else self.best["win_rate"])

    def _learn(self) -> None:
        steps = (self.settings.steps or 1 << 62) - self.model.num_timesteps
        if steps <= 0:
            return
        try:
            self.model.learn(
                steps,
                callback=self._callback,
                log_interval=LOG_INTERVALS[self.settings.algo],
                reset_num_timesteps=False,
            )
        except TrainingStopped:
            return

    def _evaluate(self) -> float:
        """Plays the selection games; keeps the agent if none was better."""
        begin = time.perf_counter()
        seeds = SELECTION_SEEDS[: self.settings.eval_games]
        network = self.model.network()
        records = play_games(LearnedPolicy(network), self.settings.board, seeds)
        win_rate = sum(record.won for record in records) / len(records)
        steps, seconds = self.model.num_timesteps, time.perf_counter() - begin
        self.schedule.took(seconds, steps)
        for name, value in (("win_rate", win_rate), ("games", len(records)), ("seconds", seconds)):
            self.model.logger.record(f"eval/{name}", value)
        self.model.logger.dump(steps)
        if self.best is None or win_rate >= self.best["win_rate"]:
            self.best = {"win_rate": win_rate, "games": len(records), "first_seed": seeds[0], "steps": steps}
            board = {name: getattr(self.settings, name) for name in ("rows", "cols", "mines", "first_click")}
            facts = {"algo": self.settings.algo, "trained_on": board, "selected_by": self.best}
            save_agent(self.folder, network, self.settings.network, facts)
        return win_rate

    def _save(self) -> None:
        progress = {
            "seconds": self.budget.elapsed(),
            "evaluation_seconds": self.schedule.seconds,
            "best": self.best,
        }
        save_snapshot(self.folder, self.model, self.env, progress)

    def _record(self) -> None:
        """Writes what is trained, by which command and versions; later sessions are added to the first."""
        path = self.folder / RUN_FILE
        sessions = read_json(path)["sessions"] if path.exists() else []
        session = {
            "command": self.command,
            "started": datetime.now(UTC).isoformat(timespec="seconds"),
            "from_step": self.model.num_timesteps,
            "commit": _commit(),
            "versions": _versions(),
            "device": str(self.model.device),
        }
        parameters = hyperparameters(self.settings.algo)
        content = {"settings": self.settings.to_json(), "hyperparameters": parameters, "sessions": [*sessions, session]}
        write_json(path, content)

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
            self._callback.stop_requested = True
            signal.signal(number, before[number])

        before = {int(number): signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
        for number in before:
            signal.signal(number, stop)
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def _versions() -> dict[str, str]:
    own = {"minesweeper-env": minesweeper_env.__version__, "python": platform.python_version()}
    return own | {name: version(name) for name in PACKAGES}


def _commit() -> str | None:
    """Returns the commit of the source tree that this is run from, if it is one."""
    command = ["git", "rev-parse", "HEAD"]
    try:
        answer = subprocess.run(command, cwd=Path(__file__).parent, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return answer.stdout.strip()
