"""Symbols, encodings and symmetries of the 3 x 3 sub-grids of a board, for `graphical`.

A sub-grid is an array of nine symbols in reading order. A set of its cells is an integer with bit k for cell k. Under
symmetry s, cell k of the transformed sub-grid is cell `SYMMETRIES[s, k]` of the original. The canonical set of a set
of cells is the least integer among its eight transforms.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.neighbours import symmetry_table

SIDE = 3
CELLS = SIDE * SIDE
ALL_CELLS = (1 << CELLS) - 1
BITS = 1 << np.arange(CELLS)

Ints = NDArray[np.int64]


SYMMETRIES: Ints = symmetry_table(SIDE, SIDE)
"""(8, 9): the four rotations and their reflections, as the cell that each moves to each position."""


def _transformed_sets() -> Ints:
    """Returns (8, 512): each set of cells under each symmetry."""
    members = (np.arange(ALL_CELLS + 1)[:, None] & BITS) > 0
    return np.stack([members[:, symmetry] @ BITS for symmetry in SYMMETRIES])


CANONICAL_SYMMETRY = _transformed_sets().argmin(axis=0)
"""(512,): the symmetry that takes each set of cells to its canonical set."""

CANONICAL_SETS, CANONICAL_INDEX = np.unique(_transformed_sets().min(axis=0), return_inverse=True)
"""(102,): the canonical sets, ascending; and (512,): the index of the canonical set of each set of cells."""


class Alphabet(NamedTuple):
    """Symbols above the clues, whose symbols are 0 to `max_count`.

    Attributes:
        covered: a covered cell.
        mine: a mine.
        outside: padding of boards with fewer than three rows or columns.
    """

    covered: int
    mine: int
    outside: int

    @classmethod
    def after(cls, max_count: int) -> Alphabet:
        """Returns the symbols for games whose highest clue is `max_count`."""
        return cls(max_count + 1, max_count + 2, max_count + 3)

    def numbers(self, subgrids: NDArray[np.integer[Any]]) -> Ints:
        """Encodes (..., 9) sub-grids as (...,) integers, one to one."""
        return subgrids @ self._powers()

    def symbols(self, numbers: Ints) -> Ints:
        """Decodes (...,) integers to (..., 9) sub-grids."""
        return numbers[..., None] // self._powers() % (self.outside + 1)

    def _powers(self) -> Ints:
        # Radius 5 has 124 symbols; 124**9 is still below 2**63.
        return np.int64(self.outside + 1) ** np.arange(CELLS)


def cut(boards: NDArray[np.integer[Any]], outside: int) -> Ints:
    """Returns (N, R, C, 9): the sub-grids of (N, rows, cols) boards by the row and column of their top left cells."""
    _, rows, cols = boards.shape
    border = ((0, 0), (0, max(SIDE - rows, 0)), (0, max(SIDE - cols, 0)))
    padded = np.pad(boards.astype(np.int64), border, constant_values=outside)
    high, wide = padded.shape[1] - SIDE + 1, padded.shape[2] - SIDE + 1
    return np.stack([padded[:, i : i + high, j : j + wide] for i in range(SIDE) for j in range(SIDE)], axis=-1)


def largest_of_cells(values: NDArray[np.float64], rows: int, cols: int) -> NDArray[np.float64]:
    """Returns (N, rows, cols): the maximum over the sub-grids of each cell, of (N, R, C, 9) values."""
    count, high, wide, _ = values.shape
    largest = np.full((count, high + SIDE - 1, wide + SIDE - 1), -np.inf)
    for k in range(CELLS):
        i, j = divmod(k, SIDE)
        window = largest[:, i : i + high, j : j + wide]
        np.maximum(window, values[..., k], out=window)
    return largest[:, :rows, :cols]
