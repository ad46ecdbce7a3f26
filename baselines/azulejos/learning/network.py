"""Network of an agent: observations of a board of any size in, one number per cell out."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn

from azulejos_env.config import MAX_COLOURS
from baselines.learned.networks.board import Tower
from baselines.learned.networks.size import NetworkSize
from baselines.support.checks import whole_number_within

SIZES = 6
"""Number of planes for sizes of groups: 1, 2, 3, 4, 5, and 6 or more."""

_LARGE, _LEADS = 32.0, (4.0, 32.0)
"""Size of a group that the plane of sizes shows as 1; scales of the difference of the scores, in points."""


class Groups(NamedTuple):
    """Groups of N boards of n cells.

    Attributes:
        labels: (N, n) int64, the first cell of the group of each tile; 0 at an empty cell.
        tiles: (N, n) float32, 1 at a tile, 0 at an empty cell.
        sizes: (N, n) float32, number of tiles of the group of each cell; 0 at an empty cell.
    """

    labels: Tensor
    tiles: Tensor
    sizes: Tensor

    @classmethod
    def of(cls, seen: Tensor) -> Groups:
        """Returns the groups of observations (N, 6, rows, cols)."""
        first = seen[:, 1].flatten(start_dim=1)
        labels, tiles = first.clamp(min=0).long(), (first >= 0).float()
        sizes = torch.zeros_like(tiles).scatter_add_(1, labels, tiles)
        return cls(labels, tiles, sizes.gather(1, labels) * tiles)

    def mean(self, features: Tensor) -> Tensor:
        """Returns (N, channels, rows, cols): at each tile the mean of the features of its group, 0 elsewhere."""
        flat, index = features.flatten(start_dim=2), self.labels[:, None].expand(-1, features.shape[1], -1)
        total = torch.zeros_like(flat).scatter_add(2, index, flat * self.tiles[:, None])
        mean = total.gather(2, index) * (self.tiles / self.sizes.clamp(min=1.0))[:, None]
        return mean.reshape(features.shape)


class Planes(nn.Module):
    """Input planes of observations.

    | planes | value of a cell |
    |---|---|
    | `colours` | one-hot rank of the colour |
    | 1 | 1 if empty |
    | `SIZES` | one-hot size of the group, the last one for larger groups |
    | 1 | size of the group / 32, at most 1 |
    | 1 | 1 if the group is all that is left on the board |
    | 2 | log(1 + points) / 3 of the points that the move earns, and that the best answer earns |
    | 1 | tanh of the difference of these points / 8 |
    | 2 | tanh(own score minus the other's / 4), and / 32, constant over the board |
    | 2 | own score and the other's per cell of the board, constant |

    The first two groups sum to 1 on the board and to 0 in the padding, so they also mark the edge.
    """

    def __init__(self, colours: int) -> None:
        """Sets the number of colours."""
        super().__init__()
        self.colours = colours

    @staticmethod
    def count(colours: int) -> int:
        """Returns the number of planes."""
        return colours + 1 + SIZES + 2 + 3 + len(_LEADS) + 2

    def forward(self, seen: Tensor, groups: Groups) -> Tensor:
        """Maps observations (N, 6, rows, cols) to planes (N, count, rows, cols) float32."""
        shape = seen.shape[2:]
        ranks = torch.arange(1, self.colours + 1, device=seen.device)
        levels = torch.arange(1, SIZES + 1, device=seen.device)
        sizes = groups.sizes.reshape(-1, *shape)
        left = groups.tiles.sum(dim=1)[:, None, None]
        scores, points = seen[:, 2:4].float(), seen[:, 4:].float()
        lead = scores[:, 0] - scores[:, 1]
        planes = [
            seen[:, 0, :, :, None] == ranks,
            (seen[:, 0] == 0)[..., None],
            sizes.clamp(max=SIZES)[..., None] == levels,
            (sizes / _LARGE).clamp(max=1.0)[..., None],
            ((sizes == left) & (sizes >= 2))[..., None],
            torch.log1p(points).permute(0, 2, 3, 1) / 3,
            torch.tanh((points[:, 0] - points[:, 1]) / 8)[..., None],
            *(torch.tanh(lead / scale)[..., None] for scale in _LEADS),
            (scores / shape.numel()).permute(0, 2, 3, 1),
        ]
        # The planes are stacked last, which is the channels_last layout that CPU convolutions are fastest with.
        return torch.cat([plane.float() for plane in planes], dim=3).permute(0, 3, 1, 2)


class Trunk(nn.Module):
    """Input planes and tower: maps observations to features of the board's size."""

    def __init__(self, size: NetworkSize, colours: int) -> None:
        """Makes the layers."""
        super().__init__()
        self.planes = Planes(whole_number_within("colours", colours, 1, MAX_COLOURS))
        self.tower = Tower(Planes.count(colours), size)

    def forward(self, seen: Tensor) -> tuple[Tensor, Groups]:
        """Maps observations (N, 6, rows, cols) to features (N, channels, rows, cols), and returns the groups."""
        groups = Groups.of(seen)
        return self.tower(self.planes(seen, groups)), groups


class GroupHead(nn.Module):
    """Maps features to one number per cell, the same for all tiles of a group."""

    def __init__(self, channels: int) -> None:
        """Makes two 1x1 convolutions."""
        super().__init__()
        self.hidden = nn.Conv2d(2 * channels, channels, 1)
        self.layer = nn.Conv2d(channels, 1, 1)

    def forward(self, features: Tensor, groups: Groups) -> Tensor:
        """Maps (N, channels, rows, cols) to (N, rows * cols)."""
        mean = groups.mean(features)
        # The first cell of a group speaks for it, so that its place on the board counts, too.
        index = groups.labels[:, None].expand(-1, features.shape[1], -1)
        first = features.flatten(start_dim=2).gather(2, index).reshape(features.shape)
        hidden = torch.relu_(self.hidden(torch.cat([mean, first], dim=1)))
        values: Tensor = self.layer(hidden)
        return values.flatten(start_dim=1)


class AzulejosNetwork(nn.Module):
    """A trunk and a head: the part of an agent that plays.

    Attributes:
        trunk: maps observations to features.
        head: maps features to one number per cell; the agent removes the group with the highest.
    """

    def __init__(self, trunk: Trunk, head: GroupHead) -> None:
        """Takes the parts without copying them; an algorithm may go on training them."""
        super().__init__()
        self.trunk = trunk
        self.head = head

    @classmethod
    def of_size(cls, size: NetworkSize, colours: int) -> AzulejosNetwork:
        """Returns a new network with random weights for boards of up to `colours` colours."""
        return cls(Trunk(size, colours), GroupHead(size.channels))

    @property
    def colours(self) -> int:
        """The largest number of colours that it plays."""
        return self.trunk.planes.colours

    def forward(self, seen: Tensor) -> Tensor:
        """Maps observations (N, 6, rows, cols) to (N, rows * cols) float32."""
        values: Tensor = self.head(*self.trunk(seen))
        return values
