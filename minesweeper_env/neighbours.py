"""Tables of a board: the neighbours of each cell, and the symmetries that keep the board's shape."""

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


def symmetry_table(rows: int, cols: int) -> NDArray[np.int64]:
    """Returns (8, n) int64 on a square, otherwise (4, n), for n = rows * cols cells: the images of the board.

    Under symmetry s, cell k of the image is cell `table[s, k]` of the board. The first symmetry is the identity.
    """
    cells = np.arange(rows * cols).reshape(rows, cols)
    quarters = [np.rot90(cells, k) for k in range(0, 4, 1 if rows == cols else 2)]
    return np.stack([image.ravel() for quarter in quarters for image in (quarter, quarter[:, ::-1])])
