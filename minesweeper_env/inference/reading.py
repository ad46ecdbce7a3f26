"""Reading of boards: the constraint of each clue, and the cells that single clues prove safe or mines.

Step 1 of docs/studies/inference.md. Each clue becomes a constraint: the number of mines in its unknown neighbours.
Flags and question marks say nothing. All kernels that reason about a board begin here.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.compiled import inlined, subroutine

UNKNOWN, SAFE, MINE, OPEN = range(4)
"""Values of `Clues.known`; OPEN includes cells off the board."""

NOWHERE = -1
"""Returned in place of a cell: no clue contradicts its neighbours, or the stack of clues is empty."""

Ints = NDArray[np.int32]
Neighbours = NDArray[np.uint32]


class Clues(NamedTuple):
    """The constraints of a board of n cells."""

    neighbours: Neighbours  # (n, degree) uint32, the neighbours of each cell; n stands for a cell off the board
    known: Ints  # (n + 1,) int32, UNKNOWN, SAFE, MINE or OPEN
    missing: Ints  # (n + 1,) int32, at an open cell the number of mines among its unknown neighbours
    unknown: Ints  # (n + 1,) int32, at an open cell the number of its unknown neighbours
    waiting: Ints  # (n + 1,) int32, a stack from entry 1 on, its height in entry 0: clues that decide their neighbours
    queued: Ints  # (n + 1,) int32, 1 for a clue on the stack


def make_clues(neighbours: Neighbours) -> Clues:
    """Returns uninitialised arrays for boards with these neighbours."""
    return Clues(neighbours, *(np.empty(len(neighbours) + 1, np.int32) for _ in range(5)))


@subroutine
def read_clues(board: NDArray[np.int8], max_count: int, clues: Clues) -> int:
    """Fills `clues` from a board, (n,) cell codes; returns an open cell that contradicts its neighbours, or NOWHERE.

    The code after that of a mine stands for a covered cell that is known to be safe.
    """
    cells = len(board)
    for cell in range(cells):
        code = board[cell]
        clues.known[cell] = OPEN if code <= max_count else UNKNOWN
        # The codes after the counts are flagged, question mark, hidden and mine: `codes.Codes`.
        if code > max_count + 3:
            clues.known[cell] = MINE if code == max_count + 4 else SAFE
        clues.queued[cell] = 0
    # Off the board is neither unknown nor a mine, so it adds nothing to any clue.
    clues.known[cells] = OPEN
    clues.waiting[0] = 0
    for cell in range(cells):
        if clues.known[cell] == OPEN:
            show_clue(clues, cell, board[cell])
            if not can_be_met(clues, cell):
                return cell
    return NOWHERE


@inlined
def show_clue(clues: Clues, cell: int, clue: int) -> None:
    """Computes `missing` and `unknown` of an open cell, and pushes its clue if that decides its neighbours."""
    missing, unknown = int(clue), 0
    for j in range(clues.neighbours.shape[1]):
        known = clues.known[clues.neighbours[cell, j]]
        missing -= known == MINE
        unknown += known == UNKNOWN
    clues.missing[cell], clues.unknown[cell] = missing, unknown
    _push_if_decisive(clues, cell)


@inlined
def can_be_met(clues: Clues, cell: int) -> bool:
    """Returns whether the unknown neighbours of an open cell can hold its missing mines."""
    return bool(0 <= clues.missing[cell] <= clues.unknown[cell])


@inlined
def _push_if_decisive(clues: Clues, cell: int) -> None:
    """Pushes the clue of a cell on the stack, once, if all its unknown neighbours are safe or all are mines."""
    missing, unknown = clues.missing[cell], clues.unknown[cell]
    if unknown > 0 and (missing == 0 or missing == unknown) and clues.queued[cell] == 0:
        clues.queued[cell] = 1
        clues.waiting[0] += 1
        clues.waiting[clues.waiting[0]] = cell


@inlined
def next_clue(clues: Clues) -> int:
    """Pops a clue that decides its unknown neighbours, and returns its cell; NOWHERE if the stack is empty."""
    while clues.waiting[0] > 0:
        cell = int(np.int64(clues.waiting[clues.waiting[0]]))
        clues.waiting[0] -= 1
        clues.queued[cell] = 0
        # Other clues may have decided all neighbours since this clue was pushed.
        if clues.unknown[cell] > 0:
            return cell
    return NOWHERE


@subroutine
def settle(clues: Clues, cell: int, mine: int) -> int:
    """Marks an unknown cell as a mine (1) or safe (0); returns the cell of a clue that this contradicts, or NOWHERE."""
    cells, degree = clues.neighbours.shape
    clues.known[cell] = SAFE + mine
    for j in range(degree):
        neighbour = int(np.int64(clues.neighbours[cell, j]))
        if neighbour < cells and clues.known[neighbour] == OPEN:
            clues.missing[neighbour] -= mine
            clues.unknown[neighbour] -= 1
            if not can_be_met(clues, neighbour):
                return neighbour
            _push_if_decisive(clues, neighbour)
    return NOWHERE


@inlined
def follow_clues(clues: Clues) -> int:
    """Applies single clues until nothing new follows; returns the cell of a contradicted clue, or NOWHERE."""
    while True:
        clue = next_clue(clues)
        if clue == NOWHERE:
            return NOWHERE
        mine = int(clues.missing[clue] > 0)
        for j in range(clues.neighbours.shape[1]):
            cell = int(np.int64(clues.neighbours[clue, j]))
            if clues.known[cell] == UNKNOWN:
                fault = settle(clues, cell, mine)
                if fault != NOWHERE:
                    return fault
