"""`graphical`: best expected reward within a 3 x 3 sub-grid.

This is the graphical model of Antimatroid (2012) with the expectation over outcomes; `graphical_source` keeps the
maximum of the blog's pseudocode.

A sub-grid is an array of nine symbols in reading order: clues, and those of `Alphabet`. A set of its cells is an
integer with bit k for cell k. Under symmetry s, cell k of the transformed sub-grid is cell `SYMMETRIES[s, k]` of the
original. The canonical set of a set of cells is the least integer among its eight transforms.
"""

import math
from collections.abc import Iterator
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baselines.scripted.base import Knowledge, neighbour_sums
from baselines.scripted.fitted import FittedPolicy, PracticeGames
from minesweeper_env.cell_sets import symmetry_table
from minesweeper_env.compiled import kernel
from minesweeper_env.inference.kernels import TIE

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

SUCCESS, FAILURE, STEP = 100.0, -100.0, 1.0
"""Rewards of Antimatroid (2012) for opening the last safe cell of a sub-grid, a mine, and any other cell."""

DEFAULT_EXAMPLES, MAX_DEFAULT_GAMES = 40_000, 2000
"""The default practice games hold at least so many sub-grids, unless that needs more than so many games."""

WORST_RISK = 1000.0
"""Risk of a cell that is best in no sub-grid: above all others, and below a known mine."""

SIDE = 3
CELLS = SIDE * SIDE
BITS = 1 << np.arange(CELLS)

SYMMETRIES: Ints = symmetry_table(SIDE, SIDE)
"""(8, 9): for each rotation and reflection, the original cell at each position of the transformed sub-grid."""

_MEMBERS = (np.arange(1 << CELLS)[:, None] & BITS) > 0
_TRANSFORMED_SETS = np.stack([_MEMBERS[:, symmetry] @ BITS for symmetry in SYMMETRIES])

CANONICAL_SYMMETRY = _TRANSFORMED_SETS.argmin(axis=0)
"""(512,): the symmetry that takes each set of cells to its canonical set."""

CANONICAL_SETS, CANONICAL_INDEX = np.unique(_TRANSFORMED_SETS.min(axis=0), return_inverse=True)
"""(102,): the canonical sets, ascending; and (512,): the index of the canonical set of each set of cells."""


class Alphabet(NamedTuple):
    """Symbols above the clues: a covered cell, a mine, and what lies outside boards of less than three rows or columns.

    Different sub-grids have different numbers. Radius 5 has 124 symbols; 124**9 is still below 2**63.
    """

    covered: int
    mine: int
    outside: int

    def numbers(self, subgrids: NDArray[np.integer[Any]]) -> Ints:
        """Encodes (..., 9) sub-grids as (...,) integers."""
        return subgrids @ self._powers()

    def symbols(self, numbers: Ints) -> Ints:
        """Decodes (...,) integers to (..., 9) sub-grids."""
        return numbers[..., None] // self._powers() % (self.outside + 1)

    def _powers(self) -> Ints:
        return np.int64(self.outside + 1) ** np.arange(CELLS)


def cut(boards: NDArray[np.integer[Any]], outside: int) -> Ints:
    """Returns the sub-grids of (N, rows, cols) boards, (N, R, C, 9), at the row and column of their top left cells."""
    border = [(0, max(SIDE - side, 0)) for side in boards.shape[1:]]
    padded = np.pad(boards.astype(np.int64), ((0, 0), *border), constant_values=outside)
    windows = np.lib.stride_tricks.sliding_window_view(padded, (SIDE, SIDE), axis=(1, 2))
    return windows.reshape(*windows.shape[:3], CELLS)


def largest_of_cells(values: Floats, rows: int, cols: int) -> Floats:
    """Returns the largest of the (N, R, C, 9) values that each cell has in its sub-grids, (N, rows, cols)."""
    count, grid_rows, grid_cols, _ = values.shape
    largest = np.full((count, grid_rows + SIDE - 1, grid_cols + SIDE - 1), -np.inf)
    for k in range(CELLS):
        # Cell k of the sub-grid at (r, c) is the cell (r + row, c + col) of the board.
        row, col = divmod(k, SIDE)
        window = largest[:, row : row + grid_rows, col : col + grid_cols]
        np.maximum(window, values[..., k], out=window)
    return largest[:, :rows, :cols]


def opened_sets(symbols: Ints, radius: int) -> Ints:
    """Returns the set of cells that a click on each cell opens, (R, 9), by flood fill within (R, 9) sub-grids."""
    rows, cols = np.divmod(np.arange(CELLS), SIDE)
    distance = np.maximum(abs(rows[:, None] - rows), abs(cols[:, None] - cols))
    neighbourhoods = (distance <= radius) @ BITS
    opened = np.tile(BITS, (len(symbols), 1))
    for _ in range(CELLS):  # enough rounds, since each one opens a further cell until the fill ends
        for cell in range(CELLS):
            spreads_from_cell = ((opened >> cell) & 1 == 1) & (symbols[:, cell] == 0)[:, None]
            opened = np.where(spreads_from_cell, opened | neighbourhoods[cell], opened)
    return opened


@kernel
def add_clicks(
    examples: Ints, states: Ints, covered: int, longest: bool, weights: Floats, mines: Ints, opened: Ints,
    transformed: Ints, state_of: NDArray[np.int32], values: Floats, unfinished: Floats, totals: Floats,
) -> None:  # fmt: skip
    """Adds up the value of a click on each cell, over the examples in which some covered cell is safe.

    A state is a sub-grid with some cells covered. The call values m states that cover the same cells; the values of
    all states with fewer covered cells are known. There are R examples.

    Args:
        examples: (k,) the indices of the examples that agree with one of the m states.
        states: (k,) the state of each of these examples, 0 to m - 1.
        covered: the set of covered cells.
        longest: False to add weight * (reward + value of the next state) to `totals`; True for the longest path, where
            an edge is as long as the reward of its end times the probability of reaching it.
        weights: (R,) the number of times that each example occurred.
        mines: (R,) the set of cells with mines.
        opened: (R, 9) the set of cells that a click on each cell opens.
        transformed: (8, R) the index of the example under each symmetry.
        state_of: (102, R) the state of each example by canonical set of covered cells, for fewer covered cells.
        values: (S,) the values of the S states with fewer covered cells.
        unfinished: (S + m,) the weight of the examples of each state in which some covered cell is safe.
        totals: (m, 9) zeros, or minus infinity for the longest path; filled.
    """
    for i in range(len(examples)):
        example, state = examples[i], states[i]
        if covered & ~mines[example] == 0:
            continue
        for cell in range(CELLS):
            if (covered >> cell) & 1 == 0:
                continue
            mined = (mines[example] >> cell) & 1 == 1
            remaining = covered & ~opened[example, cell]
            cleared = remaining & ~mines[example] == 0
            next_state = 0
            if not mined and not cleared:
                next_state = state_of[CANONICAL_INDEX[remaining], transformed[CANONICAL_SYMMETRY[remaining], example]]
            if not longest:
                reward = FAILURE if mined else (SUCCESS if cleared else STEP + values[next_state])
                totals[state, cell] += weights[example] * reward
            elif not mined:
                # A longest path never leads to a mine, since some example of the state has a safe cell to click.
                state_weight = unfinished[len(values) + state]
                length = SUCCESS * weights[example] / state_weight
                if not cleared:
                    length = values[next_state] + STEP * unfinished[next_state] / state_weight
                totals[state, cell] = max(totals[state, cell], length)


class StateValues:
    """Values of all states that agree with some example; the value of a state is that of its best click."""

    def __init__(self, subgrids: Ints, counts: Ints, alphabet: Alphabet, radius: int, guess: float | None) -> None:
        """Computes the values by dynamic programming: a click leads to fewer covered cells, so those states come first.

        The examples are the sub-grids, (n, 9), of finished games in all eight symmetries, with their counts, (n,).
        `guess` is the value of one uninformative click, added to the examples of each state; None for longest paths.
        """
        self._alphabet, self._guess = alphabet, guess
        numbers = np.concatenate([alphabet.numbers(subgrids[:, symmetry]) for symmetry in SYMMETRIES])
        examples, indices = np.unique(numbers, return_inverse=True)
        weights = np.bincount(indices, np.tile(counts, len(SYMMETRIES))).astype(np.float64)
        symbols = alphabet.symbols(examples)
        transformed_numbers = np.stack([alphabet.numbers(symbols[:, symmetry]) for symmetry in SYMMETRIES])
        mines, opened = (symbols == alphabet.mine) @ BITS, opened_sets(symbols, radius)
        example_tables = weights, mines, opened, np.searchsorted(examples, transformed_numbers)
        state_of = np.zeros((len(CANONICAL_SETS), len(examples)), np.int32)
        all_numbers, all_clicks = [], []
        values, unfinished = np.zeros(0), np.zeros(0)
        for canonical in np.argsort(np.bitwise_count(CANONICAL_SETS), kind="stable")[1:].tolist():  # not the empty set
            covered = int(CANONICAL_SETS[canonical])
            is_covered = (covered & BITS) > 0
            # A board can show an example so if no mine is open, every flood fill has ended, and no outside is covered.
            flooded = np.bitwise_or.reduce(opened[:, ~is_covered], axis=1)
            covers_outside = (symbols[:, is_covered] == alphabet.outside).any(axis=1)
            agreeing = np.flatnonzero((mines & ~covered == 0) & (flooded & covered == 0) & ~covers_outside)
            visible = np.where(is_covered, alphabet.covered, symbols[agreeing])
            state_numbers, states = np.unique(alphabet.numbers(visible), return_inverse=True)
            is_unfinished = (covered & ~mines[agreeing]) != 0
            unfinished_weight = np.bincount(states, weights[agreeing] * is_unfinished, len(state_numbers))[:, None]
            finished_weight = np.bincount(states, weights[agreeing] * ~is_unfinished, len(state_numbers))[:, None]
            unfinished = np.concatenate([unfinished, unfinished_weight[:, 0]])
            totals = np.full((len(state_numbers), CELLS), -np.inf if guess is None else 0.0)
            add_clicks(agreeing, states, covered, guess is None, *example_tables, state_of, values, unfinished, totals)
            # Inside a path some covered cell is known to be safe; on a board to play that is not known.
            if guess is None:
                path_values, board_values = totals, np.where(unfinished_weight == 0.0, FAILURE, totals)
            else:
                path_values = (totals + guess) / (unfinished_weight + 1.0)
                board_totals = totals + FAILURE * finished_weight + guess
                board_values = board_totals / (unfinished_weight + finished_weight + 1.0)
            state_of[canonical, agreeing] = len(values) + states
            values = np.concatenate([values, path_values[:, is_covered].max(axis=1)])
            all_numbers.append(state_numbers)
            all_clicks.append(np.where(is_covered, board_values, -np.inf))
        self._store_states(np.concatenate(all_numbers), np.concatenate(all_clicks))

    def _store_states(self, numbers: Ints, click_values: Floats) -> None:
        """Stores the value and the best clicks, as bits, of S states, sorted by number; `click_values` is (S, 9)."""
        order = np.argsort(numbers)
        self._numbers = numbers[order]
        self._values: Floats = click_values.max(axis=1)[order]
        best = click_values >= click_values.max(axis=1, keepdims=True) - TIE
        self._best: NDArray[np.int16] = (best @ BITS)[order].astype(np.int16)

    def click_values(self, subgrids: Ints) -> tuple[Floats, NDArray[np.bool_]]:
        """Looks up the best clicks of (..., 9) sub-grids of clues, covered cells and cells outside the board.

        Returns:
            (..., 9) float64, the value of each best click, and minus infinity for the other cells; and (...,) bool,
            whether the state has a covered cell and no example. Every click in it then has the value of a guess, which
            is minus infinity for longest paths.
        """
        covered = subgrids == self._alphabet.covered
        # The tables hold states with a canonical set of covered cells: turn to these, and turn their clicks back.
        symmetries = SYMMETRIES[CANONICAL_SYMMETRY[covered @ BITS]]
        numbers = self._alphabet.numbers(np.take_along_axis(subgrids, symmetries, axis=-1))
        indices = np.minimum(np.searchsorted(self._numbers, numbers), len(self._numbers) - 1)
        seen = self._numbers[indices] == numbers
        values = np.where(seen, self._values[indices], -np.inf if self._guess is None else self._guess)[..., None]
        is_best = np.zeros_like(covered)
        np.put_along_axis(is_best, symmetries, (self._best[indices][..., None] & BITS) > 0, axis=-1)
        is_best = np.where(seen[..., None], is_best, covered)
        return np.where(is_best, values, -np.inf), ~seen & covered.any(axis=-1)


class GraphicalPolicy(FittedPolicy):
    """Clicks the cell with the highest value in any 3 x 3 sub-grid.

    The reward is +100 when no safe cell of the sub-grid is covered, -100 for a mine, and +1 for any other click. A
    state's value is the value of its best click: the expectation of reward plus value of the next state.

    The expectation is a mean over the sub-grids of finished games that agree with the state, and one uninformative
    click, which stands alone if none agrees. That click hits a mine with the density of the board, else earns +1.

    Attributes:
        state_values: the value of every state seen in practice.
    """

    def default_games(self) -> int:
        """Returns the number of games that hold `DEFAULT_EXAMPLES` sub-grids, at most `MAX_DEFAULT_GAMES`."""
        per_game = max(self.config.rows - SIDE + 1, 1) * max(self.config.cols - SIDE + 1, 1)
        return min(math.ceil(DEFAULT_EXAMPLES / per_game), MAX_DEFAULT_GAMES)

    def fit(self, practice: Iterator[PracticeGames]) -> None:
        """Computes the values of all states."""
        self.counters |= {"subgrids": 0, "unseen_subgrids": 0}
        radius, guess = self.config.radius, self.guess_value()
        self.state_values = StateValues(*self.count(practice), self._alphabet, radius, guess)

    def count(self, practice: Iterator[PracticeGames]) -> tuple[Ints, Ints]:
        """Returns the (n, 9) sub-grids of finished games and their counts; rotations and reflections count as one."""
        batches: list[tuple[Ints, Ints]] = []
        for batch in practice:
            truth = np.where(batch.layouts, self._alphabet.mine, neighbour_sums(batch.layouts, self.config.radius))
            subgrids = cut(truth, self._alphabet.outside).reshape(-1, CELLS)
            numbers_by_symmetry = [self._alphabet.numbers(subgrids[:, symmetry]) for symmetry in SYMMETRIES]
            # The least number among the eight transforms stands for all of them.
            batches.append(np.unique(np.min(numbers_by_symmetry, axis=0), return_counts=True))
        all_numbers, all_counts = map(np.concatenate, zip(*batches, strict=True))
        numbers, indices = np.unique(all_numbers, return_inverse=True)
        return self._alphabet.symbols(numbers), np.bincount(indices, all_counts).astype(np.int64)

    def guess_value(self) -> float | None:
        """Returns the value of a click about which no example says anything; None for longest paths."""
        density = self.config.mines / self.config.cells
        return density * FAILURE + (1.0 - density)

    def risks(self, knowledge: Knowledge) -> Floats:
        """Returns minus the highest value of a click on each cell; `WORST_RISK` if it is best in no sub-grid."""
        boards = np.where(knowledge.open, knowledge.counts, self._alphabet.covered)
        subgrids = cut(boards, self._alphabet.outside)
        values, unseen = self.state_values.click_values(subgrids)
        self.counters["subgrids"] += int((subgrids == self._alphabet.covered).any(axis=-1).sum())
        self.counters["unseen_subgrids"] += int(unseen.sum())
        return np.minimum(-largest_of_cells(values, self.config.rows, self.config.cols), WORST_RISK)

    @cached_property
    def _alphabet(self) -> Alphabet:
        return Alphabet(*(self.config.codes.max_count + np.arange(1, 4)).tolist())


class GraphicalSourcePolicy(GraphicalPolicy):
    """Clicks the cell that starts the longest path in any 3 x 3 sub-grid, over all outcomes of the clicks.

    An edge is as long as its probability times its reward. The rule is optimistic: a mine matters only if no other
    outcome exists. A state without an example is ignored.
    """

    def guess_value(self) -> float | None:
        """Returns None, which stands for longest paths."""
        return None
