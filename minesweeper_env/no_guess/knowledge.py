"""Kernels that keep a player's knowledge: opening cells, marking mines, and the rule for single clues.

`open_cell` is the only function that reads a layout, and it reads a cell when it opens it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.compiled import inlined, subroutine
from minesweeper_env.engine.state import Int
from minesweeper_env.no_guess.arrays import (
    COUNT_RULE,
    MINE,
    MINES_LEFT,
    OPEN,
    SAFE,
    UNKNOWN,
    UNKNOWN_LEFT,
    WAITING,
    Log,
    Logic,
    end_step,
    log_cell,
    log_clue,
)


@inlined
def cover(logic: Logic, mines: Int) -> None:
    """Covers the board, and forgets everything."""
    cells, degree = logic.neighbours.shape
    for cell in range(cells):
        logic.board[cell] = degree + 3
        logic.state[cell] = UNKNOWN
        logic.queued[cell] = 0
    logic.state[cells] = OPEN
    # A cell off the board counts as open, and 1 in its entry keeps its clue from ever waiting.
    logic.queued[cells] = 1
    logic.counts[WAITING] = 0
    logic.counts[UNKNOWN_LEFT] = cells
    logic.counts[MINES_LEFT] = mines


@inlined
def _note_change(logic: Logic, clue: Int, mines: Int) -> None:
    """Takes an unknown neighbour with `mines` mines away from a clue, which waits if it decides its neighbours now."""
    logic.unknown[clue] -= 1
    logic.missing[clue] -= mines
    _wait(logic, clue)


@inlined
def _wait(logic: Logic, clue: Int) -> None:
    lacks, unknown = logic.missing[clue], logic.unknown[clue]
    if unknown > 0 and (lacks == 0 or lacks == unknown) and logic.queued[clue] == 0:
        logic.queued[clue] = 1
        logic.waiting[logic.counts[WAITING]] = clue
        logic.counts[WAITING] += 1


@inlined
def _reveal(logic: Logic, cell: Int, clue: Int) -> None:
    """Opens one cell, which shows a clue."""
    logic.board[cell] = clue
    logic.state[cell] = OPEN
    logic.counts[UNKNOWN_LEFT] -= 1
    lacks, unknown = clue, 0
    for k in range(logic.neighbours.shape[1]):
        other = np.int64(logic.neighbours[cell, k])
        state = logic.state[other]
        if state == OPEN:
            _note_change(logic, other, 0)
        elif state == MINE:
            lacks -= 1
        else:
            unknown += 1
    logic.missing[cell] = lacks
    logic.unknown[cell] = unknown
    _wait(logic, cell)


@subroutine
def open_cell(truth: NDArray[np.uint8], logic: Logic, cell: Int) -> None:
    """Opens a safe cell, and floods over zeros.

    Args:
        truth: (n + 1,) uint8, the clue of each safe cell.
        logic: the knowledge.
        cell: a covered cell without a mine, or an open one, which stays as it is.
    """
    if logic.state[cell] == OPEN:
        return
    logic.flood[0] = cell
    _reveal(logic, cell, np.int64(truth[cell]))
    top = 1 if truth[cell] == 0 else 0
    while top > 0:
        top -= 1
        zero = logic.flood[top]
        for k in range(logic.neighbours.shape[1]):
            other = np.int64(logic.neighbours[zero, k])
            if logic.state[other] <= SAFE:
                _reveal(logic, other, np.int64(truth[other]))
                if truth[other] == 0:
                    logic.flood[top] = other
                    top += 1


@subroutine
def mark_mine(logic: Logic, cell: Int) -> None:
    """Marks an unknown cell as a mine."""
    logic.state[cell] = MINE
    logic.counts[UNKNOWN_LEFT] -= 1
    logic.counts[MINES_LEFT] -= 1
    for k in range(logic.neighbours.shape[1]):
        other = np.int64(logic.neighbours[cell, k])
        if logic.state[other] == OPEN:
            _note_change(logic, other, 1)


@inlined
def follow_clues(logic: Logic, log: Log) -> int:
    """Applies clues that decide their neighbours, up to one with safe cells; returns their number, see `found`."""
    while logic.counts[WAITING] > 0:
        logic.counts[WAITING] -= 1
        clue = np.int64(logic.waiting[logic.counts[WAITING]])
        logic.queued[clue] = 0
        # Other clues may have decided all neighbours since this clue was pushed.
        if logic.unknown[clue] == 0:
            continue
        is_mine = logic.missing[clue] > 0
        found = 0
        for k in range(logic.neighbours.shape[1]):
            cell = np.int64(logic.neighbours[clue, k])
            if logic.state[cell] == UNKNOWN:
                logic.found[found] = cell
                found += 1
                log_cell(log, cell, is_mine)
        log_clue(log, clue)
        end_step(log, COUNT_RULE, False)
        if not is_mine:
            return found
        for i in range(found):
            mark_mine(logic, np.int64(logic.found[i]))
    return 0


@inlined
def follow_total(logic: Logic, log: Log) -> int:
    """Returns the number of safe cells, listed in `found`, where all mines are known: all unknown cells; else 0."""
    if logic.counts[MINES_LEFT] > 0:
        return 0
    found = 0
    for cell in range(len(logic.neighbours)):
        if logic.state[cell] == UNKNOWN:
            logic.found[found] = cell
            found += 1
            log_cell(log, cell, False)
    end_step(log, COUNT_RULE, True)
    return found
