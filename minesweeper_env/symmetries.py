"""Symmetries of a board: the rotations and reflections that keep its shape."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["symmetry_table"]


def symmetry_table(rows: int, cols: int) -> NDArray[np.int64]:
    """Returns (8, n) int64 on a square, otherwise (4, n), for n = rows * cols cells: the images of the board.

    Under symmetry s, cell k of the image is cell `table[s, k]` of the board. The first symmetry is the identity.
    """
    cells = np.arange(rows * cols).reshape(rows, cols)
    quarters = [np.rot90(cells, k) for k in range(0, 4, 1 if rows == cols else 2)]
    return np.stack([image.ravel() for quarter in quarters for image in (quarter, quarter[:, ::-1])])
