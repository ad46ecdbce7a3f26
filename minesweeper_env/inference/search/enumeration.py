"""Internal: kernel that enumerates the layouts that fit a visible board.

It assigns the covered cells one by one, neighbours in succession, propagates each clue and the number of mines, and
backtracks.
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
    apply_clue,
    assign,
    assign_rest,
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
            apart &= workspace.state[cell] != COVERED or workspace.mark[cell] != counters[STAMP]
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
                if workspace.state[cell] != COVERED or workspace.mark[cell] == counters[STAMP]:
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
        if workspace.state[cell] == COVERED and workspace.mark[cell] != counters[STAMP]:
            workspace.order[cells] = cell
            cells += 1
    return cells, clues


@inlined
def _write_layout(workspace: Backtracking, cells: int, row: Bytes) -> None:
    """Writes the assigned layout into a row."""
    for cell in range(cells):
        if workspace.column[cell] >= 0:
            row[workspace.column[cell]] = workspace.state[cell]


@inlined
def _list(workspace: Backtracking, neighbours: Neighbours, mine: Bytes, max_work: int) -> int:
    """Lists the layouts of a board after `read_board` and a first propagation of its clues."""
    counters, branches = workspace.counters, workspace.branches
    cells, clues = _order_cells(workspace, neighbours)
    found, branch, position = 0, 0, 0
    fits = True
    while counters[WORK] <= max_work:
        if fits and counters[CELLS] > 0 and (counters[MINES] == 0 or counters[MINES] == counters[CELLS]):
            fits = assign_rest(workspace, neighbours, cells, FREE if counters[MINES] == 0 else MINED)
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
            while workspace.state[workspace.order[position]] != COVERED:
                position += 1
            branches[branch, 0], branches[branch, 1] = counters[TOP], position
            branch += 1
            choice = FREE
        elif branch > 0:
            # The second choice leaves no branch, so when it fails, the choice before it is next.
            branch -= 1
            undo(workspace, neighbours, branches[branch, 0])
            position = branches[branch, 1]
            choice = MINED
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
