"""The states of 3 x 3 sub-grids, as practice games show them, and what clicks lead to.

A state is what a sub-grid shows: counts, and covered cells. What lies under these is known of the sub-grids of
finished games, which are called specimens here; they are taken in all eight turned and mirrored versions. A state's
probabilities are shares of the specimens that agree with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from baselines.scripted.fitted.subgrids import BITS, CELLS, FORMS, SIDE, TURNS, Alphabet, Ints


class Specimens(NamedTuple):
    """The R different sub-grids of finished games.

    Attributes:
        symbols: (R, 9) int64, what is in each cell.
        weights: (R,) float64, how many there were.
        mines: (R,) int64, the set of cells with mines.
        opened: (R, 9) int64, the set of cells that a click on a cell opens, by flood fill within the sub-grid.
        turned: (8, R) int64, which specimen each is once it is turned.
    """

    symbols: Ints
    weights: NDArray[np.float64]
    mines: Ints
    opened: Ints
    turned: Ints

    @classmethod
    def of(cls, subgrids: Ints, counts: Ints, alphabet: Alphabet, radius: int) -> Specimens:
        """Returns the specimens of (n, 9) sub-grids, each of which was there `counts` times."""
        versions = np.concatenate([alphabet.numbers(subgrids[:, turn]) for turn in TURNS])
        numbers, places = np.unique(versions, return_inverse=True)
        weights = np.zeros(len(numbers))
        np.add.at(weights, places, np.tile(counts, len(TURNS)))
        symbols = alphabet.symbols(numbers)
        turned = np.stack([np.searchsorted(numbers, alphabet.numbers(symbols[:, turn])) for turn in TURNS])
        return cls(symbols, weights, (symbols == alphabet.mine) @ BITS, _opened(symbols, radius), turned)


class Level(NamedTuple):
    """The states in which the same cells are covered.

    Attributes:
        form: the index of the form of these cells.
        covered: the set of them.
        specimens: (k,) int64, those that agree with some state.
        states: (k,) int64, the state that each agrees with, counted from 0.
        numbers: (m,) int64, the numbers of the m states, ascending.
    """

    form: int
    covered: int
    specimens: Ints
    states: Ints
    numbers: Ints


def levels(specimens: Specimens, alphabet: Alphabet) -> Iterator[Level]:
    """Yields the states with covered cells by the form of these, fewer before more."""
    for form in np.argsort(np.bitwise_count(FORMS), kind="stable")[1:].tolist():
        covered = int(FORMS[form])
        agreeing = np.flatnonzero(_is_reachable(specimens, covered, alphabet))
        if len(agreeing) > 0:
            shown = np.where((covered & BITS) > 0, alphabet.covered, specimens.symbols[agreeing])
            numbers, states = np.unique(alphabet.numbers(shown), return_inverse=True)
            yield Level(form, covered, agreeing, states, numbers)


def _is_reachable(specimens: Specimens, covered: int, alphabet: Alphabet) -> NDArray[np.bool_]:
    """Returns (R,): whether a specimen can be open but for these cells: no mine is, and every flood has ended."""
    hidden = (covered & BITS) > 0
    flooded = np.bitwise_or.reduce(specimens.opened[:, ~hidden], axis=1)
    outside = (specimens.symbols[:, hidden] == alphabet.outside).any(axis=1)
    return (specimens.mines & ~covered == 0) & (flooded & covered == 0) & ~outside


def _opened(symbols: Ints, radius: int) -> Ints:
    """Returns (R, 9): the set of cells that a click on each cell opens; no other than its own unless it is a zero."""
    rows, cols = np.divmod(np.arange(CELLS), SIDE)
    apart = np.maximum(abs(rows[:, None] - rows), abs(cols[:, None] - cols))
    around = (apart <= radius) @ BITS
    opened = np.tile(BITS, (len(symbols), 1))
    for _ in range(CELLS):
        for cell in range(CELLS):
            spreads = ((opened >> cell) & 1 == 1) & (symbols[:, cell] == 0)[:, None]
            opened = np.where(spreads, opened | around[cell], opened)
    return opened
