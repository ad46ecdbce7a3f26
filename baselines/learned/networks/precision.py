"""Number format of the convolutions: float32, or bfloat16, which some processors compute faster.

Weights, heads and losses are float32 in either case.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from baselines.learned.networks.board import GlobalPooling, ResidualBlock, Tower
from baselines.learned.networks.size import NetworkSize


class RecallTower(nn.Module):
    """Applies one residual block again and again, and feeds the input planes in at every application.

    Without this recall a network forgets its input when it is applied more often than in training (Bansal et al. 2022,
    "End-to-end algorithm synthesis with recurrent networks"). The map of the planes is the same each time, so it is
    computed once.

    Attributes:
        dtype: number format of the convolutions; weights stay float32. `networks/precision.py` sets it.
        depth: number of applications; training draws it for each minibatch.
    """

    def __init__(self, planes: int, size: NetworkSize) -> None:
        """Makes the layers with PyTorch's default initialisation."""
        super().__init__()
        self.dtype = torch.float32
        self.depth = size.depth
        self.stem = nn.Conv2d(planes, size.channels, 3, padding=1)
        self.recall = nn.Conv2d(planes, size.channels, 3, padding=1)
        self.first = nn.Conv2d(size.channels, size.channels, 3, padding=1, bias=False)
        self.second = nn.Conv2d(size.channels, size.channels, 3, padding=1)
        self.pooling = GlobalPooling(size.channels)
        self.to(memory_format=torch.channels_last)  # type: ignore[call-overload]

    def forward(self, planes: Tensor) -> Tensor:
        """Maps (N, planes, rows, cols) to features, (N, channels, rows, cols) in `dtype`."""
        with self.autocast(planes):
            features, recalled = torch.relu_(self.stem(planes)), self.recall(planes)
            for _ in range(self.depth):
                changes = self.second(torch.relu_(self.first(features).add_(recalled)))
                features = self.pooling(changes.add_(features))
        return features

    def autocast(self, like: Tensor) -> torch.autocast:
        """Returns a context that computes convolutions in `dtype`, on the device of a tensor."""
        return torch.autocast(like.device.type, self.dtype, enabled=self.dtype != torch.float32)

    def begin_with(self, tower: Tower) -> None:
        """Copies the weights of a tower without recall; the recall begins without effect, so both compute the same.

        Raises:
            ValueError: it has another number of channels.
        """
        block, pooling = tower.block
        assert isinstance(block, ResidualBlock)
        assert block.first.bias is not None
        weights = {f"stem.{name}": tensor for name, tensor in tower.stem.state_dict().items()}
        weights |= {"first.weight": block.first.weight, "recall.bias": block.first.bias}
        weights["recall.weight"] = torch.zeros_like(self.recall.weight)
        weights |= {f"second.{name}": tensor for name, tensor in block.second.state_dict().items()}
        weights |= {f"pooling.{name}": tensor for name, tensor in pooling.state_dict().items()}
        # `networks` imports nothing of `common`, where the check of weights is.
        own = {name: tensor.shape for name, tensor in self.state_dict().items()}
        if own != {name: tensor.shape for name, tensor in weights.items()}:
            raise ValueError(f"the tower has {len(block.first.weight)} channels, not {len(self.first.weight)}")
        self.load_state_dict(weights)


def set_precision(network: nn.Module, precision: str) -> None:
    """Sets the number format of all convolutions in a network.

    Args:
        network: changed in place.
        precision: one of `baselines.learned.networks.size.PRECISIONS`.
    """
    for module in network.modules():
        if isinstance(module, (Tower, RecallTower)):
            module.dtype = getattr(torch, precision)
