"""Analysis of one position: the best move, its reason, and the probabilities of all cells."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from baselines.scripted.oracle_play.first_click import first_cell
from minesweeper_env.codes import Codes
from minesweeper_env.config import BoardConfig
from minesweeper_env.inference import InconsistentBoardError, Step, count_layouts, hint, mine_probabilities
from minesweeper_play.coach.contradiction import find_contradiction
from minesweeper_play.game.advice import rank_guesses
from minesweeper_play.game.moves import Cell, cells_of
from minesweeper_play.game.session import Status
from minesweeper_play.winning import Choice, Estimate, Winning

_CODES = Codes.of_radius(1)


@dataclass(frozen=True)
class Analysis:
    """The result of an analysis: certain cells, probabilities, and the best moves.

    Attributes:
        board: (rows, cols) int8 codes.
        mines: the number of mines on the whole board.
        status: "ready" before the first click, "playing", "won" or "lost".
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
    board: NDArray[np.int8], mines: int, first_click: str = "opening", *, games: int = 1000, seed: int = 0
) -> Analysis:
    """Analyses a position.

    Args:
        board: (rows, cols) int8 codes of radius 1.
        mines: the number of mines on the whole board.
        first_click: the first-click rule, which matters only before the first click: "opening", "safe" or "any".
        games: the number of playouts where the probability of winning is not exact, at least 2.
        seed: seed of the playouts.

    Raises:
        ContradictionError: no layout fits the position; the message names the clues at fault.
        PositionTooHardError: an exact answer would take too much time or memory.
        ValueError: the number of mines or the rule is not allowed on this board.
    """
    probabilities = _probabilities(board, mines)
    is_open = bool((board <= _CODES.max_count).any())
    config = BoardConfig.of_size(board.shape, mines, first_click="any" if is_open else first_click)
    winning = Winning(config, games, seed)
    covered = board > _CODES.max_count
    hidden = covered & (board != _CODES.mine)
    status = _status(board, mines)
    steps = tuple(hint(board, mines)) if status == "playing" else ()
    is_safe = hidden & (probabilities == 0.0)
    return Analysis(
        board,
        mines,
        status,
        count_layouts(board, mines),
        probabilities,
        cells_of(is_safe),
        cells_of(hidden & (probabilities == 1.0)),
        cells_of(is_safe & (board == _CODES.flagged)),
        steps,
        tuple(_choices(board, steps, status, winning)),
        winning.win(board),
    )


def _probabilities(board: NDArray[np.int8], mines: int) -> NDArray[np.float64]:
    """Returns the probability of a mine in each cell; raises an error that names the fault if no layout fits."""
    try:
        if mines <= board.size:
            return mine_probabilities(board, mines)
    except InconsistentBoardError as error:
        raise find_contradiction(board, mines) or error from None
    raise find_contradiction(board, mines) or AssertionError


def _status(board: NDArray[np.int8], mines: int) -> Status:
    covered = board > _CODES.max_count
    if (board == _CODES.mine).any():
        return "lost"
    if covered.sum() == mines:
        return "won"
    return "ready" if covered.all() else "playing"


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
