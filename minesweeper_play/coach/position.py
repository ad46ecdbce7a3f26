"""Analysis of one position: the best move, its reason, the probabilities of all cells; or the fault of the position."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from baselines.scripted.oracle_play.exact import first_cell
from minesweeper_env.codes import FLAGGED, HIDDEN, MINE
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


@dataclass(frozen=True)
class Analysis:
    """The result of an analysis: certain cells, probabilities, and the best moves."""

    board: NDArray[np.int8]
    mines: int
    status: Status
    layouts: int  # the number of layouts that fit
    probabilities: NDArray[np.float64]  # (rows, cols), of a mine in each cell; 0.0 on open cells
    safe: tuple[Cell, ...]  # the covered cells that are certainly safe
    mine: tuple[Cell, ...]  # the covered cells that are certainly mines, shown ones left out
    wrong_flags: tuple[Cell, ...]  # the flags on cells that are certainly safe
    steps: tuple[Step, ...]  # the easiest proof of a safe cell; empty if there is none, or if no cell is open
    choices: tuple[Choice, ...]  # the safe cells of the proof, or guesses, the best first; empty once the game is over
    win: Estimate

    @property
    def best(self) -> Cell | None:
        return self.choices[0].cell if self.choices else None


def analyse_position(
    board: NDArray[np.int8],
    mines: int,
    first_click: str = "opening",
    *,
    needs_no_guess: bool = False,
    games: int = 1000,
) -> Analysis:
    """Analyses (rows, cols) int8 codes with `games` playouts, at least 2, where nothing exact is known.

    `needs_no_guess` says that logic wins the board. The function raises a ContradictionError, a PositionTooHardError,
    or a ValueError for mines or a first-click rule (it matters only before the first click) that the board forbids.
    """
    try:
        probabilities = mine_probabilities(board, min(mines, board.size))
    except InconsistentBoardError:
        probabilities = np.zeros(0)
    if not probabilities.size or mines > board.size:
        raise find_contradiction(board, mines) or AssertionError
    is_open = bool((board < FLAGGED).any())
    config = BoardConfig.of_size(board.shape, mines, first_click="any" if is_open else first_click)
    winning = Winning(config, games, needs_no_guess=needs_no_guess)
    covered = board >= FLAGGED
    hidden = covered & (board != MINE)
    status: Status = "playing" if is_open else "ready"
    if (board == MINE).any() or covered.sum() == mines:
        status = "lost" if (board == MINE).any() else "won"
    steps = tuple(hint(board, mines)) if status == "playing" else ()
    safe, mine = hidden & (probabilities == 0.0), hidden & (probabilities == 1.0)
    certain = cells_of(safe), cells_of(mine), cells_of(safe & (board == FLAGGED))
    choices = tuple(_choices(board, steps, status, winning))
    layouts = count_layouts(board, mines)
    return Analysis(board, mines, status, layouts, probabilities, *certain, steps, choices, winning.win(board))


def _choices(board: NDArray[np.int8], steps: tuple[Step, ...], status: Status, winning: Winning) -> list[Choice]:
    if status in ("won", "lost"):
        return []
    if status == "playing" and not steps:
        return rank_guesses(board, winning)
    win = winning.win(board).probability
    if status == "ready":
        config = winning.config
        risk = config.mines / config.cells if config.first_click == "any" else 0.0
        return [Choice(divmod(first_cell(config), config.cols), risk, win)]
    return [Choice(cell, 0.0, win) for cell in sorted(steps[-1].safe, key=lambda cell: board[cell] == FLAGGED)]


class ContradictionError(ValueError):
    """No layout fits a position with this number of mines.

    Attributes:
        clues: the open cells at fault, in reading order; without any one of them the others fit. Empty if all fit.
        below, above: the next numbers of mines that the clues allow; None if there is none, or if clues are at fault.
    """

    def __init__(self, clues: tuple[Cell, ...], mines: int, below: int | None = None, above: int | None = None) -> None:
        super().__init__(f"no layout with {mines} mines fits; clues at fault: {clues}")
        self.clues, self.mines, self.below, self.above = clues, mines, below, above


def find_contradiction(board: NDArray[np.int8], mines: int) -> ContradictionError | None:
    """Returns the fault of int8 codes (rows, cols) with a number of mines, or None if some layout fits."""
    clues = cells_of(board < FLAGGED)
    known, covered = int((board == MINE).sum()), int((board >= FLAGGED).sum())
    if fault := _fault(board, clues, known, covered):
        fewest = _shrink(clues, fault, lambda fewer: _fault(board, fewer, known, covered))
        return ContradictionError(tuple(sorted(fewest)), mines)

    def fits(number: int) -> bool:
        return known <= number <= covered and _fault(board, clues, number, number) is None

    if fits(mines):
        return None
    below = next(filter(fits, range(min(mines, covered + 1) - 1, known - 1, -1)), None)
    above = next(filter(fits, range(max(mines, known - 1) + 1, covered + 1)), None)
    return ContradictionError((), mines, below, above)


def _fault(board: NDArray[np.int8], clues: Sequence[Cell], least: int, most: int) -> Cell | None:
    """Returns None if a layout with `least` to `most` mines fits some clues of a board, otherwise a cell at fault.

    A clue that is left out becomes a shown mine, which says nothing of its neighbours, and the clues around it grow by
    1. Covered cells out of reach of all clues take up the mines that the question leaves open.
    """
    kept = np.zeros(board.shape, np.bool_)
    for clue in clues:
        kept[clue] = True
    dropped = (board < FLAGGED) & ~kept
    # Rows out of reach of the board hold the covered cells, and shown mines otherwise.
    cols = board.shape[1]
    spare = np.full((1 - (-(most - least) // cols), cols), MINE, np.int8)
    spare[1:].flat[: most - least] = HIDDEN
    asked = np.concatenate([np.where(dropped, MINE, board), spare])
    added = np.concatenate([dropped, spare == MINE])
    near = np.lib.stride_tricks.sliding_window_view(np.pad(added, 1), (3, 3)).sum(axis=(2, 3), dtype=np.int8)
    asked[: len(kept)] += kept * near[: len(kept)]
    if beyond := [clue for clue in clues if asked[clue] >= FLAGGED]:
        return beyond[0]
    try:
        certain_cells(asked, most + int(added.sum()))
    except InconsistentBoardError as error:
        return error.cell
    return None


def _shrink(clues: Sequence[Cell], fault: Cell, fault_of: Callable[[Sequence[Cell]], Cell | None]) -> Sequence[Cell]:
    """Drops clues one by one, far ones first, while the others contradict each other."""
    for clue in sorted(clues, key=lambda clue: (-max(abs(clue[0] - fault[0]), abs(clue[1] - fault[1])), clue)):
        fewer = [each for each in clues if each != clue]
        if fault_of(fewer) is not None:
            clues = fewer
    return clues
