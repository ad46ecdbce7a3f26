"""Conversion between a board of rows and columns and the bordered form that the kernels take."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def bordered_cells(rows: int, cols: int) -> int:
    """Returns the number of entries of a bordered board."""
    return (rows + 2) * (cols + 1)


def with_border(boards: NDArray[np.int8]) -> NDArray[np.int8]:
    """Returns boards of shape (..., rows, cols) as bordered boards of shape (..., (rows + 2) * (cols + 1))."""
    edges = [(0, 0)] * (boards.ndim - 2) + [(1, 1), (0, 1)]
    padded = np.pad(np.asarray(boards, np.int8), edges)
    return padded.reshape(*boards.shape[:-2], -1)


def without_border(bordered: NDArray[np.int8], rows: int, cols: int) -> NDArray[np.int8]:
    """Returns bordered boards as int8 boards of shape (..., rows, cols); a copy."""
    padded = bordered.reshape(*bordered.shape[:-1], rows + 2, cols + 1)
    return padded[..., 1:-1, :-1].copy()


def bordered_index(row: int, col: int, cols: int) -> int:
    """Returns the entry of a bordered board that holds a cell."""
    return (row + 1) * (cols + 1) + col


def cell_of(index: int, cols: int) -> tuple[int, int]:
    """Returns the (row, col) of an entry of a bordered board."""
    row, col = divmod(index, cols + 1)
    return row - 1, col
