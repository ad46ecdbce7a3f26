"""Learner of Azulejos for the training loop, built from the settings of a training."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from stable_baselines3.common.logger import Logger
from torch import nn

from azulejos_env.config import GameConfig
from azulejos_env.policies import Policy
from baselines.azulejos.learning.agents import AzulejosAgent
from baselines.azulejos.learning.algorithm import AzulejosPPO
from baselines.azulejos.learning.network import AzulejosNetwork
from baselines.azulejos.learning.opponents import SELF, games_of, opponent_of
from baselines.azulejos.learning.policy import AzulejosPolicy
from baselines.azulejos.learning.settings import AzulejosSettings
from baselines.azulejos.learning.vec_env import AzulejosVecEnv
from baselines.learned.common.budget import Budget
from baselines.learned.common.optimisation import OPTIMIZER_CLASSES, learning_rate_schedule
from baselines.learned.common.state import (
    optimiser_tensors,
    prefixed,
    random_tensors,
    restore_optimiser,
    restore_random,
    unprefixed,
)
from baselines.learned.common.tensor_files import Tensors
from baselines.learned.common.weights import check_weights, load_weights

NOT_FOR_MODELS = (
    "learning_rate",
    "learning_rate_flat",
    "learning_rate_final",
    "batch_size",
    "weight_decay",
)
"""Hyperparameters that the constructor of the algorithm takes in another form."""

COUNTERS = ("num_timesteps", "_n_updates", "_episode_num", "replaced")
"""Attributes of the model that a snapshot keeps as numbers."""


class AzulejosLearner:
    """An `AzulejosPPO` as a `Learner`.

    Args:
        model: a new model.
        first_seed: of its games.
    """

    def __init__(self, model: AzulejosPPO, first_seed: int) -> None:
        """Starts the games."""
        self.model = model
        self.clock = model.clock
        model.env.seed(first_seed)
        model._last_obs = model.env.reset()
        model._last_episode_starts = np.ones(model.n_envs, np.bool_)

    @property
    def steps(self) -> int:
        """The number of steps in all games together."""
        return int(self.model.num_timesteps)

    def rounds(self, budget: Budget, logger: Logger) -> Iterator[None]:
        """Learns without end, and yields before each rollout."""
        self.model.set_logger(logger)
        yield from self.model.rounds(budget)

    def current_network(self) -> AzulejosNetwork:
        """Returns the network that plays; it shares the weights of the model."""
        return self.model.policy.network()

    def policy(self, network: AzulejosNetwork, config: GameConfig) -> AzulejosAgent:  # noqa: ARG002
        """Returns the greedy policy of a network."""
        return AzulejosAgent(network)

    def log(self) -> None:
        """Writes a log row."""
        self.model.log_row()

    def begin_with(self, network: nn.Module) -> None:
        """Copies the weights of a network; its depth may differ.

        Raises:
            ValueError: it has another number of channels or colours.
        """
        check_weights(self.current_network(), network.state_dict())
        self.current_network().load_state_dict(network.state_dict())
        self.model.renew_all()

    def snapshot(self) -> tuple[Tensors, dict[str, Any]]:
        """Returns the state of the model, of its games and of the past versions."""
        model = self.model
        tensors = prefixed(model.policy.state_dict(), "policy") | optimiser_tensors(model.policy.optimizer)
        for number, version in enumerate(model.versions):
            tensors |= prefixed(version.network.state_dict(), f"version{number}")
        arrays = model.env.get_state() | {"episode_starts": np.asarray(model._last_episode_starts, np.bool_)}
        tensors |= prefixed({n: torch.from_numpy(np.ascontiguousarray(a)) for n, a in arrays.items()}, "env")
        generators, random_state = random_tensors()
        state = {name: getattr(model, name) for name in COUNTERS} | {"random": random_state}
        return tensors | generators, state

    def restore(self, tensors: Tensors, state: dict[str, Any]) -> None:
        """Continues from the snapshot of an equal learner.

        Raises:
            ValueError: the snapshot is of another one; the message is one line.
        """
        model = self.model
        load_weights(model.policy, unprefixed(tensors, "policy"))
        try:
            for number, version in enumerate(model.versions):
                load_weights(version.network, unprefixed(tensors, f"version{number}"))
            restore_optimiser(model.policy.optimizer, tensors)
            arrays = {name: tensor.numpy().copy() for name, tensor in unprefixed(tensors, "env").items()}
            model._last_episode_starts = arrays.pop("episode_starts")
            model._last_obs = model.env.set_state(arrays)
            for name in COUNTERS:
                setattr(model, name, int(state[name]))
            restore_random(tensors, state["random"])
        except (KeyError, TypeError, ValueError, RuntimeError, IndexError) as error:
            raise ValueError(f"it does not fit this training: {str(error).splitlines()[0]}") from error


def make_learner(settings: AzulejosSettings) -> AzulejosLearner:
    """Returns a new learner; this seeds the generators of Python, NumPy and PyTorch.

    Args:
        settings: with the device chosen.
    """
    versions: list[AzulejosAgent] = []
    batches: list[tuple[str | Policy, int]] = []
    for name, count in games_of(settings.opponents, settings.games):
        if name == SELF:
            network = AzulejosNetwork.of_size(settings.network, settings.colours).to(settings.device)
            versions.append(AzulejosAgent(network))
            batches.append((versions[-1], count))
        else:
            batches.append((opponent_of(name), count))
    env = AzulejosVecEnv(settings.config, batches, settings.reward)
    own = settings.hyperparameters
    model = AzulejosPPO(
        AzulejosPolicy,
        env,
        versions,
        batch_size=settings.batch_size,
        learning_rate=learning_rate_schedule(own),
        gamma=settings.gamma,
        seed=settings.seed,
        device=settings.device,
        policy_kwargs=_policy_arguments(settings),
        **{name: value for name, value in own.to_json().items() if name not in NOT_FOR_MODELS},
    )
    return AzulejosLearner(model, settings.first_training_seed)


def _policy_arguments(settings: AzulejosSettings) -> dict[str, Any]:
    return {
        "optimizer_class": OPTIMIZER_CLASSES[settings.optimizer],
        "optimizer_kwargs": {"weight_decay": settings.hyperparameters.weight_decay},
        "features_extractor_kwargs": {
            "channels": settings.channels,
            "depth": settings.depth,
            "colours": settings.colours,
        },
    }
