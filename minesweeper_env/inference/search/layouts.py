"""Enumeration of the layouts that fit a visible board, if they are few enough: assign a cell, apply clues, undo.

The search of Davis, Logemann and Loveland (1962), with counts in place of clauses. For each clue, and for the total,

    0  <=  missing mines  <=  unassigned cells for them

A violation undoes the last choice. Internal: `minesweeper_env.inference.kernels` exports `consistent_layouts`.
"""

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from minesweeper_env.cell_sets import neighbour_table
from minesweeper_env.codes import Codes
from minesweeper_env.compiled import inlined, kernel, subroutine
from minesweeper_env.config import whole_number
from minesweeper_env.inference.boards import InconsistentBoardError, PositionTooHardError, check_boards
from minesweeper_env.inference.reading import MINE, NOWHERE, OPEN, SAFE, UNKNOWN, Clues, Ints, Neighbours, read_clues

Int = int | np.integer[Any]
Bytes = NDArray[np.uint8]

MAX_WORK = 20_000_000
"""Upper bound on cell assignments during an enumeration, or on steps that take as long (about 1 s)."""

MAX_ENTRIES = 1 << 26
"""Upper bound on layouts times covered cells, and so on the memory of a list: 128 MB with its counts."""

_neighbours = lru_cache(maxsize=16)(neighbour_table)

_FIRST_ROWS, _GROWTH = 1024, 8
"""The first capacity of the list of layouts, and the factor by which it grows."""

TOO_MANY, TOO_LONG = -1, -2
"""Outcomes of `list_layouts` in place of a number of layouts."""


class Backtracking(NamedTuple):
    """The arrays of an enumeration on a board of n cells; all but the first are int32.

    Arrays (1,) hold a number that the kernels change. A comment names first what indexes the array.
    """

    neighbours: Neighbours  # (n, degree), the neighbours of each cell; n stands for cells off the board
    state: Ints  # cell: `known` of `Clues`; an assigned cell is SAFE or MINE, and so is entry n, off the board
    missing: Ints  # cell: as in `Clues`
    unknown: Ints  # cell: as in `Clues`
    clues: Ints  # the open cells with covered neighbours, in breadth-first order
    order: Ints  # the covered cells in breadth-first order
    trail: Ints  # the assigned cells, in the order of assignment; a stack of `height` cells
    branch_height: Ints  # branch: the height of the trail before its cell was assigned
    branch_position: Ints  # branch: the position in `order` of its cell
    mark: Ints  # cell: the value of `stamp` when the cell was last marked
    column: Ints  # cell: the column of a covered cell in the list of layouts, or -1
    mines_left: Ints  # (1,): the number of mines in the cells that are not assigned
    cells_left: Ints  # (1,): the number of cells that are not assigned
    height: Ints  # (1,): the number of assigned cells
    steps: Ints  # (1,): the number of assignments so far, with repetitions, and of steps that take as long
    stamp: Ints  # (1,): the cells with this number in `mark` count as marked
    deepest: Ints  # (1,): the largest height at which a clue was violated
    fault: Ints  # (1,): that clue, or -1


@inlined
def _backtracking_of(neighbours: Neighbours, rows: NDArray[np.int32], numbers: NDArray[np.int32]) -> Backtracking:
    """Returns the rows of two arrays, (10, n + 1) and (7, 1), as the fields in their order."""
    return Backtracking(
        neighbours, rows[0], rows[1], rows[2], rows[3], rows[4], rows[5], rows[6], rows[7], rows[8], rows[9],
        numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5], numbers[6],
    )  # fmt: skip


@inlined
def _read_board(work: Backtracking, shown: NDArray[np.int8], max_count: int, mines: int) -> bool:
    """Reads a board, (n,) cell codes; returns whether each clue by itself, and the total, can be met."""
    cells = len(work.neighbours)
    work.mines_left[0], work.cells_left[0], work.height[0] = mines, 0, 0
    work.steps[0], work.stamp[0], work.deepest[0] = 0, 0, 0
    # Only entries of open cells mean something. The kernels update those of covered cells too, which saves a branch.
    work.missing[:] = 0
    work.unknown[:] = 0
    # `trail` and `mark` are not in use yet, so `read_clues` takes them for its stack.
    clues = Clues(work.neighbours, work.state, work.missing, work.unknown, work.trail, work.mark)
    work.fault[0] = read_clues(shown, max_count, clues)
    work.state[cells] = SAFE
    work.mark[:] = 0
    work.column[:] = -1
    columns = 0
    for cell in range(cells):
        work.cells_left[0] += work.state[cell] == UNKNOWN
        work.mines_left[0] -= work.state[cell] == MINE
        if work.state[cell] != OPEN:
            work.column[cell] = columns
            columns += 1
    return work.fault[0] == NOWHERE and bool(0 <= work.mines_left[0] <= work.cells_left[0])


@subroutine
def _assign(work: Backtracking, cell: Int, mine: Int) -> bool:
    """Assigns a cell a mine (1) or none (0); returns whether the clues next to it and the total can still be met."""
    work.state[cell] = SAFE + mine
    work.trail[work.height[0]] = cell
    work.height[0] += 1
    work.steps[0] += 1
    work.cells_left[0] -= 1
    work.mines_left[0] -= mine
    fits = 0 <= work.mines_left[0] <= work.cells_left[0]
    for k in range(work.neighbours.shape[1]):
        # A violation does not end the loop, because `_undo` reverts the counts of every neighbour.
        neighbour = work.neighbours[cell, k]
        work.missing[neighbour] -= mine
        work.unknown[neighbour] -= 1
        if work.state[neighbour] == OPEN and not 0 <= work.missing[neighbour] <= work.unknown[neighbour]:
            fits = False
            # If no layout fits, the error names the clue that was violated with the most cells assigned.
            if work.height[0] > work.deepest[0]:
                work.deepest[0] = work.height[0]
                work.fault[0] = neighbour
    return fits


@inlined
def _undo(work: Backtracking, height: int) -> None:
    """Undoes all assignments but the first `height`."""
    while work.height[0] > height:
        work.height[0] -= 1
        cell = work.trail[work.height[0]]
        mine = work.state[cell] - SAFE
        work.cells_left[0] += 1
        work.mines_left[0] += mine
        for k in range(work.neighbours.shape[1]):
            work.missing[work.neighbours[cell, k]] += mine
            work.unknown[work.neighbours[cell, k]] += 1
        work.state[cell] = UNKNOWN


@subroutine
def _apply_clue(work: Backtracking, clue: Int) -> bool:
    """Assigns the unknown neighbours of a clue if it makes them all free or all mines; returns False on a violation."""
    missing, unknown = work.missing[clue], work.unknown[clue]
    if unknown == 0 or 0 < missing < unknown:
        return True
    mine = np.int64(missing > 0)
    for k in range(work.neighbours.shape[1]):
        cell = np.int64(work.neighbours[clue, k])
        if work.state[cell] == UNKNOWN and not _assign(work, cell, mine):
            return False
    return True


@subroutine
def _propagate(work: Backtracking, first: Int) -> bool:
    """Applies the clues next to the cells of the trail from position `first` on; returns False on a violation."""
    # The trail is also the queue: `_apply_clue` appends the cells that it assigns.
    while first < work.height[0]:
        cell = work.trail[first]
        first += 1
        for k in range(work.neighbours.shape[1]):
            clue = np.int64(work.neighbours[cell, k])
            if work.state[clue] == OPEN and not _apply_clue(work, clue):
                return False
    return True


@inlined
def _apply_clues(work: Backtracking) -> bool:
    """Applies all clues until nothing new follows; returns False on a violation."""
    for cell in range(len(work.neighbours)):
        if work.state[cell] == OPEN and not _apply_clue(work, cell):
            return False
    return _propagate(work, 0)


@inlined
def _assign_rest(work: Backtracking, cells: int, mine: Int) -> bool:
    """Assigns `mine` to the unassigned ones of the first `cells` cells in `order`; returns False on a violation."""
    for i in range(cells):
        cell = np.int64(work.order[i])
        if work.state[cell] == UNKNOWN and not _assign(work, cell, mine):
            return False
    return True


@inlined
def _total_can_be_met(work: Backtracking, clues: int) -> bool:
    """Returns whether the total is within the bounds that a packing of clues without common unknown cells gives.

    Without this test an enumeration can get lost in assignments of the frontier that all take too many mines.
    """
    # A new stamp clears all marks at once.
    work.stamp[0] += 1
    packed_mines, packed_cells = 0, 0
    # The packed clues take exactly their missing mines; each other cell takes a mine or none. Any packing gives valid
    # bounds, and a greedy one is cheap.
    for i in range(clues):
        clue = work.clues[i]
        is_disjoint = work.unknown[clue] > 0
        for k in range(work.neighbours.shape[1]):
            cell = work.neighbours[clue, k]
            is_disjoint &= work.state[cell] != UNKNOWN or work.mark[cell] != work.stamp[0]
        if is_disjoint:
            packed_mines += work.missing[clue]
            packed_cells += work.unknown[clue]
            for k in range(work.neighbours.shape[1]):
                work.mark[work.neighbours[clue, k]] = work.stamp[0]
    return packed_mines <= work.mines_left[0] <= packed_mines + work.cells_left[0] - packed_cells


@inlined
def _order_cells(work: Backtracking) -> tuple[int, int]:
    """Fills `order` with the unknown cells and `clues` with their clues, breadth first; returns the numbers of both."""
    state, mark, neighbours = work.state, work.mark, work.neighbours
    work.stamp[0] += 1
    stamp = work.stamp[0]
    num_cells, num_clues, expanded = 0, 0, 0
    for seed in range(len(neighbours)):
        if state[seed] == OPEN and work.unknown[seed] > 0 and mark[seed] != stamp:
            mark[seed] = stamp
            work.clues[num_clues] = seed
            num_clues += 1
        # Breadth-first order keeps the cells of a clue close together, so a violation soon follows a wrong choice.
        while expanded < num_clues:
            clue = work.clues[expanded]
            expanded += 1
            for k in range(neighbours.shape[1]):
                cell = neighbours[clue, k]
                if state[cell] != UNKNOWN or mark[cell] == stamp:
                    continue
                mark[cell] = stamp
                work.order[num_cells] = cell
                num_cells += 1
                for j in range(neighbours.shape[1]):
                    other = neighbours[cell, j]
                    if state[other] == OPEN and mark[other] != stamp:
                        mark[other] = stamp
                        work.clues[num_clues] = other
                        num_clues += 1
    # Cells under no clue come last: only the total limits them.
    for cell in range(len(neighbours)):
        if state[cell] == UNKNOWN and mark[cell] != stamp:
            work.order[num_cells] = cell
            num_cells += 1
    return num_cells, num_clues


@inlined
def _backtrack(work: Backtracking, mine: Bytes, max_steps: int) -> int:
    """Fills `mine` with the layouts, after `_apply_clues`; returns their number, TOO_MANY or TOO_LONG."""
    column = work.column
    num_cells, num_clues = _order_cells(work)
    found, num_branches, position = 0, 0, 0
    fits = True
    while work.steps[0] <= max_steps:
        if fits and work.cells_left[0] > 0 and (work.mines_left[0] == 0 or work.mines_left[0] == work.cells_left[0]):
            fits = _assign_rest(work, num_cells, np.int64(work.mines_left[0] > 0))
        if fits and work.cells_left[0] == 0:
            if found == len(mine):
                return TOO_MANY
            for cell in range(len(work.neighbours)):
                if column[cell] >= 0:
                    mine[found, column[cell]] = work.state[cell] - SAFE
            work.steps[0] += len(work.neighbours) // 16 + mine.shape[1] // 4  # about the time of the copy
            found += 1
            # A layout is a leaf, so the loop backtracks as after a violation.
            fits = False
        # A look at a clue takes about a quarter of the time of an assignment.
        work.steps[0] += num_clues // 4
        if fits and _total_can_be_met(work, num_clues):
            # A covered cell is left, and all cells before `position` are assigned.
            while work.state[work.order[position]] != UNKNOWN:
                position += 1
            work.branch_height[num_branches], work.branch_position[num_branches] = work.height[0], position
            num_branches += 1
            choice = 0
        elif num_branches > 0:
            # After the free cell the mine: the branch is popped, as no third value is left.
            num_branches -= 1
            _undo(work, work.branch_height[num_branches])
            position = int(np.int64(work.branch_position[num_branches]))
            choice = 1
        else:
            return found
        height = np.int64(work.height[0])
        fits = _assign(work, np.int64(work.order[position]), choice) and _propagate(work, height)
    return TOO_LONG


@kernel
def list_layouts(
    shown: NDArray[np.int8], max_count: int, mines: int, max_steps: int, mine: Bytes, count: Bytes, *arrays: Any
) -> tuple[int, int]:
    """Lists the layouts that fit a board of n cells, a layout a row, with a column for each covered cell.

    `shown` has the (n,) int8 cell codes. `mine` is (limit, covered cells) uint8, filled with 1 for a mine, and `count`,
    of that shape, with the number of mines in the neighbours, also for a mine. `max_steps` bounds the assignments, and
    the steps that take as long. The arrays are the arguments of `_backtracking_of`.

    Returns the number of layouts, TOO_MANY if there are more than `limit`, or TOO_LONG if they take more than
    `max_steps`; and the cell of the clue that was violated with the most cells assigned, or -1.
    """
    work = _backtracking_of(*arrays)
    found = 0
    if _read_board(work, shown, max_count, mines) and _apply_clues(work):
        found = _backtrack(work, mine, max_steps)
    if found > 0:
        _count_neighbours(work, mine[:found], count[:found])
    return found, work.fault[0]


@inlined
def _count_neighbours(work: Backtracking, mine: Bytes, count: Bytes) -> None:
    """Fills `count` with the number of mines around each covered cell, in each layout of `mine`."""
    count[:] = 0
    for cell in range(len(work.neighbours)):
        if work.column[cell] < 0:
            continue
        for k in range(work.neighbours.shape[1]):
            # Shown mines have columns too, so no mine is left out.
            column = work.column[work.neighbours[cell, k]]
            if column >= 0:
                for i in range(len(mine)):
                    count[i, column] += mine[i, work.column[cell]]


class Layouts(NamedTuple):
    """The N layouts that fit a visible board with k covered cells."""

    cells: NDArray[np.int64]  # (k,) int64, the covered cells in reading order, numbered row * cols + col
    mines: Bytes  # (N, k) uint8, 1 for a mine
    counts: Bytes  # (N, k) uint8, the number of mines in the neighbours of each cell: its count where it is free


def consistent_layouts(board: ArrayLike, mines: int, limit: int, *, radius: int = 1) -> Layouts:
    """Lists the layouts that fit a visible board, at most `limit`; the other arguments as for `mine_probabilities`.

    Raises:
        ValueError: an argument is not allowed; the message names the allowed values.
        InconsistentBoardError: no layout fits.
        PositionTooHardError: more than `limit` layouts fit, or finding them takes more than `MAX_WORK` assignments, or
            they have more than `MAX_ENTRIES` cells.
    """
    limit = whole_number("limit", limit, 1)
    array, mines, radius = check_boards(board, 2, mines, radius)
    max_count = Codes.of_radius(radius).max_count
    cells = np.flatnonzero(array > max_count)
    max_layouts = min(limit, max(1, MAX_ENTRIES // max(1, len(cells))))
    scratch = _neighbours(*array.shape, radius), np.empty((10, array.size + 1), np.int32), np.empty((7, 1), np.int32)
    # Most boards have few layouts, so the list grows.
    capacity, found = 0, TOO_MANY
    while found == TOO_MANY and capacity < max_layouts:
        capacity = min(max_layouts, max(_FIRST_ROWS, _GROWTH * capacity))
        mine, count = np.empty((2, capacity, len(cells)), np.uint8)
        found, fault = list_layouts(array.ravel(), max_count, mines, MAX_WORK, mine, count, *scratch)
    if found == 0:
        raise _contradiction(fault, array, max_count)
    if found == TOO_MANY:
        covered = "" if max_layouts == limit else f" with {len(cells)} covered cells"
        raise PositionTooHardError(f"more than {max_layouts} layouts{covered} fit this board")
    if found == TOO_LONG:
        raise PositionTooHardError(f"listing the layouts of this board takes more than {MAX_WORK} steps")
    return Layouts(cells, mine[:found].copy(), count[:found].copy())


def _contradiction(fault: int, board: NDArray[np.int8], max_count: int) -> InconsistentBoardError:
    """Returns the error for the violated clue in the cell `fault`, or for the number of mines if that is -1."""
    cols = board.shape[1]
    if fault >= 0:
        reason = f"the count {board.flat[fault]} cannot be met together with the others"
        return InconsistentBoardError(reason, divmod(fault, cols))
    first_covered = int(np.argmax(board > max_count))  # 0 if all cells are open
    return InconsistentBoardError("the number of mines does not fit", divmod(first_covered, cols))
