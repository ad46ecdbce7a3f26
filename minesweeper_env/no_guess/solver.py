"""Solver by logic alone: it plays a layout up to the win, or to the first position where logic is stuck.

The rules go from cheap to dear: one clue, all mines, several clues, the oracle. After each safe cell the cheapest rule
comes first again. `open_cell` is the only function that reads a layout, and it reads a cell when it opens it.
"""

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.compiled import inlined, subroutine
from minesweeper_env.engine.state import Int
from minesweeper_env.inference import reading
from minesweeper_env.inference.counting.forward_pass import BOOLEAN, IID
from minesweeper_env.inference.counting.posterior import posterior
from minesweeper_env.inference.counting.workspace import OK, Workspace
from minesweeper_env.inference.deduction import constraints as closures
from minesweeper_env.inference.deduction.constraints import Longs, Memory
from minesweeper_env.inference.deduction.kernels import is_left_over, look_further
from minesweeper_env.inference.reading import Clues
from minesweeper_env.no_guess import arrays
from minesweeper_env.no_guess.arrays import Arena, Log, Player

PROGRESS = -1
"""Result of a rule that has found mines and no safe cell."""


@inlined
def _reveal(clues: Clues, player: Player, cell: Int, clue: Int) -> None:
    """Opens one cell, which shows a clue."""
    # Where no rule has decided the cell, the clues around it have one unknown cell less from now on.
    if clues.known[cell] == reading.UNKNOWN:
        reading.settle(clues, int(cell), 0)
    player.board[cell] = clue
    clues.known[cell] = reading.OPEN
    player.covered_left[0] -= 1
    reading.show_clue(clues, int(cell), int(clue))


@subroutine
def open_cell(truth: NDArray[np.uint8], clues: Clues, player: Player, cell: Int) -> None:
    """Opens a cell without a mine, and floods over zeros; an open cell stays as it is.

    The clue of each safe cell is in `truth`, (n + 1,) uint8.
    """
    if clues.known[cell] == reading.OPEN:
        return
    player.flood[0] = cell
    _reveal(clues, player, cell, np.int64(truth[cell]))
    # The stack holds open cells that show 0, whose neighbours are to be opened.
    top = 1 if truth[cell] == 0 else 0
    while top > 0:
        top -= 1
        zero = player.flood[top]
        for k in range(clues.neighbours.shape[1]):
            other = np.int64(clues.neighbours[zero, k])
            if clues.known[other] <= reading.SAFE:
                _reveal(clues, player, other, np.int64(truth[other]))
                if truth[other] == 0:
                    player.flood[top] = other
                    top += 1


@inlined
def _log_clue(log: Log, clue: Int) -> None:
    """Adds a clue to the reason of the step that is being recorded."""
    if log.is_recording[0] == 1:
        # Clues beyond the memory are counted all the same: `Searcher.prove` begins anew with room for that many.
        if log.clues_named[0] < len(log.clues):
            log.clues[log.clues_named[0]] = clue
        log.clues_named[0] += 1


@inlined
def _log_reason(log: Log, in_reason: Longs) -> None:
    """Adds the marked clues to the reason of the step."""
    for clue in range(len(in_reason)):
        if in_reason[clue] == 1:
            _log_clue(log, clue)


@inlined
def _end_step(log: Log, rule: int, uses_total: bool) -> None:
    if log.is_recording[0] == 1:
        step = log.steps[0]
        log.rule[step], log.uses_total[step] = rule, uses_total
        log.cell_end[step], log.clue_end[step] = log.cells_found[0], log.clues_named[0]
        log.steps[0] += 1


@inlined
def _decide(clues: Clues, player: Player, log: Log, cell: int, is_mine: bool, found: int) -> int:
    """Decides an unknown cell: marks a mine, or lists a safe cell; returns the number of safe cells listed."""
    if log.is_recording[0] == 1:
        log.cells[log.cells_found[0]], log.is_mine[log.cells_found[0]] = cell, is_mine
        log.cells_found[0] += 1
    reading.settle(clues, cell, 1 if is_mine else 0)
    # Known mines leave both numbers, so that their difference stays the number of covered free cells.
    if is_mine:
        player.covered_left[0] -= 1
        player.mines_left[0] -= 1
        return found
    player.found[found] = cell
    return found + 1


@inlined
def _follow_clues(clues: Clues, player: Player, log: Log) -> int:
    """Applies clues that decide their neighbours, up to one with safe cells; returns their number, see `found`."""
    found = 0
    while found == 0:
        clue = reading.next_clue(clues)
        if clue == reading.NOWHERE:
            return 0
        is_mine = clues.missing[clue] > 0
        for k in range(clues.neighbours.shape[1]):
            cell = int(np.int64(clues.neighbours[clue, k]))
            if clues.known[cell] == reading.UNKNOWN:
                found = _decide(clues, player, log, cell, is_mine, found)
        _log_clue(log, clue)
        _end_step(log, arrays.COUNT_RULE, False)
    return found


@inlined
def _follow_total(clues: Clues, player: Player, log: Log) -> int:
    """Returns the number of safe cells, listed in `found`, where all mines are known: all unknown cells; else 0."""
    found = 0
    if player.mines_left[0] == 0:
        for cell in range(len(clues.neighbours)):
            if clues.known[cell] == reading.UNKNOWN:
                found = _decide(clues, player, log, cell, False, found)
        _end_step(log, arrays.COUNT_RULE, True)
    return found


@inlined
def _decide_certain(clues: Clues, player: Player, constraints: Memory, log: Log, rule: int) -> int:
    """Decides the cells of certain constraints; returns the number of safe cells, listed in `player.found`."""
    closure, found = closures.closure_of(constraints), 0
    for k in range(closure.number_certain[0]):
        constraint = closure.certain[k]
        is_mine = closure.mines[constraint] > 0
        is_new = False
        for i in range(closure.start[constraint], closure.start[constraint + 1]):
            cell = closure.cell[i]
            # An earlier constraint of the list may have decided the cell.
            if clues.known[cell] == reading.UNKNOWN:
                is_new = True
                found = _decide(clues, player, log, cell, is_mine, found)
        if is_new and log.is_recording[0] == 1:
            closure.in_reason[:] = 0
            closures.mark_reason(constraints, constraint)
            _log_reason(log, closure.in_reason)
            _end_step(log, rule, False)
            # A safe cell may show a 0 and open the cells of later steps, so a proof takes one step at a time.
            if found > 0:
                break
    return found


@inlined
def _decide_rest(clues: Clues, player: Player, constraints: Memory, log: Log, is_mine: bool) -> int:
    """Decides the cells that a packing leaves over; returns the number of safe cells, listed in `player.found`."""
    found = 0
    for cell in range(len(clues.neighbours)):
        if is_left_over(clues, constraints, cell):
            found = _decide(clues, player, log, cell, is_mine, found)
    if log.is_recording[0] == 1:
        _log_reason(log, closures.closure_of(constraints).in_reason)
        _end_step(log, arrays.SUBSET_RULE, True)
    return found


PRESENT = 2
"""Entry of `Log.visited` for the present component; 1 stands for earlier ones."""


@subroutine
def ask_oracle(clues: Clues, player: Player, log: Log, workspace: Workspace, mines: Int) -> int:
    """Decides the cells that are the same in all layouts, if one of them is free, once no clue is waiting.

    A proof that is recorded takes only the cells of one reason at a time. Returns the number of safe cells, listed in
    `player.found`; 0 too where the board is too hard for the workspace.
    """
    cells = len(clues.neighbours)
    board = player.board[:cells]
    outcome, _ = posterior(board, int(mines), 0.0, BOOLEAN, player.in_all, workspace)
    safe = 0
    for cell in range(cells):
        safe += clues.known[cell] == reading.UNKNOWN and player.in_all[cell] == 0.0
    if outcome != OK or safe == 0:
        return 0
    if log.is_recording[0] == 0:
        return _decide_certain_cells(clues, player, log, False)
    found = 0
    # Independent cells say what the clues alone decide, though in a component of hundreds of cells a possible filling
    # may weigh so little that it counts as impossible.
    outcome, _ = posterior(board, 0, 0.5, IID, player.by_clues, workspace)
    if outcome == OK:
        found = _take_component(clues, player, log)
    # No component has a safe cell of its own, so the number of mines decides: all clues are the reason.
    if found == 0:
        for clue in range(cells):
            if clues.known[clue] == reading.OPEN and clues.unknown[clue] > 0:
                _log_clue(log, clue)
        found = _decide_certain_cells(clues, player, log, False)
        _end_step(log, arrays.EXACT_RULE, True)
    log.visited[:] = 0
    return found


@inlined
def _is_certain(clues: Clues, probabilities: NDArray[np.float64], cell: int) -> bool:
    """Returns whether the mine probability of an unknown cell is 0 or 1."""
    return bool(clues.known[cell] == reading.UNKNOWN and (probabilities[cell] == 0.0 or probabilities[cell] == 1.0))


@subroutine
def _decide_certain_cells(clues: Clues, player: Player, log: Log, of_component: bool) -> int:
    """Decides the certain cells, or those that the clues of the present component decide; returns the safe ones."""
    found = 0
    for cell in range(len(clues.neighbours)):
        joins = not of_component or (log.visited[cell] == PRESENT and _is_certain(clues, player.by_clues, cell))
        if joins and _is_certain(clues, player.in_all, cell):
            found = _decide(clues, player, log, cell, player.in_all[cell] == 1.0, found)
    return found


@inlined
def _take_component(clues: Clues, player: Player, log: Log) -> int:
    """Decides cells component by component, up to one with a safe cell; returns the number of safe cells."""
    for seed in range(len(clues.neighbours)):
        # A cell that only the number of mines decides has no component as its reason.
        is_local = _is_certain(clues, player.in_all, seed) and _is_certain(clues, player.by_clues, seed)
        if is_local and log.visited[seed] == 0:
            _visit_component(clues, player, log, seed)
            found = _decide_certain_cells(clues, player, log, True)
            _end_step(log, arrays.EXACT_RULE, False)
            # The component is an earlier one from now on.
            for cell in range(len(clues.neighbours)):
                log.visited[cell] = min(log.visited[cell], 1)
            if found > 0:
                return found
    return 0


@inlined
def _visit_component(clues: Clues, player: Player, log: Log, seed: Int) -> None:
    """Visits the cells and the clues of a component, and names the clues as the reason of the step."""
    cells, degree = clues.neighbours.shape
    # Clues and unknown cells alternate: a clue leads to its unknown neighbours, and a cell to the clues around it.
    stack, top = player.flood, 1
    stack[0] = seed
    log.visited[seed] = PRESENT
    while top > 0:
        top -= 1
        present = np.int64(stack[top])
        is_clue = clues.known[present] == reading.OPEN
        if is_clue:
            _log_clue(log, present)
        for k in range(degree):
            other = np.int64(clues.neighbours[present, k])
            joins = clues.known[other] == reading.UNKNOWN if is_clue else clues.known[other] == reading.OPEN
            if joins and other < cells and log.visited[other] == 0:
                log.visited[other] = PRESENT
                stack[top] = other
                top += 1


@subroutine
def solve(arena: Arena, first: Int, level: Int) -> bool:
    """Plays the present layout from a first cell without a mine, with SUBSET or EXACT; returns whether logic wins.

    The knowledge begins empty, and of the layout only the clues of cells that are opened are read.
    """
    truth, clues, player, log = arena.boards.truth[0], arena.clues, arena.player, arena.log
    cells, degree = clues.neighbours.shape
    # All cells are hidden, by the code for this number of neighbours.
    player.board[:] = degree + 3
    reading.read_clues(player.board[:cells], degree, clues)
    player.covered_left[0], player.mines_left[0] = cells, arena.rules.mines
    open_cell(truth, clues, player, first)
    # Free cells are covered as long as there are more covered cells than mines.
    while player.covered_left[0] > player.mines_left[0]:
        found = _follow_clues(clues, player, log)
        if found == 0 and player.covered_left[0] > player.mines_left[0]:
            found = _follow_total(clues, player, log)
            if found == 0:
                found = _reason(arena, level)
            if found == 0:
                return False
        for i in range(found):
            open_cell(truth, clues, player, np.int64(player.found[i]))
    return True


@subroutine
def _reason(arena: Arena, level: Int) -> int:
    """Applies the rules for several clues.

    Returns the number of safe cells, listed in `player.found`; PROGRESS if mines are marked instead; 0 where logic is
    stuck.
    """
    clues, player, constraints, log = arena.clues, arena.player, arena.constraints, arena.log
    # Without a record the oracle, which finds all that constraints find, is faster alone.
    if level == arrays.SUBSET or log.is_recording[0] == 1:
        # Level "exact" leaves the number of mines to the oracle.
        left = player.mines_left[0] if level == arrays.SUBSET else -1
        result = look_further(clues, constraints, left, player.covered_left[0])
        if result >= closures.BY_DIFFERENCE:
            rule = arrays.OVERLAP_RULE if result == closures.BY_OVERLAP else arrays.SUBSET_RULE
            found = _decide_certain(clues, player, constraints, log, rule)
            return found if found > 0 else PROGRESS
        if result != closures.NOTHING and result != closures.TOO_HARD:
            found = _decide_rest(clues, player, constraints, log, result != closures.REST_IS_SAFE)
            return found if found > 0 else PROGRESS
        if level == arrays.SUBSET:
            return 0
    return ask_oracle(clues, player, log, arena.workspace, np.int64(arena.rules.mines))
