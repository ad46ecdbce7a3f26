"""Interface between the training loop and whatever learns, and the choice of a learner by its algorithm."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any, Protocol

from stable_baselines3.common.logger import Logger
from torch import nn

from baselines.learned.common.budget import Budget, Clock
from baselines.learned.common.tensor_files import Tensors
from baselines.learned.settings.training import TrainingSettings

MAKERS = {
    "dqn": "baselines.learned.training.models:make_model_learner",
    "ppo": "baselines.learned.training.models:make_model_learner",
    "plain-ppo": "baselines.learned.training.models:make_model_learner",
    "afterstate": "baselines.learned.afterstate.learner:AfterstateLearner",
}
"""Functions that make the learner of each algorithm; their modules are imported when a training needs them."""


class Learner(Protocol):
    """Something that learns, round by round.

    Attributes:
        clock: the time spent on "environment", "inference" and "update".
    """

    clock: Clock

    @property
    def steps(self) -> int:
        """The number of steps so far, earlier sessions included."""

    def rounds(self, budget: Budget, logger: Logger) -> Iterator[None]:
        """Learns without end, and yields before each round, when `snapshot` is exact.

        Args:
            budget: measures the progress that the schedules depend on.
            logger: receives the log rows.
        """

    def current_network(self) -> nn.Module:
        """Returns the network that plays; it may share weights with the training, which keeps changing them."""

    def policy(self, network: Any, config: Any) -> Any:
        """Returns the greedy policy of a network, which `current_network` returned, for a configuration of games."""

    def log(self) -> None:
        """Writes a log row: the means since the last row."""

    def begin_with(self, network: nn.Module) -> None:
        """Copies the weights of a network; its depth may differ.

        Raises:
            ValueError: it is of another kind, or has another number of channels.
        """

    def snapshot(self) -> tuple[Tensors, dict[str, Any]]:
        """Returns its whole state: tensors, and JSON-able values."""

    def restore(self, tensors: Tensors, state: dict[str, Any]) -> None:
        """Continues from the snapshot of an equal learner.

        Raises:
            ValueError: the snapshot is of another one; the message is one line.
        """


def make_learner(settings: TrainingSettings) -> Learner:
    """Returns a new learner.

    Args:
        settings: with a device that `resolve_settings` chose.
    """
    module, _, name = MAKERS[settings.algo].partition(":")
    learner: Learner = getattr(import_module(module), name)(settings)
    return learner
