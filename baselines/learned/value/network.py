"""The network of `value`: a guess in, and out of it, for each cell, the chance to win once the cell has proved safe."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from baselines.learned.network import MAX_COUNT, BoardPlanes, CellHead, NetworkSize, Tower

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


class ValueNetwork(nn.Module):
    """Codes, mine probabilities and numbers of layouts to a logit a cell, on boards of any size.

    The sigmoid of the logit is the chance that the game is won, given that a click on the cell does not lose.
    """

    def __init__(self, size: NetworkSize) -> None:
        """Prepares the layers; every chance is 0.5 at first, to within the bias of the head."""
        super().__init__()
        self.planes = BoardPlanes()
        self.oracle_planes = OraclePlanes()
        self.tower = Tower(BoardPlanes.COUNT + OraclePlanes.COUNT, size)
        self.head = CellHead(size.channels)
        nn.init.zeros_(self.head.layer.weight)

    def forward(self, codes: Tensor, chances: Tensor, log_layouts: Tensor) -> Tensor:
        """Says what each click is worth.

        Args:
            codes: (N, rows, cols) of any dtype.
            chances: (N, rows, cols) float32, the chance of a mine in each covered cell.
            log_layouts: (N,) float32, the natural logarithms of the numbers of layouts that fit.

        Returns:
            (N, rows * cols) float32, the logits.
        """
        # The chances add up to the number of mines.
        mines = chances.sum(dim=(1, 2)).round()
        planes = torch.cat([self.planes(codes, mines), self.oracle_planes(codes, chances, log_layouts)], dim=1)
        logits: Tensor = self.head(self.tower(planes))
        return logits
