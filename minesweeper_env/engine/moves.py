"""Moves: which of them are legal, and how each one changes a board."""

from __future__ import annotations

import numpy as np

from minesweeper_env.codes import Move
from minesweeper_env.compiled import inlined
from minesweeper_env.engine.placement import place_mines
from minesweeper_env.engine.state import (
    FRESH,
    LOST,
    MINE_BIT,
    PLAYING,
    REMAINING,
    STATUS,
    Boards,
    CodeArray,
    Int,
    Rules,
)

# NumPy integers, because numba would compile a function once more for each plain constant passed to it.
CLICK, FLAG, UNFLAG, QUESTION, CHORD = (np.int64(move) for move in Move)


@inlined
def _open(rules: Rules, boards: Boards, i: Int, cell: Int) -> int:
    """Opens a covered cell without a flag, flooding over zeros; returns the number of cells opened, 0 for a mine."""
    shown, truth, stack = boards.shown, boards.truth, boards.stack
    most = rules.neighbours.shape[1]
    if truth[i, cell] & MINE_BIT:
        boards.progress[i, STATUS] = LOST
        return 0
    shown[i, cell] = truth[i, cell]
    opened = 1
    # The stack never overflows: a zero enters it at the moment that it is opened, which happens once.
    stack[0] = cell
    top = 0
    if truth[i, cell] == 0:
        top = 1
    while top > 0:
        top -= 1
        zero = stack[top]
        for k in range(most):
            neighbour = rules.neighbours[zero, k]
            if shown[i, neighbour] >= most + 2:
                # No mine check: a neighbour of a zero is safe.
                shown[i, neighbour] = truth[i, neighbour]
                opened += 1
                if truth[i, neighbour] == 0:
                    stack[top] = neighbour
                    top += 1
    boards.progress[i, REMAINING] -= opened
    return opened


@inlined
def _can_chord(rules: Rules, shown: CodeArray, i: Int, cell: Int) -> bool:
    most = rules.neighbours.shape[1]
    flags = 0
    closed = False
    for k in range(most):
        code = shown[i, rules.neighbours[cell, k]]
        flags += code == most + 1
        closed |= code >= most + 2
    return closed and flags == shown[i, cell]


@inlined
def is_legal(rules: Rules, shown: CodeArray, i: Int, move: Int, cell: Int) -> bool:
    """Returns whether a move would change anything on a board whose game is neither won nor lost."""
    most = rules.neighbours.shape[1]
    code = shown[i, cell]
    if move == CLICK:
        return code >= np.int8(most + 2)
    if move == FLAG:
        return code > most
    if move == UNFLAG:
        return code == most + 1 or code == most + 2
    if move == QUESTION:
        return code == most + 1 or code == most + 3
    return code <= most and _can_chord(rules, shown, i, cell)


@inlined
def make_move(rules: Rules, boards: Boards, i: Int, move: Int, cell: Int) -> int:
    """Makes a legal move; returns the number of cells that it opened."""
    most = rules.neighbours.shape[1]
    opened = 0
    if move == CLICK and boards.progress[i, STATUS] == FRESH:
        place_mines(rules, boards, i, cell)
        boards.progress[i, STATUS] = PLAYING
    if move == QUESTION:
        boards.shown[i, cell] = most + 2
    elif move == FLAG and boards.shown[i, cell] != most + 1:
        boards.shown[i, cell] = most + 1
    elif move != CLICK and move != CHORD:
        boards.shown[i, cell] = most + 3
    else:
        # One call of `_open` for both moves: the compiler inlines, and optimises, each call on its own.
        for k in range(1 if move == CLICK else most):
            target = cell if move == CLICK else np.int64(rules.neighbours[cell, k])
            if boards.shown[i, target] >= most + 2:
                opened += _open(rules, boards, i, target)
    return opened


@inlined
def read_action(rules: Rules, action: Int) -> tuple[Int, Int]:
    """Returns the move and the cell of an action."""
    # 32-bit division is several times faster than 64-bit.
    cells = np.uint32(rules.neighbours.shape[0])
    block = np.uint32(action) // cells
    return rules.moves[block], np.int64(np.uint32(action) - block * cells)
