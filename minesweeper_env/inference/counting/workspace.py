"""Memory of the dynamic programme: kernels allocate nothing, and all of them work on one `Workspace`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.cell_sets import neighbour_table
from minesweeper_env.inference.boards import PositionTooHardError
from minesweeper_env.inference.reading import Ints, Neighbours

Floats = NDArray[np.float64]
Words = NDArray[np.uint64]

MAX_STATES = 1 << 22
"""Largest number of states of a position; a position with more is too hard."""

SHARED_PASSES = 8
"""An answer that takes several passes may visit the states of this many of the largest positions."""

MAX_KEYS = 1 << 18
"""Largest number of states of one level."""

MAX_VALUES = 20 << 20
"""Largest number of values in memory; beyond it some levels are recomputed on the way back."""

OK, NEED_STATES, NEED_KEYS, NEED_VALUES, INFEASIBLE = range(5)
"""Outcomes of the forward pass.

    OK              all components are counted
    NEED_STATES     more states are needed
    NEED_KEYS       more states are needed on one level
    NEED_VALUES     more values are needed
    INFEASIBLE + c  no filling satisfies constraint c
"""

(
    KNOWN, MISSING, COVERED, CONSTRAINT, GROUP, CELL, SIZE, ABOVE, BELOW, ORDER, END, SLOT, LEFT, USED, SPARE,
) = range(15)  # fmt: skip
"""Rows of `Workspace.cells`, for cells, constraints, groups, components and slots.

    KNOWN, MISSING, COVERED  of a cell, as `known`, `missing` and `unknown` of `Clues`
    CONSTRAINT               of an open cell: its constraint, or -1
    GROUP                    of an unknown cell: its group, or -1
    CELL                     of a constraint: its open cell
    SIZE                     of a group: the number of its cells
    ABOVE                    of a group: where its constraints begin in lists[OVER]
    BELOW                    of a constraint: where its groups begin in lists[UNDER]
    ORDER                    the groups, component after component, in the order of their elimination
    END                      of a component: its end in ORDER
    SLOT                     of a constraint: its place in a key, or -1
    LEFT                     of a constraint: its cells that are not placed yet
    USED                     of a slot: 1 if it is in use
    SPARE                    the first of five rows of scratch
"""

OVER, UNDER = range(2)
"""Rows of `Workspace.lists`: the constraints over each group, ascending, and the groups under each constraint."""

FIRST, STATES, VALUE, WIDTH, PLACE, LAST = range(6)
"""Columns of `Workspace.levels`; a component of g groups has g + 1 levels.

    FIRST   the index of its first state
    STATES  the number of its states
    VALUE   the index of its first value
    WIDTH   the number of values reserved per state
    PLACE   the number of earlier levels of the same component
    LAST    in row c: the last level of component c
"""

LINK, LEAST, LOW, HIGH = range(4)
"""Columns of `Workspace.states`.

    LINK   the index of its first link
    LEAST  the fewest mines that the next group can get; each further link has one more
    LOW    the fewest mines used, to which its first value belongs
    HIGH   the most mines used
"""

LEVEL, NEXT_STATE, NEXT_LINK, NEXT_VALUE, STRIDE, COMPONENTS, MINES, FREE, OUTSIDE, BOUND = range(10)
"""Entries of `Workspace.longs`.

    LEVEL       the present level
    NEXT_STATE  the next free state
    NEXT_LINK   the next free link
    NEXT_VALUE  the next free value
    STRIDE      one level in STRIDE keeps its values once memory is short
    COMPONENTS  the number of components
    MINES       the mines among the unknown cells
    FREE        the other unknown cells
    OUTSIDE     the unknown cells under no constraint
    BOUND       from here on: word, shift and cells left of each constraint over the present group
"""

PROBABILITY, WEIGHT = range(2)
"""Rows of `Workspace.floats`: the probability of a mine in each group, and the weight of each number of mines."""


class Workspace(NamedTuple):
    """All arrays of the programme, for boards of n cells with up to `degree` neighbours each.

    Attributes:
        neighbours: (n, degree) uint32, the neighbours of each cell; n stands for a cell off the board.
        cells: (19, n + 1) int32; see KNOWN.
        lists: (2, n * degree) int32; see OVER.
        levels: (2 * n + 1, 6) int64; see FIRST.
        longs: (3 * degree + 10,) int64; see LEVEL.
        floats: (2, n + degree + 2) float64; see PROBABILITY.
        step: (2 * n + 2,) uint64, the amount that a level adds to each key, then the amount that a mine subtracts.
        states: (S + 1, 4) int32; see LINK.
        links: (2 * S,) int32, the target of each link, counted from the first state of its level. A view of fewer
            entries limits the number of states.
        keys: (4 * K,) uint64, the keys of the present and of the next level, K words each, and a hash table of the next
            level. A key packs what the open constraints lack.
        values: float64, for each state the total weight of the ways that lead to it, by the number of mines used; then
            sums of them.
    """

    neighbours: Neighbours
    cells: NDArray[np.int32]
    lists: NDArray[np.int32]
    levels: NDArray[np.int64]
    longs: NDArray[np.int64]
    floats: Floats
    step: Words
    states: NDArray[np.int32]
    links: Ints
    keys: Words
    values: Floats


def make_workspace(
    rows: int, cols: int, radius: int, *, states: int = 1 << 12, keys: int = 1 << 9, values: int = 1 << 14
) -> Workspace:
    """Returns a workspace for boards of this size, by default a small one: most positions have few states."""
    neighbours = neighbour_table(rows, cols, radius)
    n, degree = neighbours.shape
    return Workspace(
        neighbours,
        np.empty((SPARE + 5, n + 1), np.int32),
        np.empty((2, n * degree), np.int32),
        np.empty((2 * n + 1, LAST + 1), np.int64),
        np.empty(3 * degree + BOUND + 1, np.int64),
        np.empty((2, n + degree + 2)),
        np.empty(2 * n + 2, np.uint64),
        *_memory(states, keys, values + 8 * n),
    )


def grow_workspace(workspace: Workspace, outcome: int, most_states: int) -> Workspace:
    """Returns the workspace with more of all memory that a kernel can lack; `outcome` names what it lacked.

    Raises:
        PositionTooHardError: there is as much of that as there may be.
    """
    present = (len(workspace.links) // 2, len(workspace.keys) // 4, len(workspace.values))
    most = (most_states, MAX_KEYS, MAX_VALUES)
    if present[outcome - NEED_STATES] >= most[outcome - NEED_STATES]:
        what = ("states", "states at once", "values")[outcome - NEED_STATES]
        raise PositionTooHardError(
            f"the frontier of this board is too wide: its layouts take too many {what} to be counted"
        )
    # Each lack makes the kernel begin anew, while the untouched part of an array costs nothing.
    grown = zip(present, most, (4, 4, 6), strict=True)
    return Workspace(*workspace[:7], *_memory(*(max(size, min(by * size, limit)) for size, limit, by in grown)))


def _memory(states: int, keys: int, values: int) -> tuple[NDArray[np.int32], Ints, Words, Floats]:
    """Returns the last fields of a workspace; the number of keys is a power of two."""
    return (
        np.empty((states + 1, 4), np.int32),
        np.empty(2 * states, np.int32),
        np.empty(4 * keys, np.uint64),
        np.empty(values),
    )
