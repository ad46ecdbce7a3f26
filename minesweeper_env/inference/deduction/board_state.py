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
    """The number of mines in a set of cells, and the bit of the clue that says so."""

    cells: int
    mines: int
    because: int = 0

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
"""The least difficulty of a reason at this level: the rules for single counts find all that is easier."""


def forced(state: BoardState, reason: Reason) -> tuple[int, int]:
    """Returns the unknown cells that are free, and those that are mines, in all layouts that fit a reason, as bits.

    `certain_cells` finds them on an auxiliary board. There each open cell without a clue of the reason becomes a
    shown mine, which says nothing of its neighbours; each clue grows by the shown mines next to it. A reason without
    the number of mines gets a second set of covered cells, out of reach of all clues. It takes up any number of mines.
    """
    rows, cols = state.shape
    radius, codes = state.radius, Codes.of_radius(state.radius)
    unknown = to_array(state.unknown, state.shape)
    board = np.where(unknown, codes.hidden, codes.mine).astype(np.int8)
    left = state.mines_left
    if not reason.uses_total:
        gap = np.full((radius, cols), codes.mine, np.int8)
        board = np.concatenate([board, gap, np.full((rows, cols), codes.hidden, np.int8)])
        left = state.unknown.bit_count()
    # The other open cells stay shown mines; `clue` becomes its mines left plus the shown ones around it. For example a
    # clue that lacks 1 mine and has 3 open neighbours, none of them in the reason, becomes a 4.
    board.flat[list(reason.clues)] = 0
    shown = board == codes.mine
    for clue in reason.clues:
        row, col = divmod(clue, cols)
        window = shown[max(row - radius, 0) : row + radius + 1, max(col - radius, 0) : col + radius + 1]
        board[row, col] = state.constraints[clue].mines + np.count_nonzero(window)
    safe, mine = certain_cells(board, left + int(shown.sum()), radius=radius)
    return to_bits(safe[:rows] & unknown), to_bits(mine[:rows] & unknown)


def easiest_reason(state: BoardState, cells: int) -> Reason:
    """Returns the easiest reason for one of some findable cells, at least one."""
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
    """Returns a reason for the findable cell `bit`, a set of one; no clue can be left out. Near clues come first."""
    # Rings of clues around the cell: those that see it, those that share a cell with these, and so on.
    clues = set(state.clues_about(bit))
    while not _forces(state, Reason(clues, uses_total=False), bit):
        wider = state.clues_near(clues)
        if wider == clues:
            return _shrink(state, list(state.constraints), uses_total=True, bit=bit)
        clues = wider
    return _shrink(state, list(clues), uses_total=False, bit=bit)


def _forces(state: BoardState, reason: Reason, bit: int) -> bool:
    safe, mine = forced(state, reason)
    return bool((safe | mine) & bit)


def _shrink(state: BoardState, clues: list[int], uses_total: bool, bit: int) -> Reason:
    """Returns a reason of needed clues only: drops far ones first, in runs of 2**k, then of 2**(k - 1), down to one.

    The runs of one are a deletion filter (Chinneck & Dravnieks 1991): of what it keeps, no clue can be left out.
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

MOST_BITS = 1 << 30
"""The largest product of clues and cells of a board; every clue has sets of cells with a bit for each cell."""


class BoardState:
    """A board and the cells that have been found on it.

    Cells go by their numbers in reading order; sets of cells are ints (see `minesweeper_env.cell_sets`).

    Attributes:
        shape: (rows, cols) of the board.
        radius: neighbourhood radius.
        unknown: the covered cells that no step has found.
        mines_left: the number of mines in `unknown`.
        findable: the cells of `unknown` that are the same in all layouts.
        safe: the cells of `findable` that are free.
        constraints: for each open cell with unknown neighbours, the number of mines in them.
    """

    def __init__(self, board: NDArray[np.int8], mines: int, radius: int) -> None:
        """Reads a checked board, (rows, cols) int8 codes; raises what `deduce` raises."""
        certain = certain_cells(board, mines, radius=radius)
        self.shape: tuple[int, int] = board.shape[0], board.shape[1]
        self.radius, self._codes = radius, Codes.of_radius(radius)
        self._table = neighbour_table(*self.shape, radius)
        self._listed: dict[int, list[int]] = {}
        self._board, self._mines = board.copy(), mines
        self.findable = to_bits(certain.safe | certain.mine)
        self.safe = to_bits(certain.safe)
        self._read()

    def _read(self) -> None:
        """Reads the board, on which the cells that have been found bear codes of their own."""
        with deducers(*self.shape, self.radius).lend() as deducer:
            read_board(self._board.ravel(), self._codes.max_count, False, *deducer.clues, *deducer.memory)
            known, missing, unknown = (each[:-1].copy() for each in deducer.clues[1:4])
        self.unknown = to_bits(known == UNKNOWN)
        self.findable &= self.unknown
        self.safe &= self.unknown
        self.mines_left = self._mines - int(np.count_nonzero(self._board == self._codes.mine))
        clues = np.flatnonzero((self._board.ravel() <= self._codes.max_count) & (unknown > 0)).tolist()
        if len(clues) * self.size > MOST_BITS:
            raise PositionTooHardError("this board has too many cells and clues for a proof")
        self.constraints = {clue: Constraint(self._around(clue), int(missing[clue]), 1 << clue) for clue in clues}

    def look_further(self, deducer: Deducer) -> tuple[int, int]:
        """Returns the kind of step that several clues allow, such as BY_DIFFERENCE, and its constraint or -1.

        The arrays of the deducer then hold the cells of the step; see `read_board` and `pack_board`.
        """
        arrays = (*deducer.clues, *deducer.memory)
        found, constraint = read_board(self._board.ravel(), self._codes.max_count, True, *arrays)
        # A closure that found nothing is complete, so that the arrays are ready for packings.
        if found == NOTHING:
            found = pack_board(self.mines_left, self.unknown.bit_count(), *arrays)
        return found, constraint

    def _around(self, clue: int) -> int:
        return sum(1 << other for other in self._near(clue)) & self.unknown

    @property
    def size(self) -> int:
        """The number of cells of the board."""
        return self.shape[0] * self.shape[1]

    @property
    def total(self) -> Constraint:
        """The constraint about all unknown cells, from the number of mines on the board."""
        return Constraint(self.unknown, self.mines_left)

    def _near(self, cell: int) -> list[int]:
        if cell not in self._listed:
            self._listed[cell] = [other for other in self._table[cell].tolist() if other < self.size]
        return self._listed[cell]

    def clues_near(self, clues: Iterable[int]) -> set[int]:
        """Returns some clues, and all others whose constraints have a cell in common with theirs."""
        return {
            other for clue in clues for bit in bits(self.constraints[clue].cells) for other in self.clues_about(bit)
        }

    def clues_about(self, bit: int) -> list[int]:
        """Returns the clues whose constraints are about a cell, given as its bit."""
        return [cell for cell in self._near(bit.bit_length() - 1) if cell in self.constraints]

    def record(self, found: int) -> None:
        """Marks findable cells as what they are."""
        # The code after that of a mine stands for a covered cell that is known to be safe; see `read_clues`.
        self._board[to_array(found & self.safe, self.shape)] = self._codes.mine + 1
        self._board[to_array(found & ~self.safe, self.shape)] = self._codes.mine
        self._read()

    def cells_of(self, cells: int) -> tuple[Cell, ...]:
        """Returns (row, col) of the cells in a set, in reading order."""
        return tuple(divmod(bit.bit_length() - 1, self.shape[1]) for bit in bits(cells))
