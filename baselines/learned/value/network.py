"""The network of `value`: a board and what the oracle says of it in, the chance to win the game out."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from baselines.learned.networks.board import MAX_COUNT, BoardPlanes, NetworkSize, Tower
from baselines.learned.value.positions import Positions

CELLS_AT_ONCE = 1 << 15
"""The cells of the boards that the network is asked about at once, which bounds the memory."""

_LOG_LAYOUTS = 20.0
"""The logarithm of a number of layouts that is given to the network as 1."""


class OraclePlanes(nn.Module):
    """What the oracle says of boards, as input planes.

    There are four: the chance of a mine in each covered cell, and the natural logarithm of its inverse chance to be
    free; which cells are certainly mines; and the logarithm of the number of layouts, the same all over the board.
    """

    COUNT = 4

    def forward(self, codes: Tensor, chances: Tensor, log_layouts: Tensor) -> Tensor:
        """Maps codes and chances, (N, rows, cols), and log_layouts, (N,), to (N, COUNT, rows, cols) float32."""
        chances = torch.where(codes > MAX_COUNT, chances, 0.0)
        mines = chances >= 1.0
        risks = torch.where(mines, 0.0, -torch.log1p(-chances.clamp(max=0.999)))
        layouts = (log_layouts / _LOG_LAYOUTS)[:, None, None].expand_as(chances)
        return torch.stack([chances, risks, mines.to(torch.float32), layouts], dim=3).permute(0, 3, 1, 2)


class BoardHead(nn.Module):
    """Features to one number a board, by their means and maxima over it."""

    def __init__(self, channels: int) -> None:
        """Prepares the two layers; the number is 0 at first, to within its bias."""
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
    """Codes, mine probabilities and numbers of layouts to a logit a board, of any size.

    The sigmoid of the logit is the chance that the game is won.
    """

    def __init__(self, size: NetworkSize) -> None:
        """Prepares the layers; every chance is about 0.5 at first."""
        super().__init__()
        self.planes = BoardPlanes()
        self.oracle_planes = OraclePlanes()
        self.tower = Tower(BoardPlanes.COUNT + OraclePlanes.COUNT, size)
        self.head = BoardHead(size.channels)

    def forward(self, codes: Tensor, chances: Tensor, log_layouts: Tensor) -> Tensor:
        """Says how likely games are won.

        Args:
            codes: (N, rows, cols) of any dtype.
            chances: (N, rows, cols) float32, the chance of a mine in each covered cell.
            log_layouts: (N,) float32, the natural logarithms of the numbers of layouts that fit.

        Returns:
            (N,) float32, the logits.
        """
        # The chances add up to the number of mines.
        mines = chances.sum(dim=(1, 2)).round()
        planes = torch.cat([self.planes(codes, mines), self.oracle_planes(codes, chances, log_layouts)], dim=1)
        logits: Tensor = self.head(self.tower(planes))
        return logits


def chances_to_win(network: ValueNetwork, positions: Positions) -> NDArray[np.float64]:
    """Returns the network's chance that each of N games is won, (N,); 1 where all that is covered is a mine."""
    device = next(network.parameters()).device
    count = len(positions.codes)
    won = np.empty(count)
    boards = max(1, CELLS_AT_ONCE // positions.codes[0].size) if count else 1
    for start in range(0, count, boards):
        part = slice(start, start + boards)
        codes = torch.from_numpy(positions.codes[part]).to(device)
        chances, log_layouts = (
            torch.from_numpy(values[part].astype(np.float32)).to(device)
            for values in (positions.chances, positions.log_layouts)
        )
        with torch.no_grad():
            won[part] = torch.sigmoid(network(codes, chances, log_layouts).double()).cpu().numpy()
    covered = positions.codes > MAX_COUNT
    return np.where((covered & (positions.chances < 1.0)).any(axis=(1, 2)), won, 1.0)
