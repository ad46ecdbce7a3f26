"""The memory that the kernels count in: they allocate nothing themselves."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.compiled import inlined
from minesweeper_env.inference.counting.frontier import Frontier, Ints, carve_frontier, frontier_length
from minesweeper_env.inference.counting.states import (
    NEED_KEYS,
    NEED_STATES,
    Floats,
    Levels,
    Slots,
    States,
    Words,
)
from minesweeper_env.inference.errors import PositionTooHardError
from minesweeper_env.neighbours import neighbour_table

MAX_STATES = 1 << 22
MAX_KEYS = 1 << 18
"""The most states of a position, and of one level; beyond, it is too hard."""

MAX_VALUES = 20 << 20
"""The most values of states that are held at once; where there are more, some are computed again."""

_FIRST_STATES = 1 << 12
_FIRST_KEYS = 1 << 9
_FIRST_VALUES = 1 << 14
_KEPT_VALUES = 1 << 18
"""A room with more is given up after use."""


class Workspace(NamedTuple):
    """What a kernel is given, for boards of n cells with up to `degree` neighbours each.

    Attributes:
        neighbours: (n, degree) uint32, the neighbours of each cell.
        ints: int32, for the `Frontier`, the order of its groups and the `Slots`.
        longs: int64, for the `Levels` and the bounds.
        floats: (n + degree + 2,) float64, for the chances of the groups and the weights of one.
        words: (2 * n + 2,) uint64, for the steps of a level.
        tables: (6 * S + 2,) int32, for the links between S states.
        keys: (4 * K,) uint64, for the keys of two levels of up to K states, and a hash table of twice as many.
        values: float64, for the values of the states, and whatever is summed up from them.
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
    """The groups in the order in which they are counted.

    Attributes:
        order: (n,) int32, the groups.
        part_end: (n,) int32, where each part ends in `order`.
        last_level: (n,) int64, the last level of each part.
        room: int32 scratch.
    """

    order: Ints
    part_end: Ints
    last_level: NDArray[np.int64]
    room: Ints


class Work(NamedTuple):
    """What the way forward fills, and the way back reads.

    Attributes:
        frontier: the constraints and groups.
        plan: the order of the groups.
        levels: their states and values.
        states: how these hang together.
        slots: scratch.
        chance: (n,) float64, filled with the chance of a mine in the cells of each group.
        weights: (degree + 2,) float64 scratch.
        values: float64, filled with the values of the levels.
        cursor: (5,) int64; see LEVEL.
    """

    frontier: Frontier
    plan: Plan
    levels: Levels
    states: States
    slots: Slots
    chance: Floats
    weights: Floats
    values: Floats
    cursor: NDArray[np.int64]


LEVEL, STATE, LINK, VALUE, STRIDE = 0, 1, 2, 3, 4
"""The entries of `Work.cursor`: the present level, the next free state, link and value, and how many levels lie
between two whose values are kept."""


@inlined
def carve_work(room: Workspace) -> Work:
    """Cuts what the kernels work on out of the arrays of a room."""
    cells, degree = room.neighbours.shape
    ints = room.ints[len(room.ints) - 10 * cells - 1 :]
    longs, many = room.longs[cells + 5 :], 2 * cells + 1
    most, tables = len(room.tables) // 6, room.tables
    level, keys = len(room.keys) // 4, room.keys
    return Work(
        carve_frontier(room.ints, cells, degree),
        Plan(ints[:cells], ints[cells : 2 * cells], room.longs[5 : cells + 5], ints[5 * cells :]),
        Levels(
            longs[:many],
            longs[many : 2 * many],
            longs[2 * many : 3 * many],
            longs[3 * many : 4 * many],
            longs[4 * many : 5 * many],
        ),
        States(
            tables[: most + 1],
            tables[most + 1 : 2 * most + 2],
            tables[2 * most + 2 : 3 * most + 2],
            tables[3 * most + 2 : 4 * most + 2],
            tables[4 * most + 2 :],
            keys[:level],
            keys[level : 2 * level],
            keys[2 * level :],
        ),
        Slots(
            ints[2 * cells : 3 * cells],
            ints[3 * cells : 4 * cells],
            ints[4 * cells : 5 * cells],
            longs[5 * many :],
            room.words,
        ),
        room.floats[:cells],
        room.floats[cells:],
        room.values,
        room.longs[:5],
    )


def make_workspace(rows: int, cols: int, radius: int) -> Workspace:
    """Returns the room for boards of this size, with little space for states, of which most positions have few."""
    cells = rows * cols
    neighbours = neighbour_table(rows, cols, radius)
    degree = neighbours.shape[1]
    return Workspace(
        neighbours,
        np.empty(frontier_length(cells, degree) + 10 * cells + 1, np.int32),
        np.empty(cells + 5 * (2 * cells + 1) + 3 * degree + 6, np.int64),
        np.empty(cells + degree + 2),
        np.empty(2 * cells + 2, np.uint64),
        np.empty(6 * _FIRST_STATES + 2, np.int32),
        np.empty(4 * _FIRST_KEYS, np.uint64),
        np.empty(_FIRST_VALUES + 8 * cells),
    )


def grow_workspace(room: Workspace, outcome: int) -> Workspace:
    """Returns the room with up to four times as much of what a kernel ran out of.

    Args:
        room: the room that was too small.
        outcome: NO_ROOM_FOR_STATES, NO_ROOM_FOR_KEYS or NO_ROOM_FOR_VALUES.

    Raises:
        PositionTooHardError: there is no more to be had.
    """
    if outcome == NEED_STATES:
        states = min(4 * (len(room.tables) // 6), MAX_STATES)
        _check_growth(6 * states + 2, len(room.tables), "states")
        return room._replace(tables=np.empty(6 * states + 2, np.int32))
    if outcome == NEED_KEYS:
        keys = min(len(room.keys), MAX_KEYS)
        _check_growth(4 * keys, len(room.keys), "states at once")
        return room._replace(keys=np.empty(4 * keys, np.uint64))
    values = min(4 * len(room.values), MAX_VALUES)
    _check_growth(values, len(room.values), "values")
    return room._replace(values=np.empty(values))


def _check_growth(more: int, present: int, what: str) -> None:
    if more <= present:
        raise PositionTooHardError(
            f"the frontier of this board is too wide: its layouts take too many {what} to be counted"
        )


class WorkspacePool:
    """Lends out rooms of one size, so that threads never share one, and keeps those that come back."""

    def __init__(self, rows: int, cols: int, radius: int) -> None:
        """Prepares to lend rooms for boards of this size."""
        self._make = (rows, cols, radius)
        self._spare: list[Workspace] = []

    def take(self) -> Workspace:
        """Returns a room that nobody else has."""
        try:
            return self._spare.pop()
        except IndexError:
            return make_workspace(*self._make)

    def put_back(self, room: Workspace) -> None:
        """Keeps a room for the next one who asks, unless it has grown large."""
        if len(room.values) <= _KEPT_VALUES:
            self._spare.append(room)


@lru_cache(maxsize=16)
def workspace_pool(rows: int, cols: int, radius: int) -> WorkspacePool:
    """Returns the lender of rooms for boards of this size."""
    return WorkspacePool(rows, cols, radius)
