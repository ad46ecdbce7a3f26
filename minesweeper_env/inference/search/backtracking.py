"""Cells of a board settled one after the other, with all that follows from them, and covered again."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.compiled import inlined

Ints = NDArray[np.int32]
Neighbours = NDArray[np.uint32]

FREE, MINED, COVERED, OPEN = range(4)
"""What `Backtracking.state` says of a cell: settled as free (or off the board), settled as a mine, covered and not
settled, open."""

MINES, CELLS, TOP, WORK, STAMP, DEEPEST, FAULT = range(7)
"""The entries of `Backtracking.tally`: the mines and the cells that are not settled, the number of settled cells, how
often one was settled, the last mark, the most cells settled when a count could not be met, and its cell (or -1)."""


class Backtracking(NamedTuple):
    """The memory of a listing on a board of n cells; all arrays int32.

    Attributes:
        state: (n + 1,) one of FREE, MINED, COVERED, OPEN; the last entry stands for cells off the board.
        missing: (n + 1,) of open cells, the mines among the covered neighbours.
        covered: (n + 1,) of open cells, the number of covered neighbours.
        counts: (n,) the open cells beside covered ones, neighbours in turn.
        order: (n,) the covered cells, neighbours in turn.
        trail: (n,) the settled cells, in the order in which they were settled.
        branches: (n, 2) where in `trail` and in `order` the choices were made.
        mark: (n + 1,) room to mark cells.
        column: (n + 1,) the column of each covered cell in a list of layouts, or -1.
        tally: (7,) see above.
    """

    state: Ints
    missing: Ints
    covered: Ints
    counts: Ints
    order: Ints
    trail: Ints
    branches: Ints
    mark: Ints
    column: Ints
    tally: Ints


def make_backtracking(cells: int) -> Backtracking:
    """Returns the memory for boards of this many cells."""
    shapes = (cells + 1, cells + 1, cells + 1, cells, cells, cells, (cells, 2), cells + 1, cells + 1, 7)
    return Backtracking(*(np.empty(shape, np.int32) for shape in shapes))


@inlined
def read_board(room: Backtracking, shown: NDArray[np.int8], around: Neighbours, max_count: int, mines: int) -> bool:
    """Begins a listing; returns whether each count by itself can be met."""
    cells = len(around)
    tally = room.tally
    tally[:] = 0
    tally[MINES] = mines
    tally[FAULT] = -1
    room.state[cells] = FREE
    room.column[cells] = -1
    room.mark[:] = 0
    columns = 0
    for cell in range(cells):
        code = shown[cell]
        room.state[cell] = OPEN if code <= max_count else MINED if code == max_count + 4 else COVERED
        tally[CELLS] += room.state[cell] == COVERED
        tally[MINES] -= room.state[cell] == MINED
        room.column[cell] = -1
        if code > max_count:
            room.column[cell] = columns
            columns += 1
    fits = 0 <= tally[MINES] <= tally[CELLS]
    for cell in range(cells):
        room.missing[cell] = shown[cell]
        room.covered[cell] = 0
        for k in range(around.shape[1]):
            room.missing[cell] -= room.state[around[cell, k]] == MINED
            room.covered[cell] += room.state[around[cell, k]] == COVERED
        if room.state[cell] == OPEN and not 0 <= room.missing[cell] <= room.covered[cell]:
            fits = False
            tally[FAULT] = cell
    return fits


@inlined
def settle(room: Backtracking, around: Neighbours, cell: int, mine: int) -> bool:
    """Settles a covered cell; returns whether the counts beside it and the total can still be met."""
    tally = room.tally
    room.state[cell] = mine
    room.trail[tally[TOP]] = cell
    tally[TOP] += 1
    tally[WORK] += 1
    tally[CELLS] -= 1
    tally[MINES] -= mine
    fits = 0 <= tally[MINES] <= tally[CELLS]
    for k in range(around.shape[1]):
        other = around[cell, k]
        room.missing[other] -= mine
        room.covered[other] -= 1
        if room.state[other] == OPEN and not 0 <= room.missing[other] <= room.covered[other]:
            fits = False
            _blame(tally, other)
    return fits


@inlined
def _blame(tally: Ints, open_cell: int) -> None:
    if tally[TOP] > tally[DEEPEST]:
        tally[DEEPEST] = tally[TOP]
        tally[FAULT] = open_cell


@inlined
def undo(room: Backtracking, around: Neighbours, top: int) -> None:
    """Covers the cells again that were settled after the first `top`."""
    tally = room.tally
    while tally[TOP] > top:
        tally[TOP] -= 1
        cell = room.trail[tally[TOP]]
        mine = room.state[cell]
        tally[CELLS] += 1
        tally[MINES] += mine
        for k in range(around.shape[1]):
            room.missing[around[cell, k]] += mine
            room.covered[around[cell, k]] += 1
        room.state[cell] = COVERED


@inlined
def apply_count(room: Backtracking, around: Neighbours, open_cell: int) -> bool:
    """Settles the covered neighbours of an open cell where its count says what they are; False if it cannot."""
    missing, covered = room.missing[open_cell], room.covered[open_cell]
    if covered == 0 or 0 < missing < covered:
        return True
    mine = FREE if missing == 0 else MINED
    for k in range(around.shape[1]):
        cell = around[open_cell, k]
        if room.state[cell] == COVERED and not settle(room, around, cell, mine):
            return False
    return True


@inlined
def follow(room: Backtracking, around: Neighbours, settled: int) -> bool:
    """Settles what follows from the cells of the trail from `settled` on; False if they contradict a count."""
    while settled < room.tally[TOP]:
        cell = room.trail[settled]
        settled += 1
        for k in range(around.shape[1]):
            other = around[cell, k]
            if room.state[other] == OPEN and not apply_count(room, around, other):
                return False
    return True


@inlined
def settle_rest(room: Backtracking, around: Neighbours, cells: int, mine: int) -> bool:
    """Settles all cells that are left of the first `cells` of the order; False if they contradict a count."""
    for i in range(cells):
        cell = room.order[i]
        if room.state[cell] == COVERED and not settle(room, around, cell, mine):
            return False
    return True
