"""Kernel that plays a layout by logic alone, up to the win or to the first position where logic is stuck."""

from __future__ import annotations

import numpy as np

from minesweeper_env.compiled import inlined, subroutine
from minesweeper_env.engine.state import Int
from minesweeper_env.inference.kernels import OK, Workspace, certainty, local_certainty
from minesweeper_env.no_guess.arrays import (
    EXACT_RULE,
    MINES_LEFT,
    OPEN,
    RECORDING,
    SAFE,
    SUBSET,
    SUBSET_RULE,
    UNKNOWN,
    UNKNOWN_LEFT,
    Arena,
    Closure,
    Log,
    Logic,
    Packing,
    end_step,
    log_cell,
    log_clue,
)
from minesweeper_env.no_guess.knowledge import cover, follow_clues, follow_total, mark_mine, open_cell
from minesweeper_env.no_guess.sentences import (
    CERTAIN,
    SENTENCES,
    apply_certain,
    close_sentences,
    forget_reason,
    length,
    log_reason,
)

# Packings are disjoint sentences that account for all mines left on the board, or for all free cells. Then the other
# unknown cells are all free, or all mines. The search is depth-first over the cells in reading order. It may leave over
# only cells that the oracle calls certain, which decides most choices. The reason of the step is the packing alone.

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
    """Looks for a packing on a board whose closure has no certain sentence; returns what `reason` does."""
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


UNCERTAIN, NEW_SAFE, NEW_MINE = range(3)
"""Marks of cells: those that the oracle has found, until a step decides them, and all others."""

PRESENT = 2
"""Entry of `Log.visited` for the present component; 1 stands for earlier ones."""


@subroutine
def ask_oracle(logic: Logic, log: Log, workspace: Workspace, mines: Int) -> int:
    """Decides the cells that are the same in all layouts, if one of them is free, once no clue is waiting.

    A proof that is recorded takes only the cells of one reason at a time. Returns the number of safe cells, listed in
    `logic.found`; 0 too where the board is too hard for the workspace.
    """
    cells, degree = logic.neighbours.shape
    if certainty(logic.board[:cells], degree, int(mines), logic.probabilities, workspace) != OK:
        return 0
    if _mark_certain(logic, log) == 0:
        return 0
    if log.counts[RECORDING] == 0:
        return _decide_marked(logic, log, False)
    found = 0
    if local_certainty(logic.board[:cells], degree, logic.probabilities, workspace) == OK:
        found = _take_component(logic, log)
    if found == 0:
        for clue in range(cells):
            if logic.state[clue] == OPEN and logic.unknown[clue] > 0:
                log_clue(log, clue)
        found = _decide_marked(logic, log, False)
        end_step(log, EXACT_RULE, True)
    log.marks[:] = UNCERTAIN
    log.visited[:] = 0
    return found


@inlined
def _mark_certain(logic: Logic, log: Log) -> int:
    """Marks the cells that the oracle has found, or none if all of them are mines; returns the number of safe ones."""
    safe = 0
    for cell in range(len(logic.neighbours)):
        safe += logic.state[cell] == UNKNOWN and logic.probabilities[cell] == 0.0
    for cell in range(len(logic.neighbours)):
        log.marks[cell] = UNCERTAIN
        if safe > 0 and logic.state[cell] == UNKNOWN:
            if logic.probabilities[cell] == 0.0:
                log.marks[cell] = NEW_SAFE
            elif logic.probabilities[cell] == 1.0:
                log.marks[cell] = NEW_MINE
    return safe


@subroutine
def _decide_marked(logic: Logic, log: Log, of_component: bool) -> int:
    """Decides the marked cells, or those that the present component decides by itself; returns the safe ones."""
    found = 0
    for cell in range(len(logic.neighbours)):
        mark = log.marks[cell]
        if mark == UNCERTAIN or (of_component and (log.visited[cell] != PRESENT or not _is_local(logic, log, cell))):
            continue
        log_cell(log, cell, mark == NEW_MINE)
        if mark == NEW_SAFE:
            logic.state[cell] = SAFE
            logic.found[found] = cell
            found += 1
        else:
            mark_mine(logic, cell)
        log.marks[cell] = UNCERTAIN
    return found


@inlined
def _is_local(logic: Logic, log: Log, cell: Int) -> bool:
    """Returns whether a cell is certain without the number of mines."""
    probability = logic.probabilities[cell]
    return log.marks[cell] != UNCERTAIN and (probability == 0.0 or probability == 1.0)


@inlined
def _take_component(logic: Logic, log: Log) -> int:
    """Decides cells component by component, up to one with a safe cell; returns the number of safe cells."""
    for seed in range(len(logic.neighbours)):
        if log.visited[seed] == 0 and _is_local(logic, log, seed):
            _visit_component(logic, log, seed)
            found = _decide_marked(logic, log, True)
            end_step(log, EXACT_RULE, False)
            for cell in range(len(logic.neighbours)):
                log.visited[cell] = min(log.visited[cell], 1)
            if found > 0:
                return found
    return 0


@inlined
def _visit_component(logic: Logic, log: Log, seed: Int) -> None:
    """Visits the cells and the clues of a component, and names the clues as the reason of the step."""
    cells, degree = logic.neighbours.shape
    stack, top = logic.flood, 1
    stack[0] = seed
    log.visited[seed] = PRESENT
    while top > 0:
        top -= 1
        present = np.int64(stack[top])
        is_clue = logic.state[present] == OPEN
        if is_clue:
            log_clue(log, present)
        for k in range(degree):
            other = np.int64(logic.neighbours[present, k])
            joins = logic.state[other] == UNKNOWN if is_clue else logic.state[other] == OPEN
            if joins and other < cells and log.visited[other] == 0:
                log.visited[other] = PRESENT
                stack[top] = other
                top += 1


@subroutine
def play(arena: Arena, first: Int, level: Int) -> bool:
    """Plays the present layout from a first cell without a mine, with SUBSET or EXACT; returns whether logic wins.

    The knowledge begins empty, and of the layout only the clues of cells that are opened are read.
    """
    truth, logic, log, mines = arena.boards.truth[0], arena.logic, arena.log, np.int64(arena.rules.mines)
    cover(logic, mines)
    open_cell(truth, logic, first)
    while logic.counts[UNKNOWN_LEFT] > logic.counts[MINES_LEFT]:
        found = follow_clues(logic, log)
        if found == 0 and logic.counts[UNKNOWN_LEFT] > logic.counts[MINES_LEFT]:
            found = follow_total(logic, log)
            if found == 0:
                found = reason(mines, level, logic, arena.closure, arena.packing, log, arena.workspace)
            if found == 0:
                return False
        for i in range(found):
            open_cell(truth, logic, np.int64(logic.found[i]))
    return True


@subroutine
def reason(
    mines: Int, level: Int, logic: Logic, closure: Closure, packing: Packing, log: Log, workspace: Workspace
) -> int:
    """Applies the rules for several clues.

    Returns the number of safe cells, listed in `logic.found`; PROGRESS if mines are marked instead; 0 where logic is
    stuck.
    """
    # Without a record the oracle, which finds all that sentences find, is faster alone.
    if level == SUBSET or log.counts[RECORDING] == 1:
        complete = close_sentences(logic, closure)
        if closure.counts[CERTAIN] > 0:
            found = apply_certain(logic, closure, log)
            return found if found > 0 else PROGRESS
        if level == SUBSET:
            return pack_sentences(logic, closure, packing, log, workspace, mines) if complete else 0
    return ask_oracle(logic, log, workspace, mines)
