"""The network that both algorithms share: codes of a board of any size in, one number a cell out."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from minesweeper_env.codes import Codes
from minesweeper_env.config import whole_number

MAX_COUNT = Codes.of_radius(1).max_count
MAX_CHANNELS, MAX_DEPTH = 1024, 64

_MANY = 64.0
"""The number of safe cells that is given to the network as 1; more are not told apart."""


@dataclass(frozen=True)
class NetworkSize:
    """How large a network is.

    Attributes:
        channels: the number of features of a cell.
        depth: how many times the residual block is applied, two 3x3 convolutions and what they tell of the whole board.

    Raises:
        ValueError: a field is out of range; the message says what is allowed.
    """

    channels: int = 32
    depth: int = 6

    def __post_init__(self) -> None:
        """Checks the fields."""
        for name, value, most in (("channels", self.channels, MAX_CHANNELS), ("depth", self.depth, MAX_DEPTH)):
            if whole_number(name, value, 1) > most:
                raise ValueError(f"{name} must be 1 to {most}, not {value}")


class ResidualBlock(nn.Module):
    """x -> x + conv(relu(conv(x))), for features that are not negative."""

    def __init__(self, channels: int) -> None:
        """Prepares the two convolutions on (N, channels, rows, cols)."""
        super().__init__()
        self.first = nn.Conv2d(channels, channels, 3, padding=1)
        self.second = nn.Conv2d(channels, channels, 3, padding=1)

    def forward(self, features: Tensor) -> Tensor:
        """Maps (N, channels, rows, cols) to the same shape."""
        changes: Tensor = self.second(torch.relu_(self.first(features)))
        return changes.add_(features)


class GlobalPooling(nn.Module):
    """Tells every cell the mean and the maximum over the board, as KataGo's networks do (Wu 2019, section 3.3)."""

    def __init__(self, channels: int) -> None:
        """Prepares the map from 2 * channels numbers a board to a bias for each channel."""
        super().__init__()
        self.bias = nn.Linear(2 * channels, channels)

    def forward(self, features: Tensor) -> Tensor:
        """Maps (N, channels, rows, cols) to the same shape."""
        # As windows as large as the board: reductions are several times slower, above all in bfloat16.
        board = features.shape[2:]
        pooled = torch.cat([functional.avg_pool2d(features, board), functional.max_pool2d(features, board)], dim=1)
        return torch.relu_(features + self.bias(pooled.flatten(start_dim=1))[:, :, None, None])


class BoardPlanes(nn.Module):
    """Codes to input planes, all of them functions of what the player sees.

    There is one plane for each count, one for "covered" whatever the mark, since marks are no evidence, and
    two that an open cell with covered neighbours has: the share of them that are mines, and for each number
    of safe cells among them a plane. The first ones sum to 1 on the board and to 0 in the padding, and so mark
    the edge as well. The last planes are the same all over the board and come from the number of mines, which the
    player knows: the share of mines among the covered cells, and how many safe cells are left, one plane for each
    of the numbers 1 to `FEW` and one for all of them. Codes travel as small integers and are expanded here, on the
    device that learns.
    """

    levels: Tensor
    around: Tensor
    few: Tensor

    FEW = 8
    COUNT = 2 * (MAX_COUNT + 2) + FEW + 2

    def __init__(self) -> None:
        """Prepares the constants."""
        super().__init__()
        self.register_buffer("levels", torch.arange(MAX_COUNT + 2, dtype=torch.float32), persistent=False)
        neighbourhood = torch.ones(1, 1, 3, 3)
        neighbourhood[0, 0, 1, 1] = 0
        self.register_buffer("around", neighbourhood, persistent=False)
        self.register_buffer("few", torch.arange(1, self.FEW + 1, dtype=torch.float32), persistent=False)

    def forward(self, codes: Tensor, mines: int | Tensor | None) -> Tensor:
        """Returns the planes of boards.

        Args:
            codes: (N, rows, cols) of any dtype.
            mines: the number of mines on each board, or (N,) numbers; None if it is not known, which leaves the planes
                that tell of it 0.

        Returns:
            (N, COUNT, rows, cols) float32.
        """
        counts = codes.to(torch.float32).clamp(max=MAX_COUNT + 1)
        covered = (counts > MAX_COUNT).to(torch.float32)
        covered_around = functional.conv2d(covered[:, None], self.around, padding=1)[:, 0]
        informative = (covered == 0) & (covered_around > 0)
        share = torch.where(informative, counts / covered_around.clamp(min=1), 0.0)
        safe_around = torch.where(informative, covered_around - counts, -1.0)
        planes = [counts[..., None] == self.levels, safe_around[..., None] == self.levels[:-1], share[..., None]]
        planes.append(self._of_mines(covered, mines))
        # Last in memory, the planes are laid out as CPU convolutions are fastest with.
        return torch.cat([plane.to(torch.float32) for plane in planes], dim=3).permute(0, 3, 1, 2)

    def _of_mines(self, covered: Tensor, mines: int | Tensor | None) -> Tensor:
        """Returns what the number of mines says, (N, rows, cols, FEW + 2)."""
        shape = (*covered.shape, self.FEW + 2)
        if mines is None:
            return covered.new_zeros(shape)
        cells = covered.sum(dim=(1, 2))
        left, share = (cells - mines)[:, None], (mines / cells.clamp(min=1))[:, None]
        told = torch.cat([share, (left / _MANY).clamp(max=1.0), left == self.few], dim=1)
        return told[:, None, None, :].expand(shape)


class Tower(nn.Module):
    """Planes to features, by one residual block that is applied again and again.

    Reasoning on a board is the same step repeated, so one step is learned, from all its uses at once (Schwarzschild et
    al. 2021, "Can you learn an algorithm?"); with blocks of their own for each step, networks learned slower.

    Attributes:
        dtype: what the convolutions compute with; the weights themselves stay float32. See `precision.py`.
    """

    def __init__(self, planes: int, size: NetworkSize) -> None:
        """Prepares the layers with PyTorch's default initialisation."""
        super().__init__()
        self.dtype = torch.float32
        self.depth = size.depth
        self.stem = nn.Conv2d(planes, size.channels, 3, padding=1)
        self.block = nn.Sequential(ResidualBlock(size.channels), GlobalPooling(size.channels))
        self.to(memory_format=torch.channels_last)  # type: ignore[call-overload]

    def forward(self, planes: Tensor) -> Tensor:
        """Maps (N, planes, rows, cols) to features, (N, channels, rows, cols) float32."""
        with torch.autocast(planes.device.type, self.dtype, enabled=self.dtype != torch.float32):
            features = torch.relu_(self.stem(planes))
            for _ in range(self.depth):
                features = self.block(features)
        return features.float()


class Trunk(nn.Module):
    """Codes to features, by convolutions that keep the board's size."""

    def __init__(self, size: NetworkSize) -> None:
        """Prepares the layers."""
        super().__init__()
        self.planes = BoardPlanes()
        self.tower = Tower(BoardPlanes.COUNT, size)

    def forward(self, codes: Tensor, mines: int | None) -> Tensor:
        """Maps boards, as `BoardPlanes` takes them, to features, (N, channels, rows, cols) float32."""
        features: Tensor = self.tower(self.planes(codes, mines))
        return features


class CellHead(nn.Module):
    """Features to one number a cell, in the order of the click actions."""

    def __init__(self, channels: int) -> None:
        """Prepares the 1x1 convolution."""
        super().__init__()
        self.layer = nn.Conv2d(channels, 1, 1)

    def forward(self, features: Tensor) -> Tensor:
        """Maps (N, channels, rows, cols) to (N, rows * cols)."""
        values: Tensor = self.layer(features)
        return values.flatten(start_dim=1)


class BoardNetwork(nn.Module):
    """A trunk and a head: what is left of an agent once it plays.

    Attributes:
        trunk: codes to features.
        head: features to one number a cell, the larger the better to click.
    """

    def __init__(self, trunk: Trunk, head: CellHead) -> None:
        """Joins the parts, which may belong to an algorithm that trains them."""
        super().__init__()
        self.trunk = trunk
        self.head = head

    @classmethod
    def of_size(cls, size: NetworkSize) -> BoardNetwork:
        """Returns a new network."""
        return cls(Trunk(size), CellHead(size.channels))

    def forward(self, codes: Tensor, mines: int | None) -> Tensor:
        """Maps boards, as `BoardPlanes` takes them, to (N, rows * cols) float32."""
        values: Tensor = self.head(self.trunk(codes, mines))
        return values
