"""Advice to a player: the shortest proof of a safe cell, or the guess that wins most; and what is known of one cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from baselines.scripted.oracle_play.exact import first_cell
from minesweeper_env.codes import FLAGGED
from minesweeper_env.config import BoardConfig
from minesweeper_env.inference import PositionTooHardError, Step, certain_cells, hint, mine_probabilities
from minesweeper_play.game.moves import Cell, cells_of

if TYPE_CHECKING:
    from minesweeper_play.winning import Choice, Winning

Mark = Literal["clue", "safe", "mine", "choice"]
"""The part of a cell in a hint, or the cell that somebody chooses."""

GAMES = 100
"""The number of playouts of a hint where the probability of winning is not exact."""

SHOWN = 3
"""The number of guesses that a hint compares."""


@dataclass(frozen=True)
class Advice:
    """A cell to open, and why; it has a flag only if no other cell is left, or no other safe one."""

    cell: Cell
    risk: float  # the probability that the cell is a mine; 0.0 where it is certainly safe
    steps: tuple[Step, ...] = ()  # the proof; empty for a guess and a protected first click
    is_named: bool = False  # whether the player has named the cell
    choices: tuple[Choice, ...] = ()  # the best guesses by the probability of winning, if it is known
    is_exact: bool = False  # whether these probabilities are exact
    win: float | None = None  # the probability of winning with a named cell, if it is known
    better: Advice | None = None  # on a safe cell, or one that wins more than the named one
    wrong_flags: tuple[Cell, ...] = ()  # the flags on cells that are certainly safe

    @property
    def is_safe(self) -> bool:
        return self.risk == 0.0


def advise(board: NDArray[np.int8], config: BoardConfig, *, is_protected: bool) -> Advice:
    """Returns advice on int8 codes (rows, cols) of a game that is not over; raises a PositionTooHardError.

    `is_protected` tells whether the first-click rule protects the next click.
    """
    if not (board < FLAGGED).any():
        start = divmod(first_cell(config), config.cols)
        cell = _without_flag([start, *cells_of(board >= FLAGGED)], board)
        return Advice(cell, 0.0 if is_protected else config.mines / config.cells)
    flags = board == FLAGGED
    safe = certain_cells(board, config.mines).safe if flags.any() else flags
    wrong = cells_of(flags & safe)
    steps = tuple(hint(board, config.mines))
    if steps:
        cell = _without_flag(steps[-1].safe, board)
        clickable = tuple(each for each in steps[-1].safe if board[each] != FLAGGED)
        last = replace(steps[-1], safe=clickable or steps[-1].safe)
        return Advice(cell, 0.0, (*steps[:-1], last), wrong_flags=wrong)
    return replace(_guess(board, config), wrong_flags=wrong)


def judge(board: NDArray[np.int8], config: BoardConfig, cell: Cell, *, is_protected: bool) -> Advice:
    """Returns what is known of one covered cell: a proof that it is safe or a mine, or else its risk; see `advise`."""
    if is_protected:
        return Advice(cell, 0.0, is_named=True)
    steps = tuple(hint(board, config.mines, cell=cell))
    if steps:
        return Advice(cell, 0.0 if cell in steps[-1].safe else 1.0, steps, is_named=True)
    risk = float(mine_probabilities(board, config.mines)[cell])
    best = advise(board, config, is_protected=False)
    if best.is_safe or not best.choices:
        return Advice(cell, risk, is_named=True, better=best if best.risk < risk else None)
    win = winning_of(config).win_after(board, [cell], risk)
    is_better = best.cell != cell and best.choices[0].win > win
    return Advice(cell, risk, is_named=True, win=win, is_exact=best.is_exact, better=best if is_better else None)


def marks_of(advice: Advice) -> Mapping[Cell, Mark]:
    """Returns the cells that advice names; one that the player has named, and that is not certain, is a "choice"."""
    return marks_of_proof(advice.steps) or {advice.cell: "safe" if advice.is_safe or not advice.is_named else "choice"}


def marks_of_proof(steps: Sequence[Step]) -> dict[Cell, Mark]:
    """Returns the cells that a proof names; a clue of one step may be a finding of another."""
    marks: dict[Cell, Mark] = {cell: "clue" for step in steps for cell in step.because}
    for step in steps:
        marks |= dict.fromkeys(step.mine, "mine")
        marks |= dict.fromkeys(step.safe, "safe")
    return marks


def winning_of(config: BoardConfig) -> Winning:
    """Returns what ranks guesses in a game under way: the probabilities of winning of the coach."""
    # Its import loads kernels that a game without a guess never needs.
    from minesweeper_play.winning import Winning

    return Winning(replace(config, first_click="any"), GAMES)


def rank_guesses(board: NDArray[np.int8], winning: Winning) -> list[Choice]:
    """Returns the clicks to consider where no cell is safe, the best first; cells with a flag only without others."""
    choices = winning.choices(board)
    return [choice for choice in choices if board[choice.cell] != FLAGGED] or choices


def _guess(board: NDArray[np.int8], config: BoardConfig) -> Advice:
    """Returns the guess that wins most, or one of the least risk where no probability of winning is known."""
    risks = mine_probabilities(board, config.mines)
    order = sorted(cells_of(board >= FLAGGED), key=lambda cell: risks[cell])
    # A position that is too hard has no probability of winning.
    if len(order) > 1:
        with suppress(PositionTooHardError):
            winning = winning_of(config)
            best, *others = rank_guesses(board, winning)
            is_exact = winning.win(board).kind == "exact"
            if board[best.cell] != FLAGGED:
                return Advice(best.cell, best.risk, choices=(best, *others[: SHOWN - 1]), is_exact=is_exact)
    least = _without_flag(order, board)
    return Advice(least, float(risks[least]))


def _without_flag(cells: Sequence[Cell], board: NDArray[np.int8]) -> Cell:
    return next((cell for cell in cells if board[cell] != FLAGGED), cells[0])
