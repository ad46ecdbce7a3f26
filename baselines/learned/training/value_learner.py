"""`value` as something that a training run trains."""

from __future__ import annotations

from typing import Any

from stable_baselines3.common.logger import Logger
from torch import nn

from baselines.learned.common.budget import Budget
from baselines.learned.common.tensor_files import Tensors
from baselines.learned.common.weights import load_weights
from baselines.learned.settings.hyperparameters import ValueHyperparameters
from baselines.learned.settings.training import USUAL_CELLS, TrainingSettings
from baselines.learned.training.factory import OPTIMIZER_CLASSES, schedule
from baselines.learned.training.learner import Action, TrainingStopped
from baselines.learned.value.learner import LearningOptions, ValueLearner
from baselines.learned.value.self_play import SelfPlayOptions

LEAST_GAMES, LEAST_BATCH = 64, 32
"""On a large board there are no fewer games, and no smaller minibatches, than these, unless a usual one has as few."""


class ValueTraining:
    """A `ValueLearner` as a `Learner`; its steps are the guesses that it has learned from.

    Args:
        learner: new, or restored.
    """

    def __init__(self, learner: ValueLearner) -> None:
        """Takes the learner."""
        self.learner = learner
        self.clock = learner.clock
        self._logger: Logger | None = None

    @property
    def steps(self) -> int:
        """The guesses learned from so far."""
        return self.learner.steps

    def prepare(self, budget: Budget, logger: Logger) -> None:
        """Has the learning rate follow the budget, and the learner record to the logger."""
        self._logger = logger
        self.learner.progress = budget.progress
        self.learner.log = logger.record_mean

    def learn(self, between: Action, each_step: Action) -> None:
        """Learns until `between` raises `TrainingStopped`."""

        def both() -> None:
            each_step()
            between()

        try:
            self.learner.learn(both)
        except TrainingStopped:
            return

    def log(self) -> None:
        """Writes a row: the means since the last one."""
        assert self._logger is not None
        for name, share in self.clock.shares("environment", "inference", "update").items():
            self._logger.record(f"time/{name}", share)
        self._logger.record("time/total_timesteps", self.steps, exclude="tensorboard")
        self._logger.dump(self.steps)

    def begin_with(self, network: nn.Module) -> None:
        """Takes the weights of a `ValueNetwork` of as many channels."""
        load_weights(self.learner.network, network.state_dict())

    def network(self) -> nn.Module:
        """Returns the network that plays."""
        return self.learner.network

    def snapshot(self) -> tuple[Tensors, dict[str, Any]]:
        """Returns all that the learner and its games need to go on."""
        return self.learner.snapshot()

    def restore(self, tensors: Tensors, state: dict[str, Any]) -> None:
        """Goes on from a snapshot."""
        self.learner.restore(tensors, state)


def make_value_learner(settings: TrainingSettings) -> ValueTraining:
    """Returns a new learner by the settings of a training, which are resolved."""
    own = settings.hyperparameters
    assert isinstance(own, ValueHyperparameters)
    practice = SelfPlayOptions(
        cells_at_once=settings.envs * USUAL_CELLS,
        games=(min(LEAST_GAMES, settings.envs), settings.envs),
        exploration=own.exploration,
        slack=own.slack,
        breadth=own.breadth,
        decay=own.decay,
        replay_ratio=own.replay_ratio,
        layouts=own.layouts,
        nodes=own.nodes,
    )
    learning = LearningOptions(
        learning_rate=schedule(own),
        cells_at_once=own.batch_size * USUAL_CELLS,
        batch=(min(LEAST_BATCH, own.batch_size), own.batch_size),
        max_grad_norm=own.max_grad_norm,
        weight_decay=own.weight_decay,
    )
    learner = ValueLearner(
        settings.configs,
        settings.network,
        settings.first_training_seed(0),
        device=settings.device,
        precision=settings.precision,
        practice=practice,
        learning=learning,
        optimizer=OPTIMIZER_CLASSES[settings.optimizer],
    )
    return ValueTraining(learner)
