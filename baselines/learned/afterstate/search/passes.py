"""Passes of the network over many boards, in parts, and over the half turn and the reflections of each."""

from __future__ import annotations

from typing import Any

import torch
from numpy.typing import NDArray
from torch import Tensor

from baselines.learned.afterstate.network import AfterstateNetwork

AT_ONCE = 512
"""Upper bound on the boards of 64 cells in one pass of the network, so that its features stay in the cache."""


def parts_of(boards: NDArray[Any]) -> list[slice]:
    """Returns slices of boards (N, rows, cols), one for each pass."""
    size = max(1, AT_ONCE * 64 // (boards.shape[1] * boards.shape[2]))
    return [slice(start, start + size) for start in range(0, len(boards), size)]


def boards_on_device(network: AfterstateNetwork, boards: NDArray[Any]) -> Tensor:
    """Returns boards (N, rows, cols) as a tensor on the device of the network."""
    return torch.as_tensor(boards, device=next(network.parameters()).device)


def views_of(averaged: bool) -> list[tuple[int, bool]]:
    """Returns symmetries that every board has, the half turn and the reflections, or the identity alone.

    On a square board the other four bring nothing measurable, and double the time.
    """
    return [(turns, mirrored) for turns in (0, 2) for mirrored in (False, True)] if averaged else [(0, False)]
