"""Weights of a network: the check that they fit it, and the loading."""

from __future__ import annotations

from torch import nn

from baselines.learned.common.tensor_files import Tensors


def load_weights(network: nn.Module, weights: Tensors) -> None:
    """Copies weights into a network.

    Raises:
        ValueError: a name or a shape differs from the network's, or a weight is NaN or infinite.
    """
    check_weights(network, weights)
    if unusable := [name for name, tensor in weights.items() if not tensor.isfinite().all()]:
        raise ValueError(f"a weight is NaN or infinite: {', '.join(unusable[:3])}")
    network.load_state_dict(weights)


def check_weights(network: nn.Module, weights: Tensors) -> None:
    """Checks that weights have the names and the shapes of a network's own.

    Raises:
        ValueError: a name or a shape differs from the network's.
    """
    expected = {name: tuple(tensor.shape) for name, tensor in network.state_dict().items()}
    found = {name: tuple(tensor.shape) for name, tensor in weights.items()}
    if found != expected:
        differing = sorted(name for name in expected.keys() | found.keys() if expected.get(name) != found.get(name))
        raise ValueError(f"the weights do not fit the network: {', '.join(differing[:3])}")
