"""Builds the algorithms of Stable-Baselines3 from the settings of a training."""

from __future__ import annotations

from typing import Any

import torch

from baselines.learned.common.budget import FlatThenFalling
from baselines.learned.common.losses import is_probability
from baselines.learned.common.muon import Muon
from baselines.learned.common.vec_env import MinesweeperVecEnv
from baselines.learned.dqn.algorithm import MaskedDQN
from baselines.learned.dqn.policy import MinesweeperQPolicy
from baselines.learned.networks.precision import set_precision
from baselines.learned.ppo.algorithm import MinesweeperPPO
from baselines.learned.ppo.plain_policy import PlainPolicy
from baselines.learned.ppo.policy import MinesweeperPolicy
from baselines.learned.settings.hyperparameters import DQNHyperparameters, Hyperparameters, PPOHyperparameters
from baselines.learned.settings.training import TrainingSettings

LEAST_GAMES, LEAST_BATCH = 32, 32
"""On a large board, which has fewer games and smaller minibatches than a usual one, there are no fewer than these."""

OPTIMIZER_CLASSES: dict[str, type[torch.optim.Optimizer]] = {"muon": Muon, "adam": torch.optim.AdamW}

NOT_FOR_MODELS = ("learning_rate", "learning_rate_flat", "learning_rate_final", "batch_size", "weight_decay")
"""The hyperparameters that become something else before an algorithm takes them."""


def make_envs(settings: TrainingSettings) -> list[MinesweeperVecEnv]:
    """Returns the games of a training, of each of its boards, seeded for their first reset."""
    envs = []
    for index, config in enumerate(settings.configs):
        games = settings.scaled(settings.envs, config.cells, LEAST_GAMES)
        envs.append(MinesweeperVecEnv(config, games, settings.reward))
        envs[-1].seed(settings.first_training_seed(index))
    return envs


def make_model(settings: TrainingSettings) -> MaskedDQN | MinesweeperPPO:
    """Returns a new model, which has begun its games; this seeds the generators of Python, NumPy and PyTorch."""
    envs = make_envs(settings)
    sizes = [settings.scaled(settings.hyperparameters.batch_size, env.config.cells, LEAST_BATCH) for env in envs]
    arguments = _arguments(settings) | {"env": envs[0], "batch_size": sizes[0]}
    model = _dqn(settings, arguments) if settings.algo == "dqn" else _ppo(settings, arguments)
    # The model has seeded its games like everything else; they have a range of seeds of their own.
    envs[0].seed(settings.first_training_seed(0))
    model.play_on(envs, sizes)
    set_precision(model.policy, settings.precision)
    return model


def _arguments(settings: TrainingSettings) -> dict[str, Any]:
    own = settings.hyperparameters
    return {
        **{name: value for name, value in own.to_json().items() if name not in NOT_FOR_MODELS},
        "learning_rate": schedule(own),
        "gamma": settings.gamma,
        "seed": settings.seed,
        "device": settings.device,
        "policy_kwargs": {
            "probability": is_probability(settings.reward, settings.gamma),
            "optimizer_class": OPTIMIZER_CLASSES[settings.optimizer],
            "optimizer_kwargs": {"weight_decay": own.weight_decay},
            "features_extractor_kwargs": {"channels": settings.channels, "depth": settings.depth},
        },
    }


def _dqn(settings: TrainingSettings, arguments: dict[str, Any]) -> MaskedDQN:
    assert isinstance(settings.hyperparameters, DQNHyperparameters)
    return MaskedDQN(MinesweeperQPolicy, teacher=settings.teacher == "exact", **arguments)


def _ppo(settings: TrainingSettings, arguments: dict[str, Any]) -> MinesweeperPPO:
    assert isinstance(settings.hyperparameters, PPOHyperparameters)
    plain = settings.algo == "plain-ppo"
    policy = PlainPolicy if plain else MinesweeperPolicy
    return MinesweeperPPO(policy, normalize_advantage=plain, **arguments)


def schedule(hyperparameters: Hyperparameters) -> FlatThenFalling:
    """Returns the learning rate over the training."""
    return FlatThenFalling(
        hyperparameters.learning_rate, hyperparameters.learning_rate_flat, hyperparameters.learning_rate_final
    )
