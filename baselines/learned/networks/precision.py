"""Number format of the convolutions: float32, or bfloat16, which some processors compute faster.

Weights, heads and losses are float32 in either case.
"""

from __future__ import annotations

import torch
from torch import nn

from baselines.learned.networks.board import Tower
from baselines.learned.networks.recall import RecallTower


def set_precision(network: nn.Module, precision: str) -> None:
    """Sets the number format of all convolutions in a network.

    Args:
        network: changed in place.
        precision: one of `baselines.learned.networks.size.PRECISIONS`.
    """
    for module in network.modules():
        if isinstance(module, (Tower, RecallTower)):
            module.dtype = getattr(torch, precision)
