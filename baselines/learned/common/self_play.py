"""Base class of the learners that play their own games, on several boards in turn."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3.common.logger import Logger
from torch import Tensor, nn

from baselines.learned.common.budget import Budget, Clock
from baselines.learned.common.optimisation import learning_rate_schedule
from baselines.learned.common.state import optimiser_tensors, prefixed, restore_optimiser, unprefixed
from baselines.learned.common.tensor_files import Tensors, load_weights
from baselines.learned.networks.precision import set_precision
from baselines.learned.networks.size import check_radius
from baselines.learned.networks.symmetry import symmetries, transform
from baselines.learned.settings.hyperparameters import Hyperparameters
from baselines.learned.settings.training import TrainingSettings, scaled
from baselines.support.board_names import file_name, name_of
from minesweeper_env.config import BoardConfig

MIN_BATCH = 32
"""Lower bound on the boards of a minibatch on large boards, where fewer boards hold as many cells."""


class Practice(Protocol):
    """Games and samples on one board."""

    @property
    def config(self) -> BoardConfig:
        """The board."""

    @property
    def work(self) -> float:
        """Approximate time spent here so far, in forward passes of the network on one cell."""

    def save(self) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """Returns the state for `restore`, as arrays and as JSON-able values."""

    def restore(self, arrays: dict[str, NDArray[Any]], state: dict[str, Any]) -> None:
        """Restores what `save` returned.

        Raises:
            KeyError, ValueError: it is of other games.
        """


OwnPractice = TypeVar("OwnPractice", bound=Practice)
Network = TypeVar("Network", bound=nn.Module)


class SelfPlayLearner(ABC, Generic[OwnPractice]):
    """Learns from games that it plays itself; `baselines.learned.training.learner.Learner` describes its methods.

    The board with the least work for its size is next, so that all boards get about equal time. The work is an
    estimate, so all results depend on the seed and the schedule, and not on the clock.

    A subclass makes its networks with `_new_network`, then `_optimizer` and `_practices`, one for each board.

    Attributes:
        network: the network that plays.
        steps: number of boards in all minibatches so far.
        clock: time by activity: "environment", "inference" and "update".
    """

    network: nn.Module
    _optimizer: torch.optim.Optimizer
    _practices: Sequence[OwnPractice]

    def __init__(
        self, boards: Sequence[BoardConfig], seed: int, hyperparameters: Hyperparameters, device: str, precision: str
    ) -> None:
        """Checks the boards.

        Args:
            boards: the boards, of radius 1.
            seed: seed of all random choices, at least 0.
            hyperparameters: hyperparameters of the learning.
            device: device of the networks.
            precision: number format of the convolutions, "float32" or "bfloat16".

        Raises:
            ValueError: there is no board, or a board is of another radius.
        """
        if not boards:
            raise ValueError("there must be a board to train on")
        for config in boards:
            check_radius(config)
        self.steps = 0
        self.clock = Clock()
        self._seed, self._device, self._precision = seed, device, precision
        self._batch_size = hyperparameters.batch_size
        self._learning_rate = learning_rate_schedule(hyperparameters)
        self._rng = np.random.default_rng(seed)

    def _new_network(self, make: Callable[[], Network]) -> Network:
        """Returns the network of `make` on the device; its weights depend on the seed alone."""
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self._seed)
            network = make().to(self._device)
        set_precision(network, self._precision)
        return network

    def rounds(self, budget: Budget, logger: Logger) -> Iterator[None]:
        """Learns without end, and yields before each round on a board.

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
            self._advance(practice, scaled(self._batch_size, practice.config.cells, MIN_BATCH))

    @abstractmethod
    def _advance(self, practice: OwnPractice, batch: int) -> None:
        """Plays or learns on one board for a round, in minibatches of `batch` boards."""

    @abstractmethod
    def policy(self, network: Any, config: BoardConfig) -> Any:
        """Returns the policy of a network on a board."""

    def _networks(self) -> dict[str, nn.Module]:
        """Returns the networks that a snapshot keeps, by their names there."""
        return {"network": self.network}

    def _scheduled_rate(self) -> float:
        """Returns the learning rate at the present progress of the budget."""
        return self._learning_rate(1.0 - self._budget.progress(self.steps))

    def _turned(self, *boards: NDArray[Any]) -> list[Tensor]:
        """Returns arrays (N, rows, cols) on the device, turned and mirrored by one random symmetry of the board."""
        choices = symmetries(*boards[0].shape[1:])
        symmetry = choices[int(self._rng.integers(len(choices)))]
        return [transform(cells, symmetry) for cells in self._on_device(*boards)]

    def _on_device(self, *arrays: NDArray[Any]) -> list[Tensor]:
        return [torch.from_numpy(array).to(self._device) for array in arrays]

    def current_network(self) -> nn.Module:
        """Returns `network`."""
        return self.network

    def log(self) -> None:
        """Writes a log row: the means since the last row, and the fractions of time."""
        for name, fraction in self.clock.fractions("environment", "inference", "update").items():
            self._logger.record(f"time/{name}", fraction)
        self._logger.record("time/total_timesteps", self.steps, exclude="tensorboard")
        self._logger.dump(self.steps)

    def begin_with(self, network: nn.Module) -> None:
        """Copies the weights of a network of the same kind, with as many channels.

        Raises:
            ValueError: the weights do not fit the network of this training.
        """
        for own in self._networks().values():
            load_weights(own, network.state_dict())

    def snapshot(self) -> tuple[Tensors, dict[str, Any]]:
        """Returns a copy of the whole state at a yield of `rounds`, as tensors and as JSON-able values."""
        learned = optimiser_tensors(self._optimizer)
        for name, network in self._networks().items():
            learned |= prefixed(network.state_dict(), name)
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
            for name, network in self._networks().items():
                load_weights(network, unprefixed(tensors, name))
            # The optimiser would go on in the tensors that it is given.
            restore_optimiser(self._optimizer, {name: tensor.clone() for name, tensor in tensors.items()})
            for number, (practice, saved) in enumerate(zip(self._practices, state["practices"], strict=True)):
                arrays = {name: tensor.numpy() for name, tensor in unprefixed(tensors, f"board{number}").items()}
                practice.restore(arrays, saved)
            self.steps = int(state["steps"])
            self._rng.bit_generator.state = state["random"]
        except (KeyError, TypeError, ValueError, RuntimeError, IndexError) as error:
            raise ValueError(f"the snapshot does not fit this training: {str(error).splitlines()[0]}") from error

    def _boards(self) -> list[str]:
        return [file_name(name_of(practice.config)) for practice in self._practices]


def learner_arguments(settings: TrainingSettings) -> dict[str, Any]:
    """Returns the arguments that the learners of this kind take from the settings of a training."""
    return {
        "boards": settings.configs,
        "size": settings.network,
        "seed": settings.first_training_seed(0),
        "hyperparameters": settings.hyperparameters,
        "envs": settings.envs,
        "device": settings.device,
        "precision": settings.precision,
        "optimizer": settings.optimizer,
    }
