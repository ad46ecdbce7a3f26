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
    """Opens one cell, whose clue the player then knows."""
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
            neighbour = np.int64(clues.neighbours[zero, k])
            if clues.known[neighbour] <= reading.SAFE:
                _reveal(clues, player, neighbour, np.int64(truth[neighbour]))
                if truth[neighbour] == 0:
                    player.flood[top] = neighbour
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
def _decide_cell(clues: Clues, player: Player, log: Log, cell: int, is_mine: bool, num_safe: int) -> int:
    """Marks an unknown cell as a mine, or appends it to the `num_safe` safe cells listed; returns the new number."""
    if log.is_recording[0] == 1:
        log.cells[log.cells_found[0]], log.is_mine[log.cells_found[0]] = cell, is_mine
        log.cells_found[0] += 1
    reading.settle(clues, cell, 1 if is_mine else 0)
    # A known mine leaves both counts, so that their difference stays the number of covered safe cells.
    if is_mine:
        player.covered_left[0] -= 1
        player.mines_left[0] -= 1
        return num_safe
    player.safe_cells[num_safe] = cell
    return num_safe + 1


@inlined
def _follow_clues(clues: Clues, player: Player, log: Log) -> int:
    """Applies clues that decide their neighbours, up to one with safe cells; returns the number of safe cells."""
    num_safe = 0
    while num_safe == 0:
        clue = reading.next_clue(clues)
        if clue == reading.NOWHERE:
            return 0
        is_mine = clues.missing[clue] > 0
        for k in range(clues.neighbours.shape[1]):
            cell = int(np.int64(clues.neighbours[clue, k]))
            if clues.known[cell] == reading.UNKNOWN:
                num_safe = _decide_cell(clues, player, log, cell, is_mine, num_safe)
        _log_clue(log, clue)
        _end_step(log, arrays.COUNT_RULE, False)
    return num_safe


@inlined
def _follow_total(clues: Clues, player: Player, log: Log) -> int:
    """Lists all unknown cells as safe if all mines are known; returns the number of safe cells."""
    num_safe = 0
    if player.mines_left[0] == 0:
        for cell in range(len(clues.neighbours)):
            if clues.known[cell] == reading.UNKNOWN:
                num_safe = _decide_cell(clues, player, log, cell, False, num_safe)
        _end_step(log, arrays.COUNT_RULE, True)
    return num_safe


@inlined
def _decide_certain(clues: Clues, player: Player, constraints: Memory, log: Log, rule: int) -> int:
    """Decides the cells of certain constraints, all mines or all safe; returns the number of safe cells."""
    closure, num_safe = closures.closure_of(constraints), 0
    for k in range(closure.number_certain[0]):
        constraint = closure.certain[k]
        is_mine = closure.mines[constraint] > 0
        is_new = False
        for i in range(closure.start[constraint], closure.start[constraint + 1]):
            cell = closure.cell[i]
            # An earlier constraint of the list may have decided the cell.
            if clues.known[cell] == reading.UNKNOWN:
                is_new = True
                num_safe = _decide_cell(clues, player, log, cell, is_mine, num_safe)
        if is_new and log.is_recording[0] == 1:
            closure.in_reason[:] = 0
            closures.mark_reason(constraints, constraint)
            _log_reason(log, closure.in_reason)
            _end_step(log, rule, False)
            # A safe cell may show a 0 and open the cells of later steps, so a proof takes one step at a time.
            if num_safe > 0:
                break
    return num_safe


@inlined
def _decide_rest(clues: Clues, player: Player, constraints: Memory, log: Log, is_mine: bool) -> int:
    """Decides the cells that a packing leaves over, all alike; returns the number of safe cells."""
    num_safe = 0
    for cell in range(len(clues.neighbours)):
        if is_left_over(clues, constraints, cell):
            num_safe = _decide_cell(clues, player, log, cell, is_mine, num_safe)
    if log.is_recording[0] == 1:
        _log_reason(log, closures.closure_of(constraints).in_reason)
        _end_step(log, arrays.SUBSET_RULE, True)
    return num_safe


PRESENT = 2
"""Entry of `Log.visited` for the present component of clues and cells; 1 stands for earlier components."""


@subroutine
def ask_oracle(clues: Clues, player: Player, log: Log, workspace: Workspace, mines: Int) -> int:
    """Decides the cells that are free in all layouts, or mines in all, if one of them is safe; no clue may be waiting.

    A proof that is recorded takes only the cells of one reason at a time. Returns the number of safe cells, listed in
    `player.safe_cells`; 0 also if the board is too hard for the workspace.
    """
    cells = len(clues.neighbours)
    board = player.board[:cells]
    outcome, _ = posterior(board, int(mines), 0.0, BOOLEAN, player.probabilities, workspace)
    safe_in_all = 0
    for cell in range(cells):
        safe_in_all += clues.known[cell] == reading.UNKNOWN and player.probabilities[cell] == 0.0
    if outcome != OK or safe_in_all == 0:
        return 0
    if log.is_recording[0] == 0:
        return _decide_certain_cells(clues, player, log, False)
    num_safe = 0
    # With independent cells (IID) the clues alone decide, though in a component of hundreds of cells a possible filling
    # may weigh so little that it counts as impossible.
    outcome, _ = posterior(board, 0, 0.5, IID, player.by_clues, workspace)
    if outcome == OK:
        num_safe = _take_component(clues, player, log)
    # No component has a safe cell of its own, so the number of mines decides: all clues are the reason.
    if num_safe == 0:
        for clue in range(cells):
            if clues.known[clue] == reading.OPEN and clues.unknown[clue] > 0:
                _log_clue(log, clue)
        num_safe = _decide_certain_cells(clues, player, log, False)
        _end_step(log, arrays.EXACT_RULE, True)
    log.visited[:] = 0
    return num_safe


@inlined
def _is_certain(clues: Clues, probabilities: NDArray[np.float64], cell: int) -> bool:
    """Returns whether the mine probability of an unknown cell is 0 or 1."""
    return bool(clues.known[cell] == reading.UNKNOWN and (probabilities[cell] == 0.0 or probabilities[cell] == 1.0))


@subroutine
def _decide_certain_cells(clues: Clues, player: Player, log: Log, of_component: bool) -> int:
    """Decides all certain cells, or those that the clues of PRESENT prove; returns the number of safe cells."""
    num_safe = 0
    for cell in range(len(clues.neighbours)):
        is_chosen = not of_component or (log.visited[cell] == PRESENT and _is_certain(clues, player.by_clues, cell))
        if is_chosen and _is_certain(clues, player.probabilities, cell):
            num_safe = _decide_cell(clues, player, log, cell, player.probabilities[cell] == 1.0, num_safe)
    return num_safe


@inlined
def _take_component(clues: Clues, player: Player, log: Log) -> int:
    """Decides cells component by component, up to one with a safe cell; returns the number of safe cells."""
    for start in range(len(clues.neighbours)):
        # A cell that only the number of mines decides has no component as its reason.
        is_local = _is_certain(clues, player.probabilities, start) and _is_certain(clues, player.by_clues, start)
        if is_local and log.visited[start] == 0:
            _visit_component(clues, player, log, start)
            num_safe = _decide_certain_cells(clues, player, log, True)
            _end_step(log, arrays.EXACT_RULE, False)
            # The component is an earlier one from now on.
            for cell in range(len(clues.neighbours)):
                log.visited[cell] = min(log.visited[cell], 1)
            if num_safe > 0:
                return num_safe
    return 0


@inlined
def _visit_component(clues: Clues, player: Player, log: Log, start: Int) -> None:
    """Marks the cells and clues of the component of cell `start` as PRESENT; its clues are the reason of the step."""
    cells, degree = clues.neighbours.shape
    # Clues and unknown cells alternate: a clue leads to its unknown neighbours, and a cell to the clues around it.
    stack, top = player.flood, 1
    stack[0] = start
    log.visited[start] = PRESENT
    while top > 0:
        top -= 1
        clue_or_cell = np.int64(stack[top])
        is_clue = clues.known[clue_or_cell] == reading.OPEN
        if is_clue:
            _log_clue(log, clue_or_cell)
        for k in range(degree):
            neighbour = np.int64(clues.neighbours[clue_or_cell, k])
            joins = clues.known[neighbour] == reading.UNKNOWN if is_clue else clues.known[neighbour] == reading.OPEN
            if joins and neighbour < cells and log.visited[neighbour] == 0:
                log.visited[neighbour] = PRESENT
                stack[top] = neighbour
                top += 1


@subroutine
def solve(arena: Arena, first: Int, level: Int) -> bool:
    """Plays the present layout from a first cell without a mine, with SUBSET or EXACT; returns whether logic wins.

    The player begins without knowledge, and reads no more of the layout than the clues of the cells that it opens.
    """
    truth, clues, player, log = arena.boards.truth[0], arena.clues, arena.player, arena.log
    cells, degree = clues.neighbours.shape
    # All cells are hidden, by the code for this number of neighbours.
    player.board[:] = degree + 3
    reading.read_clues(player.board[:cells], degree, clues)
    player.covered_left[0], player.mines_left[0] = cells, arena.rules.mines
    open_cell(truth, clues, player, first)
    # Safe cells are covered as long as there are more covered cells than mines.
    while player.covered_left[0] > player.mines_left[0]:
        num_safe = _follow_clues(clues, player, log)
        if num_safe == 0 and player.covered_left[0] > player.mines_left[0]:
            num_safe = _follow_total(clues, player, log)
            if num_safe == 0:
                num_safe = _combine_clues(arena, level)
            if num_safe == 0:
                return False
        for i in range(num_safe):
            open_cell(truth, clues, player, np.int64(player.safe_cells[i]))
    return True


@subroutine
def _combine_clues(arena: Arena, level: Int) -> int:
    """Applies the rules for several clues.

    Returns the number of safe cells, listed in `player.safe_cells`; PROGRESS if it has marked only mines; 0 if logic is
    stuck.
    """
    clues, player, constraints, log = arena.clues, arena.player, arena.constraints, arena.log
    # Without a record the oracle, which finds all that constraints find, is faster alone.
    if level == arrays.SUBSET or log.is_recording[0] == 1:
        # Level "exact" leaves the number of mines to the oracle.
        mines_left = player.mines_left[0] if level == arrays.SUBSET else -1
        result = look_further(clues, constraints, mines_left, player.covered_left[0])
        if result >= closures.BY_DIFFERENCE:
            rule = arrays.OVERLAP_RULE if result == closures.BY_OVERLAP else arrays.SUBSET_RULE
            num_safe = _decide_certain(clues, player, constraints, log, rule)
            return num_safe if num_safe > 0 else PROGRESS
        if result != closures.NOTHING and result != closures.TOO_HARD:
            num_safe = _decide_rest(clues, player, constraints, log, result != closures.REST_IS_SAFE)
            return num_safe if num_safe > 0 else PROGRESS
        if level == arrays.SUBSET:
            return 0
    return ask_oracle(clues, player, log, arena.workspace, np.int64(arena.rules.mines))
