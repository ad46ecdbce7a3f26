"""Kernels that value the clicks of 3 x 3 sub-grids; see `baselines.scripted.fitted.subgrid_values`."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.compiled import kernel

CELLS = 9
SUCCESS, FAILURE, STEP = 100.0, -100.0, 1.0
"""Rewards of Antimatroid (2012): no safe cell of the sub-grid is covered, a mine, and any other state."""

Ints = NDArray[np.int64]
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
