"""Network of the learned agents: codes of a board of any size in, one number per cell out; masks and symmetries."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from baselines.learned.settings import NetworkSize
from minesweeper_env.codes import FLAGGED, HIDDEN, MINE, QUESTION, Codes
from minesweeper_env.config import BoardConfig

ArrayOrTensor = TypeVar("ArrayOrTensor", NDArray[np.int8], torch.Tensor)


def check_radius(config: BoardConfig) -> None:
    """Raises ValueError for a board of another radius than 1."""
    if config.radius != 1:
        raise ValueError(f"a learned agent plays boards of radius 1, not {config.radius}")


MAX_COUNT = Codes.of_radius(1).max_count

_MANY = 64.0
"""The number of unopened safe cells that the input plane shows as 1; larger numbers look the same."""


class ResidualBlock(nn.Module):
    """Residual block x -> x + conv(relu(conv(x))), for nonnegative features (He et al. 2016)."""

    def __init__(self, channels: int) -> None:
        """Makes the two convolutions on (N, channels, rows, cols)."""
        super().__init__()
        self.first = nn.Conv2d(channels, channels, 3, padding=1)
        self.second = nn.Conv2d(channels, channels, 3, padding=1)

    def forward(self, features: Tensor) -> Tensor:
        """Maps (N, channels, rows, cols) to the same shape."""
        changes: Tensor = self.second(torch.relu_(self.first(features)))
        return changes.add_(features)


class GlobalPooling(nn.Module):
    """Adds a bias per channel from the mean and maximum over the board, as in KataGo (Wu 2019, section 3.3)."""

    def __init__(self, channels: int) -> None:
        """Makes the map from 2 * channels pooled numbers per board to one bias per channel."""
        super().__init__()
        self.bias = nn.Linear(2 * channels, channels)

    def forward(self, features: Tensor) -> Tensor:
        """Maps (N, channels, rows, cols) to the same shape."""
        # Pooling over one board-sized window is several times faster than mean() and amax(), above all in bfloat16.
        board = features.shape[2:]
        pooled = torch.cat([functional.avg_pool2d(features, board), functional.max_pool2d(features, board)], dim=1)
        return torch.relu_(features + self.bias(pooled.flatten(start_dim=1))[:, :, None, None])


class BoardPlanes(nn.Module):
    """Input planes from codes and the number of mines; the player sees both.

    | planes | value of a cell |
    |---|---|
    | `MAX_COUNT` + 1 | one-hot clue |
    | 1 | 1 if covered, whatever the mark: marks are no evidence |
    | `MAX_COUNT` + 1 | at a clue with covered neighbours: one-hot number of safe ones |
    | 1 | at such a clue: the fraction of its covered neighbours that are mines |
    | 1 | density: the fraction of mines among the covered cells, constant over the board |
    | 1 | number of unopened safe cells, scaled by `_MANY`, constant over the board |
    | `FEW` | one-hot number of unopened safe cells, if it is 1 to `FEW`, constant over the board |

    The first two groups sum to 1 on the board and to 0 in the padding, so they also mark the edge. Codes travel as
    small integers and are expanded here, on the device that learns.
    """

    levels: Tensor
    neighbourhood: Tensor
    few: Tensor

    FEW = 8
    COUNT = 2 * (MAX_COUNT + 2) + FEW + 2

    def __init__(self) -> None:
        """Makes the constant tensors."""
        super().__init__()
        self.register_buffer("levels", torch.arange(MAX_COUNT + 2, dtype=torch.float32), persistent=False)
        neighbourhood = torch.ones(1, 1, 3, 3)
        neighbourhood[0, 0, 1, 1] = 0
        self.register_buffer("neighbourhood", neighbourhood, persistent=False)
        self.register_buffer("few", torch.arange(1, self.FEW + 1, dtype=torch.float32), persistent=False)

    def forward(self, codes: Tensor, mines: int | Tensor | None) -> Tensor:
        """Returns the input planes of boards.

        Args:
            codes: (N, rows, cols), any dtype.
            mines: the number of mines of all boards, or (N,) numbers; None leaves the planes that depend on it 0.

        Returns:
            (N, COUNT, rows, cols) float32.
        """
        counts = codes.to(torch.float32).clamp(max=MAX_COUNT + 1)
        covered = (counts > MAX_COUNT).to(torch.float32)
        covered_neighbours = functional.conv2d(covered[:, None], self.neighbourhood, padding=1)[:, 0]
        informative = (covered == 0) & (covered_neighbours > 0)
        fraction = torch.where(informative, counts / covered_neighbours.clamp(min=1), 0.0)
        safe_neighbours = torch.where(informative, covered_neighbours - counts, -1.0)
        planes = [counts[..., None] == self.levels, safe_neighbours[..., None] == self.levels[:-1], fraction[..., None]]
        planes.append(self._of_mines(covered, mines))
        # The planes are stacked last, which is the channels_last layout that CPU convolutions are fastest with.
        return torch.cat([plane.to(torch.float32) for plane in planes], dim=3).permute(0, 3, 1, 2)

    def _of_mines(self, covered: Tensor, mines: int | Tensor | None) -> Tensor:
        """Returns the planes that follow from the number of mines, (N, rows, cols, FEW + 2)."""
        shape = (*covered.shape, self.FEW + 2)
        if mines is None:
            return covered.new_zeros(shape)
        cells = covered.sum(dim=(1, 2))
        left, density = (cells - mines)[:, None], (mines / cells.clamp(min=1))[:, None]
        values = torch.cat([density, (left / _MANY).clamp(max=1.0), left == self.few], dim=1)
        return values[:, None, None, :].expand(shape)


class Tower(nn.Module):
    """Maps planes to features by applying one residual block `depth` times with the same weights.

    Reasoning on a board repeats the same step. A recurrent block learns this step from all its applications at once
    (Schwarzschild et al. 2021, "Can you learn an algorithm?"). Networks with separate weights per step learned slower.

    Attributes:
        dtype: number format of the convolutions; weights stay float32. `set_precision` sets it.
    """

    def __init__(self, planes: int, size: NetworkSize) -> None:
        """Makes the layers with PyTorch's default initialisation."""
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
    """Input planes and tower: maps codes to features of the board's size."""

    def __init__(self, size: NetworkSize) -> None:
        """Makes the layers."""
        super().__init__()
        self.planes = BoardPlanes()
        self.tower = Tower(BoardPlanes.COUNT, size)

    def forward(self, codes: Tensor, mines: int | None) -> Tensor:
        """Maps boards, as `BoardPlanes` takes them, to features, (N, channels, rows, cols) float32."""
        features: Tensor = self.tower(self.planes(codes, mines))
        return features


class CellHead(nn.Module):
    """Maps features to one number per cell, in the order of the click actions."""

    def __init__(self, channels: int) -> None:
        """Makes the 1x1 convolution."""
        super().__init__()
        self.layer = nn.Conv2d(channels, 1, 1)

    def forward(self, features: Tensor) -> Tensor:
        """Maps (N, channels, rows, cols) to (N, rows * cols)."""
        values: Tensor = self.layer(features)
        return values.flatten(start_dim=1)


class BoardNetwork(nn.Module):
    """A trunk and a head: the part of an agent that plays, which clicks the legal cell with the highest output."""

    def __init__(self, trunk: Trunk, head: CellHead) -> None:
        """Takes the parts without copying them; an algorithm may go on training them."""
        super().__init__()
        self.trunk = trunk
        self.head = head

    @classmethod
    def of_size(cls, size: NetworkSize) -> BoardNetwork:
        """Returns a new network with random weights."""
        return cls(Trunk(size), CellHead(size.channels))

    def forward(self, codes: Tensor, mines: int | None) -> Tensor:
        """Maps boards, as `BoardPlanes` takes them, to (N, rows * cols) float32."""
        values: Tensor = self.head(self.trunk(codes, mines))
        return values


class RecallTower(nn.Module):
    """Applies one residual block again and again, and feeds the input planes in at every application.

    Without this recall a network forgets its input when it is applied more often than in training (Bansal et al. 2022,
    "End-to-end algorithm synthesis with recurrent networks"). The map of the planes is the same each time, so it is
    computed once.

    Attributes:
        dtype: number format of the convolutions; weights stay float32. `set_precision` sets it.
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
        """Copies a tower without recall, so that both compute the same; raises ValueError if the channels differ."""
        block, pooling = tower.block
        assert isinstance(block, ResidualBlock)
        assert block.first.bias is not None
        weights = {f"stem.{name}": tensor for name, tensor in tower.stem.state_dict().items()}
        weights |= {"first.weight": block.first.weight, "recall.bias": block.first.bias}
        weights["recall.weight"] = torch.zeros_like(self.recall.weight)
        weights |= {f"second.{name}": tensor for name, tensor in block.second.state_dict().items()}
        weights |= {f"pooling.{name}": tensor for name, tensor in pooling.state_dict().items()}
        own = {name: tensor.shape for name, tensor in self.state_dict().items()}
        if own != {name: tensor.shape for name, tensor in weights.items()}:
            raise ValueError(f"the tower has {len(block.first.weight)} channels, not {len(self.first.weight)}")
        self.load_state_dict(weights)


def set_precision(network: nn.Module, precision: str) -> None:
    """Sets the number format of all convolutions in a network to one of `baselines.learned.settings.PRECISIONS`."""
    for module in network.modules():
        if isinstance(module, (Tower, RecallTower)):
            module.dtype = getattr(torch, precision)


def click_masks(codes: ArrayOrTensor) -> ArrayOrTensor:
    """Returns the legal clicks of codes (N, rows, cols), (N, rows * cols) bool: hidden cells and question marks."""
    legal: ArrayOrTensor = ((codes == HIDDEN) | (codes == QUESTION)).reshape(len(codes), -1)
    return legal


def covered_cells(codes: NDArray[np.int8]) -> NDArray[np.bool_]:
    """Returns the covered cells, flags included, of boards (N, rows, cols) without a mine, (N, rows * cols) bool."""
    return np.asarray((codes >= FLAGGED).reshape(len(codes), codes.shape[1] * codes.shape[2]))


def safe_cells(codes: NDArray[np.int8]) -> NDArray[np.bool_]:
    """Returns the safe cells of a game, (rows * cols,) bool, by its last board, (rows, cols) int8 without flags.

    A lost board shows its mines. On a won board the covered cells are the mines.
    """
    flat = codes.reshape(-1)
    return np.asarray(flat != MINE) if (flat == MINE).any() else np.asarray(flat < FLAGGED)


def unopened(codes: NDArray[np.int8]) -> NDArray[np.bool_]:
    """Returns (N,) bool, True for each board of `codes`, (N, rows, cols), without an open cell."""
    return np.asarray((codes >= FLAGGED).all(axis=(1, 2)))


def random_clicks(boards: NDArray[np.int8]) -> NDArray[np.int64]:
    """Draws a legal click, (N,) int64, for each board (N, rows, cols) uniformly, by PyTorch's global generator."""
    masks = click_masks(boards)
    return np.argmax(np.where(masks, torch.rand(masks.shape).numpy(), -1.0), axis=1)


def symmetries(rows: int, cols: int) -> list[tuple[int, bool]]:
    """Returns the symmetries of a board as (quarter turns, mirrored first): 8 on a square, else 4."""
    return [(turns, mirrored) for turns in range(0, 4, 1 if rows == cols else 2) for mirrored in (False, True)]


def transform(boards: Tensor, symmetry: tuple[int, bool]) -> Tensor:
    """Applies a symmetry to boards (N, rows, cols); returns the same shape."""
    turns, mirrored = symmetry
    return torch.rot90(boards.flip(2) if mirrored else boards, turns, dims=(1, 2))


def turn_at_random(boards: Tensor) -> tuple[Tensor, Tensor]:
    """Applies one random symmetry to boards (N, rows, cols), drawn by PyTorch's global generator.

    Returns:
        The transformed boards, and (rows * cols,) int64, the new index of each cell.
    """
    rows, cols = boards.shape[1:]
    choices = symmetries(rows, cols)
    symmetry = choices[int(torch.randint(len(choices), ()))]
    cells = torch.arange(rows * cols, device=boards.device)
    return transform(boards, symmetry), transform_cells(cells, rows, cols, symmetry)


def transform_cells(cells: Tensor, rows: int, cols: int, symmetry: tuple[int, bool]) -> Tensor:
    """Returns the new indices of cells, int64 of any shape; cells are numbered row by row."""
    numbers = torch.arange(rows * cols, device=cells.device).reshape(1, rows, cols)
    # transform() gives the old index at each new cell; argsort inverts this permutation.
    new_indices = torch.argsort(transform(numbers, symmetry).reshape(-1))
    return new_indices[cells]
