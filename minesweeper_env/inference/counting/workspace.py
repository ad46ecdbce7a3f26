"""Memory of the dynamic programme: a `Workspace` has all arrays of its kernels, which allocate nothing."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.cell_sets import neighbour_table
from minesweeper_env.compiled import inlined
from minesweeper_env.inference.boards import PositionTooHardError
from minesweeper_env.inference.reading import Ints, Neighbours

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]
Words = NDArray[np.uint64]

MAX_STATES = 1 << 22
"""Largest number of states of a position; a position with more is too hard."""

SHARED_PASSES = 8
"""An answer that takes several passes may visit SHARED_PASSES * MAX_STATES states in all."""

MAX_KEYS = 1 << 18
"""Largest number of states of one level."""

MAX_VALUES = 20 << 20
"""Largest number of values in memory; beyond it the backward pass recomputes some levels."""

OK, NEED_STATES, NEED_KEYS, NEED_VALUES, INFEASIBLE = range(5)
"""Outcomes of the forward pass.

    OK              all components are counted
    NEED_STATES     more states are needed
    NEED_KEYS       more states are needed on one level
    NEED_VALUES     more values are needed
    INFEASIBLE + c  no filling satisfies constraint c
"""


class Workspace(NamedTuple):
    """The memory of the programme, for boards of n cells with up to `degree` neighbours each: what kernels take.

    A call takes some 50 ns for each array, so arrays of one type and length are rows of one array. `frontier_of` and
    `tables_of` name the rows inside a kernel, which costs nothing once it is compiled.
    """

    neighbours: Neighbours  # (n, degree) uint32, the neighbours of each cell; n stands for a cell off the board
    cells: NDArray[np.int32]  # (21, n + 1) int32, rows for cells, groups, constraints, components and slots
    lists: NDArray[np.int32]  # (2, n * degree) int32, rows for pairs of a group and a constraint
    longs: Longs  # (9, L) int64, rows for levels and for the constraints over one group
    floats: Floats  # (2, n + degree + 2) float64, rows for groups and for numbers of mines
    words: Words  # (2, n + 1) uint64, rows for words of a key
    totals: Longs  # (4,) int64, the `Totals` of the last board, for Python
    states: NDArray[np.int32]  # (4, S + 1) int32, rows for states
    links: Ints  # (2 * S,) int32, see `Tables`. A view of fewer entries limits the number of states
    # (4 * K,) uint64, the keys of the present and of the next level, K words each, and a hash table of the next level.
    # A key packs the numbers of mines that the open constraints still lack.
    keys: Words
    values: Floats  # float64, see `Tables`


class Totals(NamedTuple):
    """Numbers of a whole board."""

    components: int  # the number of components
    mines: int  # the number of mines among the unknown cells
    free: int  # the number of the other unknown cells
    outside: int  # the number of unknown cells under no constraint


class Frontier(NamedTuple):
    """A board as constraints and groups; a comment names first what indexes the array."""

    neighbours: Neighbours
    known: Ints  # cell: as in `Clues`
    missing: Ints  # cell: as in `Clues`
    unknown: Ints  # cell: as in `Clues`
    constraint_at: Ints  # cell: the constraint of the clue on an open cell, or -1
    group_at: Ints  # cell: the group of an unknown cell, or -1
    cell_of: Ints  # constraint: the open cell of its clue
    size: Ints  # group: the number of its cells
    over_start: Ints  # group: where its constraints begin in `over`
    under_start: Ints  # constraint: where its groups begin in `under`
    order: Ints  # position: the groups, component after component, in the order of their elimination
    component_end: Ints  # component: its end in `order`
    stage: Ints  # constraint: UNSEEN, OPENED or DONE, while the groups are ordered
    unplaced_groups: Ints  # constraint: the number of its groups that are not in the order yet
    placed: Ints  # group: 1 if it is in the order
    active: Ints  # the opened constraints, in the order of their opening
    over: Ints  # the constraints over each group, ascending, one group after the other
    under: Ints  # the groups under each constraint, one constraint after the other
    probability: Floats  # group: the probability of a mine in each of its cells
    scratch: NDArray[np.int32]  # three rows, which each function names by itself


class Tables(NamedTuple):
    """The tables of the two passes. A component of g groups has g + 1 levels; its last level has one state.

    The states of all levels follow each other, and so do the links of all states. Thus `first_state[level + 1]` is also
    the end of a level, and `first_link[state + 1]` the end of a state's links.
    """

    first_state: Longs  # level: its first state
    first_value: Longs  # level: its first value, or DROPPED
    width: Longs  # level: the number of values reserved per state
    levels_before: Longs  # level: the number of earlier levels of the same component
    last_level: Longs  # component: its last level
    bound_word: Longs  # i: the word of a key that holds what the i-th constraint over the present group lacks
    bound_shift: Longs  # i: the lowest bit of that number
    bound_unplaced: Longs  # i: `unplaced_cells` of that constraint after the group
    stride: Longs  # (1,): one level in `stride` keeps its values once memory is short
    first_link: Ints  # state: its first link
    min_mines: Ints  # state: the fewest mines that the next group can get; each further link has one more
    min_used: Ints  # state: the fewest mines in the groups so far; its first value is for this number
    max_used: Ints  # state: the most mines in the groups so far
    links: Ints  # link: its target, counted from the first state of the next level
    slot: Ints  # constraint: its slot in a key, or -1
    slot_used: Ints  # slot: 1 if it is in use
    unplaced_cells: Ints  # constraint: the number of its cells that are in no placed group yet
    opening: Words  # word: what a level adds to each key for the constraints that it opens
    per_mine: Words  # word: what each mine of the present group subtracts
    keys: Words  # as in `Workspace`
    weight: Floats  # mines: the weight of that number in the present group
    values: Floats  # the weights of the ways to each state, by the number of mines used; then sums of them
    totals: Longs  # (4,): the fields of `Totals`, for Python


def name_frontier(work: Workspace) -> Frontier:
    """Names the rows of a workspace that hold a board; `frontier_of` is its compiled form."""
    rows, lists = work.cells, work.lists
    return Frontier(
        work.neighbours, rows[0], rows[1], rows[2], rows[3], rows[4], rows[5], rows[6], rows[7], rows[8], rows[9],
        rows[10], rows[11], rows[12], rows[13], rows[14], lists[0], lists[1], work.floats[0], rows[18:],
    )  # fmt: skip


def name_tables(work: Workspace) -> Tables:
    """Names the rows of a workspace that hold the passes; `tables_of` is its compiled form."""
    rows, longs, states, words = work.cells, work.longs, work.states, work.words
    return Tables(
        longs[0], longs[1], longs[2], longs[3], longs[4], longs[5], longs[6], longs[7], longs[8],
        states[0], states[1], states[2], states[3], work.links, rows[15], rows[16], rows[17],
        words[0], words[1], work.keys, work.floats[1], work.values, work.totals,
    )  # fmt: skip


frontier_of, tables_of = inlined(name_frontier), inlined(name_tables)


def make_workspace(
    rows: int, cols: int, radius: int, *, states: int = 1 << 12, keys: int = 1 << 9, values: int = 1 << 14
) -> Workspace:
    """Returns a workspace for boards of this size, by default a small one: most positions have few states."""
    neighbours = neighbour_table(rows, cols, radius)
    n, degree = neighbours.shape
    return Workspace(
        neighbours,
        np.empty((21, n + 1), np.int32),
        np.empty((2, n * degree), np.int32),
        np.empty((9, max(2 * n + 2, degree)), np.int64),
        np.empty((2, n + degree + 2)),
        np.empty((2, n + 1), np.uint64),
        np.empty(len(Totals._fields), np.int64),
        *_memory(states, keys, values + 8 * n),
    )


def grow_workspace(workspace: Workspace, outcome: int, max_states: int) -> Workspace:
    """Returns a larger workspace after an outcome NEED_STATES, NEED_KEYS or NEED_VALUES.

    Raises:
        PositionTooHardError: the workspace has the largest allowed amount of what it lacked.
    """
    sizes = (len(workspace.links) // 2, len(workspace.keys) // 4, len(workspace.values))
    limits = (max_states, MAX_KEYS, MAX_VALUES)
    lacking = outcome - NEED_STATES
    if sizes[lacking] >= limits[lacking]:
        resource = ("states", "states at once", "values")[lacking]
        raise PositionTooHardError(
            f"the frontier of this board is too wide: its layouts take too many {resource} to be counted"
        )
    # Each lack makes the kernel begin anew, and untouched memory costs nothing: so all three grow, by large factors.
    grown = zip(sizes, limits, (4, 4, 6), strict=True)
    return Workspace(*workspace[:7], *_memory(*(max(n, min(factor * n, limit)) for n, limit, factor in grown)))


def _memory(states: int, keys: int, values: int) -> tuple[NDArray[np.int32], Ints, Words, Floats]:
    """Returns the last four fields of a workspace; the number of keys is a power of two."""
    return (
        np.empty((4, states + 1), np.int32),
        np.empty(2 * states, np.int32),
        np.empty(4 * keys, np.uint64),
        np.empty(values),
    )
