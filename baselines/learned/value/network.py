"""Network of `value`: a board and its mine probabilities in, the probability of winning the game out."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from baselines.learned.networks.board import MAX_COUNT, BoardPlanes, Tower
from baselines.learned.networks.size import NetworkSize
from baselines.learned.value.positions import Positions

CELLS_AT_ONCE = 1 << 15
"""Upper bound on the cells in one batch; it limits the memory of a forward pass."""

_LOG_LAYOUTS = 20.0
"""The log-number of layouts that the input plane shows as 1."""


class OraclePlanes(nn.Module):
    """Four input planes from the oracle.

    | plane | value of a cell |
    |---|---|
    | 0 | probability of a mine; 0 where open |
    | 1 | -log(1 - probability), the cost of a click there; 0 on certain mines |
    | 2 | 1 on certain mines |
    | 3 | logarithm of the number of layouts, scaled; constant over the board |
    """

    COUNT = 4

    def forward(self, codes: Tensor, probabilities: Tensor, log_layouts: Tensor) -> Tensor:
        """Maps codes, probabilities (N, rows, cols) and log_layouts (N,) to planes, (N, COUNT, rows, cols) float32."""
        probabilities = torch.where(codes > MAX_COUNT, probabilities, 0.0)
        mines = probabilities >= 1.0
        risks = torch.where(mines, 0.0, -torch.log1p(-probabilities.clamp(max=0.999)))
        layouts = (log_layouts / _LOG_LAYOUTS)[:, None, None].expand_as(probabilities)
        return torch.stack([probabilities, risks, mines.to(torch.float32), layouts], dim=3).permute(0, 3, 1, 2)


class BoardHead(nn.Module):
    """Maps features to one number per board, from their mean and maximum over the board."""

    def __init__(self, channels: int) -> None:
        """Makes the two layers; the last one starts with weight 0, so the first outputs are its bias."""
        super().__init__()
        self.hidden = nn.Linear(2 * channels, channels)
        self.layer = nn.Linear(channels, 1)
        nn.init.zeros_(self.layer.weight)

    def forward(self, features: Tensor) -> Tensor:
        """Maps (N, channels, rows, cols) to (N,)."""
        board = features.shape[2:]
        pooled = torch.cat([functional.avg_pool2d(features, board), functional.max_pool2d(features, board)], dim=1)
        values: Tensor = self.layer(torch.relu(self.hidden(pooled.flatten(start_dim=1))))
        return values[:, 0]


class ValueNetwork(nn.Module):
    """Maps codes, mine probabilities and numbers of layouts to one logit per board of any size.

    The sigmoid of the logit estimates the probability that the agent wins the game.
    """

    def __init__(self, size: NetworkSize) -> None:
        """Makes the layers; every first estimate is about 0.5."""
        super().__init__()
        self.planes = BoardPlanes()
        self.oracle_planes = OraclePlanes()
        self.tower = Tower(BoardPlanes.COUNT + OraclePlanes.COUNT, size)
        self.head = BoardHead(size.channels)

    def forward(self, codes: Tensor, probabilities: Tensor, log_layouts: Tensor) -> Tensor:
        """Returns the logits of winning.

        Args:
            codes: (N, rows, cols), any dtype.
            probabilities: (N, rows, cols) float32, the probability of a mine in each covered cell.
            log_layouts: (N,) float32, the natural logarithm of the number of layouts that fit.

        Returns:
            (N,) float32.
        """
        # The exact probabilities of a board sum to its number of mines.
        mines = probabilities.sum(dim=(1, 2)).round()
        planes = torch.cat([self.planes(codes, mines), self.oracle_planes(codes, probabilities, log_layouts)], dim=1)
        logits: Tensor = self.head(self.tower(planes))
        return logits


def win_probabilities(network: ValueNetwork, positions: Positions) -> NDArray[np.float64]:
    """Returns the network's probability of winning each of N games, (N,) float64; 1 where only mines are covered."""
    device = next(network.parameters()).device
    count = len(positions.codes)
    won = np.empty(count)
    boards = max(1, CELLS_AT_ONCE // positions.codes[0].size) if count else 1
    for start in range(0, count, boards):
        batch = slice(start, start + boards)
        codes = torch.from_numpy(positions.codes[batch]).to(device)
        probabilities, log_layouts = (
            torch.from_numpy(values[batch].astype(np.float32)).to(device)
            for values in (positions.probabilities, positions.log_layouts)
        )
        with torch.no_grad():
            won[batch] = torch.sigmoid(network(codes, probabilities, log_layouts).double()).cpu().numpy()
    covered = positions.codes > MAX_COUNT
    return np.where((covered & (positions.probabilities < 1.0)).any(axis=(1, 2)), won, 1.0)
