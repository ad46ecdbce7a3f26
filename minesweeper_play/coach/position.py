"""Analysis of one position: the best move, its reason, the probabilities of all cells; or the fault of the position."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from baselines.scripted.oracle_play.exact import first_cell
from minesweeper_env.codes import Codes
from minesweeper_env.config import BoardConfig
from minesweeper_env.inference import (
    InconsistentBoardError,
    Step,
    certain_cells,
    count_layouts,
    hint,
    mine_probabilities,
)
from minesweeper_play.game.advice import rank_guesses
from minesweeper_play.game.moves import Cell, cells_of
from minesweeper_play.game.session import Status
from minesweeper_play.winning import Choice, Estimate, Winning

_CODES = Codes.of_radius(1)


@dataclass(frozen=True)
class Analysis:
    """The result of an analysis: certain cells, probabilities, and the best moves.

    Attributes:
        layouts: the number of layouts that fit.
        probabilities: (rows, cols) float64, the probability of a mine in each cell; 0.0 on open cells.
        safe: the covered cells that are certainly free.
        mine: the covered cells that are certainly mines, shown ones left out.
        wrong_flags: the flags on cells that are certainly free.
        steps: the easiest proof of a safe cell; empty if there is none, or if no cell is open.
        choices: the clicks to consider, the best one first: the safe cells of the proof, or guesses. Empty once the
            game is over.
        win: the probability of winning.
    """

    board: NDArray[np.int8]
    mines: int
    status: Status
    layouts: int
    probabilities: NDArray[np.float64]
    safe: tuple[Cell, ...]
    mine: tuple[Cell, ...]
    wrong_flags: tuple[Cell, ...]
    steps: tuple[Step, ...]
    choices: tuple[Choice, ...]
    win: Estimate

    @property
    def best(self) -> Cell | None:
        """The best click; None once the game is over."""
        return self.choices[0].cell if self.choices else None


def analyse_position(
    board: NDArray[np.int8], mines: int, first_click: str = "opening", *, games: int = 1000
) -> Analysis:
    """Analyses a position.

    Args:
        board: (rows, cols) int8 codes of radius 1.
        mines: the number of mines on the whole board.
        first_click: the first-click rule, which matters only before the first click: "opening", "safe" or "any".
        games: the number of playouts where the probability of winning is not exact, at least 2.

    Raises:
        ContradictionError: no layout fits the position; the message names the clues at fault.
        PositionTooHardError: an exact answer would take too much time or memory.
        ValueError: the number of mines or the rule is not allowed on this board.
    """
    try:
        probabilities = mine_probabilities(board, min(mines, board.size))
    except InconsistentBoardError:
        probabilities = np.zeros(0)
    if not probabilities.size or mines > board.size:
        raise find_contradiction(board, mines) or AssertionError
    is_open = bool((board <= _CODES.max_count).any())
    config = BoardConfig.of_size(board.shape, mines, first_click="any" if is_open else first_click)
    winning = Winning(config, games)
    covered = board > _CODES.max_count
    hidden = covered & (board != _CODES.mine)
    status: Status = "playing" if is_open else "ready"
    if (board == _CODES.mine).any() or covered.sum() == mines:
        status = "lost" if (board == _CODES.mine).any() else "won"
    steps = tuple(hint(board, mines)) if status == "playing" else ()
    safe, mine = hidden & (probabilities == 0.0), hidden & (probabilities == 1.0)
    certain = cells_of(safe), cells_of(mine), cells_of(safe & (board == _CODES.flagged))
    choices = tuple(_choices(board, steps, status, winning))
    layouts = count_layouts(board, mines)
    return Analysis(board, mines, status, layouts, probabilities, *certain, steps, choices, winning.win(board))


def _choices(board: NDArray[np.int8], steps: tuple[Step, ...], status: Status, winning: Winning) -> list[Choice]:
    """Returns the clicks to consider, the best one first."""
    if status in ("won", "lost"):
        return []
    if status == "playing" and not steps:
        return rank_guesses(board, winning)
    win = winning.win(board).probability
    if status == "ready":
        config = winning.config
        risk = config.mines / config.cells if config.first_click == "any" else 0.0
        return [Choice(divmod(first_cell(config), config.cols), risk, win)]
    return [Choice(cell, 0.0, win) for cell in sorted(steps[-1].safe, key=lambda cell: board[cell] == _CODES.flagged)]


class ContradictionError(ValueError):
    """No layout fits a position with this number of mines.

    Attributes:
        clues: the open cells at fault, in reading order; without any one of them the others fit. Empty if all fit.
        below, above: the next numbers of mines that the clues allow; None if there is none, or if clues are at fault.
    """

    def __init__(self, clues: tuple[Cell, ...], mines: int, below: int | None = None, above: int | None = None) -> None:
        """Stores the fault."""
        super().__init__(f"no layout with {mines} mines fits; clues at fault: {clues}")
        self.clues, self.mines, self.below, self.above = clues, mines, below, above


def find_contradiction(board: NDArray[np.int8], mines: int) -> ContradictionError | None:
    """Returns the fault of int8 codes (rows, cols) with a number of mines, or None if some layout fits."""
    clues = [(row, col) for row, col in np.argwhere(board <= _CODES.max_count).tolist()]
    for clue in clues:
        if not _has_room(board, clue):
            return ContradictionError((clue,), mines)
    question = _Question(board)
    if fault := question.fault(clues):
        return ContradictionError(tuple(sorted(_shrink(question, clues, fault))), mines)
    least, most = question.range_of_mines(clues)
    if question.fits(clues, mines, mines):
        return None
    lower, higher = range(min(mines, most), least - 1, -1), range(max(mines, least), most + 1)
    below, above = (
        next((number for number in numbers if question.fits(clues, number, number)), None)
        for numbers in (lower, higher)
    )
    return ContradictionError((), mines, below, above)


def _has_room(board: NDArray[np.int8], clue: Cell) -> bool:
    """Returns whether the cells around a clue can hold its mines, whatever the other clues say."""
    row, col = clue
    around = board[max(row - 1, 0) : row + 2, max(col - 1, 0) : col + 2]
    known = int((around == _CODES.mine).sum())
    return known <= int(board[clue]) <= int((around > _CODES.max_count).sum())


class _Question:
    """Asks of one board whether a layout fits some of its clues and a range of numbers of mines.

    A clue that is left out becomes a shown mine, which says nothing of its neighbours, and the clues around it grow by
    1. Covered cells out of reach of all clues take up the mines that a question leaves open.
    """

    def __init__(self, board: NDArray[np.int8]) -> None:
        self._board = board
        self._covered = int((board > _CODES.max_count).sum())
        self._known = int((board == _CODES.mine).sum())

    def fault(self, clues: Collection[Cell]) -> Cell | None:
        """Returns None if a layout with any number of mines fits the clues, otherwise a cell at fault."""
        return self._fault(clues, self._known, self._covered)

    def fits(self, clues: Collection[Cell], least: int, most: int) -> bool:
        """Returns whether a layout with at least `least` and at most `most` mines fits the clues."""
        least, most = max(least, self._known), min(most, self._covered)
        return least <= most and self._fault(clues, least, most) is None

    def range_of_mines(self, clues: Collection[Cell]) -> tuple[int, int]:
        """Returns the least and the largest number of mines that the clues allow; some layout must fit them."""
        upward, downward = range(self._known, self._covered + 1), range(self._covered, self._known - 1, -1)
        least = bisect_left(upward, True, key=lambda number: self.fits(clues, 0, number))
        most = bisect_left(downward, True, key=lambda number: self.fits(clues, number, self._covered))
        return upward[least], downward[most]

    def _fault(self, clues: Collection[Cell], least: int, most: int) -> Cell | None:
        kept = np.zeros(self._board.shape, np.bool_)
        for clue in clues:
            kept[clue] = True
        dropped = (self._board <= _CODES.max_count) & ~kept
        # Rows out of reach of the board hold the covered cells, and shown mines otherwise.
        cols = self._board.shape[1]
        spare = np.full((1 - (-(most - least) // cols), cols), _CODES.mine, np.int8)
        spare[1:].flat[: most - least] = _CODES.hidden
        board = np.concatenate([np.where(dropped, _CODES.mine, self._board), spare])
        added = np.concatenate([dropped, spare == _CODES.mine])
        board[: len(kept)] += kept * _neighbours_in(added)[: len(kept)]
        try:
            certain_cells(board, most + int(added.sum()))
        except InconsistentBoardError as error:
            return error.cell
        return None


def _neighbours_in(cells: NDArray[np.bool_]) -> NDArray[np.int8]:
    """Returns (rows, cols): how many neighbours of each cell are in a set of cells."""
    padded = np.pad(cells, 1).astype(np.int8)
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3))
    return (windows.sum(axis=(2, 3)) - cells).astype(np.int8)


def _shrink(question: _Question, clues: list[Cell], fault: Cell) -> list[Cell]:
    """Drops clues while the others contradict each other: far ones first, in runs of 2**k, 2**(k - 1), down to one."""
    clues = sorted(clues, key=lambda clue: (-max(abs(clue[0] - fault[0]), abs(clue[1] - fault[1])), clue))
    for halvings in reversed(range(len(clues).bit_length())):
        run, start = 1 << halvings, 0
        while start < len(clues):
            fewer = clues[:start] + clues[start + run :]
            if question.fault(fewer) is None:
                start += run
            else:
                clues = fewer
    return clues
