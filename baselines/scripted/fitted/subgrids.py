"""The 3 x 3 sub-grids of a board: their symbols, their numbers, and the eight ways to turn and mirror them.

A sub-grid is a row of nine symbols in reading order. A set of its cells is a whole number of nine bits, bit k for
cell k. Turning is numbered 0 to 7: cell k of the turned sub-grid is cell `TURNS[t, k]` of the sub-grid itself.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

SIDE = 3
CELLS = SIDE * SIDE
ALL_CELLS = (1 << CELLS) - 1
BITS = 1 << np.arange(CELLS)

Ints = NDArray[np.int64]


def _turns() -> Ints:
    cells = np.arange(CELLS).reshape(SIDE, SIDE)
    quarters = [np.rot90(cells, k) for k in range(4)]
    return np.array([turned.ravel() for quarter in quarters for turned in (quarter, quarter[:, ::-1])])


TURNS = _turns()
"""(8, 9): the cell that each turning moves to each place."""


def _turned_sets() -> Ints:
    """Returns (8, 512): each set of cells, turned."""
    members = (np.arange(ALL_CELLS + 1)[:, None] & BITS) > 0
    return np.stack([members[:, turn] @ BITS for turn in TURNS])


TURN_OF = _turned_sets().argmin(axis=0)
"""(512,): the turning that brings each set of cells to the least number, which is its form."""

FORMS, FORM_OF = np.unique(_turned_sets().min(axis=0), return_inverse=True)
"""(102,): the forms, ascending; and (512,): the index of the form of each set of cells."""


class Alphabet(NamedTuple):
    """The symbols of cells that follow the counts.

    Attributes:
        covered: a covered cell.
        mine: a mine.
        outside: no cell: a board with fewer than three rows or columns is filled up with these.
    """

    covered: int
    mine: int
    outside: int

    @classmethod
    def after(cls, max_count: int) -> Alphabet:
        """Returns the symbols for games whose largest count is `max_count`."""
        return cls(max_count + 1, max_count + 2, max_count + 3)

    def numbers(self, subgrids: NDArray[np.integer[Any]]) -> Ints:
        """Returns (...,), a number for each of (..., 9) sub-grids, different for different ones."""
        return subgrids @ self._powers()

    def symbols(self, numbers: Ints) -> Ints:
        """Returns (..., 9), the sub-grids with these numbers."""
        return numbers[..., None] // self._powers() % (self.outside + 1)

    def _powers(self) -> Ints:
        # At most 124 symbols, with radius 5: their ninth power is below 2**63.
        return np.int64(self.outside + 1) ** np.arange(CELLS)


def cut(boards: NDArray[np.integer[Any]], outside: int) -> Ints:
    """Returns (N, R, C, 9): the sub-grids of (N, rows, cols) boards, by the row and column of their first cells."""
    _, rows, cols = boards.shape
    border = ((0, 0), (0, max(SIDE - rows, 0)), (0, max(SIDE - cols, 0)))
    padded = np.pad(boards.astype(np.int64), border, constant_values=outside)
    high, wide = padded.shape[1] - SIDE + 1, padded.shape[2] - SIDE + 1
    return np.stack([padded[:, i : i + high, j : j + wide] for i in range(SIDE) for j in range(SIDE)], axis=-1)


def largest_of_cells(values: NDArray[np.float64], rows: int, cols: int) -> NDArray[np.float64]:
    """Returns (N, rows, cols): the largest value of each cell in any sub-grid, of (N, R, C, 9) values."""
    count, high, wide, _ = values.shape
    largest = np.full((count, high + SIDE - 1, wide + SIDE - 1), -np.inf)
    for k in range(CELLS):
        i, j = divmod(k, SIDE)
        part = largest[:, i : i + high, j : j + wide]
        np.maximum(part, values[..., k], out=part)
    return largest[:, :rows, :cols]
