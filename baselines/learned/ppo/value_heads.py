"""Heads that map the features of a board to its value, one class per way to pool the cells."""

from __future__ import annotations

from typing import Final

import torch
from torch import Tensor, nn


class MeanValueHead(nn.Module):
    """A linear map of the mean over all cells."""

    def __init__(self, channels: int) -> None:
        """Makes the linear layer."""
        super().__init__()
        self.layer = nn.Linear(channels, 1)

    def forward(self, features: Tensor) -> Tensor:
        """Maps (N, channels, rows, cols) to (N, 1)."""
        value: Tensor = self.layer(features.mean(dim=(2, 3)))
        return value


class MeanMaxValueHead(nn.Module):
    """A linear map of the mean and the maximum over all cells."""

    def __init__(self, channels: int) -> None:
        """Makes the linear layer."""
        super().__init__()
        self.layer = nn.Linear(2 * channels, 1)

    def forward(self, features: Tensor) -> Tensor:
        """Maps (N, channels, rows, cols) to (N, 1)."""
        pooled = torch.cat([features.mean(dim=(2, 3)), features.amax(dim=(2, 3))], dim=1)
        value: Tensor = self.layer(pooled)
        return value


class AttentionValueHead(nn.Module):
    """The mean of a linear map of each cell, weighted by a softmax over the cells (Ilse et al. 2018).

    With weights like the policy's probabilities and with discount 0, it can express the mean reward of the policy.
    """

    def __init__(self, channels: int) -> None:
        """Makes the 1x1 convolution for the numbers and the weights of the cells."""
        super().__init__()
        self.layer = nn.Conv2d(channels, 2, 1)

    def forward(self, features: Tensor) -> Tensor:
        """Maps (N, channels, rows, cols) to (N, 1)."""
        numbers, scores = self.layer(features).flatten(start_dim=2).unbind(dim=1)
        return (torch.softmax(scores, dim=1) * numbers).sum(dim=1, keepdim=True)


VALUE_HEADS: Final[dict[str, type[nn.Module]]] = {
    "mean": MeanValueHead,
    "mean_max": MeanMaxValueHead,
    "attention": AttentionValueHead,
}
"""Classes of value heads by the name of their pooling."""
