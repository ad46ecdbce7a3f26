"""Training of the network of `afterstate` by its own games."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3.common.logger import Logger
from torch import Tensor, nn

from baselines.learned.afterstate.losses import cell_losses, worth_loss
from baselines.learned.afterstate.network import AfterstateNetwork
from baselines.learned.afterstate.policy import AfterstatePolicy
from baselines.learned.afterstate.replay import Replay
from baselines.learned.afterstate.self_play import Afterstates, Counters, Lessons, SelfPlay
from baselines.learned.common.budget import Budget, Clock
from baselines.learned.common.multi_board import LEARNING_COST
from baselines.learned.common.optimisation import OPTIMIZER_CLASSES, learning_rate_schedule
from baselines.learned.common.state import optimiser_tensors, prefixed, restore_optimiser, unprefixed
from baselines.learned.common.tensor_files import Tensors
from baselines.learned.common.weights import load_weights
from baselines.learned.networks.board import BoardNetwork
from baselines.learned.networks.precision import set_precision
from baselines.learned.networks.size import NetworkSize
from baselines.learned.networks.symmetry import symmetries, transform
from baselines.learned.settings.hyperparameters import AfterstateHyperparameters
from baselines.learned.settings.training import TrainingSettings, scaled
from baselines.support.board_names import file_name, name_of
from minesweeper_env.config import BoardConfig

MIN_GAMES, MIN_BATCH = 32, 32
"""Lower bounds on large boards, where fewer games and smaller minibatches hold as many cells."""

_STEPS_AT_ONCE = 8
"""Minibatches between two yields of `rounds`."""


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

    @property
    def replays(self) -> dict[str, Replay[Any]]:
        """Both replay buffers, by name."""
        return {"lessons": self.lessons, "afterstates": self.afterstates}

    @property
    def config(self) -> BoardConfig:
        """The board under the rule of the training."""
        return self.plays[0].config


class AfterstateLearner:
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
        if not boards:
            raise ValueError("there must be a board to train on")
        for config in boards:
            if config.radius != 1:
                raise ValueError(f"a learned agent plays boards of radius 1, not {config.radius}")
        self.steps = 0
        self.clock = Clock()
        self._own, self._depth = hyperparameters, size.depth
        self._learning_rate = learning_rate_schedule(hyperparameters)
        self._rng = np.random.default_rng(seed)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self._trained = AfterstateNetwork(size).to(device)
        set_precision(self._trained, precision)
        self.network = deepcopy(self._trained).requires_grad_(False)
        self._device = device
        optimizer_class = OPTIMIZER_CLASSES[optimizer]
        safety = [*self._trained.tower.parameters(), *self._trained.safety.parameters()]
        others = [*self._trained.counts.parameters(), *self._trained.halves()[1]]
        groups = [{"params": parameters} for parameters in (safety, others)]
        self._optimizer = optimizer_class(groups, weight_decay=hyperparameters.weight_decay)  # type: ignore[call-arg]
        self._practices = [_practice(config, hyperparameters, envs) for config in boards]

    def rounds(self, budget: Budget, logger: Logger) -> Iterator[None]:
        """Learns without end, and yields between minibatches and between the games of a round.

        Args:
            budget: the learning rate follows its progress.
            logger: receives the log rows.
        """
        self._budget, self._logger = budget, logger
        while True:
            yield
            # The caller's work between rounds must not count as learning time.
            self.clock.lap("between")
            practice = min(self._practices, key=lambda practice: practice.work)
            batch = scaled(self._own.batch_size, practice.config.cells, MIN_BATCH)
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
            tower.depth = max(1, self._depth - int(self._rng.integers(own.depth_spread + 1)))
        codes, labels = self._turned(lessons.codes, lessons.labels)
        features = network.features(codes, mines)
        safety, counts = cell_losses(
            network.safety_logits(features), network.count_logits(features), codes, labels, own.isolated_weight_cap
        )
        (after,) = self._turned(afterstates.codes)
        targets, weights = (torch.from_numpy(column).to(self._device) for column in afterstates[1:])
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
        rate = self._learning_rate(1.0 - self._budget.progress(self.steps))
        rate *= min(1.0, (self.steps / own.batch_size + 1) / own.warm_up)
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

    def _turned(self, *boards: NDArray[np.int8]) -> list[Tensor]:
        """Returns arrays of cells on the device, turned and mirrored by one random symmetry of the board.

        Args:
            boards: codes (N, rows, cols), which come out as int8, or labels (N, rows * cols), as int64.
        """
        rows, cols = boards[0].shape[1:]
        choices = symmetries(rows, cols)
        symmetry = choices[int(self._rng.integers(len(choices)))]
        turned = [
            transform(torch.from_numpy(cells.reshape(-1, rows, cols)).to(self._device), symmetry) for cells in boards
        ]
        return [turned[0], *(labels.flatten(start_dim=1).long() for labels in turned[1:])]

    def _record_counters(self, games: SelfPlay) -> None:
        counters, record = games.counters, self._logger.record_mean
        name = f"{file_name(name_of(games.config))}-{games.config.first_click}"
        record(f"train/win_rate/{name}", counters.wins / counters.games)
        if counters.guesses > 0:
            record(f"train/changed/{name}", counters.changed / counters.guesses)
            record(f"train/guesses/{name}", counters.guesses / counters.games)
        games.counters = Counters()

    def current_network(self) -> AfterstateNetwork:
        """Returns `network`."""
        return self.network

    def policy(self, network: AfterstateNetwork, config: BoardConfig) -> AfterstatePolicy:
        """Returns the policy of a network on a board."""
        return AfterstatePolicy(config, network)

    def log(self) -> None:
        """Writes a log row: the means since the last row, and the fractions of time."""
        for name, fraction in self.clock.fractions("environment", "inference", "update").items():
            self._logger.record(f"time/{name}", fraction)
        self._logger.record("time/total_timesteps", self.steps, exclude="tensorboard")
        self._logger.dump(self.steps)

    def begin_with(self, network: nn.Module) -> None:
        """Copies the weights of an `AfterstateNetwork`, or the safety of a `BoardNetwork`, with as many channels.

        Raises:
            ValueError: they do not fit.
        """
        for own in (self.network, self._trained):
            if isinstance(network, BoardNetwork):
                own.begin_with(network)
            else:
                load_weights(own, network.state_dict())

    def snapshot(self) -> tuple[Tensors, dict[str, Any]]:
        """Returns a copy of the whole state at a yield of `rounds`, as tensors and as JSON-able values."""
        weights = prefixed(self.network.state_dict(), "network") | prefixed(self._trained.state_dict(), "trained")
        learned = weights | optimiser_tensors(self._optimizer)
        tensors = {name: tensor.detach().clone() for name, tensor in learned.items()}
        states = []
        for number, practice in enumerate(self._practices):
            for kind, replay in practice.replays.items():
                saved = replay.save()
                tensors |= {f"board{number}/{kind}/{name}": torch.from_numpy(array) for name, array in saved.items()}
            states.append({"work": practice.work, "pending": practice.pending})
        random = self._rng.bit_generator.state
        return tensors, {"steps": self.steps, "random": random, "boards": self._boards(), "practices": states}

    def restore(self, tensors: Tensors, state: dict[str, Any]) -> None:
        """Restores the snapshot of a learner with the same arguments.

        Raises:
            ValueError: the snapshot is of another learner; the message is one line.
        """
        try:
            if state["boards"] != self._boards():
                raise ValueError(f"it is of the boards {state['boards']}, not {self._boards()}")
            load_weights(self.network, unprefixed(tensors, "network"))
            load_weights(self._trained, unprefixed(tensors, "trained"))
            # The optimiser would go on in the tensors that it is given.
            restore_optimiser(self._optimizer, {name: tensor.clone() for name, tensor in tensors.items()})
            for number, (practice, saved) in enumerate(zip(self._practices, state["practices"], strict=True)):
                for kind, replay in practice.replays.items():
                    stored = unprefixed(tensors, f"board{number}/{kind}")
                    replay.restore({name: tensor.numpy() for name, tensor in stored.items()})
                practice.work, practice.pending = float(saved["work"]), float(saved["pending"])
            self.steps = int(state["steps"])
            self._rng.bit_generator.state = state["random"]
        except (KeyError, TypeError, ValueError, RuntimeError, IndexError) as error:
            raise ValueError(f"the snapshot does not fit this training: {str(error).splitlines()[0]}") from error

    def _boards(self) -> list[str]:
        return [file_name(name_of(practice.config)) for practice in self._practices]


def _practice(config: BoardConfig, hyperparameters: AfterstateHyperparameters, envs: int) -> Practice:
    """Returns the games on a board, some of them under the other first-click rule, and an empty replay buffer."""
    count = scaled(envs, config.cells, MIN_GAMES)
    others = min(round(hyperparameters.other_rule * count), count - 1)
    rules = [(config.first_click, count - others), ("safe" if config.first_click == "opening" else "opening", others)]
    plays = [SelfPlay(replace(config, first_click=rule), games, hyperparameters) for rule, games in rules if games > 0]
    codes, numbers = np.zeros((0, config.rows, config.cols), np.int8), np.zeros(0, np.float32)
    lessons = Lessons(codes, np.zeros((0, config.cells), np.int8))
    capacity = hyperparameters.buffer_size
    return Practice(plays, Replay(capacity, lessons), Replay(capacity, Afterstates(codes, numbers, numbers)))


def make_afterstate_learner(settings: TrainingSettings) -> AfterstateLearner:
    """Returns a new learner with the settings of a training."""
    assert isinstance(settings.hyperparameters, AfterstateHyperparameters)
    return AfterstateLearner(
        settings.configs,
        settings.network,
        settings.first_training_seed(0),
        settings.hyperparameters,
        envs=settings.envs,
        device=settings.device,
        precision=settings.precision,
        optimizer=settings.optimizer,
    )
