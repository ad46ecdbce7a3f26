"""Kernels for packings: disjoint sentences that account for all mines left on the board, or for all free cells.

Then the other unknown cells are all free, or all mines. The search is depth-first over the cells in reading order. It
may leave over only cells that the oracle calls certain, which decides most choices. The reason of the step is the
packing alone.
"""

from __future__ import annotations

import numpy as np

from minesweeper_env.compiled import inlined, subroutine
from minesweeper_env.engine.state import Int
from minesweeper_env.inference.kernels import OK, Workspace, certainty
from minesweeper_env.no_guess.arrays import (
    MINES_LEFT,
    OPEN,
    SAFE,
    SUBSET_RULE,
    UNKNOWN,
    UNKNOWN_LEFT,
    Closure,
    Log,
    Logic,
    Packing,
)
from minesweeper_env.no_guess.knowledge import mark_mine
from minesweeper_env.no_guess.proof_log import end_step, log_cell
from minesweeper_env.no_guess.sentences import SENTENCES, forget_reason, length, log_reason

MAX_NODES = 100_000
"""The largest number of choices that a search tries."""

PROGRESS = -1
"""Result of a rule that has found mines and no safe cell."""

MINES, FREE_CELLS = range(2)
"""Kinds of packings, by the cells that they account for."""

OUT, TAKEN = -1, -2
"""Values of `Packing.choice` for a cell that is left over, and for a cell of a sentence chosen before."""


@inlined
def pack_sentences(logic: Logic, closure: Closure, packing: Packing, log: Log, workspace: Workspace, mines: Int) -> int:
    """Looks for a packing on a board whose closure has no certain sentence.

    Returns:
        The number of safe cells, listed in `logic.found`; PROGRESS if mines are marked instead; 0 for no packing.
    """
    cells, degree = logic.neighbours.shape
    if certainty(logic.board[:cells], degree, int(mines), logic.probabilities, workspace) != OK:
        return 0
    listed = _list_cells(logic, packing)
    _list_sentences(closure, packing, listed)
    for kind in range(2):
        if _is_possible(logic, packing, kind) and _search(logic, closure, packing, listed, kind):
            return _apply(logic, closure, packing, log, listed, kind)
    return 0


@inlined
def _list_cells(logic: Logic, packing: Packing) -> int:
    """Lists the unknown cells next to clues in reading order; returns their number."""
    cells, degree = logic.neighbours.shape
    listed = 0
    for cell in range(cells):
        packing.taken[cell] = 0
        packing.place[cell] = -1
        near = False
        for k in range(degree):
            other = logic.neighbours[cell, k]
            near |= other < cells and logic.state[other] == OPEN
        if near and logic.state[cell] == UNKNOWN:
            packing.order[listed] = cell
            packing.place[cell] = listed
            listed += 1
    return listed


@inlined
def _list_sentences(closure: Closure, packing: Packing, listed: Int) -> None:
    """Chains the sentences by their first cell."""
    for place in range(listed):
        packing.head[place] = OUT
    for sentence in range(closure.counts[SENTENCES]):
        place = packing.place[closure.cells[closure.start[sentence]]]
        packing.next_head[sentence] = packing.head[place]
        packing.head[place] = sentence


@inlined
def _may_stay(logic: Logic, cell: Int, kind: Int) -> bool:
    """Returns whether a packing may leave out a cell: one that is certainly safe, or certainly a mine."""
    return logic.probabilities[cell] == (0.0 if kind == MINES else 1.0)


@inlined
def _is_possible(logic: Logic, packing: Packing, kind: Int) -> bool:
    """Returns whether some cell can be left over, and all cells far from clues can, which no sentence is about."""
    some = False
    for cell in range(len(logic.neighbours)):
        if logic.state[cell] == UNKNOWN:
            stays = _may_stay(logic, cell, kind)
            some |= stays
            if packing.place[cell] < 0 and not stays:
                return False
    return some


@subroutine
def _search(logic: Logic, closure: Closure, packing: Packing, listed: Int, kind: Int) -> bool:
    """Returns whether there is a packing; `packing.choice` tells its sentences."""
    mines, unknown = logic.counts[MINES_LEFT], logic.counts[UNKNOWN_LEFT]
    target = mines if kind == MINES else unknown - mines
    place, covered, nodes = 0, 0, 0
    packing.weight[0] = 0
    entering = True
    while place >= 0 and nodes < MAX_NODES:
        nodes += 1
        if place == listed:
            if packing.weight[place] == target and covered < unknown:
                return True
            entering = False
            place -= 1
            continue
        cell = np.int64(packing.order[place])
        before = np.int64(packing.choice[place])
        if entering:
            chosen = np.int64(packing.head[place]) if packing.taken[cell] == 0 else TAKEN
        elif before < 0:
            # The last of the choices.
            place -= 1
            continue
        else:
            covered -= _take(closure, packing, before, 0)
            chosen = np.int64(packing.next_head[before])
        while chosen >= 0 and not _is_free(closure, packing, chosen):
            chosen = np.int64(packing.next_head[chosen])
        packing.choice[place] = chosen
        packing.weight[place + 1] = packing.weight[place]
        entering = chosen != OUT or _may_stay(logic, cell, kind)
        if chosen >= 0:
            covered += _take(closure, packing, chosen, 1)
            packing.weight[place + 1] += _weigh(closure, chosen, kind)
        place += 1 if entering else -1
    return False


@inlined
def _weigh(closure: Closure, sentence: Int, kind: Int) -> Int:
    """Returns the number of mines of a sentence, or of its free cells."""
    mines = np.int64(closure.mines[sentence])
    return mines if kind == MINES else length(closure, sentence) - mines


@inlined
def _is_free(closure: Closure, packing: Packing, sentence: Int) -> bool:
    free = True
    for i in range(closure.start[sentence], closure.start[sentence + 1]):
        free &= packing.taken[closure.cells[i]] == 0
    return free


@inlined
def _take(closure: Closure, packing: Packing, sentence: Int, taken: Int) -> int:
    """Marks the cells of a sentence as taken (1) or not (0); returns their number."""
    for i in range(closure.start[sentence], closure.start[sentence + 1]):
        packing.taken[closure.cells[i]] = taken
    return length(closure, sentence)


@inlined
def _apply(logic: Logic, closure: Closure, packing: Packing, log: Log, listed: Int, kind: Int) -> int:
    """Decides the cells that a packing leaves over; returns what `pack_sentences` does."""
    found = 0
    for cell in range(len(logic.neighbours)):
        if logic.state[cell] != UNKNOWN or packing.taken[cell] == 1:
            continue
        log_cell(log, cell, kind == FREE_CELLS)
        if kind == FREE_CELLS:
            mark_mine(logic, cell)
        else:
            logic.state[cell] = SAFE
            logic.found[found] = cell
            found += 1
    for place in range(listed):
        if packing.choice[place] >= 0:
            log_reason(closure, log, np.int64(packing.choice[place]))
    end_step(log, SUBSET_RULE, True)
    forget_reason(log)
    return found if kind == MINES else PROGRESS
