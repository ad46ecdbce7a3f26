"""A training in its run folder: what it has learned so far, its evaluations, and its checkpoints."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from stable_baselines3.common.logger import Logger
from torch import nn

from baselines.evaluation.seeds import SELECTION_SEEDS
from baselines.learned.agents import policy_of, save_agent
from baselines.learned.common.tensor_files import Tensors
from baselines.learned.settings import Budget, Clock, NetworkSize, TrainingSettings
from baselines.learned.training.curves import draw_curves
from baselines.learned.training.evaluation import REFERENCES, References, Score, play_selection
from baselines.learned.training.files import Log, Progress, write_checkpoint
from baselines.registry import build_policy
from baselines.support.structs import Kept
from minesweeper_env.notices import say

EVALUATIONS, EVALUATION_FRACTION = 10, 0.1
"""Evaluations over the budget, and the largest fraction of the time that they may take under a budget of time."""

Snapshot = tuple[Tensors, dict[str, Any]]
"""State of a learner: tensors, and JSON-able values."""


class Learner(Protocol):
    """Something that learns, round by round.

    Attributes:
        clock: the time spent on "environment", "inference" and "update".
        num_timesteps: the number of steps so far, earlier sessions included.
    """

    clock: Clock
    num_timesteps: int

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


@dataclass
class Training:
    """A training, ready to run or done.

    Attributes:
        settings: with the device chosen, and with the commit of the agent to start from.
        progress: what the checkpoint holds besides the learner.
        begun_at: the steps of earlier sessions.
        start: the training of the agent whose weights this session began with; None if it began with no agent.
        done: evaluations so far, skipped ones included.
        cost: seconds that the last one took.
        score: of the last evaluation of this session, which was at the step `evaluated_at`.
        player: what plays the selection games now; "" between evaluations.
        is_interrupted: whether a signal ended the session.
    """

    settings: TrainingSettings
    folder: Path
    learner: Learner
    budget: Budget
    progress: Progress
    begun_at: int = 0
    start: dict[str, Any] | None = None
    done: int = 0
    cost: float = 0.0
    score: Score | None = None
    evaluated_at: int = -1
    player: str = ""
    is_interrupted: bool = False

    @property
    def steps(self) -> int:
        """The number of steps of all sessions."""
        return self.learner.num_timesteps

    @property
    def newest(self) -> Score | None:
        """Score of the newest weights; None if they did not play."""
        return self.score if self.evaluated_at == self.steps else None

    @property
    def evaluations_due(self) -> int:
        """The number of evaluations that the spent part of the budget asks for."""
        return int(self.budget.progress(self.steps) * EVALUATIONS)

    def is_due(self) -> bool:
        """Returns whether to evaluate now; an evaluation that would take too long is skipped."""
        if self.evaluations_due <= self.done:
            return False
        spent, allowed = self.progress.evaluation_seconds, EVALUATION_FRACTION * self.budget.elapsed()
        if self.budget.seconds is None or spent + self.cost <= allowed:
            return True
        self.done = self.evaluations_due
        return False

    def evaluate(self, log: Log, *, compares: bool = True) -> None:
        """Plays the selection games, and keeps the agent unless an earlier one won more by over a standard error.

        With `compares`, the scripted policies play these games first if they have not yet.
        """
        progress, settings = self.progress, self.settings
        if progress.kept is None:
            # A run folder with an agent always has a checkpoint, so that a killed training can be resumed.
            self.save()
        if compares and not progress.references:
            begin = self.budget.elapsed()
            progress.references = self._play_references()
            # Comparing is no training.
            self.budget.seconds_before -= self.budget.elapsed() - begin
        minutes, begin, self.player = self.budget.elapsed() / 60, time.perf_counter(), "the agent"
        # Once: PPO draws random numbers to make the network, which the training would miss.
        network = self.learner.current_network()
        self.score = score = play_selection(settings, lambda config: policy_of(network, config))
        self.cost, self.evaluated_at, self.player = time.perf_counter() - begin, self.steps, ""
        self.done = max(self.done + 1, self.evaluations_due)
        progress.evaluation_seconds += self.cost
        log.record_evaluation(score, progress.references or {}, minutes, self.cost)
        self.learner.log()
        if progress.kept is None or score.is_as_good_as(progress.highest):
            self._keep(network, score)
        progress.highest = max(progress.highest, score.win_rate)
        draw_curves(self.folder)

    def _play_references(self) -> References:
        settings, found = self.settings, References()
        for name in REFERENCES:
            self.player = name
            games = f"{settings.eval_games} selection games of {', '.join(settings.boards)}"
            say(f"Play the {games} with {name}, for comparison")
            for board, rate in play_selection(settings, partial(build_policy, name)).win_rates.items():
                found.setdefault(board, {})[name] = rate
        return found

    def _keep(self, network: nn.Module, score: Score) -> None:
        settings = self.settings
        kept: Kept = {
            "win_rate": score.win_rate,
            "win_rates": score.win_rates,
            "games": score.games,
            "first_seed": SELECTION_SEEDS.start,
            "steps": self.steps,
            "summary": score.in_words(self.progress.references or {}),
        }
        level = {} if settings.no_guess == "none" else {"no_guess": settings.no_guess}
        facts = {
            "algo": settings.algo,
            "trained_on": {"boards": list(settings.boards), "first_click": settings.first_click, **level},
            "teacher": settings.teacher,
            "selected_by": kept,
        }
        save_agent(self.folder, network, NetworkSize(settings.channels, settings.depth), facts)
        self.progress.kept = kept

    def save(self, snapshot: Snapshot | None = None) -> None:
        """Writes the checkpoint with a snapshot; None for the present one."""
        tensors, state = snapshot or self.learner.snapshot()
        self.progress.seconds = self.budget.elapsed()
        write_checkpoint(self.folder, tensors, state, self.progress)
