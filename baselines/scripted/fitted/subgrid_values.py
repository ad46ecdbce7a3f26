"""Values of the states of 3 x 3 sub-grids, by dynamic programming from few covered cells to many."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baselines.scripted.fitted.subgrids import (
    BITS,
    CANONICAL_INDEX,
    CANONICAL_SETS,
    CANONICAL_SYMMETRY,
    CELLS,
    SYMMETRIES,
    Alphabet,
    Examples,
    Ints,
    Level,
    levels,
)
from baselines.support.act_inputs import TIE
from minesweeper_env.compiled import kernel

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
        examples: (k,) int64, the examples of the level.
        states: (k,) int64, the state of each example, counted from 0 within its level.
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
