"""Network of the learned agents: codes of a board of any size in, one number per cell out; masks and symmetries."""

from collections import OrderedDict
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Self, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from baselines.learned.settings import DEVICES, NetworkSize
from minesweeper_env.codes import FLAGGED, HIDDEN, QUESTION, Codes
from minesweeper_env.config import BoardConfig, one_of

ArrayOrTensor = TypeVar("ArrayOrTensor", NDArray[np.int8], torch.Tensor)


@contextmanager
def single_precision() -> Generator[None]:
    """Makes float32 PyTorch's default dtype within the context, and restores the user's default dtype after it."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float32)
    try:
        yield
    finally:
        torch.set_default_dtype(before)


def chosen_device(name: str) -> str:
    """Returns "cpu" or "cuda" for one of `DEVICES`; raises ValueError for another name, or for "cuda" without a GPU."""
    if one_of("device", name, DEVICES) == "cuda" and not torch.cuda.is_available():
        raise ValueError("device cuda is not available; use cpu or auto")
    return "cuda" if name != "cpu" and torch.cuda.is_available() else "cpu"


def check_radius(config: BoardConfig) -> None:
    """Raises ValueError unless the neighbourhood radius of the board is 1."""
    if config.radius != 1:
        raise ValueError(f"a learned agent plays boards of radius 1, not {config.radius}")


MAX_COUNT = Codes.of_radius(1).max_count

_SAFE_CELLS_CAP = 64.0
"""The number of unopened safe cells that its input plane shows as 1, as it shows every larger number."""


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


FEW = 8
PLANES = 2 * (MAX_COUNT + 2) + FEW + 2


def board_planes(codes: Tensor, mines: int | Tensor | None) -> Tensor:
    """Returns the input planes of boards, computed from what a player sees: codes and the number of mines.

    | planes | value of a cell |
    |---|---|
    | `MAX_COUNT` + 1 | one-hot clue |
    | 1 | 1 if covered, whatever the mark: marks are no evidence |
    | `MAX_COUNT` + 1 | at a clue with covered neighbours: one-hot number of those that are safe |
    | 1 | at such a clue: the fraction of its covered neighbours that are mines |
    | 1 | density: the fraction of mines among the covered cells, constant over the board |
    | 1 | number of unopened safe cells, divided by `_SAFE_CELLS_CAP`, at most 1, constant over the board |
    | `FEW` | one-hot number of unopened safe cells, if it is 1 to `FEW`, constant over the board |

    At each cell the first two groups sum to 1, and to 0 in the padding around the board, so they also mark its edge.
    Codes reach the learning device as small integers; this function expands them there.

    Args:
        codes: (N, rows, cols), any dtype.
        mines: the number of mines of all boards, or (N,) numbers; None leaves the planes that depend on it 0.

    Returns:
        (N, PLANES, rows, cols) float32.
    """
    counts = codes.to(torch.float32).clamp(max=MAX_COUNT + 1)
    covered = (counts > MAX_COUNT).to(torch.float32)
    neighbourhood = counts.new_ones(1, 1, 3, 3)
    neighbourhood[0, 0, 1, 1] = 0
    covered_neighbours = functional.conv2d(covered[:, None], neighbourhood, padding=1)[:, 0]
    informative = (covered == 0) & (covered_neighbours > 0)
    fraction = torch.where(informative, counts / covered_neighbours.clamp(min=1), 0.0)
    safe_neighbours = torch.where(informative, covered_neighbours - counts, -1.0)  # -1 sets no plane.
    levels = torch.arange(MAX_COUNT + 2, dtype=torch.float32, device=codes.device)  # The last one is that of covered.
    planes = [counts[..., None] == levels, safe_neighbours[..., None] == levels[:-1], fraction[..., None]]
    planes.append(_planes_of_mines(covered, mines))
    # The planes are stacked last, which is the channels_last layout that CPU convolutions are fastest with.
    return torch.cat([plane.to(torch.float32) for plane in planes], dim=3).permute(0, 3, 1, 2)


def _planes_of_mines(covered: Tensor, mines: int | Tensor | None) -> Tensor:
    """Returns the last FEW + 2 planes, which need the number of mines, (N, rows, cols, FEW + 2)."""
    shape = (*covered.shape, FEW + 2)
    if mines is None:
        return covered.new_zeros(shape)
    cells = covered.sum(dim=(1, 2))
    safe_cells, density = (cells - mines)[:, None], (mines / cells.clamp(min=1))[:, None]
    levels = torch.arange(1, FEW + 1, dtype=torch.float32, device=covered.device)
    values = torch.cat([density, (safe_cells / _SAFE_CELLS_CAP).clamp(max=1.0), safe_cells == levels], dim=1)
    return values[:, None, None, :].expand(shape)


class RecurrentTower(nn.Module):
    """Base of the towers, which map boards to features by applying one residual block again and again.

    Attributes:
        dtype: number format of the convolutions; weights stay float32. `set_precision` sets it.
        depth: number of applications of the block.
    """

    def __init__(self, size: NetworkSize) -> None:
        super().__init__()
        self.dtype, self.depth = torch.float32, size.depth
        self.stem = nn.Conv2d(PLANES, size.channels, 3, padding=1)

    def autocast(self, like: Tensor) -> torch.autocast:
        """Returns a context that computes convolutions in `dtype` on the device of `like`."""
        return torch.autocast(like.device.type, self.dtype, enabled=self.dtype != torch.float32)


class Tower(RecurrentTower):
    """Maps boards to features by applying one residual block `depth` times with the same weights.

    The block is x -> pooling(x + conv(relu(conv(x)))), for nonnegative features (He et al. 2016).

    Reasoning on a board repeats the same step. A recurrent block learns this step from all its applications at once
    (Schwarzschild et al. 2021, "Can you learn an algorithm?"). Networks with separate weights per step learned slower.
    """

    def __init__(self, size: NetworkSize) -> None:
        super().__init__(size)
        first, second = (nn.Conv2d(size.channels, size.channels, 3, padding=1) for _ in range(2))
        # These names are part of the keys of stored weights.
        convolutions = nn.Sequential(OrderedDict(first=first, relu=nn.ReLU(inplace=True), second=second))
        self.block = nn.Sequential(convolutions, GlobalPooling(size.channels))
        self.to(memory_format=torch.channels_last)  # type: ignore[call-overload]

    def forward(self, codes: Tensor, mines: int | Tensor | None) -> Tensor:
        """Maps boards, as `board_planes` takes them, to features, (N, channels, rows, cols) float32."""
        planes = board_planes(codes, mines)
        with self.autocast(planes):
            features = torch.relu_(self.stem(planes))
            convolutions, pooling = self.block
            for _ in range(self.depth):
                features = pooling(convolutions(features).add_(features))
        return features.float()


def cell_head(channels: int) -> nn.Sequential:
    """Returns a module that maps features to one number per cell, (N, rows * cols), in the order of the actions."""
    return nn.Sequential(OrderedDict(layer=nn.Conv2d(channels, 1, 1), flatten=nn.Flatten()))


class BoardNetwork(nn.Module):
    """The network that plays: a trunk, and a head with one output per cell; the highest legal one marks the click."""

    kind = "clicks"

    def __init__(self, trunk: nn.ModuleDict, head: nn.Sequential) -> None:
        """Takes a trunk whose entry "tower" is a `Tower`, and a `cell_head`; an algorithm may go on training both."""
        super().__init__()
        self.trunk, self.head = trunk, head

    @classmethod
    def of_size(cls, size: NetworkSize) -> Self:
        """Returns a new network with random weights."""
        return cls(nn.ModuleDict({"tower": Tower(size)}), cell_head(size.channels))

    def forward(self, codes: Tensor, mines: int | None) -> Tensor:
        """Maps boards, as `board_planes` takes them, to (N, rows * cols) float32."""
        values: Tensor = self.head(self.trunk["tower"](codes, mines))
        return values


def set_precision(network: nn.Module, precision: str) -> None:
    """Sets the number format of all convolutions in a network to one of `baselines.learned.settings.PRECISIONS`."""
    for module in network.modules():
        if isinstance(module, RecurrentTower):
            module.dtype = getattr(torch, precision)


def click_masks(codes: ArrayOrTensor) -> ArrayOrTensor:
    """Returns the legal clicks of codes (N, rows, cols): (N, rows * cols) bool, True at hidden and questioned cells."""
    legal: ArrayOrTensor = ((codes == HIDDEN) | (codes == QUESTION)).reshape(len(codes), -1)
    return legal


def covered_cells(codes: NDArray[np.int8]) -> NDArray[np.bool_]:
    """Returns the covered cells of codes (N, rows, cols) that show no mine: (N, rows * cols) bool, flagged ones too."""
    return np.asarray((codes >= FLAGGED).reshape(len(codes), codes.shape[1] * codes.shape[2]))


def unopened(codes: NDArray[np.int8]) -> NDArray[np.bool_]:
    """Returns (N,) bool for codes (N, rows, cols): True for each board without an open cell."""
    return np.asarray((codes >= FLAGGED).all(axis=(1, 2)))


def clicks_from(
    first_cell: int,
    observations: NDArray[np.int8],
    action_masks: NDArray[np.int8],
    choose: Callable[[NDArray[np.int8], NDArray[np.bool_]], NDArray[np.int64]],
) -> NDArray[np.int64]:
    """Returns clicks (N,) int64: `first_cell` on unopened boards where it is legal, those of `choose` on the others.

    `choose` gets the codes (K, rows, cols) and the legal clicks (K, rows * cols) of the K others, if K is not 0.
    """
    legal = action_masks[:, : observations.shape[1] * observations.shape[2]].astype(np.bool_)
    clicks = np.full(len(observations), first_cell)
    others = np.flatnonzero(~(unopened(observations) & legal[:, first_cell]))
    if len(others) > 0:
        clicks[others] = choose(observations[others], legal[others])
    return clicks


def random_clicks(boards: NDArray[np.int8]) -> NDArray[np.int64]:
    """Returns a uniformly random legal click, (N,) int64, for each board (N, rows, cols); PyTorch's generator draws."""
    masks = click_masks(boards)
    return np.argmax(np.where(masks, torch.rand(masks.shape).numpy(), -1.0), axis=1)


def symmetries(rows: int, cols: int) -> list[tuple[int, bool]]:
    """Returns a board's symmetries as (quarter turns, mirrored before them), identity first: 8 on a square, else 4."""
    return [(turns, mirrored) for turns in range(0, 4, 1 if rows == cols else 2) for mirrored in (False, True)]


def transform(boards: Tensor, symmetry: tuple[int, bool]) -> Tensor:
    """Returns boards (N, rows, cols) after a symmetry, in the same shape."""
    turns, mirrored = symmetry
    return torch.rot90(boards.flip(2) if mirrored else boards, turns, dims=(1, 2))


def new_cells(rows: int, cols: int, symmetry: tuple[int, bool], device: torch.device) -> Tensor:
    """Returns the new index of each cell after `transform`, (rows * cols,) int64; cells are numbered row by row."""
    numbers = torch.arange(rows * cols, device=device).reshape(1, rows, cols)
    # transform() gives the old index at each new cell; argsort inverts this permutation.
    return torch.argsort(transform(numbers, symmetry).reshape(-1))


def turn_at_random(boards: Tensor) -> tuple[Tensor, Tensor]:
    """Applies one random symmetry to boards (N, rows, cols), drawn by PyTorch's global generator.

    Returns:
        The transformed boards, and `new_cells`.
    """
    rows, cols = boards.shape[1:]
    choices = symmetries(rows, cols)
    symmetry = choices[int(torch.randint(len(choices), ()))]
    return transform(boards, symmetry), new_cells(rows, cols, symmetry, boards.device)
