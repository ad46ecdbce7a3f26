"""Sets of cells as the bits of an int: bit i stands for cell i of a board in reading order."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.neighbours import neighbour_table

__all__ = ["bits", "neighbour_bits", "to_array", "to_bits"]


def to_bits(cells: NDArray[np.bool_]) -> int:
    """Returns the set of the cells that are true in a bool array of any shape."""
    return int.from_bytes(np.packbits(cells, bitorder="little").tobytes(), "little")


def to_array(cells: int, shape: tuple[int, ...]) -> NDArray[np.bool_]:
    """Returns a set of cells as a bool array of this shape."""
    size = math.prod(shape)
    packed = np.frombuffer(cells.to_bytes((size + 7) // 8, "little"), np.uint8)
    return np.unpackbits(packed, count=size, bitorder="little").astype(np.bool_).reshape(shape)


def bits(cells: int) -> Iterator[int]:
    """Yields the one-element subsets of a set, lowest cell first."""
    while cells:
        yield cells & -cells
        cells &= cells - 1


def neighbour_bits(rows: int, cols: int, radius: int) -> list[int]:
    """Returns, for each cell of a board, the set of its neighbours."""
    off_board = rows * cols
    table = neighbour_table(rows, cols, radius).tolist()
    return [sum(1 << cell for cell in row if cell != off_board) for row in table]
