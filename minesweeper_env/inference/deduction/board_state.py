"""State of a deduction: a board, and the cells that the steps so far have found."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.cell_sets import bits, neighbour_table, to_array, to_bits
from minesweeper_env.codes import Codes
from minesweeper_env.inference.boards import PositionTooHardError
from minesweeper_env.inference.deduction.constraints import NOTHING
from minesweeper_env.inference.deduction.kernels import Deducer, deducers, pack_board, read_board
from minesweeper_env.inference.oracle import certain_cells
from minesweeper_env.inference.reading import UNKNOWN


class Constraint(NamedTuple):
    """The number of mines in a set of cells."""

    cells: int  # the cells, as bits
    mines: int
    because: int = 0  # the bit of its clue; 0 for the number of mines on the board

    @property
    def free(self) -> int:
        """The number of free cells."""
        return self.cells.bit_count() - self.mines


class Reason(NamedTuple):
    """Clues that force some cells."""

    clues: Collection[int]  # open cells, all with unknown neighbours
    uses_total: bool  # whether the reason includes the number of mines on the whole board

    @property
    def difficulty(self) -> tuple[bool, int]:
        """A key that orders reasons from easy to hard."""
        return self.uses_total, len(self.clues)


SIMPLEST = (False, 2)
"""The least difficulty of a reason that is searched for: the rules for single clues find all that is easier."""


def forced(state: BoardState, reason: Reason) -> tuple[int, int]:
    """Returns the unknown cells that are free, and those that are mines, in all layouts that fit a reason, as bits.

    `certain_cells` finds these cells on an auxiliary board. There each open cell that is no clue of the reason becomes
    a shown mine, which is no constraint, and each clue grows by the shown mines next to it. For a reason without the
    number of mines, more covered cells, out of reach of all clues, take up any number of mines.
    """
    rows, cols = state.shape
    radius, codes = state.radius, Codes.of_radius(state.radius)
    unknown = to_array(state.unknown, state.shape)
    board = np.where(unknown, codes.hidden, codes.mine).astype(np.int8)
    mines_left = state.mines_left
    if not reason.uses_total:
        gap = np.full((radius, cols), codes.mine, np.int8)
        board = np.concatenate([board, gap, np.full((rows, cols), codes.hidden, np.int8)])
        mines_left = state.unknown.bit_count()
    # A clue becomes its missing mines plus the shown mines around it: a 4 if it lacks 1 mine and is next to 3 shown
    # mines. First all clues of the reason become 0, so as not to count as shown mines.
    board.flat[list(reason.clues)] = 0
    shown = board == codes.mine
    for clue in reason.clues:
        row, col = divmod(clue, cols)
        window = shown[max(row - radius, 0) : row + radius + 1, max(col - radius, 0) : col + radius + 1]
        board[row, col] = state.constraints[clue].mines + np.count_nonzero(window)
    safe, mine = certain_cells(board, mines_left + int(shown.sum()), radius=radius)
    return to_bits(safe[:rows] & unknown), to_bits(mine[:rows] & unknown)


def easiest_reason(state: BoardState, cells: int) -> Reason:
    """Returns the easiest reason that forces any one of these findable cells, a set of at least one, as bits."""
    best: Reason | None = None
    # Cells with the same clues have the same reasons, so one of them is enough.
    for bit in {tuple(state.clues_about(bit)): bit for bit in bits(cells)}.values():
        reason = find_reason(state, bit)
        if best is None or reason.difficulty < best.difficulty:
            best = reason
        if best.difficulty <= SIMPLEST:
            break
    assert best is not None, "there is a cell"
    return best


def find_reason(state: BoardState, bit: int) -> Reason:
    """Returns a reason that forces the findable cell with this bit, of clues near it; no clue can be left out."""
    # Rings of clues around the cell: its neighbours, the clues that share a cell with these, and so on.
    clues = set(state.clues_about(bit))
    while not _forces(state, Reason(clues, uses_total=False), bit):
        wider = state.clues_near(clues)
        if wider == clues:
            return _shrink(state, list(state.constraints), uses_total=True, bit=bit)
        clues = wider
    return _shrink(state, list(clues), uses_total=False, bit=bit)


def _forces(state: BoardState, reason: Reason, bit: int) -> bool:
    """Returns whether a reason makes the cell with this bit certain."""
    safe, mine = forced(state, reason)
    return bool((safe | mine) & bit)


def _shrink(state: BoardState, clues: list[int], uses_total: bool, bit: int) -> Reason:
    """Returns a reason that forces the cell with this bit, of as few of these clues as a deletion filter leaves.

    The filter (Chinneck & Dravnieks 1991) drops each clue that is not needed, so none that it keeps can be left out. It
    tries the farthest clues first, and runs of 2**k clues before runs of 2**(k - 1), down to single ones.
    """
    (row, col), cols = state.cells_of(bit)[0], state.shape[1]
    clues.sort(key=lambda clue: (-max(abs(clue // cols - row), abs(clue % cols - col)), clue))
    for halvings in reversed(range(len(clues).bit_length())):
        run, start = 1 << halvings, 0
        while start < len(clues):
            fewer = clues[:start] + clues[start + run :]
            if _forces(state, Reason(fewer, uses_total), bit):
                clues = fewer
            else:
                start += run
    return Reason(clues, uses_total)


Cell = tuple[int, int]

MAX_BITS = 1 << 30
"""The largest product of clues and cells of a board: every clue has sets with a bit for each cell."""


class BoardState:
    """A board and the cells that have been found on it.

    Cells go by their numbers in reading order; sets of cells are ints (see `minesweeper_env.cell_sets`).

    Attributes:
        shape: (rows, cols) of the board.
        radius: neighbourhood radius.
        unknown: the covered cells that no step has found.
        mines_left: the number of mines in `unknown`.
        findable: the cells of `unknown` that are free in all layouts, or mines in all.
        safe: the cells of `findable` that are free.
        constraints: for each open cell with unknown neighbours, its constraint.
    """

    def __init__(self, board: NDArray[np.int8], mines: int, radius: int) -> None:
        """Reads a checked board, (rows, cols) int8 codes; raises what `deduce` raises."""
        certain = certain_cells(board, mines, radius=radius)
        self.shape: tuple[int, int] = board.shape[0], board.shape[1]
        self.radius, self._codes = radius, Codes.of_radius(radius)
        self._table = neighbour_table(*self.shape, radius)
        self._neighbours: dict[int, list[int]] = {}
        self._board, self._mines = board.copy(), mines
        self.findable = to_bits(certain.safe | certain.mine)
        self.safe = to_bits(certain.safe)
        self._read()

    def _read(self) -> None:
        """Sets the attributes from the board, on which `record` has marked the cells found so far."""
        with deducers(*self.shape, self.radius).lend() as deducer:
            read_board(self._board.ravel(), self._codes.max_count, False, *deducer.clues, *deducer.memory)
            # Without the last entry, which stands for cells off the board.
            known, missing, unknown = (field[:-1].copy() for field in deducer.clues[1:4])
        self.unknown = to_bits(known == UNKNOWN)
        self.findable &= self.unknown
        self.safe &= self.unknown
        self.mines_left = self._mines - int(np.count_nonzero(self._board == self._codes.mine))
        clues = np.flatnonzero((self._board.ravel() <= self._codes.max_count) & (unknown > 0)).tolist()
        if len(clues) * self.size > MAX_BITS:
            raise PositionTooHardError("this board has too many cells and clues for a proof")
        self.constraints = {clue: Constraint(self._unknown_near(clue), int(missing[clue]), 1 << clue) for clue in clues}

    def look_further(self, deducer: Deducer) -> tuple[int, int]:
        """Returns what `read_board` returns, or a result of `pack_board` and -1; the cells are then in `deducer`."""
        arrays = (*deducer.clues, *deducer.memory)
        result, constraint = read_board(self._board.ravel(), self._codes.max_count, True, *arrays)
        # NOTHING implies that the closure in the arrays is complete, as `pack_board` needs it.
        if result == NOTHING:
            result = pack_board(self.mines_left, self.unknown.bit_count(), *arrays)
        return result, constraint

    def _unknown_near(self, clue: int) -> int:
        """Returns the unknown neighbours of a clue as bits."""
        return sum(1 << other for other in self._near(clue)) & self.unknown

    @property
    def size(self) -> int:
        """The number of cells of the board."""
        return self.shape[0] * self.shape[1]

    @property
    def total(self) -> Constraint:
        """The constraint about all unknown cells: the number of mines left on the board."""
        return Constraint(self.unknown, self.mines_left)

    def _near(self, cell: int) -> list[int]:
        """Returns the neighbours of a cell."""
        if cell not in self._neighbours:
            self._neighbours[cell] = [other for other in self._table[cell].tolist() if other < self.size]
        return self._neighbours[cell]

    def clues_near(self, clues: Iterable[int]) -> set[int]:
        """Returns these clues, and all others whose constraints share a cell with the constraint of one of these."""
        return {
            other for clue in clues for bit in bits(self.constraints[clue].cells) for other in self.clues_about(bit)
        }

    def clues_about(self, bit: int) -> list[int]:
        """Returns the clues whose constraints are about a cell, given as its bit."""
        return [cell for cell in self._near(bit.bit_length() - 1) if cell in self.constraints]

    def record(self, found: int) -> None:
        """Marks findable cells on the board as safe or as mines, and updates the attributes."""
        # The code after that of a mine stands for a covered cell that is known to be safe; see `read_clues`.
        self._board[to_array(found & self.safe, self.shape)] = self._codes.mine + 1
        self._board[to_array(found & ~self.safe, self.shape)] = self._codes.mine
        self._read()

    def cells_of(self, cells: int) -> tuple[Cell, ...]:
        """Returns the (row, col) of each cell in a set, in reading order."""
        return tuple(divmod(bit.bit_length() - 1, self.shape[1]) for bit in bits(cells))
