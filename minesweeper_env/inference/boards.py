"""Validation of boards before inference."""

from __future__ import annotations

from operator import index
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from minesweeper_env.codes import Codes
from minesweeper_env.config import MAX_RADIUS, whole_number


class InconsistentBoardError(ValueError):
    """No layout of mines fits what a board shows.

    Attributes:
        cell: (row, col) of a cell at fault.
    """

    def __init__(self, reason: str, cell: tuple[int, int]) -> None:
        super().__init__(f"no layout of mines fits this board: {reason} (cell {cell})")
        self.reason = reason
        self.cell = cell

    def __reduce__(self) -> tuple[type[InconsistentBoardError], tuple[str, tuple[int, int]]]:
        """Returns the arguments that a pickle rebuilds the error from."""
        return type(self), (self.reason, self.cell)


class PositionTooHardError(ValueError):
    """An exact answer would take more than a stated bound allows."""


def check_boards(boards: ArrayLike, dimensions: int, mines: Any, radius: Any) -> tuple[NDArray[np.int8], int, int]:
    """Validates boards; returns their cell codes as a contiguous, writable int8 array, then `mines` and `radius`.

    `dimensions` is 2 for one board (rows, cols), and 3 for a batch (N, rows, cols). The two numbers are returned as
    Python ints: kernels are compiled for these alone, and NumPy's small integers overflow.

    Raises:
        ValueError: the radius, type, shape, codes or number of mines are not allowed; the message states what is.
    """
    radius = whole_number("radius", radius, 1, MAX_RADIUS)
    shape_rule = f"a board must have the shape {'(N, ' if dimensions == 3 else '('}rows, cols) with at least one cell"
    try:
        array = np.asarray(boards)
    except ValueError as error:
        raise ValueError(f"{shape_rule}, not rows of different lengths") from error
    if array.ndim != dimensions or 0 in array.shape[-2:]:
        raise ValueError(f"{shape_rule}, not {array.shape}")
    if array.dtype.kind not in "iu":
        raise ValueError(f"a board must be an array of integers (cell codes), not of {array.dtype}")
    max_code = Codes.of_radius(radius).mine
    if array.size and (array.min() < 0 or array.max() > max_code):
        invalid = array[(array < 0) | (array > max_code)][0]
        raise ValueError(f"the codes of a board with radius {radius} are 0 to {max_code}, not {invalid}")
    cells = array.shape[-2] * array.shape[-1]
    if (mines := whole_number("mines", mines, 0)) > cells:
        raise ValueError(f"mines must be 0 to {cells} on {array.shape[-2]} x {array.shape[-1]}, not {mines}")
    return np.require(array, np.int8, ["C", "W"]), mines, radius


def check_cell(cell: Any, covered: NDArray[np.bool_]) -> tuple[int, int]:
    """Validates the (row, col) of a cell, and returns it as two ints.

    `covered` is (rows, cols) bool. Raises a ValueError unless the cell is on the board and covered.
    """
    try:
        row, col = map(index, cell)
    except (TypeError, ValueError):
        raise ValueError(f"cell must be (row, col), two whole numbers, not {cell!r}") from None
    rows, cols = covered.shape
    if not (0 <= row < rows and 0 <= col < cols and covered[row, col]):
        raise ValueError(f"cell must be a covered cell of the {rows} x {cols} board, not {(row, col)}")
    return row, col
