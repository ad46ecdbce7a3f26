"""What is known of a board in the course of a deduction."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.codes import Codes
from minesweeper_env.inference.deduction.sentences import Sentence, bits
from minesweeper_env.inference.probability import certain_cells
from minesweeper_env.neighbours import neighbour_table

Cell = tuple[int, int]


class Knowledge:
    """A board and what has been deduced from it.

    Cells go by their numbers in reading order; sets of cells are the bits of an int.

    Attributes:
        shape: (rows, cols) of the board.
        radius: the reach of a count.
        unknown: the covered cells of which nothing has been deduced.
        mines_left: the number of mines among them.
        findable: those among them that are the same in all layouts.
        sentences: what the count of each open cell says of its unknown neighbours, if it has any.
    """

    def __init__(self, board: NDArray[np.int8], mines: int, radius: int) -> None:
        """Reads a board.

        Args:
            board: (rows, cols) int8 cell codes, already checked.
            mines: the number of mines on the whole board.
            radius: the reach of a count.

        Raises:
            InconsistentBoardError: no layout fits the board.
            PositionTooHardError: its frontier is too wide.
        """
        codes = Codes.of_radius(radius)
        certain = certain_cells(board, mines, radius=radius)
        self.shape: tuple[int, int] = board.shape[0], board.shape[1]
        self.radius = radius
        table = neighbour_table(*self.shape, radius).tolist()
        self._around = [[cell for cell in row if cell < board.size] for row in table]
        self.unknown = to_bits(board > codes.max_count)
        self.mines_left = mines
        self.findable = to_bits(certain.safe | certain.mine)
        self.sentences: dict[int, Sentence] = {}
        for cell in np.flatnonzero(board <= codes.max_count).tolist():
            beside = self.beside(cell) & self.unknown
            if beside:
                self.sentences[cell] = Sentence(beside, int(board.flat[cell]), frozenset([cell]))
        self.learn(0, to_bits(board == codes.mine))

    @property
    def size(self) -> int:
        """The number of cells of the board."""
        return self.shape[0] * self.shape[1]

    @property
    def total(self) -> Sentence:
        """What the number of mines on the whole board says of the unknown cells."""
        return Sentence(self.unknown, self.mines_left, frozenset())

    def beside(self, cell: int) -> int:
        """Returns the neighbours of a cell."""
        return sum(1 << other for other in self._around[cell])

    def related(self, counts: Iterable[int]) -> set[int]:
        """Returns the open cells whose sentences share a cell with those of some others, and these."""
        return {other for count in counts for bit in bits(self.sentences[count].cells) for other in self.about(bit)}

    def about(self, bit: int) -> list[int]:
        """Returns the open cells whose sentences are about a cell, given as its bit."""
        return [cell for cell in self._around[bit.bit_length() - 1] if cell in self.sentences]

    def learn(self, safe: int, mine: int) -> None:
        """Takes down cells as free, and others as mines."""
        found = safe | mine
        self.unknown &= ~found
        self.findable &= ~found
        self.mines_left -= mine.bit_count()
        for count in {count for bit in bits(found) for count in self.about(bit)}:
            cells, mines, because = self.sentences[count]
            if cells & ~found:
                self.sentences[count] = Sentence(cells & ~found, mines - (cells & mine).bit_count(), because)
            else:
                del self.sentences[count]

    def across(self) -> list[int]:
        """Returns the bits of all cells in the order of rows, or of columns if these are shorter."""
        numbers = np.arange(self.size).reshape(self.shape)
        ordered = numbers if self.shape[0] >= self.shape[1] else numbers.T
        return [1 << number for number in ordered.ravel().tolist()]

    def cells(self, numbers: Iterable[int]) -> tuple[Cell, ...]:
        """Returns (row, col) of cells, in reading order."""
        return tuple(divmod(number, self.shape[1]) for number in sorted(numbers))

    def cells_of(self, cells: int) -> tuple[Cell, ...]:
        """Returns (row, col) of the cells in a set, in reading order."""
        return self.cells(bit.bit_length() - 1 for bit in bits(cells))

    def to_array(self, cells: int) -> NDArray[np.bool_]:
        """Returns a set of cells as (rows, cols) bool."""
        size = self.size
        packed = np.frombuffer(cells.to_bytes((size + 7) // 8, "little"), np.uint8)
        return np.unpackbits(packed, count=size, bitorder="little").astype(np.bool_).reshape(self.shape)


def to_bits(cells: NDArray[np.bool_]) -> int:
    """Returns a set of cells, given as (rows, cols) bool, as bits."""
    return int.from_bytes(np.packbits(cells, bitorder="little").tobytes(), "little")
