"""What a training run needs of whatever learns, and that of the algorithms of Stable-Baselines3."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger
from torch import nn

from baselines.learned.common.budget import Budget, Clock
from baselines.learned.common.tensor_files import Tensors
from baselines.learned.common.weights import check_weights
from baselines.learned.dqn.algorithm import MaskedDQN
from baselines.learned.networks.board import BoardNetwork
from baselines.learned.ppo.algorithm import MinesweeperPPO
from baselines.learned.training.snapshots import restore_model, snapshot_of_model

Action = Callable[[], None]


class TrainingStopped(Exception):  # noqa: N818 - a signal between two parts of the training, not an error
    """The training ends here, where a checkpoint loses nothing."""


class Learner(Protocol):
    """Something that learns until it is stopped.

    Attributes:
        clock: what its time was spent on.
    """

    clock: Clock

    @property
    def steps(self) -> int:
        """The steps taken so far, those of earlier sessions included."""

    def prepare(self, budget: Budget, logger: Logger) -> None:
        """Takes what its schedules follow, and where it records what happens."""

    def learn(self, between: Action, each_step: Action) -> None:
        """Learns for ever.

        Args:
            between: called where a snapshot loses nothing; it may raise `TrainingStopped`, which ends the training.
            each_step: called often, for the progress bar.
        """

    def log(self) -> None:
        """Writes what was recorded, and what happened since, to the logger."""

    def begin_with(self, network: nn.Module) -> None:
        """Takes the weights of a network of the kind that `network` returns, of any depth.

        Raises:
            ValueError: it is of another kind, or has another number of channels.
        """

    def network(self) -> nn.Module:
        """Returns what plays, which training may go on changing."""

    def snapshot(self) -> tuple[Tensors, dict[str, Any]]:
        """Returns all that it needs to go on, as tensors and as JSON-able values."""

    def restore(self, tensors: Tensors, state: dict[str, Any]) -> None:
        """Goes on from a snapshot of an equal learner.

        Raises:
            ValueError: the snapshot is of another one; the message is one line.
        """


class ModelLearner:
    """An algorithm of Stable-Baselines3 as a `Learner`.

    Args:
        model: new, with its games begun.
    """

    def __init__(self, model: MaskedDQN | MinesweeperPPO) -> None:
        """Takes the model."""
        self.model = model
        self.clock = model.clock

    @property
    def steps(self) -> int:
        """The steps taken in all games together."""
        return int(self.model.num_timesteps)

    def prepare(self, budget: Budget, logger: Logger) -> None:
        """Has the schedules follow the budget, and the model log to the logger."""
        self.model.budget = budget
        self.model.set_logger(logger)

    def learn(self, between: Action, each_step: Action) -> None:
        """Learns until `between` raises `TrainingStopped`."""
        try:
            self.model.learn(1 << 62, _Calls(between, each_step), log_interval=None, reset_num_timesteps=False)  # type: ignore[arg-type]
        except TrainingStopped:
            return

    def log(self) -> None:
        """Writes a row; its names are those of Stable-Baselines3, and "time/..." from the clock."""
        for name, share in self.clock.shares("environment", "inference", "update").items():
            self.model.logger.record(f"time/{name}", share)
        self.model.dump_logs()

    def begin_with(self, network: nn.Module) -> None:
        """Takes the weights of a `BoardNetwork`."""
        if not isinstance(network, BoardNetwork):
            raise ValueError("it is of another kind")
        check_weights(self.model.network(), network.state_dict())
        self.model.begin_with(network)

    def network(self) -> nn.Module:
        """Returns the network that plays."""
        return self.model.network()

    def snapshot(self) -> tuple[Tensors, dict[str, Any]]:
        """Returns all that the model and its games need to go on."""
        return snapshot_of_model(self.model)

    def restore(self, tensors: Tensors, state: dict[str, Any]) -> None:
        """Goes on from a snapshot."""
        restore_model(self.model, tensors, state)


class _Calls(BaseCallback):
    """Calls two functions, between rollouts and after each step."""

    def __init__(self, between: Action, each_step: Action) -> None:
        super().__init__()
        self._between, self._each_step = between, each_step

    def _on_rollout_start(self) -> None:
        self._between()
        # What happened between rollouts is no part of learning.
        self.model.clock.lap("between")  # type: ignore[attr-defined]

    def _on_step(self) -> bool:
        self._each_step()
        return True
