"""Training of the network of `value` by self-play with the oracle."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch.nn import functional

from baselines.learned.common.multi_board import LEARNING_COST
from baselines.learned.common.optimisation import new_optimizer
from baselines.learned.common.self_play import SelfPlayLearner, learner_arguments
from baselines.learned.networks.size import NetworkSize
from baselines.learned.settings.hyperparameters import ValueHyperparameters
from baselines.learned.settings.training import TrainingSettings, scaled
from baselines.learned.value.network import ValueNetwork
from baselines.learned.value.policy import ValuePolicy
from baselines.learned.value.self_play import SelfPlay, SelfPlayCounters
from baselines.learned.value.trajectories import ValueSamples
from baselines.support.board_names import file_name, name_of
from minesweeper_env.config import BoardConfig

MIN_GAMES = 64
"""Lower bound on the games on large boards, where fewer games hold as many cells."""


class ValueLearner(SelfPlayLearner[SelfPlay]):
    """Trains a network to estimate the probability of winning, on several boards in turn.

    All games are safe games (`SafeGames`): every click proves safe. A guess is the best candidate by the network, or an
    exploring draw from all candidates. The returns of a game are the targets for the boards before and after its
    guesses (`Trajectories`), and the loss is the cross-entropy. A game ends where the exact search takes over. Each
    board is drawn several times, and a random symmetry turns and mirrors its minibatch.

    A round of learning on a board logs:
        train/loss: mean cross-entropy of the win probabilities, in nats.
        train/squared_error: their mean squared error against the returns.
        train/learning_rate: learning rate of the last step.
        train/explored/8x8-14: fraction of the guesses on this board that differ from the network's best click.
        train/win_rate/8x8-14: estimated win rate on this board, with exploration.

    Attributes:
        network: the network in training.
        steps: number of boards in all minibatches so far.
        clock: time by activity: "environment" (games, oracle, exact search), "inference" (outcomes of clicks, network)
            and "update".
    """

    def __init__(
        self,
        boards: Sequence[BoardConfig],
        size: NetworkSize,
        seed: int,
        hyperparameters: ValueHyperparameters,
        *,
        envs: int = 256,
        device: str = "cpu",
        precision: str = "float32",
        optimizer: str = "muon",
    ) -> None:
        """Makes a new network and starts the games.

        Args:
            boards: the boards, of radius 1.
            size: size of the network.
            seed: seed of all random choices, at least 0.
            hyperparameters: hyperparameters of the games and of the learning.
            envs: number of simultaneous games on a board of 64 cells; a larger board has fewer, with as many cells.
            device: device of the network.
            precision: number format of the convolutions, "float32" or "bfloat16".
            optimizer: one of `OPTIMIZER_CLASSES`.

        Raises:
            ValueError: there is no board, or a board is of another radius or has no guesses to learn from.
        """
        super().__init__(boards, seed, hyperparameters, device, precision)
        self._own = hyperparameters
        self.network: ValueNetwork = self._new_network(lambda: ValueNetwork(size))
        self._optimizer = new_optimizer(optimizer, self.network.parameters(), hyperparameters.weight_decay)
        self._practices = [
            SelfPlay(config, hyperparameters, scaled(envs, config.cells, MIN_GAMES), self._rng) for config in boards
        ]

    def _advance(self, practice: SelfPlay, batch: int) -> None:
        """Makes a guess in all games of a board, and learns if enough boards wait."""
        practice.step(self.network, self.clock)
        if self._is_ready(practice, batch):
            self._learn_from(practice, batch)

    def _is_ready(self, practice: SelfPlay, batch: int) -> bool:
        return len(practice.trajectories.ready) >= (self._own.waiting_batches + 1) * batch

    def _learn_from(self, practice: SelfPlay, batch: int) -> None:
        """Takes one optimiser step per minibatch that is ready."""
        losses, errors = [], []
        while self._is_ready(practice, batch):
            loss, error = self._take_step(practice.draw(batch))
            losses.append(loss)
            errors.append(error)
            self.steps += batch
            practice.work += LEARNING_COST * batch * practice.config.cells
        self.clock.lap("update")
        record = self._logger.record_mean
        record("train/loss", float(np.mean(losses)))
        record("train/squared_error", float(np.mean(errors)))
        record("train/learning_rate", self._optimizer.param_groups[0]["lr"])
        self._record_counters(practice)

    def _record_counters(self, practice: SelfPlay) -> None:
        board, counters, record = file_name(name_of(practice.config)), practice.counters, self._logger.record_mean
        record(f"train/explored/{board}", counters.explored / counters.guesses)
        if counters.games > 0:
            record(f"train/win_rate/{board}", counters.wins / counters.games)
        practice.counters = SelfPlayCounters()

    def _take_step(self, samples: ValueSamples) -> tuple[float, float]:
        """Returns the loss and the squared error before the step."""
        codes, probabilities = self._turned(samples.codes, samples.probabilities)
        log_layouts, targets = self._on_device(samples.log_layouts, samples.targets)
        for group in self._optimizer.param_groups:
            group["lr"] = self._scheduled_rate()
        logits = self.network(codes, probabilities, log_layouts)
        loss = functional.binary_cross_entropy_with_logits(logits, targets)
        self._optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), self._own.max_grad_norm)
        self._optimizer.step()
        error = functional.mse_loss(torch.sigmoid(logits.detach()), targets)
        return loss.item(), error.item()

    def policy(self, network: ValueNetwork, config: BoardConfig) -> ValuePolicy:
        """Returns the policy of a network on a board."""
        return ValuePolicy(config, network)


def make_value_learner(settings: TrainingSettings) -> ValueLearner:
    """Returns a new learner with the settings of a training."""
    return ValueLearner(**learner_arguments(settings))
