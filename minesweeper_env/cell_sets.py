"""Cells of a board, numbered in reading order: neighbours, symmetries, and sets as ints whose bit i is cell i."""

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

__all__ = ["bits", "neighbour_bits", "neighbour_table", "symmetry_table", "to_array", "to_bits"]


def neighbour_table(rows: int, cols: int, radius: int) -> NDArray[np.uint32]:
    """Returns the neighbours of each of n = rows * cols cells, (n, (2 * radius + 1)**2 - 1) uint32.

    The number n stands for a neighbour off the board.
    """
    cells = np.arange(rows * cols, dtype=np.uint32).reshape(rows, cols)
    padded = np.pad(cells, radius, constant_values=rows * cols)
    side = 2 * radius + 1
    windows = np.lib.stride_tricks.sliding_window_view(padded, (side, side)).reshape(rows * cols, -1)
    return np.ascontiguousarray(np.delete(windows, side * side // 2, axis=1))  # without the cell itself, in the middle


def symmetry_table(rows: int, cols: int) -> NDArray[np.int64]:
    """Returns the symmetries of a board of n = rows * cols cells: (8, n) int64 on a square, otherwise (4, n).

    Under symmetry s, cell k of the image is cell `table[s, k]` of the board. The first symmetry is the identity.
    """
    cells = np.arange(rows * cols).reshape(rows, cols)
    turns = [np.rot90(cells, k) for k in range(0, 4, 1 if rows == cols else 2)]
    return np.stack([image.ravel() for turned in turns for image in (turned, turned[:, ::-1])])


def to_bits(cells: NDArray[np.bool_]) -> int:
    """Returns, as bits, the set of the cells that are True in a bool array of any shape."""
    return int.from_bytes(np.packbits(cells, bitorder="little").tobytes(), "little")


def to_array(cells: int, shape: tuple[int, ...]) -> NDArray[np.bool_]:
    """Returns a set of cells, given as bits, as a bool array of this shape; the inverse of `to_bits`."""
    size = math.prod(shape)
    packed = np.frombuffer(cells.to_bytes((size + 7) // 8, "little"), np.uint8)
    return np.unpackbits(packed, count=size, bitorder="little").astype(np.bool_).reshape(shape)


def bits(cells: int) -> Iterator[int]:
    """Yields the cells of a set, lowest first, each as a set of one cell."""
    while cells:
        yield cells & -cells  # the lowest cell alone
        cells &= cells - 1  # removes the lowest cell


def neighbour_bits(rows: int, cols: int, radius: int) -> list[int]:
    """Returns, for each cell of a board, the set of its neighbours as bits."""
    off_board = rows * cols
    table = neighbour_table(rows, cols, radius).tolist()
    return [sum(1 << cell for cell in row if cell != off_board) for row in table]
