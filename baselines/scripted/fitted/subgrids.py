"""Symbols, encodings and symmetries of the 3 x 3 sub-grids of a board, for `graphical`.

A sub-grid is an array of nine symbols in reading order. A set of its cells is an integer with bit k for cell k. Under
symmetry s, cell k of the transformed sub-grid is cell `SYMMETRIES[s, k]` of the original. The canonical set of a set
of cells is the least integer among its eight transforms.
"""

from __future__ import annotations

from collections.abc import Iterator
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


class Examples(NamedTuple):
    """The R distinct sub-grids of finished games.

    Attributes:
        symbols: (R, 9) int64, the content of each cell.
        weights: (R,) float64, the number of occurrences.
        mines: (R,) int64, the set of cells with mines.
        opened: (R, 9) int64, the set of cells that a click on each cell opens, by flood fill within the sub-grid.
        transformed: (8, R) int64, the index of the example under each symmetry.
    """

    symbols: Ints
    weights: NDArray[np.float64]
    mines: Ints
    opened: Ints
    transformed: Ints

    @classmethod
    def of(cls, subgrids: Ints, counts: Ints, alphabet: Alphabet, radius: int) -> Examples:
        """Builds the examples from (n, 9) sub-grids and their (n,) numbers of occurrences."""
        versions = np.concatenate([alphabet.numbers(subgrids[:, symmetry]) for symmetry in SYMMETRIES])
        numbers, indices = np.unique(versions, return_inverse=True)
        weights = np.zeros(len(numbers))
        np.add.at(weights, indices, np.tile(counts, len(SYMMETRIES)))
        symbols = alphabet.symbols(numbers)
        images = np.stack([alphabet.numbers(symbols[:, symmetry]) for symmetry in SYMMETRIES])
        transformed = np.searchsorted(numbers, images)
        return cls(symbols, weights, (symbols == alphabet.mine) @ BITS, _opened(symbols, radius), transformed)


class Level(NamedTuple):
    """The m states with one canonical set of covered cells.

    Attributes:
        canonical: the index of this set in `CANONICAL_SETS`.
        covered: the set itself.
        examples: (k,) int64, the examples that agree with some state.
        states: (k,) int64, the state of each example, counted from 0 within its level.
        numbers: (m,) int64, the encoded states, ascending.
    """

    canonical: int
    covered: int
    examples: Ints
    states: Ints
    numbers: Ints


def levels(examples: Examples, alphabet: Alphabet) -> Iterator[Level]:
    """Yields the levels in the order of the number of covered cells; fewer come first."""
    for canonical in np.argsort(np.bitwise_count(CANONICAL_SETS), kind="stable")[1:].tolist():
        covered = int(CANONICAL_SETS[canonical])
        agreeing = np.flatnonzero(_is_reachable(examples, covered, alphabet))
        if len(agreeing) > 0:
            shown = np.where((covered & BITS) > 0, alphabet.covered, examples.symbols[agreeing])
            numbers, states = np.unique(alphabet.numbers(shown), return_inverse=True)
            yield Level(canonical, covered, agreeing, states, numbers)


def _is_reachable(examples: Examples, covered: int, alphabet: Alphabet) -> NDArray[np.bool_]:
    """Returns (R,): whether exactly these cells can be covered; no mine is open, and every flood fill has ended."""
    hidden = (covered & BITS) > 0
    flooded = np.bitwise_or.reduce(examples.opened[:, ~hidden], axis=1)
    outside = (examples.symbols[:, hidden] == alphabet.outside).any(axis=1)
    return (examples.mines & ~covered == 0) & (flooded & covered == 0) & ~outside


def _opened(symbols: Ints, radius: int) -> Ints:
    """Returns (R, 9): the set of cells that a click on each cell opens, by flood fill within the sub-grid."""
    rows, cols = np.divmod(np.arange(CELLS), SIDE)
    distance = np.maximum(abs(rows[:, None] - rows), abs(cols[:, None] - cols))
    neighbourhoods = (distance <= radius) @ BITS
    opened = np.tile(BITS, (len(symbols), 1))
    for _ in range(CELLS):
        for cell in range(CELLS):
            spreads = ((opened >> cell) & 1 == 1) & (symbols[:, cell] == 0)[:, None]
            opened = np.where(spreads, opened | neighbourhoods[cell], opened)
    return opened
