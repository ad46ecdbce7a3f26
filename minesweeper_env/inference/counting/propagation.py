"""Propagation of single clues until nothing new follows.

Step 1 of docs/studies/inference.md.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.compiled import inlined, subroutine
from minesweeper_env.inference.counting.frontier import MINE, OPEN, SAFE, UNKNOWN, Ints

NOWHERE = -1
"""Fault of a board on which no open cell contradicts its neighbours."""


@subroutine
def propagate_clues(
    board: NDArray[np.int8],
    neighbours: NDArray[np.uint32],
    max_count: int,
    known: Ints,
    missing: Ints,
    unknown: Ints,
    stack: Ints,
) -> int:
    """Reads a board and applies single clues until nothing new follows.

    Args:
        board: (n,) int8, cell codes; `max_count` + 4 is a shown mine.
        neighbours: (n, degree) uint32, the neighbours of each cell, n for cells off the board.
        max_count: the largest clue.
        known: filled, as are `missing` and `unknown`; see `Frontier`.
        missing: filled.
        unknown: filled.
        stack: (2 * n + 2,) scratch.

    Returns:
        An open cell that contradicts its neighbours, or NOWHERE.
    """
    cells = len(board)
    # A cell is on the stack at most once, so the first half has room for all of them.
    queued = stack[cells + 1 :]
    for cell in range(cells):
        code = board[cell]
        known[cell] = OPEN if code <= max_count else UNKNOWN
        if code == max_count + 4:
            known[cell] = MINE
        queued[cell] = 0
    # Off the board is neither unknown nor a mine, so it adds nothing to any clue.
    known[cells] = OPEN
    waiting = 0
    for cell in range(cells):
        if known[cell] == OPEN:
            lacking, covered = _count_neighbours(known, neighbours, cell, board[cell])
            missing[cell], unknown[cell] = lacking, covered
            if lacking < 0 or lacking > covered:
                return cell
            waiting = _push_decisive(cell, lacking, covered, waiting, stack, queued)
    while waiting > 0:
        waiting -= 1
        cell = stack[waiting]
        queued[cell] = 0
        # Other clues may have decided all neighbours since this cell was pushed.
        if unknown[cell] > 0:
            fault, waiting = _propagate_around(cell, neighbours, known, missing, unknown, waiting, stack, queued)
            if fault != NOWHERE:
                return fault
    return NOWHERE


@inlined
def _count_neighbours(known: Ints, neighbours: NDArray[np.uint32], cell: int, clue: int) -> tuple[int, int]:
    """Returns the mines that an open cell still lacks, and the number of its unknown neighbours."""
    lacking, covered = int(clue), 0
    for j in range(neighbours.shape[1]):
        state = known[neighbours[cell, j]]
        lacking -= state == MINE
        covered += state == UNKNOWN
    return lacking, covered


@inlined
def _push_decisive(cell: int, lacking: int, covered: int, waiting: int, stack: Ints, queued: Ints) -> int:
    """Pushes an open cell whose clue decides its neighbours; returns the height of the stack."""
    if covered > 0 and (lacking == 0 or lacking == covered) and queued[cell] == 0:
        stack[waiting] = cell
        queued[cell] = 1
        waiting += 1
    return waiting


@inlined
def _propagate_around(
    cell: int,
    neighbours: NDArray[np.uint32],
    known: Ints,
    missing: Ints,
    unknown: Ints,
    waiting: int,
    stack: Ints,
    queued: Ints,
) -> tuple[int, int]:
    """Marks the unknown neighbours of an open cell, all mines or all free; returns a fault and the stack's height."""
    cells, degree = neighbours.shape
    # A pushed clue lacks no mine, or one for each unknown neighbour. SAFE + 1 is MINE.
    mine = np.int32(missing[cell] > 0)
    for j in range(degree):
        decided = neighbours[cell, j]
        if known[decided] != UNKNOWN:
            continue
        known[decided] = SAFE + mine
        for i in range(degree):
            other = int(neighbours[decided, i])
            if other < cells and known[other] == OPEN:
                missing[other] -= mine
                unknown[other] -= 1
                lacking, covered = missing[other], unknown[other]
                if lacking < 0 or lacking > covered:
                    return other, waiting
                waiting = _push_decisive(other, lacking, covered, waiting, stack, queued)
    return NOWHERE, waiting
