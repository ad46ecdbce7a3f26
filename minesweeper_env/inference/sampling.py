"""Layouts drawn at random from all layouts that fit a board."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from minesweeper_env.config import whole_number
from minesweeper_env.inference.boards import check_boards, check_radius
from minesweeper_env.inference.counting.backward_pass import UNDERFLOW
from minesweeper_env.inference.counting.run import failure, matching_density, run_with_workspace
from minesweeper_env.inference.counting.sampler import draw_layouts
from minesweeper_env.inference.counting.states import OK
from minesweeper_env.inference.counting.workspace import Workspace

_CHUNK, _CHUNK_CELLS = 256, 1 << 20
"""Layouts, and cells of layouts, per forward pass, at most; they bound the memory for random numbers."""


def sample_layouts(
    board: ArrayLike, mines: int, size: int, rng: np.random.Generator, *, radius: int = 1
) -> NDArray[np.bool_]:
    """Returns layouts drawn independently and uniformly from all layouts that fit the board.

    Args:
        board: (rows, cols) cell codes of any integer type.
        mines: the number of mines on the whole board.
        size: the number of layouts, at least 0.
        rng: the source of randomness.
        radius: the radius of the neighbourhood, 1 to 5.

    Returns:
        (size, rows, cols) bool, True for a mine.

    Raises:
        InconsistentBoardError: no layout fits the board.
        PositionTooHardError: the frontier is too wide.
        ValueError: an argument is not allowed; the message states the allowed values.
    """
    array = check_boards(board, 2, mines, check_radius(radius))
    whole_number("size", size, 0)
    if not isinstance(rng, np.random.Generator):
        raise ValueError(f"rng must be a numpy.random.Generator, not {type(rng).__name__}")
    layouts = np.empty((size, array.size), np.bool_)
    many = min(_CHUNK, max(1, _CHUNK_CELLS // array.size))
    for begin in range(0, max(size, 1), many):
        chunk = layouts[begin : begin + many]
        uniforms = rng.random((len(chunk), 3 * array.size + 1))
        _fill(array, mines, radius, uniforms, chunk)
    return layouts.reshape(size, *array.shape)


def _fill(
    board: NDArray[np.int8], mines: int, radius: int, uniforms: NDArray[np.float64], layouts: NDArray[np.bool_]
) -> None:
    """Fills (size, n) layouts from (size, 3 * n + 1) random numbers."""
    in_group = np.empty((len(layouts), board.size + 1), np.int32)
    position = np.empty((len(layouts), 3), np.int32)

    def draw(workspace: Workspace, density: float) -> int:
        max_count = workspace.neighbours.shape[1]
        return draw_layouts(board.ravel(), max_count, mines, density, uniforms, in_group, position, layouts, *workspace)

    outcome = run_with_workspace(draw, *board.shape, radius, 0.0)
    if outcome == UNDERFLOW:
        outcome = run_with_workspace(draw, *board.shape, radius, matching_density(board, mines, radius))
    if outcome != OK:
        raise failure(board, mines, radius, outcome)
