"""State of a deduction: a board, and the cells that the steps so far have found."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from minesweeper_env import cell_sets
from minesweeper_env.cell_sets import bits, to_bits
from minesweeper_env.codes import Codes
from minesweeper_env.inference.deduction.closure import Sentence
from minesweeper_env.inference.errors import PositionTooHardError
from minesweeper_env.inference.probability import certain_cells
from minesweeper_env.neighbours import neighbour_table

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
        sentences: for each open cell with unknown neighbours, the number of mines in them.
    """

    def __init__(self, board: NDArray[np.int8], mines: int, radius: int) -> None:
        """Reads a board.

        Args:
            board: (rows, cols) int8 cell codes, already checked.
            mines: the number of mines on the whole board.
            radius: neighbourhood radius.

        Raises:
            InconsistentBoardError: no layout fits the board.
            PositionTooHardError: its frontier is too wide, or it has too many clues and cells.
        """
        codes = Codes.of_radius(radius)
        certain = certain_cells(board, mines, radius=radius)
        self.shape: tuple[int, int] = board.shape[0], board.shape[1]
        self.radius = radius
        self._table = neighbour_table(*self.shape, radius)
        self._listed: dict[int, list[int]] = {}
        self.unknown = to_bits(board > codes.max_count)
        self.mines_left = mines
        self.findable = to_bits(certain.safe | certain.mine)
        self.safe = to_bits(certain.safe)
        self.sentences: dict[int, Sentence] = {}
        for cell in np.flatnonzero(board <= codes.max_count).tolist():
            neighbours = self.neighbours(cell) & self.unknown
            if neighbours:
                self.sentences[cell] = Sentence(neighbours, int(board.flat[cell]), 1 << cell)
            if len(self.sentences) * board.size > MOST_BITS:
                raise PositionTooHardError("this board has too many cells and clues for a proof")
        self.record(0, to_bits(board == codes.mine))

    @property
    def size(self) -> int:
        """The number of cells of the board."""
        return self.shape[0] * self.shape[1]

    @property
    def total(self) -> Sentence:
        """The sentence about all unknown cells, from the number of mines on the board."""
        return Sentence(self.unknown, self.mines_left)

    def neighbours(self, cell: int) -> int:
        """Returns the set of the neighbours of a cell."""
        return sum(1 << other for other in self._near(cell))

    def _near(self, cell: int) -> list[int]:
        if cell not in self._listed:
            self._listed[cell] = [other for other in self._table[cell].tolist() if other < self.size]
        return self._listed[cell]

    def clues_near(self, clues: Iterable[int]) -> set[int]:
        """Returns some clues, and all others whose sentences have a cell in common with theirs."""
        return {other for clue in clues for bit in bits(self.sentences[clue].cells) for other in self.clues_about(bit)}

    def clues_about(self, bit: int) -> list[int]:
        """Returns the clues whose sentences are about a cell, given as its bit."""
        return [cell for cell in self._near(bit.bit_length() - 1) if cell in self.sentences]

    def record(self, safe: int, mine: int) -> None:
        """Marks unknown cells as free and as mines, and takes them out of the sentences."""
        found = safe | mine
        self.unknown &= ~found
        self.findable &= ~found
        self.safe &= ~found
        self.mines_left -= mine.bit_count()
        for clue in {clue for bit in bits(found) for clue in self.clues_about(bit)}:
            cells, mines, because = self.sentences[clue]
            if cells & ~found:
                self.sentences[clue] = Sentence(cells & ~found, mines - (cells & mine).bit_count(), because)
            else:
                del self.sentences[clue]

    def sweep(self) -> list[int]:
        """Returns the bits of all cells by rows, or by columns if these are shorter."""
        numbers = np.arange(self.size).reshape(self.shape)
        ordered = numbers if self.shape[0] >= self.shape[1] else numbers.T
        return [1 << number for number in ordered.ravel().tolist()]

    def cells_of(self, cells: int) -> tuple[Cell, ...]:
        """Returns (row, col) of the cells in a set, in reading order."""
        return tuple(divmod(bit.bit_length() - 1, self.shape[1]) for bit in bits(cells))

    def to_array(self, cells: int) -> NDArray[np.bool_]:
        """Returns a set of cells as (rows, cols) bool."""
        return cell_sets.to_array(cells, self.shape)
