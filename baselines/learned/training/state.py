"""A training in its run folder: its evaluations, the agent that it keeps, and its checkpoints."""

import json
import time
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import msgspec
import torch
from stable_baselines3.common.logger import Logger
from torch import nn

from baselines.evaluation.seeds import SELECTION_SEEDS
from baselines.learned.agents import makers, save_agent
from baselines.learned.common.tensor_files import Tensors, read_tensors, write_tensors
from baselines.learned.configurations import MAY_CHANGE, START
from baselines.learned.settings import Budget, TrainingSettings
from baselines.learned.training import selection
from baselines.learned.training.curves import Log, draw_curves
from baselines.provenance import differing_values
from baselines.registry import CHECKPOINT_FILE
from baselines.schemas import Kept, Rate, Seconds, convert

EVALUATIONS, EVALUATION_FRACTION = (0.01, 0.02, 0.05, *(tenth / 10 for tenth in range(1, 11))), 0.1
"""Fractions of the budget at which the agent is evaluated, and the largest fraction of the time that evaluations may
take under a budget of time. The early evaluations show in a learning curve over the logarithm of the steps."""

REFERENCES_SECONDS = 60.0
"""Seconds of training before the scripted policies play the selection games; a shorter training has them at its end.

On a new machine they compile for half a minute, for which nobody waits before the first win rate."""

CURVES_SECONDS = 60.0
"""Time between two pictures of the learning curves; the end draws the last one."""


class Learner(Protocol):
    """What a training trains: an algorithm that learns in rounds.

    Attributes:
        num_timesteps: the number of steps so far, earlier sessions included.
    """

    num_timesteps: int

    def rounds(self, budget: Budget, logger: Logger) -> Iterator[None]:
        """Learns without end, and yields before each round, when `snapshot` may run; schedules follow the budget."""

    def current_network(self) -> Any:
        """Returns the network that plays, with a `kind` for `makers`; training may go on changing its weights."""

    def dump_logs(self) -> None:
        """Writes a log row: the mean of each recorded value since the last row."""

    def begin_with(self, network: nn.Module) -> None:
        """Copies the weights of a network of any depth; raises ValueError if its kind or its channels differ."""

    def snapshot(self) -> tuple[Tensors, dict[str, Any]]:
        """Returns the learner's whole state: tensors, and JSON-able values."""

    def restore(self, tensors: Tensors, state: dict[str, Any]) -> None:
        """Restores a snapshot; raises ValueError if it is of a learner with other settings."""


class TrainingState(msgspec.Struct):
    """State of a training besides that of its learner; a field is None until it has a value."""

    seconds: Seconds  # trained so far
    evaluation_seconds: Seconds
    kept: Kept | None  # the agent in the run folder
    highest: Rate  # best win rate so far
    references: dict[str, dict[str, Rate]] | None  # win rates of the scripted policies by board


@dataclass
class Training:
    """A training, ready to run or done."""

    settings: TrainingSettings  # with the device chosen, and with the commit of the agent to start from
    folder: Path  # the run folder
    learner: Learner
    budget: Budget
    progress: TrainingState  # what the checkpoint holds besides the learner
    start: dict[str, Any] | None = None  # `training_of` the agent whose weights this session began with, if any
    evaluations_done: int = 0  # so far, skipped ones included
    cost: float = 0.0  # seconds that the last evaluation took
    score: selection.Score | None = None  # result of the last evaluation of this session
    evaluated_at: int = -1  # the step of that evaluation
    player: str = ""  # name of the policy that plays the selection games now; "" between evaluations
    is_interrupted: bool = False  # whether a signal ended the session
    drawn_at: float = field(default_factory=time.monotonic)  # time of the last picture of the curves, or of the start

    @property
    def steps(self) -> int:
        """The number of steps of all sessions."""
        return self.learner.num_timesteps

    @property
    def newest(self) -> selection.Score | None:
        """The score of the current weights; None if they have not played the selection games."""
        return self.score if self.evaluated_at == self.steps else None

    @property
    def evaluations_due(self) -> int:
        """The number of evaluations that the spent part of the budget asks for."""
        return bisect_right(EVALUATIONS, self.budget.progress(self.steps))

    def is_due(self) -> bool:
        """Returns whether to evaluate now; an evaluation that would take too long is skipped, and counts as done."""
        if self.evaluations_due <= self.evaluations_done:
            return False
        spent, allowed = self.progress.evaluation_seconds, EVALUATION_FRACTION * self.budget.elapsed()
        if self.budget.seconds is None or spent + self.cost <= allowed:
            return True
        self.evaluations_done = self.evaluations_due
        return False

    def evaluate(self, log: Log, *, compares: bool = True) -> None:
        """Plays the selection games, and keeps the agent unless an earlier one won more by over a standard error.

        Late in a training, agents improve by less than the noise of these games, and the luckiest one is seldom the
        best. With `compares`, the scripted policies play them first, once: after `REFERENCES_SECONDS` or at the end.
        """
        progress, settings = self.progress, self.settings
        if progress.kept is None:
            # A run folder with an agent always has a checkpoint, so that a killed training can be resumed.
            self.save()
        is_time = self.budget.elapsed() >= REFERENCES_SECONDS or self.budget.progress(self.steps) >= 1
        if compares and is_time and not progress.references:
            self._play_references()
        minutes, self.player = self.budget.elapsed() / 60, "the agent"
        begin = time.perf_counter()
        # PPO draws random numbers to make the network; training goes on as if there were no evaluation.
        with torch.random.fork_rng(devices=[]):
            network = self.learner.current_network()
        _, new_policy = makers(network.kind, settings.teacher)
        self.score = score = selection.play_selection(settings, partial(new_policy, network))
        self.cost, self.evaluated_at, self.player = time.perf_counter() - begin, self.steps, ""
        self.evaluations_done = max(self.evaluations_done + 1, self.evaluations_due)
        progress.evaluation_seconds += self.cost
        log.record_evaluation(score, progress.references or {}, minutes, self.cost)
        self.learner.dump_logs()
        if progress.kept is None or score.win_rate >= progress.highest - score.standard_error:
            self._keep_agent(network, score)
        progress.highest = max(progress.highest, score.win_rate)
        self.draw(CURVES_SECONDS)

    def _play_references(self) -> None:
        """Plays the selection games with the scripted policies; the time for this does not count as spent budget."""
        begin = self.budget.elapsed()
        self.progress.references = selection.play_references(self.settings, partial(setattr, self, "player"))
        self.budget.seconds_before -= self.budget.elapsed() - begin

    def draw(self, seconds: float = 0) -> None:
        """Draws the learning curves if `seconds` have passed since the last picture, or since the beginning."""
        if time.monotonic() - self.drawn_at >= seconds:
            draw_curves(self.folder, self.settings.boards, self.settings.eval_games)
            self.drawn_at = time.monotonic()

    def _keep_agent(self, network: Any, score: selection.Score) -> None:
        """Writes the agent to the run folder, in place of the one kept before."""
        settings = self.settings
        kept: Kept = {
            "win_rate": score.win_rate,
            "win_rates": score.win_rates,
            "games": score.games,
            "first_seed": SELECTION_SEEDS.start,
            "steps": self.steps,
        }
        rules: dict[str, Any] = {} if settings.no_guess == "none" else {"no_guess": settings.no_guess}
        rules |= {} if settings.luck else {"luck": False}
        facts = {
            "algo": settings.algo,
            "trained_on": {"boards": list(settings.boards), "first_click": settings.first_click, **rules},
            "teacher": settings.teacher,
            "selected_by": kept,
        }
        save_agent(self.folder, network, settings.network_size, facts)
        self.progress.kept = kept

    def save(self) -> None:
        """Writes the checkpoint."""
        tensors, state = self.learner.snapshot()
        self.progress.seconds = self.budget.elapsed()
        settings, progress = lasting(self.settings), msgspec.structs.asdict(self.progress)
        content = {"learner": state, "progress": progress, "settings": settings}
        write_tensors(self.folder / CHECKPOINT_FILE, tensors, content)


def lasting(settings: TrainingSettings) -> dict[str, Any]:
    """Returns the JSON-able settings that all sessions of a training share, with lists in place of tuples."""
    content = json.loads(json.dumps(settings.to_json()))
    return {name: value for name, value in content.items() if name not in (*MAY_CHANGE, START)}


def restore(learner: Learner, checkpoint: Path, settings: dict[str, Any]) -> TrainingState:
    """Restores a learner from a checkpoint, and returns the other state of the training.

    `settings` are the `lasting` ones of the session. Raises a ValueError of one line if the checkpoint is damaged, or
    if its settings differ from them.
    """
    tensors, state = read_tensors(checkpoint)
    try:
        # Not every setting shows in the shape of a tensor. Checkpoints of earlier versions hold no settings.
        if differing := "; ".join(differing_values(state.get("settings", settings), settings)):
            raise ValueError(f"it was made with {differing}")
        progress = convert(state["progress"], TrainingState, "its progress")
        learner.restore(tensors, state["learner"])
        return progress
    except (ValueError, TypeError, KeyError, OverflowError) as error:
        raise ValueError(f"{checkpoint} cannot be resumed: {error}") from error
