"""The kernels that value the states of 3 x 3 sub-grids: see `baselines.scripted.fitted.subgrid_values`."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.compiled import kernel

CELLS = 9
SUCCESS, FAILURE, STEP = 100.0, -100.0, 1.0
"""The rewards of the source: for a sub-grid without covered free cells, for a mine, and for any other state."""

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class Clicks(NamedTuple):
    """What clicks do to the R specimens, and the states that they lead to.

    Attributes:
        mines: (R,) int64, the set of cells with mines.
        weights: (R,) float64, how many there were of each.
        opened: (R, 9) int64, the set of cells that a click on each cell opens.
        turned: (8, R) int64, which specimen each is once it is turned.
        turn_of: (512,) int64, the turning that brings each set of cells to its form.
        form_of: (512,) int64, its form.
        state_of: (102, R) int32, by form, the state that each specimen agrees with, of the levels done so far.
    """

    mines: Ints
    weights: Floats
    opened: Ints
    turned: Ints
    turn_of: Ints
    form_of: Ints
    state_of: NDArray[np.int32]


@kernel
def weigh_states(specimens: Ints, states: Ints, covered: int, shares: Floats, *clicks: Any) -> None:
    """Adds up the weights of the specimens that agree with each state of a level.

    Args:
        specimens: (k,) those of the level.
        states: (k,) the state that each agrees with, counted from 0.
        covered: the set of covered cells.
        shares: (m, 2) zeros, filled with the weight of those that have a covered free cell, and of those without.
        *clicks: the fields of `Clicks`.
    """
    table = Clicks(*clicks)
    for i in range(len(specimens)):
        cleared = int(covered & ~table.mines[specimens[i]] == 0)
        shares[states[i], cleared] += table.weights[specimens[i]]


@kernel
def expect_rewards(specimens: Ints, states: Ints, covered: int, values: Floats, sums: Floats, *clicks: Any) -> None:
    """Adds up what a click on each cell is worth, over the specimens that have a covered free cell.

    Args:
        specimens: (k,) those of the level.
        states: (k,) the state that each agrees with, counted from 0.
        covered: the set of covered cells.
        values: (S,) the values of the states of the levels done so far.
        sums: (m, 9) zeros, filled with the sums of weight * (reward + value of what follows).
        *clicks: the fields of `Clicks`.
    """
    table = Clicks(*clicks)
    for i in range(len(specimens)):
        specimen, state = specimens[i], states[i]
        mines, weight = table.mines[specimen], table.weights[specimen]
        if covered & ~mines == 0:
            continue
        for cell in range(CELLS):
            if (covered >> cell) & 1 == 0:
                continue
            left = covered & ~table.opened[specimen, cell]
            if (mines >> cell) & 1 == 1:
                reward = FAILURE
            elif left & ~mines == 0:
                reward = SUCCESS
            else:
                after = table.state_of[table.form_of[left], table.turned[table.turn_of[left], specimen]]
                reward = STEP + values[after]
            sums[state, cell] += weight * reward


@kernel
def find_longest_paths(
    specimens: Ints, states: Ints, covered: int, values: Floats, going: Floats, lengths: Floats, *clicks: Any
) -> None:
    """Finds the longest path that begins with a click on each cell, whatever the click may show.

    An edge of a path is as long as the reward of where it leads, times the probability of getting there. An edge
    to a mine never lies on the longest path from a state, since some specimen has a free cell there.

    Args:
        specimens: (k,) those of the level.
        states: (k,) the state that each agrees with, counted from 0.
        covered: the set of covered cells.
        values: (S,) the longest paths from the states of the levels done so far.
        going: (S + m,) the weights of the specimens that have a covered free cell, by state.
        lengths: (m, 9) minus infinity, filled with the lengths.
        *clicks: the fields of `Clicks`.
    """
    table = Clicks(*clicks)
    for i in range(len(specimens)):
        specimen, state = specimens[i], states[i]
        mines, weight = table.mines[specimen], going[len(values) + state]
        if covered & ~mines == 0:
            continue
        for cell in range(CELLS):
            if (covered >> cell) & 1 == 0 or (mines >> cell) & 1 == 1:
                continue
            left = covered & ~table.opened[specimen, cell]
            if left & ~mines == 0:
                length = SUCCESS * table.weights[specimen] / weight
            else:
                after = table.state_of[table.form_of[left], table.turned[table.turn_of[left], specimen]]
                length = values[after] + STEP * going[after] / weight
            lengths[state, cell] = max(lengths[state, cell], length)
