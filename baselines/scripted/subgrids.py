"""Symbols, encodings and symmetries of the 3 x 3 sub-grids of a board, for `graphical`.

A sub-grid is an array of nine symbols in reading order. A set of its cells is an integer with bit k for cell k. Under
symmetry s, cell k of the transformed sub-grid is cell `SYMMETRIES[s, k]` of the original. The canonical set of a set
of cells is the least integer among its eight transforms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baselines.support.act_inputs import TIE
from minesweeper_env.cell_sets import symmetry_table
from minesweeper_env.compiled import kernel

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


SUCCESS, FAILURE, STEP = 100.0, -100.0, 1.0
"""Rewards of Antimatroid (2012): no safe cell of the sub-grid is covered, a mine, and any other state."""

Floats = NDArray[np.float64]


class Clicks(NamedTuple):
    """Effect of clicks on the R examples, and the states that they lead to.

    Attributes:
        mines: (R,) int64, the set of cells with mines.
        weights: (R,) float64, the number of occurrences.
        opened: (R, 9) int64, the set of cells that a click on each cell opens.
        transformed: (8, R) int64, the index of the example under each symmetry.
        canonical_symmetry: (512,) int64, the symmetry that takes each set of cells to its canonical set.
        canonical_index: (512,) int64, the index of that canonical set.
        state_of: (102, R) int32, the state of each example by canonical set of covered cells, for earlier levels.
    """

    mines: Ints
    weights: Floats
    opened: Ints
    transformed: Ints
    canonical_symmetry: Ints
    canonical_index: Ints
    state_of: NDArray[np.int32]


@kernel
def weigh_states(examples: Ints, states: Ints, covered: int, state_weights: Floats, *clicks: Any) -> None:
    """Adds up the weights of the examples that agree with each state of a level.

    Args:
        examples: (k,) int64, the examples of the level; with `states` and `covered` as in `Level`.
        states: (k,) int64.
        covered: the set of covered cells.
        state_weights: (m, 2) zeros, filled: column 0 for examples with a safe covered cell, column 1 for the others.
        *clicks: the fields of `Clicks`.
    """
    table = Clicks(*clicks)
    for i in range(len(examples)):
        finished = int(covered & ~table.mines[examples[i]] == 0)
        state_weights[states[i], finished] += table.weights[examples[i]]


@kernel
def expect_rewards(examples: Ints, states: Ints, covered: int, values: Floats, sums: Floats, *clicks: Any) -> None:
    """Adds up the value of a click on each cell, over the examples with a safe covered cell.

    Args:
        examples: (k,) int64, the examples of the level.
        states: (k,) int64, the state of each example, counted from 0 within its level.
        covered: the set of covered cells.
        values: (S,) the values of the states of earlier levels.
        sums: (m, 9) zeros, filled with the sums of weight * (reward + value of the next state).
        *clicks: the fields of `Clicks`.
    """
    table = Clicks(*clicks)
    for i in range(len(examples)):
        example, state = examples[i], states[i]
        mines, weight = table.mines[example], table.weights[example]
        if covered & ~mines == 0:
            continue
        for cell in range(CELLS):
            if (covered >> cell) & 1 == 0:
                continue
            left = covered & ~table.opened[example, cell]
            if (mines >> cell) & 1 == 1:
                reward = FAILURE
            elif left & ~mines == 0:
                reward = SUCCESS
            else:
                canonical = table.transformed[table.canonical_symmetry[left], example]
                after = table.state_of[table.canonical_index[left], canonical]
                reward = STEP + values[after]
            sums[state, cell] += weight * reward


@kernel
def find_longest_paths(
    examples: Ints, states: Ints, covered: int, values: Floats, unfinished: Floats, lengths: Floats, *clicks: Any
) -> None:
    """Finds the longest path that begins with a click on each cell, over all outcomes.

    The length of an edge is the reward of its end times the probability of reaching it.

    Args:
        examples: (k,) int64, the examples of the level.
        states: (k,) int64, the state of each example, counted from 0 within its level.
        covered: the set of covered cells.
        values: (S,) the longest paths from the states of earlier levels.
        unfinished: (S + m,) weight of each state's examples with a safe covered cell.
        lengths: (m, 9) minus infinity, filled with the lengths.
        *clicks: the fields of `Clicks`.
    """
    table = Clicks(*clicks)
    for i in range(len(examples)):
        example, state = examples[i], states[i]
        mines, weight = table.mines[example], unfinished[len(values) + state]
        if covered & ~mines == 0:
            continue
        for cell in range(CELLS):
            # A longest path never leads to a mine, since some example of the state has a safe cell to click.
            if (covered >> cell) & 1 == 0 or (mines >> cell) & 1 == 1:
                continue
            left = covered & ~table.opened[example, cell]
            if left & ~mines == 0:
                length = SUCCESS * table.weights[example] / weight
            else:
                canonical = table.transformed[table.canonical_symmetry[left], example]
                after = table.state_of[table.canonical_index[left], canonical]
                length = values[after] + STEP * unfinished[after] / weight
            lengths[state, cell] = max(lengths[state, cell], length)


Rule = Callable[[Level, Clicks, Floats, Floats, Floats], tuple[Floats, Floats]]
"""Function that values the clicks of a level.

| argument | shape | content |
| --- | --- | --- |
| level | | the level, of m states |
| clicks | | the tables of `Clicks` |
| values | (S,) | values of the states of earlier levels |
| unfinished | (S + m,) | weight of each state's examples with a safe covered cell |
| finished | (m,) | weight of each state's other examples |

It returns two (m, 9) arrays of click values. The first is given that a safe cell is covered, as during the recursion;
the second is not, as on a board.
"""


def expectation(prior: float) -> Rule:
    """Returns the rule that takes the expectation over the outcomes of a click.

    One uninformative click is added to the examples: a mine with probability `prior`, else a last step.
    """
    guess = guess_value(prior)

    def rule(
        level: Level, clicks: Clicks, values: Floats, unfinished: Floats, finished: Floats
    ) -> tuple[Floats, Floats]:
        sums = np.zeros((len(finished), CELLS))
        expect_rewards(level.examples, level.states, level.covered, values, sums, *clicks)
        here = unfinished[len(values) :, None]
        inside = (sums + guess) / (here + 1.0)
        return inside, (sums + FAILURE * finished[:, None] + guess) / (here + finished[:, None] + 1.0)

    return rule


def guess_value(prior: float) -> float:
    """Returns the value of an uninformative click, which is a mine with probability `prior`."""
    return prior * FAILURE + (1.0 - prior)


def longest_path(
    level: Level, clicks: Clicks, values: Floats, unfinished: Floats, finished: Floats
) -> tuple[Floats, Floats]:
    """Values a click by its best outcome: the longest path of Antimatroid (2012). The signature is `Rule`."""
    lengths = np.full((len(finished), CELLS), -np.inf)
    find_longest_paths(level.examples, level.states, level.covered, values, unfinished, lengths, *clicks)
    hopeless = unfinished[len(values) :, None] == 0.0
    return lengths, np.where(hopeless, FAILURE, lengths)


class StateValues:
    """Values of all states that agree with some example."""

    def __init__(self, examples: Examples, alphabet: Alphabet, rule: Rule) -> None:
        """Computes the values by a rule."""
        self._alphabet = alphabet
        state_of = np.zeros((len(CANONICAL_SETS), len(examples.weights)), np.int32)
        clicks = Clicks(
            examples.mines,
            examples.weights,
            examples.opened,
            examples.transformed,
            CANONICAL_SYMMETRY,
            CANONICAL_INDEX,
            state_of,
        )
        numbers, click_values = [], []
        values, unfinished = np.zeros(0), np.zeros(0)
        for level in levels(examples, alphabet):
            state_weights = np.zeros((len(level.numbers), 2))
            weigh_states(level.examples, level.states, level.covered, state_weights, *clicks)
            unfinished = np.concatenate([unfinished, state_weights[:, 0]])
            inside, unsure = rule(level, clicks, values, unfinished, np.ascontiguousarray(state_weights[:, 1]))
            hidden = (level.covered & BITS) > 0
            state_of[level.canonical, level.examples] = len(values) + level.states
            values = np.concatenate([values, inside[:, hidden].max(axis=1)])
            numbers.append(level.numbers)
            click_values.append(np.where(hidden, unsure, -np.inf))
        self._keep(np.concatenate(numbers), np.concatenate(click_values))

    def _keep(self, numbers: Ints, clicks: Floats) -> None:
        order = np.argsort(numbers)
        self._numbers = numbers[order]
        self._values: Floats = clicks.max(axis=1)[order]
        best = clicks >= clicks.max(axis=1, keepdims=True) - TIE
        self._best: NDArray[np.int16] = (best @ BITS)[order].astype(np.int16)

    def click_values(self, subgrids: Ints, unknown: float) -> tuple[Floats, NDArray[np.bool_]]:
        """Looks up the best clicks of sub-grids.

        Args:
            subgrids: (..., 9), symbols of open cells, covered cells and padding.
            unknown: the value of every click in a state without an example.

        Returns:
            (..., 9) float64, the value of each best click, and minus infinity for the other cells; and (...,) bool,
            whether the state has a covered cell and no example.
        """
        covered = subgrids == self._alphabet.covered
        symmetries = SYMMETRIES[CANONICAL_SYMMETRY[covered @ BITS]]
        numbers = self._alphabet.numbers(np.take_along_axis(subgrids, symmetries, axis=-1))
        indices = np.minimum(np.searchsorted(self._numbers, numbers), len(self._numbers) - 1)
        known = self._numbers[indices] == numbers
        values = np.where(known, self._values[indices], unknown)[..., None]
        best = np.zeros_like(covered)
        np.put_along_axis(best, symmetries, (self._best[indices][..., None] & BITS) > 0, axis=-1)
        best = np.where(known[..., None], best, covered)
        return np.where(best, values, -np.inf), ~known & covered.any(axis=-1)
