"""Training of the network of `value` by self-play with the oracle."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import torch
from stable_baselines3.common.logger import Logger
from torch import Tensor, nn
from torch.nn import functional

from baselines.learned.common.budget import Budget, Clock
from baselines.learned.common.multi_board import LEARNING_COST
from baselines.learned.common.optimisation import OPTIMIZER_CLASSES, learning_rate_schedule
from baselines.learned.common.state import optimiser_tensors, restore_optimiser, unprefixed
from baselines.learned.common.tensor_files import Tensors
from baselines.learned.common.weights import load_weights
from baselines.learned.networks.precision import set_precision
from baselines.learned.networks.size import NetworkSize
from baselines.learned.networks.symmetry import symmetries, transform
from baselines.learned.settings.hyperparameters import ValueHyperparameters
from baselines.learned.settings.training import TrainingSettings, scaled
from baselines.learned.value.network import ValueNetwork
from baselines.learned.value.policy import ValuePolicy
from baselines.learned.value.self_play import SelfPlay, SelfPlayCounters
from baselines.learned.value.trajectories import ValueSamples
from baselines.support.board_names import file_name, name_of
from minesweeper_env.config import BoardConfig

MIN_GAMES, MIN_BATCH = 64, 32
"""Lower bounds on large boards, where fewer games and smaller minibatches hold as many cells."""


class ValueLearner:
    """Trains a network to estimate the probability of winning, on several boards in turn.

    All games are safe games (`SafeGames`): every click proves safe. A guess is the best candidate by the network, or an
    exploring draw from all candidates. The returns of a game are the targets for the boards before and after its
    guesses (`Trajectories`), and the loss is the cross-entropy. A game ends where the exact search takes over. Each
    board is drawn several times, and a random symmetry turns and mirrors its minibatch.

    The board with the least work for its size is next, so that all boards get about equal time. The work is an
    estimate, so all results depend on the seed and the schedule, and not on the clock.

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
        if not boards:
            raise ValueError("there must be a board to train on")
        for config in boards:
            if config.radius != 1:
                raise ValueError(f"a learned agent plays boards of radius 1, not {config.radius}")
        self.steps = 0
        self.clock = Clock()
        self._own = hyperparameters
        self._learning_rate = learning_rate_schedule(hyperparameters)
        self._rng = np.random.default_rng(seed)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.network = ValueNetwork(size).to(device)
        set_precision(self.network, precision)
        self._device = device
        optimizer_class = OPTIMIZER_CLASSES[optimizer]
        self._optimizer = optimizer_class(self.network.parameters(), weight_decay=hyperparameters.weight_decay)  # type: ignore[call-arg]
        self._practices = [
            SelfPlay(config, hyperparameters, scaled(envs, config.cells, MIN_GAMES), self._rng) for config in boards
        ]

    def rounds(self, budget: Budget, logger: Logger) -> Iterator[None]:
        """Learns without end, and yields before each guess in all games of a board.

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
            practice.step(self.network, self.clock)
            batch = scaled(self._own.batch_size, practice.config.cells, MIN_BATCH)
            if self._is_ready(practice, batch):
                self._learn_from(practice, batch)

    def _is_ready(self, practice: SelfPlay, batch: int) -> bool:
        return len(practice.trajectories.ready) >= (self._own.waiting_batches + 1) * batch

    def _learn_from(self, practice: SelfPlay, batch: int) -> None:
        """Takes one optimiser step per minibatch that is ready."""
        losses, errors = [], []
        while self._is_ready(practice, batch):
            loss, error = self._take_step(self._turned(practice.draw(batch)))
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
        board, counters, record = _name(practice.config), practice.counters, self._logger.record_mean
        record(f"train/explored/{board}", counters.explored / counters.guesses)
        if counters.games > 0:
            record(f"train/win_rate/{board}", counters.wins / counters.games)
        practice.counters = SelfPlayCounters()

    def _turned(self, samples: ValueSamples) -> list[Tensor]:
        """Returns the fields of a minibatch on the device, turned and mirrored by one random symmetry of the board."""
        codes, probabilities, log_layouts, targets = (torch.from_numpy(array).to(self._device) for array in samples)
        choices = symmetries(*codes.shape[1:])
        symmetry = choices[int(self._rng.integers(len(choices)))]
        return [transform(codes, symmetry), transform(probabilities, symmetry), log_layouts, targets]

    def _take_step(self, minibatch: list[Tensor]) -> tuple[float, float]:
        """Returns the loss and the squared error before the step."""
        codes, probabilities, log_layouts, targets = minibatch
        for group in self._optimizer.param_groups:
            group["lr"] = self._learning_rate(1.0 - self._budget.progress(self.steps))
        logits = self.network(codes, probabilities, log_layouts)
        loss = functional.binary_cross_entropy_with_logits(logits, targets)
        self._optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), self._own.max_grad_norm)
        self._optimizer.step()
        error = functional.mse_loss(torch.sigmoid(logits.detach()), targets)
        return loss.item(), error.item()

    def current_network(self) -> ValueNetwork:
        """Returns `network`."""
        return self.network

    def policy(self, network: ValueNetwork, config: BoardConfig) -> ValuePolicy:
        """Returns the policy of a network on a board."""
        return ValuePolicy(config, network)

    def log(self) -> None:
        """Writes a log row: the means since the last row, and the fractions of time."""
        for name, fraction in self.clock.fractions("environment", "inference", "update").items():
            self._logger.record(f"time/{name}", fraction)
        self._logger.record("time/total_timesteps", self.steps, exclude="tensorboard")
        self._logger.dump(self.steps)

    def begin_with(self, network: nn.Module) -> None:
        """Copies the weights of a `ValueNetwork` with as many channels.

        Raises:
            ValueError: they do not fit.
        """
        load_weights(self.network, network.state_dict())

    def snapshot(self) -> tuple[Tensors, dict[str, Any]]:
        """Returns a copy of the whole state at a yield of `rounds`, as tensors and as JSON-able values."""
        weights = {f"network/{name}": tensor for name, tensor in self.network.state_dict().items()}
        learned = weights | optimiser_tensors(self._optimizer)
        tensors = {name: tensor.detach().clone() for name, tensor in learned.items()}
        states = []
        for number, practice in enumerate(self._practices):
            arrays, state = practice.save()
            tensors |= {f"board{number}/{name}": torch.from_numpy(array) for name, array in arrays.items()}
            states.append(state)
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
            self.network.load_state_dict(unprefixed(tensors, "network"))
            # The optimiser would go on in the tensors that it is given.
            restore_optimiser(self._optimizer, {name: tensor.clone() for name, tensor in tensors.items()})
            for number, (practice, practised) in enumerate(zip(self._practices, state["practices"], strict=True)):
                arrays = {name: tensor.numpy() for name, tensor in unprefixed(tensors, f"board{number}").items()}
                practice.restore(arrays, practised)
            self.steps = int(state["steps"])
            self._rng.bit_generator.state = state["random"]
        except (KeyError, TypeError, ValueError, RuntimeError, IndexError) as error:
            raise ValueError(f"the snapshot does not fit this training: {str(error).splitlines()[0]}") from error

    def _boards(self) -> list[str]:
        return [_name(practice.config) for practice in self._practices]


def _name(config: BoardConfig) -> str:
    return file_name(name_of(config))


def make_value_learner(settings: TrainingSettings) -> ValueLearner:
    """Returns a new learner with the settings of a training."""
    assert isinstance(settings.hyperparameters, ValueHyperparameters)
    return ValueLearner(
        settings.configs,
        settings.network,
        settings.first_training_seed(0),
        settings.hyperparameters,
        envs=settings.envs,
        device=settings.device,
        precision=settings.precision,
        optimizer=settings.optimizer,
    )
