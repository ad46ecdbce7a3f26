"""Training of the network of `afterstate` by its own games."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from baselines.learned.afterstate.network import AfterstateNetwork
from baselines.learned.afterstate.policy import AfterstatePolicy
from baselines.learned.afterstate.self_play import MINE, UNKNOWN, Afterstates, Counters, Lessons, SelfPlay
from baselines.learned.common.losses import hindsight_weights
from baselines.learned.common.multi_board import LEARNING_COST
from baselines.learned.common.optimisation import new_optimizer
from baselines.learned.common.self_play import SelfPlayLearner, learner_arguments
from baselines.learned.networks.board import BoardNetwork
from baselines.learned.networks.size import NetworkSize
from baselines.learned.settings.hyperparameters import AfterstateHyperparameters
from baselines.learned.settings.training import TrainingSettings, scaled
from baselines.support.board_names import file_name, name_of
from minesweeper_env.config import BoardConfig

_LEAST_LOSS = 1e-5
"""Lower bound of -log W, which keeps the logarithm of 1 - W finite."""


def cell_losses(
    safety: Tensor, counts: Tensor, codes: Tensor, labels: Tensor, isolated_weight_cap: float
) -> tuple[Tensor, Tensor]:
    """Returns the losses of safety and counts, each the mean over the boards of a weighted sum over their cells.

    Both are cross-entropies with the weights of `hindsight_weights`; counts leave out mines.

    Args:
        safety: (N, n) float32, logits.
        counts: (N, COUNTS, n) float32, logits.
        codes: (N, rows, cols), the boards.
        labels: (N, n) int64, counts, MINE or UNKNOWN.
        isolated_weight_cap: see `baselines.learned.common.losses.hindsight_losses`.
    """
    cells = hindsight_weights(codes, isolated_weight_cap) * (labels != UNKNOWN)
    safe = (labels != MINE).to(torch.float32)
    safety_losses = functional.binary_cross_entropy_with_logits(safety, safe, reduction="none")
    count_losses = functional.cross_entropy(counts, labels.clamp(0, MINE - 1), reduction="none")
    return (cells * safety_losses).sum(dim=1).mean(), (cells * safe * count_losses).sum(dim=1).mean()


def worth_loss(log_worth: Tensor, targets: Tensor, weights: Tensor) -> Tensor:
    """Returns the weighted mean of the cross-entropies of the probability of winning and its target.

    Args:
        log_worth: (N,) float32.
        targets: (N,) float32, within 0 and 1.
        weights: (N,) float32, not all 0.
    """
    log_worth = log_worth.clamp(max=-_LEAST_LOSS)
    losses = -(targets * log_worth + (1 - targets) * torch.log(-torch.expm1(log_worth)))
    return (weights * losses).sum() / weights.sum()


Columns = TypeVar("Columns", Lessons, Afterstates)


class Replay(Generic[Columns]):
    """Ring buffer of the last boards, in columns.

    Args:
        capacity: number of rows.
        empty: columns without rows, which define names, shapes and types.

    Attributes:
        added: number of boards ever added.
    """

    def __init__(self, capacity: int, empty: Columns) -> None:
        """Makes empty arrays; the system commits their memory as they fill."""
        self._kind: Any = type(empty)
        self._columns = {name: _zeros(capacity, column) for name, column in empty._asdict().items()}
        self._capacity = capacity
        self.added = 0

    @property
    def size(self) -> int:
        """The number of rows filled."""
        return min(self.added, self._capacity)

    def add(self, boards: Columns) -> None:
        """Stores boards in place of the oldest ones; if more are given than fit, the last ones stay."""
        count = len(boards.codes)
        rows = (self.added + np.arange(count)) % self._capacity
        kept = slice(max(0, count - self._capacity), None)
        for name, values in boards._asdict().items():
            self._columns[name][rows[kept]] = values[kept]
        self.added += count

    def draw(self, count: int, rng: np.random.Generator) -> Columns:
        """Returns `count` boards, drawn uniformly with replacement."""
        rows = rng.integers(self.size, size=count)
        drawn: Columns = self._kind(**{name: column[rows] for name, column in self._columns.items()})
        return drawn

    def save(self) -> dict[str, NDArray[Any]]:
        """Returns copies of the filled rows, for `restore`."""
        filled = {name: column[: self.size].copy() for name, column in self._columns.items()}
        return {**filled, "added": np.array([self.added])}

    def restore(self, saved: dict[str, NDArray[Any]]) -> None:
        """Restores what `save` returned.

        Raises:
            KeyError, ValueError: it is of another buffer.
        """
        self.added = int(saved["added"][0])
        for name, column in self._columns.items():
            column[: self.size] = saved[name]


def _zeros(capacity: int, like: NDArray[Any]) -> NDArray[Any]:
    """Returns zeros of the type of a column, with `capacity` rows of its shape."""
    return np.zeros((capacity, *like.shape[1:]), like.dtype)


MIN_GAMES = 32
"""Lower bound on the games on large boards, where fewer games hold as many cells."""


@dataclass
class Practice:
    """Games, samples and work on one board.

    Attributes:
        plays: games under the rule of the training, then those under the other rule, if there are any.
        lessons: the boards that teach safety and counts, of both.
        afterstates: the boards that teach the worth.
        work: forward passes of the network on one cell so far, roughly.
        pending: afterstates that wait to be drawn.
    """

    plays: list[SelfPlay]
    lessons: Replay[Lessons]
    afterstates: Replay[Afterstates]
    work: float = 0.0
    pending: float = 0.0

    @classmethod
    def on(cls, config: BoardConfig, hyperparameters: AfterstateHyperparameters, envs: int) -> Practice:
        """Returns games on a board, some of them under the other first-click rule, and empty replay buffers.

        Args:
            config: the board, under the rule of the training.
            hyperparameters: hyperparameters of the games and of the buffers.
            envs: number of games in a round on a board of 64 cells; a larger board has fewer, with as many cells.
        """
        count = scaled(envs, config.cells, MIN_GAMES)
        others = min(round(hyperparameters.other_rule * count), count - 1)
        other = "safe" if config.first_click == "opening" else "opening"
        rules = {config.first_click: count - others, other: others}
        configs = {replace(config, first_click=rule): games for rule, games in rules.items() if games > 0}
        plays = [SelfPlay(each, games, hyperparameters) for each, games in configs.items()]
        codes, numbers = np.zeros((0, config.rows, config.cols), np.int8), np.zeros(0, np.float32)
        lessons = Lessons(codes, np.zeros((0, config.cells), np.int8))
        capacity = hyperparameters.buffer_size
        return cls(plays, Replay(capacity, lessons), Replay(capacity, Afterstates(codes, numbers, numbers)))

    @property
    def replays(self) -> dict[str, Replay[Any]]:
        """Both replay buffers, by name."""
        return {"lessons": self.lessons, "afterstates": self.afterstates}

    @property
    def config(self) -> BoardConfig:
        """The board under the rule of the training."""
        return self.plays[0].config

    def save(self) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """Returns the state for `restore`, as arrays and as JSON-able values."""
        replays = {kind: replay.save() for kind, replay in self.replays.items()}
        arrays = {f"{kind}/{name}": array for kind, saved in replays.items() for name, array in saved.items()}
        return arrays, {"work": self.work, "pending": self.pending}

    def restore(self, arrays: dict[str, NDArray[Any]], state: dict[str, Any]) -> None:
        """Restores what `save` returned.

        Raises:
            KeyError, ValueError: it is of other games.
        """
        for kind, replay in self.replays.items():
            prefix = f"{kind}/"
            replay.restore({name.removeprefix(prefix): arrays[name] for name in arrays if name.startswith(prefix)})
        self.work, self.pending = float(state["work"]), float(state["pending"])


_STEPS_AT_ONCE = 8
"""Minibatches between two yields of `rounds`."""


class AfterstateLearner(SelfPlayLearner[Practice]):
    """Trains one network of safety, counts and worth by the games of the agent itself, on several boards in turn.

    A round plays many games to their ends and stores what they teach in replay buffers (`SelfPlay`). Guesses are
    searched with the newest weights. Then each stored afterstate is drawn several times on average. This is policy
    iteration: the worth follows the agent, and the agent follows the worth.

    Each minibatch is turned and mirrored by a random symmetry, and applies the block a random number of times.

    A row of the log has the means of:
        train/loss: the sum of the next three, with the weight of the counts.
        train/safety_loss, train/count_loss: cross-entropies, summed over the cells of a board, in nats.
        train/worth_loss: weighted mean of the cross-entropies of the probability of winning, in nats.
        train/learning_rate: learning rate of counts and worth.
        train/gradient_norm/cells, train/gradient_norm/worth: norms before clipping.
        train/win_rate/8x8-14-opening: fraction of the training games won, exploration included.
        train/guesses/8x8-14-opening: guesses per game, without the first click.
        train/changed/8x8-14-opening: fraction of these guesses that are not the safest click, exploration left out.

    Attributes:
        network: an exponential average of the weights in training, which plays. The latest weights follow the noise of
            the last minibatches; their average wins more at every time (Polyak and Juditsky 1992).
        steps: number of boards in all minibatches so far.
        clock: time by activity: "inference" (self-play) and "update".
    """

    def __init__(
        self,
        boards: Sequence[BoardConfig],
        size: NetworkSize,
        seed: int,
        hyperparameters: AfterstateHyperparameters,
        *,
        envs: int = 256,
        device: str = "cpu",
        precision: str = "float32",
        optimizer: str = "muon",
    ) -> None:
        """Makes a new network.

        Args:
            boards: the boards, of radius 1.
            size: size of the network; its depth is the largest in training, and the one at play.
            seed: seed of all random choices, at least 0.
            hyperparameters: hyperparameters of the games and of the learning.
            envs: number of games in a round on a board of 64 cells; a larger board has fewer, with as many cells.
            device: device of the network.
            precision: number format of the convolutions, "float32" or "bfloat16".
            optimizer: one of `OPTIMIZER_CLASSES`.

        Raises:
            ValueError: there is no board, or a board is of another radius.
        """
        super().__init__(boards, seed, hyperparameters, device, precision)
        self._own, self._depth = hyperparameters, size.depth
        self._trained = self._new_network(lambda: AfterstateNetwork(size))
        self._limit_recall(self._trained)
        self.network: AfterstateNetwork = deepcopy(self._trained).requires_grad_(False)
        safety = [*self._trained.tower.parameters(), *self._trained.safety.parameters()]
        others = [*self._trained.counts.parameters(), *self._trained.halves()[1]]
        groups = [{"params": parameters} for parameters in (safety, others)]
        self._optimizer = new_optimizer(optimizer, groups, hyperparameters.weight_decay)
        self._practices = [Practice.on(config, hyperparameters, envs) for config in boards]

    def _networks(self) -> dict[str, nn.Module]:
        return {"network": self.network, "trained": self._trained}

    def _advance(self, practice: Practice, batch: int) -> None:
        """Plays a round of games, or takes some optimiser steps."""
        if practice.pending < batch:
            self._play(practice)
        else:
            self._learn_from(practice, batch)

    def _play(self, practice: Practice) -> None:
        """Plays a round of games, and stores what they teach."""
        before = practice.afterstates.added
        for games in practice.plays:
            rated = games.rated
            lessons, afterstates = games.play(self.network, self._rng, self.steps >= self._own.search_starts)
            practice.lessons.add(lessons)
            practice.afterstates.add(afterstates)
            practice.work += (games.rated - rated) * practice.config.cells
            self._record_counters(games)
        practice.pending += self._own.replay_ratio * (practice.afterstates.added - before)
        self.clock.lap("inference")

    def _learn_from(self, practice: Practice, batch: int) -> None:
        """Takes up to `_STEPS_AT_ONCE` optimiser steps, each on a minibatch of either kind."""
        for _ in range(_STEPS_AT_ONCE):
            if practice.pending < batch:
                break
            lessons, afterstates = practice.lessons.draw(batch, self._rng), practice.afterstates.draw(batch, self._rng)
            self._take_step(lessons, afterstates, practice.config.mines)
            practice.pending -= batch
            practice.work += 2 * LEARNING_COST * batch * practice.config.cells
            self.steps += batch
        self.clock.lap("update")

    def _take_step(self, lessons: Lessons, afterstates: Afterstates, mines: int) -> None:
        own, network, record = self._own, self._trained, self._logger.record_mean
        self._set_rates()
        for tower in network.towers:
            tower.requires_grad_(self.steps >= own.heads_first * own.batch_size)
            tower.recall.weight.requires_grad_(tower.recall.weight.requires_grad and bool(own.recall))
            tower.depth = max(1, self._depth - int(self._rng.integers(own.depth_spread + 1)))
        codes, labels = self._turned_lessons(lessons)
        features = network.features(codes, mines)
        safety, counts = cell_losses(
            network.safety_logits(features), network.count_logits(features), codes, labels, own.isolated_weight_cap
        )
        (after,) = self._turned(afterstates.codes)
        targets, weights = self._on_device(*afterstates[1:])
        worth = worth_loss(network.log_worth(after, mines), targets, weights)
        for tower in network.towers:
            tower.depth = self._depth
        self._descend(safety + own.counts * counts + worth)
        record("train/loss", (safety + own.counts * counts + worth).item())
        for name, loss in (("safety", safety), ("count", counts), ("worth", worth)):
            record(f"train/{name}_loss", loss.item())
        record("train/learning_rate", self._optimizer.param_groups[1]["lr"])

    def _set_rates(self) -> None:
        """Sets the learning rates, which rise from 0 at the start of the training."""
        own = self._own
        rate = self._scheduled_rate() * min(1.0, (self.steps / own.batch_size + 1) / own.warm_up)
        safety, others = self._optimizer.param_groups
        safety["lr"], others["lr"] = own.safety_rate * rate, rate

    def _descend(self, loss: Tensor) -> None:
        """Takes a step down the gradient; it is clipped for each half of the network."""
        self._optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        for name, parameters in zip(("cells", "worth"), self._trained.halves(), strict=True):
            norm = torch.nn.utils.clip_grad_norm_(parameters, self._own.max_grad_norm)
            self._logger.record_mean(f"train/gradient_norm/{name}", float(norm))
        self._optimizer.step()
        self._average()

    @torch.no_grad()
    def _average(self) -> None:
        """Moves the weights that play towards those in training; at first faster, since they begin untrained."""
        updates = self.steps / self._own.batch_size
        pace = max(1 - self._own.averaging, 1 / (updates + 1))
        for average, trained in zip(self.network.parameters(), self._trained.parameters(), strict=True):
            average.lerp_(trained, pace)

    def _turned_lessons(self, lessons: Lessons) -> list[Tensor]:
        """Returns codes (N, rows, cols) int8 and labels (N, rows * cols) int64, turned by the same symmetry."""
        codes, labels = self._turned(lessons.codes, lessons.labels.reshape(lessons.codes.shape))
        return [codes, labels.flatten(start_dim=1).long()]

    def _record_counters(self, games: SelfPlay) -> None:
        counters, record = games.counters, self._logger.record_mean
        name = f"{file_name(name_of(games.config))}-{games.config.first_click}"
        record(f"train/win_rate/{name}", counters.wins / counters.games)
        if counters.guesses > 0:
            record(f"train/changed/{name}", counters.changed / counters.guesses)
            record(f"train/guesses/{name}", counters.guesses / counters.games)
        games.counters = Counters()

    def policy(self, network: AfterstateNetwork, config: BoardConfig) -> AfterstatePolicy:
        """Returns the policy of a network on a board."""
        return AfterstatePolicy(config, network)

    def begin_with(self, network: nn.Module) -> None:
        """Copies the weights of an `AfterstateNetwork`, or the safety of a `BoardNetwork`, with as many channels.

        Raises:
            ValueError: the weights do not fit the network of this training.
        """
        if not isinstance(network, BoardNetwork):
            super().begin_with(network)
        for own in (self.network, self._trained):
            if isinstance(network, BoardNetwork):
                own.begin_with(network)
            self._limit_recall(own)

    def _limit_recall(self, network: AfterstateNetwork) -> None:
        if not self._own.recall:
            network.forget_recall()


def make_afterstate_learner(settings: TrainingSettings) -> AfterstateLearner:
    """Returns a new learner with the settings of a training."""
    return AfterstateLearner(**learner_arguments(settings))
