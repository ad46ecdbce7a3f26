"""Named tensors: how the parts of a learner are told apart in one file, and those of an optimiser."""

from __future__ import annotations

import torch
from torch import Tensor

from baselines.learned.files import Tensors


def prefixed(prefix: str, tensors: Tensors) -> Tensors:
    """Returns the tensors with "prefix/" before their names."""
    return {f"{prefix}/{name}": tensor for name, tensor in tensors.items()}


def part(tensors: Tensors, prefix: str) -> Tensors:
    """Returns the tensors whose names begin with "prefix/", by what follows."""
    return {name.removeprefix(f"{prefix}/"): value for name, value in tensors.items() if name.startswith(f"{prefix}/")}


def optimizer_tensors(optimizer: torch.optim.Optimizer) -> Tensors:
    """Returns what an optimiser remembers of each parameter; its settings are not among it."""
    moments = optimizer.state_dict()["state"]
    return {f"{index}/{key}": value for index, values in moments.items() for key, value in values.items()}


def restore_optimizer(optimizer: torch.optim.Optimizer, tensors: Tensors) -> None:
    """Goes on from `optimizer_tensors`."""
    moments: dict[int, dict[str, Tensor]] = {}
    for name, value in tensors.items():
        index, key = name.split("/")
        moments.setdefault(int(index), {})[key] = value
    optimizer.load_state_dict({"state": moments, "param_groups": optimizer.state_dict()["param_groups"]})
