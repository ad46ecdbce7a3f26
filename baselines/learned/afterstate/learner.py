"""Training of the `afterstate` network by self-play."""

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3.common.logger import Logger
from torch import Tensor, nn
from torch.nn import functional

from baselines.files import file_name
from baselines.learned.afterstate.network import AfterstateNetwork
from baselines.learned.afterstate.self_play import MINE, UNKNOWN, Afterstates, Samples, SelfPlay
from baselines.learned.afterstate.teacher import Teacher
from baselines.learned.common import tensor_files
from baselines.learned.common.optimisation import OPTIMIZER_CLASSES, hindsight_weights, safety_of
from baselines.learned.common.replay_buffer import RingBuffer
from baselines.learned.common.tensor_files import Tensors, prefixed, unprefixed
from baselines.learned.networks import BoardNetwork, check_radius, set_precision, symmetries, transform
from baselines.learned.settings import LEARNING_COST, AfterstateHyperparameters, Budget, TrainingSettings, scaled
from minesweeper_env.config import BoardConfig

_STEPS_AT_ONCE = 8
"""Minibatches between two yields of `rounds`."""

_LEAST_LOSS = 1e-5
"""Lower bound of -log W, which keeps the logarithm of 1 - W finite."""


def cell_losses(
    safety: Tensor,
    counts: Tensor,
    codes: Tensor,
    labels: Tensor,
    isolated_weight_cap: float,
    exact_safety: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """Returns the losses of safety and counts, each the mean over the boards of a weighted sum over their cells.

    Both are cross-entropies with the weights of `hindsight_weights`; counts leave out mines. The logits are (N, n) and
    (N, COUNTS, n) float32, the boards (N, rows, cols), and the labels (N, n) int64: counts, MINE or UNKNOWN. A teacher
    gives the exact safety, (N, n) float32, which replaces the labels as the target of safety.
    """
    cells = hindsight_weights(codes, isolated_weight_cap) * (labels != UNKNOWN)
    safe = (labels != MINE).to(torch.float32)
    safety_targets = safe if exact_safety is None else exact_safety
    safety_losses = functional.binary_cross_entropy_with_logits(safety, safety_targets, reduction="none")
    count_losses = functional.cross_entropy(counts, labels.clamp(0, MINE - 1), reduction="none")
    return (cells * safety_losses).sum(dim=1).mean(), (cells * safe * count_losses).sum(dim=1).mean()


def worth_loss(log_worth: Tensor, targets: Tensor, weights: Tensor) -> Tensor:
    """Returns the weighted mean cross-entropy of log win probabilities and target probabilities; all are (N,)."""
    log_worth = log_worth.clamp(max=-_LEAST_LOSS)
    losses = -(targets * log_worth + (1 - targets) * torch.log(-torch.expm1(log_worth)))
    return (weights * losses).sum() / weights.sum().clamp(min=1e-9)  # 0 without boards


class BoardState:
    """Games, replay buffers and work on one board.

    Attributes:
        plays: self-play under the first-click rule of the training, then under the other rule, if it gets games.
        samples: the replay buffer of the boards that teach safety and counts.
        afterstates: the replay buffer of the boards that teach the worth.
        replays: both buffers by name.
        work: forward passes of the network so far, in cells, roughly.
        pending: draws that are still due, of a stored board of either kind each.
    """

    def __init__(
        self, config: BoardConfig, hyperparameters: AfterstateHyperparameters, envs: int, has_teacher: bool
    ) -> None:
        """Makes games on a board, some of them under the other first-click rule, and empty replay buffers.

        `envs` is the number of games in a round on a board of 64 cells; a larger board has fewer, with as many cells.
        """
        teacher = Teacher(config) if has_teacher else None
        games = scaled(envs, config.cells)
        other_games = min(round(hyperparameters.other_rule * games), games - 1)
        other_rule = "safe" if config.first_click == "opening" else "opening"
        games_of_rules = {config.first_click: games - other_games, other_rule: other_games}
        self.plays = [
            SelfPlay(replace(config, first_click=rule), count, hyperparameters, teacher)
            for rule, count in games_of_rules.items()
            if count
        ]
        # Empty arrays show the buffers the types and shapes of their columns.
        codes, numbers = np.zeros((0, config.rows, config.cols), np.int8), np.zeros(0, np.float32)
        self.samples = RingBuffer(hyperparameters.buffer_size, codes=codes, labels=np.zeros((0, config.cells), np.int8))
        self.afterstates = RingBuffer(hyperparameters.buffer_size, codes=codes, targets=numbers, weights=numbers)
        self.replays = {"samples": self.samples, "afterstates": self.afterstates}
        self.config, self.work, self.pending = config, 0.0, 0.0


class AfterstateLearner:
    """Trains one network of safety, counts and worth by the games of the agent itself, on several boards in turn.

    A round plays many games to their ends and stores what they teach in replay buffers (`SelfPlay`). Guesses are
    searched with the newest weights. Then each stored afterstate is drawn several times on average. This is policy
    iteration: the worth follows the agent, and the agent follows the worth.

    The board with the least work for its size is next, so that all boards get about equal time. The work is an
    estimate, so all results depend on the seed and the schedule, and not on the clock.

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
        num_timesteps: number of boards in all minibatches so far.
    """

    def __init__(self, settings: TrainingSettings) -> None:
        """Makes a new network; its weights depend on the seed alone.

        `settings.depth` is the depth at play, and the largest depth in training. A round on a board of 64 cells has
        `settings.envs` games.
        """
        for config in settings.configs:
            check_radius(config)
        seed = settings.first_training_seed(0)  # It seeds the weights, and all draws of all boards.
        self._hyperparameters: AfterstateHyperparameters = settings.hyperparameters
        self._depth, self._device = settings.depth, settings.device
        self.num_timesteps, self._rng = 0, np.random.default_rng(seed)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self._trained = trained = AfterstateNetwork(settings.network_size).to(self._device)
        set_precision(trained, settings.precision)
        self.network: AfterstateNetwork = deepcopy(trained).requires_grad_(False)
        self._networks = {"network": self.network, "trained": trained}
        safety = [*trained.tower.parameters(), *trained.safety.parameters()]
        counts, worth = [*trained.counts.parameters()], [*trained.worth_tower.parameters(), *trained.worth.parameters()]
        # Gradients are clipped by other groups than those with their own learning rates, see `_set_learning_rates`.
        self._clip_groups = {"cells": safety + counts, "worth": worth}
        groups = [{"params": safety}, {"params": counts + worth}]
        optimizer: Any = OPTIMIZER_CLASSES[settings.optimizer]
        self._optimizer: torch.optim.Optimizer = optimizer(groups, weight_decay=self._hyperparameters.weight_decay)
        self._has_teacher = settings.teacher != "none"
        self._boards = [
            BoardState(config, self._hyperparameters, settings.envs, self._has_teacher) for config in settings.configs
        ]

    def rounds(self, budget: Budget, logger: Logger) -> Iterator[None]:
        """Learns without end, and yields before each round on a board; see `Learner`."""
        self._budget, self._logger = budget, logger
        while True:
            yield
            board = min(self._boards, key=lambda board: board.work)
            batch = scaled(self._hyperparameters.batch_size, board.config.cells)
            if board.pending < batch:
                self._play(board)
            else:
                self._learn_from(board, batch)

    def _play(self, board: BoardState) -> None:
        """Plays a round of games, and stores what they teach."""
        searches = self.num_timesteps >= self._hyperparameters.search_starts
        samples_before, afterstates_before = board.samples.added, board.afterstates.added
        for games in board.plays:
            samples, afterstates = games.play(self.network, self._rng, searches)
            board.samples.add(**samples._asdict())
            board.afterstates.add(**afterstates._asdict())
            board.work += games.rated * board.config.cells
            name = f"{file_name(games.config.name)}-{games.config.first_click}"
            self._logger.record_mean(f"train/win_rate/{name}", games.wins / games.count)
            if games.guessed > 0:
                self._logger.record_mean(f"train/changed/{name}", games.changed / games.guessed)
                self._logger.record_mean(f"train/guesses/{name}", games.guessed / games.count)
        added = board.afterstates.added - afterstates_before
        if not searches:  # The games of a new network die early, and teach safety alone.
            added = max(added, board.samples.added - samples_before)
        board.pending += self._hyperparameters.replay_ratio * added

    def _learn_from(self, board: BoardState, batch: int) -> None:
        """Takes up to `_STEPS_AT_ONCE` optimiser steps, each on a minibatch of either kind."""
        for _ in range(_STEPS_AT_ONCE):
            if board.pending < batch:
                break
            samples = Samples(*self._draw_rows(board.samples, batch))
            self._take_step(samples, Afterstates(*self._draw_rows(board.afterstates, batch)), board.config.mines)
            board.pending -= batch
            board.work += 2 * LEARNING_COST * batch * board.config.cells
            self.num_timesteps += batch

    def _draw_rows(self, replay: RingBuffer, batch: int) -> list[NDArray[Any]]:
        """Returns the columns of `batch` rows drawn uniformly with replacement; of none if the buffer is empty."""
        rows = self._rng.integers(max(1, replay.size), size=batch if replay.size else 0)
        return [column[rows] for column in replay.columns.values()]

    def _take_step(self, samples: Samples, afterstates: Afterstates, mines: int) -> None:
        """Takes an optimiser step on a minibatch of each kind from boards of `mines` mines, and logs its losses."""
        hyperparameters, network, record = self._hyperparameters, self._trained, self._logger.record_mean
        self._set_learning_rates()
        for tower in network.towers:
            tower.requires_grad_(self.num_timesteps >= hyperparameters.heads_first * hyperparameters.batch_size)
            tower.depth = max(1, self._depth - int(self._rng.integers(hyperparameters.depth_spread + 1)))
        codes, label_grids = self._turned(samples.codes, samples.labels.reshape(samples.codes.shape))
        features, labels = network.tower(codes, mines), label_grids.flatten(start_dim=1).long()
        logits = network.safety_logits(features), network.count_logits(features)
        exact_safety = safety_of(codes, mines) if self._has_teacher else None
        safety, counts = cell_losses(*logits, codes, labels, hyperparameters.isolated_weight_cap, exact_safety)
        (after,) = self._turned(afterstates.codes)
        targets, weights = (torch.from_numpy(column).to(self._device) for column in afterstates[1:])
        log_worth = -network.hazards(after, mines).sum(dim=(1, 2))
        worth = worth_loss(log_worth, targets, weights)
        for tower in network.towers:
            tower.depth = self._depth
        loss = safety + hyperparameters.counts * counts + worth
        self._descend(loss)
        losses = {"loss": loss, "safety_loss": safety, "count_loss": counts, "worth_loss": worth}
        for name, value in losses.items():
            record(f"train/{name}", value.item())

    def _set_learning_rates(self) -> None:
        """Sets the learning rates: up from 0 in the warm-up, then by the budget. Logs the one that is not of safety."""
        hyperparameters = self._hyperparameters
        rate = hyperparameters.learning_rate_at(1.0 - self._budget.progress(self.num_timesteps))
        rate *= min(1.0, (self.num_timesteps / hyperparameters.batch_size + 1) / hyperparameters.warm_up)
        for group, factor in zip(self._optimizer.param_groups, (hyperparameters.safety_rate, 1.0), strict=True):
            group["lr"] = factor * rate
        self._logger.record_mean("train/learning_rate", rate)

    def _descend(self, loss: Tensor) -> None:
        """Takes a step down the gradient, clipped by group; then updates the averaged weights."""
        self._optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        for name, parameters in self._clip_groups.items():
            norm = torch.nn.utils.clip_grad_norm_(parameters, self._hyperparameters.max_grad_norm)
            self._logger.record_mean(f"train/gradient_norm/{name}", float(norm))
        self._optimizer.step()
        # At first the average is that of all steps so far, since it begins untrained.
        pace = max(1 - self._hyperparameters.averaging, 1 / (self.num_timesteps / self._hyperparameters.batch_size + 1))
        with torch.no_grad():
            for average, trained in zip(self.network.parameters(), self._trained.parameters(), strict=True):
                average.lerp_(trained, pace)

    def _turned(self, *boards: NDArray[Any]) -> list[Tensor]:
        """Returns arrays (N, rows, cols) on the device, turned and mirrored by one random symmetry of the board."""
        choices = symmetries(*boards[0].shape[1:])
        symmetry = choices[int(self._rng.integers(len(choices)))]
        return [transform(torch.from_numpy(cells).to(self._device), symmetry) for cells in boards]

    def current_network(self) -> nn.Module:
        """Returns the network that plays."""
        return self.network

    def begin_with(self, network: nn.Module) -> None:
        """Copies the weights of an `AfterstateNetwork`, or the safety of a `BoardNetwork`, with as many channels."""
        for each in self._networks.values():
            if isinstance(network, BoardNetwork):
                each.begin_with(network)
            else:
                tensor_files.load_weights(each, network.state_dict())

    def dump_logs(self) -> None:
        """Writes a log row: the mean of each recorded value since the last row."""
        self._logger.record("time/total_timesteps", self.num_timesteps, exclude="tensorboard")
        self._logger.dump(self.num_timesteps)

    def snapshot(self) -> tuple[Tensors, dict[str, Any]]:
        """Returns a copy of the whole state at a yield of `rounds`, as tensors and as JSON-able values."""
        learned = tensor_files.optimiser_tensors(self._optimizer)
        for name, network in self._networks.items():
            learned |= prefixed(network.state_dict(), name)
        tensors = {name: tensor.detach().clone() for name, tensor in learned.items()}
        states = []
        for number, board in enumerate(self._boards):
            for kind, replay in board.replays.items():
                tensors |= prefixed(replay.save(), f"board{number}/{kind}")
            states.append({"work": board.work, "pending": board.pending})
        random = self._rng.bit_generator.state
        return tensors, {"steps": self.num_timesteps, "random": random, "boards": states}

    def restore(self, tensors: Tensors, state: dict[str, Any]) -> None:
        """Restores a snapshot of a learner with the same settings; raises ValueError, of one line, for another one."""
        try:
            for name, network in self._networks.items():
                tensor_files.load_weights(network, unprefixed(tensors, name))
            # The optimiser would go on in the tensors that it is given.
            tensor_files.restore_optimiser(self._optimizer, {name: tensor.clone() for name, tensor in tensors.items()})
            for number, (board, saved) in enumerate(zip(self._boards, state["boards"], strict=True)):
                for kind, replay in board.replays.items():
                    replay.restore(unprefixed(tensors, f"board{number}/{kind}"))
                board.work, board.pending = float(saved["work"]), float(saved["pending"])
            self.num_timesteps = int(state["steps"])
            self._rng.bit_generator.state = state["random"]
        except (KeyError, TypeError, ValueError, RuntimeError, IndexError) as error:
            raise ValueError(f"the snapshot does not fit this training: {str(error).splitlines()[0]}") from error
