"""Internal: backtracking over the cells of a board: assign a cell, propagate the clues, undo."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.compiled import inlined
from minesweeper_env.inference.reading import MINE, NOWHERE, OPEN, SAFE, UNKNOWN, Clues, Ints, Neighbours, read_clues

MINES, CELLS, TOP, WORK, STAMP, DEEPEST, FAULT = range(7)
"""Entries of `Backtracking.counters`:

    MINES    mines in the cells that are not assigned
    CELLS    number of cells that are not assigned
    TOP      number of assigned cells, the height of the trail
    WORK     number of assignments so far, with repetitions
    STAMP    last mark in `Backtracking.mark`
    DEEPEST  largest TOP at which a clue was violated
    FAULT    that clue, or -1"""


class Backtracking(NamedTuple):
    """The arrays of an enumeration on a board of n cells; all are int32.

    Attributes:
        state, missing, covered: (n + 1,) each, `known`, `missing` and `unknown` of `Clues`; an assigned cell is SAFE or
            MINE, and so is entry n, off the board.
        clues: (n,) the open cells with covered neighbours, in breadth-first order.
        order: (n,) the covered cells in breadth-first order.
        trail: (n + 1,) the assigned cells, in the order of assignment.
        branches: (n, 2) for each choice, the height of the trail and the position in `order`.
        mark: (n + 1,) the STAMP at which a cell was last marked.
        column: (n + 1,) the column of each covered cell in the list of layouts, or -1.
        counters: (7,) see the table of entries.
    """

    state: Ints
    missing: Ints
    covered: Ints
    clues: Ints
    order: Ints
    trail: Ints
    branches: Ints
    mark: Ints
    column: Ints
    counters: Ints


def make_backtracking(cells: int) -> Backtracking:
    """Returns uninitialised arrays for boards of this many cells."""
    shapes = (cells + 1, cells + 1, cells + 1, cells, cells, cells + 1, (cells, 2), cells + 1, cells + 1, 7)
    return Backtracking(*(np.empty(shape, np.int32) for shape in shapes))


@inlined
def read_board(
    workspace: Backtracking, shown: NDArray[np.int8], neighbours: Neighbours, max_count: int, mines: int
) -> bool:
    """Initialises the arrays from a board; returns whether each clue by itself, and the total, can be met."""
    cells = len(neighbours)
    counters = workspace.counters
    counters[:] = 0
    counters[MINES] = mines
    # Entries of covered cells mean nothing: all kernels update them, which saves a branch, but compare only those of
    # open cells.
    workspace.missing[:] = 0
    workspace.covered[:] = 0
    clues = Clues(neighbours, workspace.state, workspace.missing, workspace.covered, workspace.trail, workspace.mark)
    counters[FAULT] = read_clues(shown, max_count, clues)
    workspace.state[cells] = SAFE
    workspace.mark[:] = 0
    workspace.column[:] = -1
    columns = 0
    for cell in range(cells):
        counters[CELLS] += workspace.state[cell] == UNKNOWN
        counters[MINES] -= workspace.state[cell] == MINE
        if workspace.state[cell] != OPEN:
            workspace.column[cell] = columns
            columns += 1
    return counters[FAULT] == NOWHERE and bool(0 <= counters[MINES] <= counters[CELLS])


@inlined
def assign(workspace: Backtracking, neighbours: Neighbours, cell: int, mine: int) -> bool:
    """Assigns a covered cell; returns whether the clues next to it and the total can still be met."""
    counters = workspace.counters
    workspace.state[cell] = SAFE + mine
    workspace.trail[counters[TOP]] = cell
    counters[TOP] += 1
    counters[WORK] += 1
    counters[CELLS] -= 1
    counters[MINES] -= mine
    fits = 0 <= counters[MINES] <= counters[CELLS]
    for k in range(neighbours.shape[1]):
        # A violation does not end the loop, because `undo` reverts the counts of every neighbour.
        other = neighbours[cell, k]
        workspace.missing[other] -= mine
        workspace.covered[other] -= 1
        if workspace.state[other] == OPEN and not 0 <= workspace.missing[other] <= workspace.covered[other]:
            fits = False
            _blame(counters, other)
    return fits


@inlined
def _blame(counters: Ints, open_cell: int) -> None:
    """Records the violated clue with the most cells assigned: the one to name if no layout fits."""
    if counters[TOP] > counters[DEEPEST]:
        counters[DEEPEST] = counters[TOP]
        counters[FAULT] = open_cell


@inlined
def undo(workspace: Backtracking, neighbours: Neighbours, top: int) -> None:
    """Undoes all assignments but the first `top`."""
    counters = workspace.counters
    while counters[TOP] > top:
        counters[TOP] -= 1
        cell = workspace.trail[counters[TOP]]
        mine = workspace.state[cell] - SAFE
        counters[CELLS] += 1
        counters[MINES] += mine
        for k in range(neighbours.shape[1]):
            workspace.missing[neighbours[cell, k]] += mine
            workspace.covered[neighbours[cell, k]] += 1
        workspace.state[cell] = UNKNOWN


@inlined
def apply_clue(workspace: Backtracking, neighbours: Neighbours, open_cell: int) -> bool:
    """Assigns the covered neighbours of an open cell if its clue makes them all free or all mines.

    Returns:
        False if that violates a clue.
    """
    missing, covered = workspace.missing[open_cell], workspace.covered[open_cell]
    if covered == 0 or 0 < missing < covered:
        return True
    mine = int(missing > 0)
    for k in range(neighbours.shape[1]):
        cell = neighbours[open_cell, k]
        if workspace.state[cell] == UNKNOWN and not assign(workspace, neighbours, cell, mine):
            return False
    return True


@inlined
def propagate(workspace: Backtracking, neighbours: Neighbours, assigned: int) -> bool:
    """Applies the clues next to the cells of the trail from position `assigned` on; returns False on a violation."""
    # The trail is also the queue: `apply_clue` appends the cells that it assigns.
    while assigned < workspace.counters[TOP]:
        cell = workspace.trail[assigned]
        assigned += 1
        for k in range(neighbours.shape[1]):
            other = neighbours[cell, k]
            if workspace.state[other] == OPEN and not apply_clue(workspace, neighbours, other):
                return False
    return True


@inlined
def assign_rest(workspace: Backtracking, neighbours: Neighbours, cells: int, mine: int) -> bool:
    """Assigns all cells that are left in the first `cells` of the order; returns False on a violation."""
    for i in range(cells):
        cell = workspace.order[i]
        if workspace.state[cell] == UNKNOWN and not assign(workspace, neighbours, cell, mine):
            return False
    return True
