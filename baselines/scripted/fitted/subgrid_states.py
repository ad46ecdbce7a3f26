"""States of 3 x 3 sub-grids that occur in practice games.

A state is the visible content of a sub-grid: clues and covered cells. An example is a sub-grid of a finished game,
whose mines are known; each is used under all eight symmetries. The probabilities of a state are relative frequencies
over the examples that agree with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from baselines.scripted.fitted.subgrids import BITS, CANONICAL_SETS, CELLS, SIDE, SYMMETRIES, Alphabet, Ints


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
