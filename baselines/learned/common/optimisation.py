"""Optimisers by name, and the learning rate over a training."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch

from baselines.learned.common.budget import FlatThenFalling
from baselines.learned.common.muon import Muon
from baselines.learned.settings.hyperparameters import Hyperparameters

OPTIMIZER_CLASSES: dict[str, type[torch.optim.Optimizer]] = {"muon": Muon, "adam": torch.optim.AdamW}


def new_optimizer(name: str, parameters: Iterable[Any], weight_decay: float) -> torch.optim.Optimizer:
    """Returns a new optimiser.

    Args:
        name: one of `OPTIMIZER_CLASSES`.
        parameters: parameters, or groups of them.
        weight_decay: weight decay as a fraction of the learning rate.
    """
    return OPTIMIZER_CLASSES[name](parameters, weight_decay=weight_decay)  # type: ignore[call-arg]


def learning_rate_schedule(hyperparameters: Hyperparameters) -> FlatThenFalling:
    """Returns the learning rate as a function of the remaining fraction of the training."""
    return FlatThenFalling(
        hyperparameters.learning_rate, hyperparameters.learning_rate_flat, hyperparameters.learning_rate_final
    )
