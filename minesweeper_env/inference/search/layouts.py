"""Internal: enumeration of the layouts that fit a visible board, if they are few enough.

`minesweeper_env.inference.kernels` exports `consistent_layouts`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from minesweeper_env.cell_sets import neighbour_table
from minesweeper_env.codes import Codes
from minesweeper_env.compiled import inlined, kernel, subroutine
from minesweeper_env.config import whole_number
from minesweeper_env.inference.boards import InconsistentBoardError, PositionTooHardError, check_boards, check_radius
from minesweeper_env.inference.reading import OPEN, SAFE, UNKNOWN, Ints, Neighbours
from minesweeper_env.inference.search.backtracking import (
    CELLS,
    FAULT,
    MINES,
    STAMP,
    TOP,
    WORK,
    Backtracking,
    apply_clue,
    assign,
    assign_rest,
    make_backtracking,
    propagate,
    read_board,
    undo,
)

Bytes = NDArray[np.uint8]

TOO_MANY, TOO_LONG = -1, -2
"""Outcomes of `list_layouts` in place of a number of layouts."""


@inlined
def _total_can_be_met(workspace: Backtracking, neighbours: Neighbours, clues: int) -> bool:
    """Returns whether a packing of clues without common cells leaves the total within its bounds.

    Without this test an enumeration can get lost in assignments of the frontier that all take too many mines.
    """
    counters = workspace.counters
    # A new stamp clears all marks at once.
    counters[STAMP] += 1
    least, beside = 0, 0
    # Disjoint clues take exactly their missing mines; the other cells take none to all. Any packing gives valid bounds,
    # and a greedy one is cheap.
    for i in range(clues):
        open_cell = workspace.clues[i]
        apart = workspace.covered[open_cell] > 0
        for k in range(neighbours.shape[1]):
            cell = neighbours[open_cell, k]
            apart &= workspace.state[cell] != UNKNOWN or workspace.mark[cell] != counters[STAMP]
        if apart:
            least += workspace.missing[open_cell]
            beside += workspace.covered[open_cell]
            for k in range(neighbours.shape[1]):
                workspace.mark[neighbours[open_cell, k]] = counters[STAMP]
    return least <= counters[MINES] <= least + counters[CELLS] - beside


@inlined
def _order_cells(workspace: Backtracking, neighbours: Neighbours) -> tuple[int, int]:
    """Lists the covered cells and their clues in breadth-first order; returns the numbers of both."""
    counters = workspace.counters
    counters[STAMP] += 1
    cells, clues, done = 0, 0, 0
    for first in range(len(neighbours)):
        if workspace.state[first] == OPEN and workspace.covered[first] > 0 and workspace.mark[first] != counters[STAMP]:
            workspace.mark[first] = counters[STAMP]
            workspace.clues[clues] = first
            clues += 1
        # Breadth-first order keeps cells of one clue close together, so that a violation shows soon after its cause.
        while done < clues:
            open_cell = workspace.clues[done]
            done += 1
            for k in range(neighbours.shape[1]):
                cell = neighbours[open_cell, k]
                if workspace.state[cell] != UNKNOWN or workspace.mark[cell] == counters[STAMP]:
                    continue
                workspace.mark[cell] = counters[STAMP]
                workspace.order[cells] = cell
                cells += 1
                for j in range(neighbours.shape[1]):
                    other = neighbours[cell, j]
                    if workspace.state[other] == OPEN and workspace.mark[other] != counters[STAMP]:
                        workspace.mark[other] = counters[STAMP]
                        workspace.clues[clues] = other
                        clues += 1
    # Cells under no clue come last: only the total limits them.
    for cell in range(len(neighbours)):
        if workspace.state[cell] == UNKNOWN and workspace.mark[cell] != counters[STAMP]:
            workspace.order[cells] = cell
            cells += 1
    return cells, clues


@inlined
def _write_layout(workspace: Backtracking, cells: int, row: Bytes) -> None:
    """Writes the assigned layout into a row."""
    for cell in range(cells):
        if workspace.column[cell] >= 0:
            row[workspace.column[cell]] = workspace.state[cell] - SAFE


@inlined
def _list(workspace: Backtracking, neighbours: Neighbours, mine: Bytes, max_work: int) -> int:
    """Lists the layouts of a board after `read_board` and a first propagation of its clues."""
    counters, branches = workspace.counters, workspace.branches
    cells, clues = _order_cells(workspace, neighbours)
    found, branch, position = 0, 0, 0
    fits = True
    while counters[WORK] <= max_work:
        if fits and counters[CELLS] > 0 and (counters[MINES] == 0 or counters[MINES] == counters[CELLS]):
            fits = assign_rest(workspace, neighbours, cells, int(counters[MINES] > 0))
        if fits and counters[CELLS] == 0:
            if found == len(mine):
                return TOO_MANY
            _write_layout(workspace, len(neighbours), mine[found])
            counters[WORK] += len(neighbours) // 16 + mine.shape[1] // 4
            found += 1
            # A layout is a leaf, so the loop backtracks as after a violation.
            fits = False
        # To look at a clue, or at cells of a layout, takes a part of the time of an assignment.
        counters[WORK] += clues // 4
        if fits and _total_can_be_met(workspace, neighbours, clues):
            # A covered cell is left, and all cells before `position` are assigned.
            while workspace.state[workspace.order[position]] != UNKNOWN:
                position += 1
            branches[branch, 0], branches[branch, 1] = counters[TOP], position
            branch += 1
            choice = 0
        elif branch > 0:
            # The second choice leaves no branch, so when it fails, the choice before it is next.
            branch -= 1
            undo(workspace, neighbours, branches[branch, 0])
            position = branches[branch, 1]
            choice = 1
        else:
            return found
        top = counters[TOP]
        fits = assign(workspace, neighbours, workspace.order[position], choice) and propagate(
            workspace, neighbours, top
        )
    return TOO_LONG


@subroutine
def list_layouts(
    shown: NDArray[np.int8],
    neighbours: Neighbours,
    max_count: int,
    mines: int,
    max_work: int,
    mine: Bytes,
    workspace: Backtracking,
) -> int:
    """Lists the layouts that fit a board of n cells.

    Args:
        shown: (n,) int8, the cell codes of the board.
        neighbours: (n, degree) uint32, the neighbours of each cell; n stands for cells off the board.
        max_count: the largest count.
        mines: the number of mines on the board.
        max_work: the number of assignments, or of steps that take as long, before the enumeration gives up.
        mine: (limit, covered cells) uint8, output: a layout a row, 1 for a mine; the columns are the covered cells in
            reading order.
        workspace: from `make_backtracking`; afterwards `column` and `counters` hold the columns and the fault.

    Returns:
        The number of layouts; TOO_MANY if there are more than `limit`; TOO_LONG if it takes more than `max_work`.
    """
    if not read_board(workspace, shown, neighbours, max_count, mines):
        return 0
    for cell in range(len(neighbours)):
        if workspace.state[cell] == OPEN and not apply_clue(workspace, neighbours, cell):
            return 0
    if not propagate(workspace, neighbours, 0):
        return 0
    return _list(workspace, neighbours, mine, max_work)


@subroutine
def count_neighbours(mine: Bytes, neighbours: Neighbours, column: Ints, count: Bytes) -> None:
    """Computes the count of each covered cell in each layout.

    Args:
        mine: (N, covered cells) uint8, from `list_layouts`.
        neighbours: (n, degree) uint32, the neighbours of each cell.
        column: (n + 1,) int32, the column of each covered cell, or -1.
        count: (N, covered cells) uint8, output: the number of mines in the neighbours, also for a mine.
    """
    count[:] = 0
    for cell in range(len(neighbours)):
        if column[cell] < 0:
            continue
        for k in range(neighbours.shape[1]):
            # Shown mines have columns too, so no mine is left out.
            other = column[neighbours[cell, k]]
            if other >= 0:
                for i in range(len(mine)):
                    count[i, other] += mine[i, column[cell]]


MAX_WORK = 20_000_000
"""Upper bound on cell assignments during an enumeration, or on steps that take as long (about 1 s)."""

MAX_ENTRIES = 1 << 26
"""Upper bound on layouts times covered cells, and so on the memory of a list: 128 MB with its counts."""

_FIRST_ROWS, _GROWTH = 1024, 8
"""Layouts that a list has room for at first, and the factor by which it grows."""


@kernel
def list_layouts_of_board(
    shown: NDArray[np.int8],
    neighbours: Neighbours,
    max_count: int,
    mines: int,
    max_work: int,
    mine: Bytes,
    count: Bytes,
    *workspace: Ints,
) -> int:
    """Lists layouts as `list_layouts` does, and writes their counts into `count`, (limit, covered cells) uint8."""
    backtracking = Backtracking(*workspace)
    found = list_layouts(shown, neighbours, max_count, mines, max_work, mine, backtracking)
    if found > 0:
        count_neighbours(mine[:found], neighbours, backtracking.column, count[:found])
    return found


class Layouts(NamedTuple):
    """The N layouts that fit a visible board with k covered cells.

    Attributes:
        cells: (k,) int64, the covered cells in reading order, numbered row * cols + col.
        mines: (N, k) uint8, 1 for a mine.
        counts: (N, k) uint8, the number of mines in the neighbours of each cell: its count where it is free.
    """

    cells: NDArray[np.int64]
    mines: Bytes
    counts: Bytes


_neighbours = lru_cache(maxsize=16)(neighbour_table)


def consistent_layouts(board: ArrayLike, mines: int, limit: int, *, radius: int = 1) -> Layouts:
    """Lists the layouts that fit a visible board.

    Args:
        board: (rows, cols) integers, cell codes; flags and question marks are no evidence.
        mines: the number of mines on the board.
        limit: the largest number of layouts to list, at least 1.
        radius: neighbourhood radius, 1 to 5.

    Raises:
        ValueError: the board, the number of mines or the limit is not allowed; the message names the allowed values.
        InconsistentBoardError: no layout fits.
        PositionTooHardError: more than `limit` layouts fit, or finding them takes more than `MAX_WORK` assignments, or
            they have more than `MAX_ENTRIES` cells.
    """
    radius = check_radius(radius)
    limit = whole_number("limit", limit, 1)
    array = check_boards(board, 2, mines, radius)
    most = Codes.of_radius(radius).max_count
    cells = np.flatnonzero(array > most)
    allowed = min(limit, max(1, MAX_ENTRIES // max(1, len(cells))))
    workspace = make_backtracking(array.size)
    neighbours = _neighbours(*array.shape, radius)
    # Most boards have few layouts, so the list grows.
    rows, found = 0, TOO_MANY
    while found == TOO_MANY and rows < allowed:
        rows = min(allowed, max(_FIRST_ROWS, _GROWTH * rows))
        mine, count = np.empty((2, rows, len(cells)), np.uint8)
        found = list_layouts_of_board(array.ravel(), neighbours, most, int(mines), MAX_WORK, mine, count, *workspace)
    if found == 0:
        _raise_inconsistent(workspace.counters[FAULT], array, most)
    if found == TOO_MANY and allowed < limit:
        raise PositionTooHardError(f"more than {allowed} layouts with {len(cells)} covered cells fit this board")
    if found == TOO_MANY:
        raise PositionTooHardError(f"more than {limit} layouts fit this board")
    if found == TOO_LONG:
        raise PositionTooHardError(f"listing the layouts of this board takes more than {MAX_WORK} steps")
    return Layouts(cells, mine[:found].copy(), count[:found].copy())


def _raise_inconsistent(fault: int, board: NDArray[np.int8], most: int) -> None:
    row, col = (int(part) for part in np.unravel_index(max(fault, 0), board.shape))
    if fault >= 0:
        raise InconsistentBoardError(f"the count {board[row, col]} cannot be met together with the others", (row, col))
    covered = np.argwhere(board > most)
    cell = tuple(covered[0].tolist()) if len(covered) else (row, col)
    raise InconsistentBoardError("the number of mines does not fit", cell)
