"""Rules of the game: where the first click places the mines, which moves are legal, and how each changes a board."""

import numpy as np

from minesweeper_env.codes import Move
from minesweeper_env.compiled import inlined
from minesweeper_env.engine import state
from minesweeper_env.engine.state import Boards, CodeArray, Flags, Generators, Int, Rules
from minesweeper_env.splitmix import GOLDEN, mix

# NumPy integers, because numba would compile a function once more for each plain constant passed to it.
CLICK, FLAG, UNFLAG, QUESTION, CHORD = (np.int64(move) for move in Move)
_32 = np.uint64(32)
_2_TO_32 = np.uint64(1 << 32)
_LOW_32 = np.uint64((1 << 32) - 1)


@inlined
def random_below(rng: Generators, i: Int, bound: Int) -> np.int64:
    """Draws one of 0..bound-1, exactly uniformly, from the SplitMix64 generator in row i (Lemire 2019)."""
    limit = np.uint64(bound)
    while True:
        product = (mix(rng[i]) >> _32) * limit
        rng[i] += GOLDEN
        low = product & _LOW_32
        # The first comparison decides most draws without the slow remainder. The second rejects the surplus values
        # that would make some results likelier than others.
        if low >= limit or low >= (_2_TO_32 - limit) % limit:
            return np.int64(product >> _32)


@inlined
def add_mine(rules: Rules, boards: Boards, i: Int, cell: Int) -> None:
    """Places a mine in a free cell, and adds 1 to the counts of its neighbours."""
    boards.truth[i, cell] |= state.MINE_BIT
    # Neighbours off the board are counted in column n, which nothing reads.
    for k in range(rules.neighbours.shape[1]):
        boards.truth[i, rules.neighbours[cell, k]] += 1


@inlined
def remove_mine(rules: Rules, boards: Boards, i: Int, cell: Int) -> None:
    """Takes a mine out of a cell, and subtracts 1 from the counts of its neighbours."""
    boards.truth[i, cell] &= state.COUNT_BITS
    for k in range(rules.neighbours.shape[1]):
        boards.truth[i, rules.neighbours[cell, k]] -= 1


@inlined
def set_mines(rules: Rules, boards: Boards, i: Int, layout: Flags) -> None:
    """Replaces the mines of a board by those of a layout, (n,) bool."""
    boards.truth[i, :] = 0
    for cell in range(layout.shape[0]):
        if layout[cell]:
            add_mine(rules, boards, i, cell)


@inlined
def _mark_zone(rules: Rules, boards: Boards, i: Int, first: Int, bit: Int) -> int:
    """Sets the mine bits of the cells that the first click protects to `bit`; returns the number of these cells."""
    truth = boards.truth
    truth[i, first] = (truth[i, first] & state.COUNT_BITS) | bit
    if rules.first_click == state.FIRST_SAFE:
        return 1
    marked = 1
    for k in range(rules.neighbours.shape[1]):
        cell = rules.neighbours[first, k]
        truth[i, cell] = (truth[i, cell] & state.COUNT_BITS) | bit
        marked += cell != rules.neighbours.shape[0]  # which stands for a neighbour off the board
    return marked


@inlined
def _draw_unmarked(boards: Boards, i: Int, cells: Int) -> np.int64:
    while True:
        cell = random_below(boards.rng, i, cells)
        if not boards.truth[i, cell] & state.MINE_BIT:
            return cell


@inlined
def _draw_mines(rules: Rules, boards: Boards, i: Int, free: Int) -> None:
    """Draws a uniform layout on the `free` unmarked cells: draws the mines, or the safe cells if these are fewer."""
    cells = rules.neighbours.shape[0]
    if 2 * rules.mines <= free:
        for _ in range(rules.mines):
            add_mine(rules, boards, i, _draw_unmarked(boards, i, cells))
        return
    for _ in range(free - rules.mines):
        boards.truth[i, _draw_unmarked(boards, i, cells)] |= state.MINE_BIT
    # A bit now marks each cell that stays free, drawn or protected. Flipped, it marks the mines.
    for cell in range(cells):
        boards.truth[i, cell] ^= state.MINE_BIT
    for cell in range(cells):
        if boards.truth[i, cell] & state.MINE_BIT:
            add_mine(rules, boards, i, cell)


@inlined
def _in_zone(rules: Rules, first: Int, cell: Int) -> bool:
    inside = first == cell
    for k in range(rules.neighbours.shape[1]):
        inside |= rules.neighbours[first, k] == cell
    return inside


@inlined
def _clear_zone(rules: Rules, boards: Boards, i: Int, first: Int) -> None:
    """Moves each mine in the neighbourhood of the cell `first` to the first refuge that is free and outside it."""
    truth = boards.truth
    refuge = 0
    for cell in range(rules.neighbours.shape[0]):
        if truth[i, cell] & state.MINE_BIT and _in_zone(rules, first, cell):
            while truth[i, rules.refuges[refuge]] & state.MINE_BIT or _in_zone(rules, first, rules.refuges[refuge]):
                # A skipped refuge stays unusable, so the search for the next mine starts here.
                refuge += 1
            remove_mine(rules, boards, i, cell)
            add_mine(rules, boards, i, rules.refuges[refuge])


@inlined
def place_mines(rules: Rules, boards: Boards, i: Int, first: Int) -> None:
    """Places the mines by the first-click rule, which `MinesweeperEnv` explains, on a board without mines."""
    protects = rules.first_click == state.FIRST_OPENING or rules.first_click == state.FIRST_SAFE
    free = rules.neighbours.shape[0]
    # While the mines are drawn, a mine bit also marks each protected cell, so that no draw accepts it.
    if protects:
        free -= _mark_zone(rules, boards, i, first, np.int64(state.MINE_BIT))
    _draw_mines(rules, boards, i, free)
    if protects:
        _mark_zone(rules, boards, i, first, np.int64(0))
    elif rules.first_click == state.FIRST_CORNERS:
        _clear_zone(rules, boards, i, first)


@inlined
def _open_cell(rules: Rules, boards: Boards, i: Int, cell: Int) -> int:
    """Opens a covered cell without a flag, flooding over zeros; returns the number of cells opened, 0 for a mine."""
    shown, truth, stack = boards.shown, boards.truth, boards.stack
    max_count = rules.neighbours.shape[1]
    if truth[i, cell] & state.MINE_BIT:
        boards.progress[i, state.STATUS] = state.LOST
        return 0
    shown[i, cell] = truth[i, cell]
    opened = 1
    # The stack never overflows: a zero enters it at the moment that it is opened, which happens once.
    stack[0] = cell
    top = 1 if truth[i, cell] == 0 else 0
    while top > 0:
        top -= 1
        zero = stack[top]
        for k in range(rules.neighbours.shape[1]):
            neighbour = rules.neighbours[zero, k]
            if shown[i, neighbour] >= max_count + 2:  # a question mark or hidden
                # No mine check: a neighbour of a zero is safe.
                shown[i, neighbour] = truth[i, neighbour]
                opened += 1
                if truth[i, neighbour] == 0:
                    stack[top] = neighbour
                    top += 1
    boards.progress[i, state.REMAINING] -= opened
    return opened


@inlined
def _can_chord(rules: Rules, shown: CodeArray, i: Int, cell: Int) -> bool:
    max_count = rules.neighbours.shape[1]
    flags = 0
    has_unflagged = False
    for k in range(rules.neighbours.shape[1]):
        code = shown[i, rules.neighbours[cell, k]]
        flags += code == max_count + 1
        has_unflagged |= code >= max_count + 2
    return has_unflagged and flags == shown[i, cell]


@inlined
def is_legal(rules: Rules, shown: CodeArray, i: Int, move: Int, cell: Int) -> bool:
    """Returns whether a move would change anything on a board whose game is neither won nor lost."""
    max_count = rules.neighbours.shape[1]
    # The codes above the counts are, in this order, flagged, question mark, hidden and mine.
    code = shown[i, cell]
    if move == CLICK:
        return code >= np.int8(max_count + 2)  # int8, so that the loop of `_show` compares bytes
    if move == FLAG:
        return code > max_count
    if move == UNFLAG:
        return code == max_count + 1 or code == max_count + 2
    if move == QUESTION:
        return code == max_count + 1 or code == max_count + 3
    return code <= max_count and _can_chord(rules, shown, i, cell)


@inlined
def make_move(rules: Rules, boards: Boards, i: Int, move: Int, cell: Int) -> int:
    """Makes a legal move; returns the number of cells that it opened."""
    max_count = rules.neighbours.shape[1]
    opened = 0
    if move == CLICK and boards.progress[i, state.STATUS] == state.FRESH:
        place_mines(rules, boards, i, cell)
        boards.progress[i, state.STATUS] = state.PLAYING
    if move == QUESTION:
        boards.shown[i, cell] = max_count + 2
    elif move == FLAG and boards.shown[i, cell] != max_count + 1:
        boards.shown[i, cell] = max_count + 1
    elif move != CLICK and move != CHORD:
        boards.shown[i, cell] = max_count + 3  # UNFLAG, or FLAG on a flagged cell
    else:
        # One call of `_open_cell` for both moves: the compiler inlines, and optimises, each call on its own.
        for k in range(1 if move == CLICK else rules.neighbours.shape[1]):
            target = cell if move == CLICK else np.int64(rules.neighbours[cell, k])
            if boards.shown[i, target] >= max_count + 2:
                opened += _open_cell(rules, boards, i, target)
    return opened


@inlined
def read_action(rules: Rules, action: Int) -> tuple[Int, Int]:
    """Returns the move, a `Move`, and the cell of an action."""
    # 32-bit division is several times faster than 64-bit.
    cells = np.uint32(rules.neighbours.shape[0])
    block = np.uint32(action) // cells
    return rules.moves[block], np.int64(np.uint32(action) - block * cells)
