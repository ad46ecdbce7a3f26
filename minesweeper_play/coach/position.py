"""Analysis of one position: the best move, its reason, and the probabilities of all cells."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from baselines.scripted.oracle_play.exact import first_cell
from minesweeper_env.codes import FLAGGED, HIDDEN, MINE
from minesweeper_env.config import BoardConfig
from minesweeper_env.inference import Step, count_layouts, mine_probabilities
from minesweeper_play.game.advice import Advice, advise
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
    win: Estimate
    steps: tuple[Step, ...] = ()  # the easiest proof of a safe cell; empty if there is none, or if no cell is open
    choices: tuple[Choice, ...] = ()  # safe cells of the proof, or guesses, the best first; empty once the game is over
    has_flag: bool = False  # whether the best cell has a flag, which the player has to remove first
    before: Analysis | None = None  # of a lost game: the position with its mines covered

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
    safe, mine = hidden & (probabilities == 0.0), hidden & (probabilities == 1.0)
    certain = cells_of(safe), cells_of(mine), cells_of(safe & (board == FLAGGED))
    found = Analysis(board, mines, status, count_layouts(board, mines), probabilities, *certain, win=winning.win(board))
    if status == "lost":
        hidden_again = np.where(board == MINE, np.int8(HIDDEN), board)
        before = analyse_position(hidden_again, mines, "any", needs_no_guess=needs_no_guess, games=games)
        return replace(found, before=before)
    if status == "won":
        return found
    advice = advise(board, config, is_protected=config.first_click != "any", winning=winning)
    choices = _choices(advice, found.win.probability, winning)
    return replace(found, steps=advice.steps, choices=choices, has_flag=advice.has_flag)


def _choices(advice: Advice, win: float, winning: Winning) -> tuple[Choice, ...]:
    """Returns the cells of an advice with probabilities of winning; `win` is that of the position."""
    if advice.choices or advice.steps:
        return advice.choices or tuple(Choice(cell, 0.0, win) for cell in advice.steps[-1].safe)
    is_start = advice.cell == divmod(first_cell(winning.config), winning.config.cols)
    return (Choice(advice.cell, advice.risk, win if is_start else winning.start(advice.cell).probability),)
