"""Optimisers by name, and the learning rate over a training."""

from __future__ import annotations

import torch

from baselines.learned.common.budget import FlatThenFalling
from baselines.learned.common.muon import Muon
from baselines.learned.settings.hyperparameters import Hyperparameters

OPTIMIZER_CLASSES: dict[str, type[torch.optim.Optimizer]] = {"muon": Muon, "adam": torch.optim.AdamW}


def learning_rate_schedule(hyperparameters: Hyperparameters) -> FlatThenFalling:
    """Returns the learning rate as a function of the remaining fraction of the training."""
    return FlatThenFalling(
        hyperparameters.learning_rate, hyperparameters.learning_rate_flat, hyperparameters.learning_rate_final
    )
