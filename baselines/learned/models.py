"""Builds the algorithms, with the hyperparameters that the files of results belong to."""

from __future__ import annotations

from typing import Any

from baselines.learned.dqn import MaskedDQN, MinesweeperQPolicy
from baselines.learned.pacing import FlatThenFalling
from baselines.learned.ppo import MinesweeperPolicy, MinesweeperPPO
from baselines.learned.returns import is_probability
from baselines.learned.settings import TrainingSettings
from baselines.learned.vec_env import MinesweeperVecEnv

SCHEDULE: dict[str, dict[str, float]] = {
    "dqn": {"initial": 2e-3, "flat": 0.5, "final": 0.02},
    "ppo": {"initial": 2e-3, "flat": 0.5, "final": 0.02},
}

HYPERPARAMETERS: dict[str, dict[str, Any]] = {
    "dqn": {
        "buffer_size": 20_000,
        "learning_starts": 1_000,
        "batch_size": 128,
        "train_freq": 1,
        "gradient_steps": 2,
        "target_update_interval": 10_000,
        "exploration_fraction": 0.05,
        "exploration_initial_eps": 1.0,
        "exploration_final_eps": 0.0,
        "max_grad_norm": 10.0,
    },
    "ppo": {
        "n_steps": 8,
        "batch_size": 128,
        "n_epochs": 1,
        "gae_lambda": 0.95,
        "vf_coef": 5.0,
        "ent_coef": 0.0,
        "normalize_advantage": False,
        "max_grad_norm": 5.0,
    },
}
"""What the algorithms' constructors take, by the names that Stable-Baselines3 gives them."""


def hyperparameters(algo: str) -> dict[str, Any]:
    """Returns all the hyperparameters of an algorithm that are no settings, as JSON-able values."""
    return {"learning_rate": SCHEDULE[algo], **HYPERPARAMETERS[algo]}


def make_env(settings: TrainingSettings) -> MinesweeperVecEnv:
    """Returns the environment of a training, seeded for its first reset."""
    return MinesweeperVecEnv(settings.board, settings.envs, settings.reward)


def make_model(settings: TrainingSettings, env: MinesweeperVecEnv) -> MaskedDQN | MinesweeperPPO:
    """Returns a new model; this seeds the global random generators of Python, NumPy and PyTorch."""
    arguments: dict[str, Any] = {
        "env": env,
        "learning_rate": FlatThenFalling(**SCHEDULE[settings.algo]),
        "gamma": settings.gamma,
        "seed": settings.seed,
        "device": settings.device,
        "policy_kwargs": {
            "probability": is_probability(settings.reward, settings.gamma),
            "features_extractor_kwargs": {"channels": settings.channels, "blocks": settings.blocks},
        },
        **HYPERPARAMETERS[settings.algo],
    }
    model = (
        MaskedDQN(MinesweeperQPolicy, **arguments)
        if settings.algo == "dqn"
        else MinesweeperPPO(MinesweeperPolicy, **arguments)
    )
    # The model has seeded the games like everything else; they have a range of seeds of their own.
    env.seed(settings.first_training_seed)
    return model
