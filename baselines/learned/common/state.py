"""The state of optimisers and random generators, as named tensors for a checkpoint file."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from baselines.learned.common.tensor_files import Tensors


def prefixed(tensors: Tensors, prefix: str) -> Tensors:
    """Returns the tensors under their names with the prefix and a slash in front."""
    return {f"{prefix}/{name}": tensor for name, tensor in tensors.items()}


def unprefixed(tensors: Tensors, prefix: str) -> Tensors:
    """Returns the tensors whose names begin with the prefix and a slash, under the rest of the name."""
    return {name.removeprefix(f"{prefix}/"): value for name, value in tensors.items() if name.startswith(f"{prefix}/")}


def optimiser_tensors(optimizer: torch.optim.Optimizer) -> Tensors:
    """Returns the moments of an optimiser as "optimizer/INDEX/MOMENT", where INDEX numbers its parameters."""
    moments = optimizer.state_dict()["state"]
    return {f"optimizer/{index}/{key}": value for index, values in moments.items() for key, value in values.items()}


def restore_optimiser(optimizer: torch.optim.Optimizer, tensors: Tensors) -> None:
    """Puts the moments that `optimiser_tensors` returned into an optimiser; other tensors are ignored."""
    moments: dict[int, dict[str, Tensor]] = {}
    for name, value in unprefixed(tensors, "optimizer").items():
        index, key = name.split("/")
        moments.setdefault(int(index), {})[key] = value
    optimizer.load_state_dict({"state": moments, "param_groups": optimizer.state_dict()["param_groups"]})


def random_tensors() -> tuple[Tensors, dict[str, Any]]:
    """Returns the states of the global generators of NumPy and PyTorch: tensors, and JSON-able values."""
    # Stable-Baselines3 draws the minibatches of PPO from NumPy's global generator.
    _, keys, position, has_gauss, gauss = np.random.get_state(legacy=True)  # noqa: NPY002
    tensors = {"numpy": torch.from_numpy(np.asarray(keys)), "torch": torch.get_rng_state()}
    if torch.cuda.is_available():
        tensors["cuda"] = torch.cuda.get_rng_state()
    return prefixed(tensors, "random"), {"position": position, "has_gauss": has_gauss, "gauss": gauss}


def restore_random(tensors: Tensors, state: dict[str, Any]) -> None:
    """Sets the global generators to the states that `random_tensors` returned."""
    generators = unprefixed(tensors, "random")
    keys = generators["numpy"].numpy()
    np.random.set_state(("MT19937", keys, state["position"], state["has_gauss"], state["gauss"]))  # noqa: NPY002
    torch.set_rng_state(generators["torch"])
    if torch.cuda.is_available() and "cuda" in generators:
        torch.cuda.set_rng_state(generators["cuda"])
