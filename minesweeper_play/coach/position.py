"""Analysis of one position: the best move, its reason, and the probabilities of all cells."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from baselines.scripted.oracle_play.exact import first_cell
from minesweeper_env.codes import FLAGGED, MINE
from minesweeper_env.config import BoardConfig
from minesweeper_env.inference import Step, count_layouts, hint, mine_probabilities
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

    `needs_no_guess` says that logic wins the board. The function raises an InconsistentBoardError, a
    PositionTooHardError, or a ValueError for mines or a first-click rule (it matters only before the first click) that
    the board forbids.
    """
    probabilities = mine_probabilities(board, mines)
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
