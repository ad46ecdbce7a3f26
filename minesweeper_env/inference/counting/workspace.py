"""Memory of the dynamic programme: kernels allocate nothing, and receive their arrays as a `Workspace`."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.cell_sets import neighbour_table
from minesweeper_env.compiled import inlined
from minesweeper_env.inference.boards import PositionTooHardError
from minesweeper_env.inference.counting.frontier import Frontier
from minesweeper_env.inference.counting.states import NEED_KEYS, NEED_STATES, Floats, Levels, Slots, States, Words
from minesweeper_env.inference.reading import Ints

MAX_STATES = 1 << 22
"""Largest number of states of a position; a position with more is too hard."""

SHARED_PASSES = 8
"""An answer that takes several passes may visit the states of this many of the largest positions."""

MAX_KEYS = 1 << 18
"""Largest number of states of one level."""

MAX_VALUES = 20 << 20
"""Largest number of values in memory; beyond it some levels are recomputed on the way back."""

_FIRST_STATES = 1 << 12
_FIRST_KEYS = 1 << 9
_FIRST_VALUES = 1 << 14
_FIXED_STATES, _FIXED_KEYS, _FIXED_VALUES = 1 << 16, 1 << 14, 1 << 21


class Workspace(NamedTuple):
    """The arrays that a kernel receives, for boards of n cells with up to `degree` neighbours each.

    `carve` cuts them into the views that the kernels work on.

    Attributes:
        neighbours: (n, degree) uint32, the neighbours of each cell; n stands for a cell off the board.
        ints: int32, laid out by `_int_lengths`.
        longs: int64, laid out by `_long_lengths`.
        floats: (n + degree + 2,) float64, the probabilities of the groups, then the weights of one group.
        words: (2 * n + 2,) uint64, for `Slots.step`.
        tables: (6 * S + 2,) int32, for S states and 2 * S links.
        keys: (4 * K,) uint64, for the keys of two levels of up to K states, and a hash table of 2 * K entries.
        values: float64, for the values of the states and for sums over them.
    """

    neighbours: NDArray[np.uint32]
    ints: Ints
    longs: NDArray[np.int64]
    floats: Floats
    words: Words
    tables: Ints
    keys: Words
    values: Floats


class Plan(NamedTuple):
    """The elimination order of the groups.

    Attributes:
        order: (n,) int32, the groups, component after component.
        component_end: (n,) int32, the end of each component in `order`.
        last_level: (n,) int64, the last level of each component.
        scratch: (5 * n + 1,) int32.
    """

    order: Ints
    component_end: Ints
    last_level: NDArray[np.int64]
    scratch: Ints


class Work(NamedTuple):
    """Views of a `Workspace`: the forward pass fills them, and the backward pass reads them.

    Attributes:
        frontier: the constraints and groups.
        plan: the order of the groups.
        levels: the levels of the dynamic programme.
        states: the states of the levels, and the links between them.
        slots: scratch for the keys of the states.
        probability: (n,) float64, filled with the probability of a mine in each cell of a group.
        weights: (degree + 2,) float64 scratch.
        values: float64, filled with the values of the levels.
        counters: (5,) int64; see LEVEL.
    """

    frontier: Frontier
    plan: Plan
    levels: Levels
    states: States
    slots: Slots
    probability: Floats
    weights: Floats
    values: Floats
    counters: NDArray[np.int64]


LEVEL, STATE, LINK, VALUE, STRIDE = range(5)
"""Entries of `Work.counters`.

    LEVEL   the present level
    STATE   the next free state
    LINK    the next free link
    VALUE   the next free value
    STRIDE  one level in STRIDE keeps its values once memory is short
"""


def _int_lengths(cells: int, degree: int) -> tuple[int, ...]:
    """Returns the lengths of the views of `Workspace.ints`, in the order of `carve`."""
    n, pairs = cells + 1, cells * degree
    return (
        n,  # Frontier.known, which stays first: other kernels read it there
        n,  # Frontier.missing
        n,  # Frontier.unknown
        n,  # Frontier.constraint_of
        n,  # Frontier.group_of
        cells,  # Frontier.cell_of
        cells,  # Frontier.size
        n,  # Frontier.above_start
        pairs,  # Frontier.above
        n,  # Frontier.below_start
        pairs,  # Frontier.below
        2 * n,  # Frontier.spare
        cells,  # Plan.order
        cells,  # Plan.component_end
        5 * cells + 1,  # Plan.scratch
        cells,  # Slots.slot
        cells,  # Slots.left
        cells,  # Slots.used
    )


def _long_lengths(cells: int, degree: int) -> tuple[int, ...]:
    """Returns the lengths of the views of `Workspace.longs`, in the order of `carve`."""
    levels = 2 * cells + 1
    return (
        5,  # Work.counters
        cells,  # Plan.last_level
        levels,  # Levels.state
        levels,  # Levels.states
        levels,  # Levels.value
        levels,  # Levels.width
        levels,  # Levels.place
        3 * degree + 1,  # Slots.bound
    )


int_lengths, long_lengths = inlined(_int_lengths), inlined(_long_lengths)


@inlined
def take(array: Any, at: int, length: int) -> tuple[Any, int]:
    """Returns a view of `length` entries of an array from `at` on, and the end of the view."""
    return array[at : at + length], at + length


@inlined
def carve(workspace: Workspace) -> Work:
    """Cuts the arrays of a workspace into views."""
    cells, degree = workspace.neighbours.shape
    ints, n = workspace.ints, int_lengths(cells, degree)
    known, at = take(ints, 0, n[0])
    missing, at = take(ints, at, n[1])
    unknown, at = take(ints, at, n[2])
    constraint_of, at = take(ints, at, n[3])
    group_of, at = take(ints, at, n[4])
    cell_of, at = take(ints, at, n[5])
    size, at = take(ints, at, n[6])
    above_start, at = take(ints, at, n[7])
    above, at = take(ints, at, n[8])
    below_start, at = take(ints, at, n[9])
    below, at = take(ints, at, n[10])
    spare, at = take(ints, at, n[11])
    order, at = take(ints, at, n[12])
    component_end, at = take(ints, at, n[13])
    scratch, at = take(ints, at, n[14])
    slot, at = take(ints, at, n[15])
    left, at = take(ints, at, n[16])
    used, _ = take(ints, at, n[17])
    longs, m = workspace.longs, long_lengths(cells, degree)
    counters, at = take(longs, 0, m[0])
    last_level, at = take(longs, at, m[1])
    first_state, at = take(longs, at, m[2])
    states, at = take(longs, at, m[3])
    value, at = take(longs, at, m[4])
    width, at = take(longs, at, m[5])
    place, at = take(longs, at, m[6])
    bound, _ = take(longs, at, m[7])
    tables, most = workspace.tables, len(workspace.tables) // 6
    first_link, at = take(tables, 0, most + 1)
    least, at = take(tables, at, most + 1)
    low, at = take(tables, at, most)
    high, at = take(tables, at, most)
    links, _ = take(tables, at, 2 * most)
    keys, at = take(workspace.keys, 0, len(workspace.keys) // 4)
    next_keys, at = take(workspace.keys, at, len(workspace.keys) // 4)
    table, _ = take(workspace.keys, at, len(workspace.keys) // 2)
    return Work(
        Frontier(
            known, missing, unknown, constraint_of, group_of, cell_of, size, above_start, above, below_start, below,
            spare,
        ),
        Plan(order, component_end, last_level, scratch),
        Levels(first_state, states, value, width, place),
        States(first_link, least, low, high, links, keys, next_keys, table),
        Slots(slot, left, used, bound, workspace.words),
        workspace.floats[:cells],
        workspace.floats[cells:],
        workspace.values,
        counters,
    )  # fmt: skip


def make_workspace(rows: int, cols: int, radius: int) -> Workspace:
    """Returns a workspace for boards of this size, small at first: most positions have few states."""
    cells = rows * cols
    neighbours = neighbour_table(rows, cols, radius)
    degree = neighbours.shape[1]
    return Workspace(
        neighbours,
        np.empty(sum(_int_lengths(cells, degree)), np.int32),
        np.empty(sum(_long_lengths(cells, degree)), np.int64),
        np.empty(cells + degree + 2),
        np.empty(2 * cells + 2, np.uint64),
        np.empty(6 * _FIRST_STATES + 2, np.int32),
        np.empty(4 * _FIRST_KEYS, np.uint64),
        np.empty(_FIRST_VALUES + 8 * cells),
    )


def make_fixed_workspace(rows: int, cols: int, radius: int) -> Workspace:
    """Returns a workspace for kernels that never grow it, so that its size decides which positions are too hard.

    It has room for 65,536 states, 16,384 of them on one level.
    """
    return make_workspace(rows, cols, radius)._replace(
        tables=np.empty(6 * _FIXED_STATES + 2, np.int32),
        keys=np.empty(4 * _FIXED_KEYS, np.uint64),
        values=np.empty(_FIXED_VALUES + 8 * rows * cols),
    )


def limited(workspace: Workspace, passes: int) -> Workspace:
    """Returns a workspace with no more states than each of so many passes may take."""
    return workspace._replace(tables=workspace.tables[: 6 * _most_states(passes) + 2])


def _most_states(passes: int) -> int:
    return min(MAX_STATES, SHARED_PASSES * MAX_STATES // passes)


def grow_workspace(workspace: Workspace, outcome: int, passes: int = 1) -> Workspace:
    """Returns the workspace with up to four times as much of the memory that a kernel lacked.

    Args:
        workspace: the workspace that was too small.
        outcome: NEED_STATES, NEED_KEYS or NEED_VALUES.
        passes: the number of passes that share the limit on the states.

    Raises:
        PositionTooHardError: the workspace has its largest size already.
    """
    if outcome == NEED_STATES:
        states = min(4 * (len(workspace.tables) // 6), _most_states(passes))
        _check_growth(6 * states + 2, len(workspace.tables), "states")
        return workspace._replace(tables=np.empty(6 * states + 2, np.int32))
    if outcome == NEED_KEYS:
        keys = min(len(workspace.keys), MAX_KEYS)
        _check_growth(4 * keys, len(workspace.keys), "states at once")
        return workspace._replace(keys=np.empty(4 * keys, np.uint64))
    values = min(4 * len(workspace.values), MAX_VALUES)
    _check_growth(values, len(workspace.values), "values")
    return workspace._replace(values=np.empty(values))


def _check_growth(more: int, present: int, what: str) -> None:
    if more <= present:
        raise PositionTooHardError(
            f"the frontier of this board is too wide: its layouts take too many {what} to be counted"
        )
