"""Kernel that plays a layout by logic alone, up to the win or to the first position where logic is stuck.

`open_cell` is the only function that reads a layout, and it reads a cell when it opens it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.compiled import inlined, subroutine
from minesweeper_env.engine.state import Int
from minesweeper_env.inference.counting.forward_pass import BOOLEAN, IID
from minesweeper_env.inference.counting.posterior import posterior
from minesweeper_env.inference.counting.workspace import OK, Workspace
from minesweeper_env.inference.deduction import sentences as closed
from minesweeper_env.inference.deduction.kernels import is_left_over, look_further
from minesweeper_env.inference.deduction.sentences import Closure, mark_reason
from minesweeper_env.inference.reading import (
    NOWHERE,
    OPEN,
    SAFE,
    UNKNOWN,
    Clues,
    next_clue,
    read_clues,
    settle,
    show_clue,
)
from minesweeper_env.no_guess.arrays import (
    COUNT_RULE,
    COVERED_LEFT,
    EXACT_RULE,
    LOG_CELLS,
    LOG_CLUES,
    MINES_LEFT,
    OVERLAP_RULE,
    RECORDING,
    STEPS,
    SUBSET,
    SUBSET_RULE,
    Arena,
    Log,
    Logic,
)

PROGRESS = -1
"""Result of a rule that has found mines and no safe cell."""


@inlined
def _reveal(clues: Clues, logic: Logic, cell: Int, clue: Int) -> None:
    """Opens one cell, which shows a clue."""
    if clues.known[cell] == UNKNOWN:
        settle(clues, int(cell), 0)
    logic.board[cell] = clue
    clues.known[cell] = OPEN
    logic.counts[COVERED_LEFT] -= 1
    show_clue(clues, int(cell), int(clue))


@subroutine
def open_cell(truth: NDArray[np.uint8], clues: Clues, logic: Logic, cell: Int) -> None:
    """Opens a cell without a mine, and floods over zeros; an open cell stays as it is.

    The clue of each safe cell is in `truth`, (n + 1,) uint8.
    """
    if clues.known[cell] == OPEN:
        return
    logic.flood[0] = cell
    _reveal(clues, logic, cell, np.int64(truth[cell]))
    top = 1 if truth[cell] == 0 else 0
    while top > 0:
        top -= 1
        zero = logic.flood[top]
        for k in range(clues.neighbours.shape[1]):
            other = np.int64(clues.neighbours[zero, k])
            if clues.known[other] <= SAFE:
                _reveal(clues, logic, other, np.int64(truth[other]))
                if truth[other] == 0:
                    logic.flood[top] = other
                    top += 1


@inlined
def _log_clue(log: Log, clue: Int) -> None:
    """Adds a clue to the reason of the step that is being recorded."""
    if log.counts[RECORDING] == 1:
        if log.counts[LOG_CLUES] < len(log.clues):
            log.clues[log.counts[LOG_CLUES]] = clue
        log.counts[LOG_CLUES] += 1


@inlined
def _log_reason(log: Log, closure: Closure) -> None:
    """Adds the marked clues of a closure to the reason of the step."""
    for clue in range(len(closure.cells)):
        if closure.cells[clue, closed.MARK] == 1:
            _log_clue(log, clue)


@inlined
def _end_step(log: Log, rule: int, uses_total: bool) -> None:
    if log.counts[RECORDING] == 1:
        row, counts = log.steps[log.counts[STEPS]], log.counts
        row[0], row[1], row[2], row[3] = rule, uses_total, counts[LOG_CELLS], counts[LOG_CLUES]
        counts[STEPS] += 1


@subroutine
def _decide(clues: Clues, logic: Logic, log: Log, cell: int, is_mine: bool, found: int) -> int:
    """Decides an unknown cell: marks a mine, or lists a safe cell; returns the number of safe cells listed."""
    if log.counts[RECORDING] == 1:
        log.cells[log.counts[LOG_CELLS]], log.is_mine[log.counts[LOG_CELLS]] = cell, is_mine
        log.counts[LOG_CELLS] += 1
    settle(clues, cell, 1 if is_mine else 0)
    if is_mine:
        logic.counts[COVERED_LEFT] -= 1
        logic.counts[MINES_LEFT] -= 1
        return found
    logic.found[found] = cell
    return found + 1


@inlined
def _follow_clues(clues: Clues, logic: Logic, log: Log) -> int:
    """Applies clues that decide their neighbours, up to one with safe cells; returns their number, see `found`."""
    found = 0
    while found == 0:
        clue = next_clue(clues)
        if clue == NOWHERE:
            return 0
        is_mine = clues.missing[clue] > 0
        for k in range(clues.neighbours.shape[1]):
            cell = int(np.int64(clues.neighbours[clue, k]))
            if clues.known[cell] == UNKNOWN:
                found = _decide(clues, logic, log, cell, is_mine, found)
        _log_clue(log, clue)
        _end_step(log, COUNT_RULE, False)
    return found


@inlined
def _follow_total(clues: Clues, logic: Logic, log: Log) -> int:
    """Returns the number of safe cells, listed in `found`, where all mines are known: all unknown cells; else 0."""
    found = 0
    if logic.counts[MINES_LEFT] == 0:
        for cell in range(len(clues.neighbours)):
            if clues.known[cell] == UNKNOWN:
                found = _decide(clues, logic, log, cell, False, found)
        _end_step(log, COUNT_RULE, True)
    return found


@inlined
def _decide_certain(clues: Clues, logic: Logic, closure: Closure, log: Log, rule: int) -> int:
    """Decides the cells of certain sentences; returns the number of safe cells, listed in `logic.found`."""
    found = 0
    for k in range(closure.counts[closed.CERTAIN]):
        sentence = closure.sentences[k, closed.LISTED]
        is_mine = closure.sentences[sentence, closed.MINES] > 0
        is_new = False
        for i in range(closure.sentences[sentence, closed.START], closure.sentences[sentence + 1, closed.START]):
            cell = closure.entries[i, closed.CELL]
            if clues.known[cell] == UNKNOWN:
                is_new = True
                found = _decide(clues, logic, log, cell, is_mine, found)
        if is_new and log.counts[RECORDING] == 1:
            closure.cells[:, closed.MARK] = 0
            mark_reason(closure, sentence)
            _log_reason(log, closure)
            _end_step(log, rule, False)
            # A safe cell may show a 0 and open the cells of later steps, so a proof takes one step at a time.
            if found > 0:
                break
    return found


@inlined
def _decide_rest(clues: Clues, logic: Logic, closure: Closure, log: Log, is_mine: bool) -> int:
    """Decides the cells that a packing leaves over; returns the number of safe cells, listed in `logic.found`."""
    found = 0
    for cell in range(len(clues.neighbours)):
        if is_left_over(clues, closure, cell):
            found = _decide(clues, logic, log, cell, is_mine, found)
    if log.counts[RECORDING] == 1:
        _log_reason(log, closure)
        _end_step(log, SUBSET_RULE, True)
    return found


IN_ALL, BY_CLUES = range(2)
"""Rows of `Logic.probabilities`: with the number of mines, and by the clues alone."""

PRESENT = 2
"""Entry of `Log.visited` for the present component; 1 stands for earlier ones."""


@subroutine
def ask_oracle(clues: Clues, logic: Logic, log: Log, workspace: Workspace, mines: Int) -> int:
    """Decides the cells that are the same in all layouts, if one of them is free, once no clue is waiting.

    A proof that is recorded takes only the cells of one reason at a time. Returns the number of safe cells, listed in
    `logic.found`; 0 too where the board is too hard for the workspace.
    """
    cells = len(clues.neighbours)
    board, probabilities = logic.board[:cells], logic.probabilities
    outcome, _ = posterior(board, int(mines), 0.0, BOOLEAN, probabilities[IN_ALL], workspace)
    safe = 0
    for cell in range(cells):
        safe += clues.known[cell] == UNKNOWN and probabilities[IN_ALL, cell] == 0.0
    if outcome != OK or safe == 0:
        return 0
    if log.counts[RECORDING] == 0:
        return _decide_certain_cells(clues, logic, log, False)
    found = 0
    # Independent cells say what the clues alone decide, though in a component of hundreds of cells a possible filling
    # may weigh so little that it counts as impossible.
    outcome, _ = posterior(board, 0, 0.5, IID, probabilities[BY_CLUES], workspace)
    if outcome == OK:
        found = _take_component(clues, logic, log)
    if found == 0:
        for clue in range(cells):
            if clues.known[clue] == OPEN and clues.unknown[clue] > 0:
                _log_clue(log, clue)
        found = _decide_certain_cells(clues, logic, log, False)
        _end_step(log, EXACT_RULE, True)
    log.visited[:] = 0
    return found


@inlined
def _is_certain(clues: Clues, logic: Logic, row: int, cell: int) -> bool:
    """Returns whether an unknown cell is certain, by one row of the probabilities."""
    probability = logic.probabilities[row, cell]
    return bool(clues.known[cell] == UNKNOWN and (probability == 0.0 or probability == 1.0))


@subroutine
def _decide_certain_cells(clues: Clues, logic: Logic, log: Log, of_component: bool) -> int:
    """Decides the certain cells, or those that the clues of the present component decide; returns the safe ones."""
    found = 0
    for cell in range(len(clues.neighbours)):
        joins = not of_component or (log.visited[cell] == PRESENT and _is_certain(clues, logic, BY_CLUES, cell))
        if joins and _is_certain(clues, logic, IN_ALL, cell):
            found = _decide(clues, logic, log, cell, logic.probabilities[IN_ALL, cell] == 1.0, found)
    return found


@inlined
def _take_component(clues: Clues, logic: Logic, log: Log) -> int:
    """Decides cells component by component, up to one with a safe cell; returns the number of safe cells."""
    for seed in range(len(clues.neighbours)):
        is_local = _is_certain(clues, logic, IN_ALL, seed) and _is_certain(clues, logic, BY_CLUES, seed)
        if is_local and log.visited[seed] == 0:
            _visit_component(clues, logic, log, seed)
            found = _decide_certain_cells(clues, logic, log, True)
            _end_step(log, EXACT_RULE, False)
            for cell in range(len(clues.neighbours)):
                log.visited[cell] = min(log.visited[cell], 1)
            if found > 0:
                return found
    return 0


@inlined
def _visit_component(clues: Clues, logic: Logic, log: Log, seed: Int) -> None:
    """Visits the cells and the clues of a component, and names the clues as the reason of the step."""
    cells, degree = clues.neighbours.shape
    stack, top = logic.flood, 1
    stack[0] = seed
    log.visited[seed] = PRESENT
    while top > 0:
        top -= 1
        present = np.int64(stack[top])
        is_clue = clues.known[present] == OPEN
        if is_clue:
            _log_clue(log, present)
        for k in range(degree):
            other = np.int64(clues.neighbours[present, k])
            joins = clues.known[other] == UNKNOWN if is_clue else clues.known[other] == OPEN
            if joins and other < cells and log.visited[other] == 0:
                log.visited[other] = PRESENT
                stack[top] = other
                top += 1


@subroutine
def play(arena: Arena, first: Int, level: Int) -> bool:
    """Plays the present layout from a first cell without a mine, with SUBSET or EXACT; returns whether logic wins.

    The knowledge begins empty, and of the layout only the clues of cells that are opened are read.
    """
    truth, clues, logic, log = arena.boards.truth[0], arena.clues, arena.logic, arena.log
    cells, degree = clues.neighbours.shape
    logic.board[:] = degree + 3
    read_clues(logic.board[:cells], degree, clues)
    logic.counts[COVERED_LEFT], logic.counts[MINES_LEFT] = cells, arena.rules.mines
    open_cell(truth, clues, logic, first)
    while logic.counts[COVERED_LEFT] > logic.counts[MINES_LEFT]:
        found = _follow_clues(clues, logic, log)
        if found == 0 and logic.counts[COVERED_LEFT] > logic.counts[MINES_LEFT]:
            found = _follow_total(clues, logic, log)
            if found == 0:
                found = _reason(arena, level)
            if found == 0:
                return False
        for i in range(found):
            open_cell(truth, clues, logic, np.int64(logic.found[i]))
    return True


@subroutine
def _reason(arena: Arena, level: Int) -> int:
    """Applies the rules for several clues.

    Returns the number of safe cells, listed in `logic.found`; PROGRESS if mines are marked instead; 0 where logic is
    stuck.
    """
    clues, logic, closure, log = arena.clues, arena.logic, arena.closure, arena.log
    # Without a record the oracle, which finds all that sentences find, is faster alone.
    if level == SUBSET or log.counts[RECORDING] == 1:
        left = logic.counts[MINES_LEFT] if level == SUBSET else -1
        result = look_further(clues, closure, left, logic.counts[COVERED_LEFT])
        if result >= closed.SOME_DIFFER:
            rule = OVERLAP_RULE if result == closed.SOME_OVERLAP else SUBSET_RULE
            found = _decide_certain(clues, logic, closure, log, rule)
            return found if found > 0 else PROGRESS
        if result != closed.NOTHING and result != closed.TOO_HARD:
            found = _decide_rest(clues, logic, closure, log, result != closed.REST_IS_SAFE)
            return found if found > 0 else PROGRESS
        if level == SUBSET:
            return 0
    return ask_oracle(clues, logic, log, arena.workspace, np.int64(arena.rules.mines))
