"""Neighbour tables: the cells around each cell of a board."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def neighbour_table(rows: int, cols: int, radius: int) -> NDArray[np.uint32]:
    """Returns a (n, (2 * radius + 1)**2 - 1) uint32 array for n = rows * cols cells: the neighbours of each cell.

    The number n stands for a neighbour off the board.
    """
    cells = np.arange(rows * cols, dtype=np.uint32).reshape(rows, cols)
    padded = np.pad(cells, radius, constant_values=rows * cols)
    side = 2 * radius + 1
    windows = np.lib.stride_tricks.sliding_window_view(padded, (side, side)).reshape(rows * cols, -1)
    return np.ascontiguousarray(np.delete(windows, side * side // 2, axis=1))
