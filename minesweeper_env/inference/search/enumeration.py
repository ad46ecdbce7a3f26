"""The kernel that lists all layouts of mines that fit a visible board.

The covered cells are settled one after the other, neighbours in turn; what each count and the total number of mines
then force is settled at once, and undone on the way back.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.compiled import inlined, subroutine
from minesweeper_env.inference.search.backtracking import (
    CELLS,
    COVERED,
    FREE,
    MINED,
    MINES,
    OPEN,
    STAMP,
    TOP,
    WORK,
    Backtracking,
    Ints,
    Neighbours,
    apply_count,
    follow,
    read_board,
    settle,
    settle_rest,
    undo,
)

Bytes = NDArray[np.uint8]

TOO_MANY, TOO_LONG = -1, -2
"""What `list_layouts` returns instead of the number of layouts."""


@inlined
def _total_can_be_met(room: Backtracking, around: Neighbours, counts: int) -> bool:
    """Says whether counts that share no cell leave the total within its bounds.

    Without them a listing can be lost among fillings of the frontier that all take too many mines.
    """
    tally = room.tally
    tally[STAMP] += 1
    least, beside = 0, 0
    for i in range(counts):
        open_cell = room.counts[i]
        apart = room.covered[open_cell] > 0
        for k in range(around.shape[1]):
            cell = around[open_cell, k]
            apart &= room.state[cell] != COVERED or room.mark[cell] != tally[STAMP]
        if apart:
            least += room.missing[open_cell]
            beside += room.covered[open_cell]
            for k in range(around.shape[1]):
                room.mark[around[open_cell, k]] = tally[STAMP]
    return least <= tally[MINES] <= least + tally[CELLS] - beside


@inlined
def _put_in_order(room: Backtracking, around: Neighbours) -> tuple[int, int]:
    """Lists the covered cells and the counts beside them; returns the numbers of both."""
    tally = room.tally
    tally[STAMP] += 1
    cells, counts, done = 0, 0, 0
    for first in range(len(around)):
        if room.state[first] == OPEN and room.covered[first] > 0 and room.mark[first] != tally[STAMP]:
            room.mark[first] = tally[STAMP]
            room.counts[counts] = first
            counts += 1
        while done < counts:
            open_cell = room.counts[done]
            done += 1
            for k in range(around.shape[1]):
                cell = around[open_cell, k]
                if room.state[cell] != COVERED or room.mark[cell] == tally[STAMP]:
                    continue
                room.mark[cell] = tally[STAMP]
                room.order[cells] = cell
                cells += 1
                for j in range(around.shape[1]):
                    other = around[cell, j]
                    if room.state[other] == OPEN and room.mark[other] != tally[STAMP]:
                        room.mark[other] = tally[STAMP]
                        room.counts[counts] = other
                        counts += 1
    for cell in range(len(around)):
        if room.state[cell] == COVERED and room.mark[cell] != tally[STAMP]:
            room.order[cells] = cell
            cells += 1
    return cells, counts


@inlined
def _write_layout(room: Backtracking, cells: int, row: Bytes) -> None:
    for cell in range(cells):
        if room.column[cell] >= 0:
            row[room.column[cell]] = room.state[cell]


@inlined
def _list(room: Backtracking, around: Neighbours, mine: Bytes, max_work: int) -> int:
    """Lists the layouts of a board that has been read, and whose counts have been applied once."""
    tally, branches = room.tally, room.branches
    cells, counts = _put_in_order(room, around)
    found, branch, position = 0, 0, 0
    fits = True
    while tally[WORK] <= max_work:
        if fits and tally[CELLS] > 0 and (tally[MINES] == 0 or tally[MINES] == tally[CELLS]):
            fits = settle_rest(room, around, cells, FREE if tally[MINES] == 0 else MINED)
        if fits and tally[CELLS] == 0:
            if found == len(mine):
                return TOO_MANY
            _write_layout(room, len(around), mine[found])
            found += 1
            fits = False
        if fits and _total_can_be_met(room, around, counts):
            while room.state[room.order[position]] != COVERED:
                position += 1
            branches[branch, 0], branches[branch, 1] = tally[TOP], position
            branch += 1
            choice = FREE
        elif branch > 0:
            branch -= 1
            undo(room, around, branches[branch, 0])
            position = branches[branch, 1]
            choice = MINED
        else:
            return found
        top = tally[TOP]
        fits = settle(room, around, room.order[position], choice) and follow(room, around, top)
    return TOO_LONG


@subroutine
def list_layouts(
    shown: NDArray[np.int8],
    around: Neighbours,
    max_count: int,
    mines: int,
    max_work: int,
    mine: Bytes,
    room: Backtracking,
) -> int:
    """Lists the layouts that fit a board of n cells.

    Args:
        shown: (n,) int8, the codes of the board.
        around: (n, degree) uint32, the neighbours of each cell, n for those off the board.
        max_count: the largest count.
        mines: the number of mines on the board.
        max_work: after how many settled cells to give up.
        mine: (limit, covered cells) uint8, filled with 1 for a mine, a row a layout; the columns are the covered
            cells in reading order.
        room: of `make_backtracking`; `column` and `tally` say more afterwards.

    Returns:
        The number of layouts, or TOO_MANY if they are more than `limit`, or TOO_LONG.
    """
    if not read_board(room, shown, around, max_count, mines):
        return 0
    for cell in range(len(around)):
        if room.state[cell] == OPEN and not apply_count(room, around, cell):
            return 0
    if not follow(room, around, 0):
        return 0
    return _list(room, around, mine, max_work)


@subroutine
def count_neighbours(mine: Bytes, around: Neighbours, column: Ints, count: Bytes) -> None:
    """Fills in what each covered cell would show in each layout.

    Args:
        mine: (N, covered cells) uint8, of `list_layouts`.
        around: (n, degree) uint32, the neighbours of each cell.
        column: (n + 1,) int32, the column of each covered cell, or -1.
        count: (N, covered cells) uint8, filled with the number of mines around; on a mine as well.
    """
    count[:] = 0
    for cell in range(len(around)):
        if column[cell] < 0:
            continue
        for k in range(around.shape[1]):
            other = column[around[cell, k]]
            if other >= 0:
                for i in range(len(mine)):
                    count[i, other] += mine[i, column[cell]]
