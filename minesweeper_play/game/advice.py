"""Advice to a player: the shortest proof of a safe cell, or the guess that wins most; and what is known of one cell."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from baselines.scripted.oracle_play.exact import first_cell
from minesweeper_env.codes import FLAGGED, MINE
from minesweeper_env.config import BoardConfig
from minesweeper_env.inference import PositionTooHardError, Step, certain_cells, hint, mine_probabilities
from minesweeper_play.game.moves import Cell, cells_of

if TYPE_CHECKING:
    from baselines.scripted.oracle_play.position_value import Choice, Winning

Mark = Literal["clue", "safe", "mine", "choice"]
"""The role of a cell in a hint; "choice" is the cell that a player or a policy chooses."""

GAMES = 100
"""The number of playouts of a hint where the probability of winning is not exact."""


@dataclass(frozen=True)
class Advice:
    """A cell to open, and why; it has a flag only if no other cell is left, or no other safe one."""

    cell: Cell
    risk: float  # the probability that the cell is a mine; 0.0 where it is certainly safe
    steps: tuple[Step, ...] = ()  # the proof; empty for a guess and a protected first click
    is_named: bool = False  # whether the player has named the cell
    choices: tuple[Choice, ...] = ()  # the guesses by the probability of winning, the best first, if it is known
    is_exact: bool = False  # whether these probabilities are exact
    win: float | None = None  # the probability of winning with a named cell, if it is known
    better: Advice | None = None  # on a safe cell, or one that wins more than the named one
    wrong_flags: tuple[Cell, ...] = ()  # the flags on cells that are certainly safe
    survives: bool = False  # whether it is a forced guess of a game without luck
    has_flag: bool = False  # whether the cell has a flag, which the player has to remove first

    @property
    def is_safe(self) -> bool:
        return self.risk == 0.0


def advisable(cells: Iterable[Cell], board: NDArray[np.int8]) -> tuple[Cell, ...]:
    """Returns those of `cells` that advice may tell a player to open, in the same order.

    These are the covered cells without a flag or, where all of them have flags, the covered cells with flags.
    """
    covered = [cell for cell in cells if FLAGGED <= board[cell] < MINE]
    return tuple(cell for cell in covered if board[cell] != FLAGGED) or tuple(covered)


def advise(
    board: NDArray[np.int8], config: BoardConfig, *, is_protected: bool, winning: Winning | None = None
) -> Advice:
    """Returns advice on int8 codes (rows, cols) of a game that is not over; raises a PositionTooHardError.

    `is_protected` says that the first-click rule protects the next click. `winning` ranks guesses; None makes one.
    """
    covered = cells_of(board >= FLAGGED)
    if len(covered) == board.size:
        start = divmod(first_cell(config), config.cols)
        cell = advisable(sorted(covered, key=lambda each: math.dist(each, start)), board)[0]
        return Advice(cell, 0.0 if is_protected else config.mines / config.cells, has_flag=bool(board[cell] == FLAGGED))
    flags = board == FLAGGED
    wrong_flags = cells_of(flags & certain_cells(board, config.mines).safe) if flags.any() else ()
    steps = find_proof(board, config.mines)
    advice = Advice(steps[-1].safe[0], 0.0, steps) if steps else _guess(board, config, winning)
    return replace(advice, wrong_flags=wrong_flags, has_flag=bool(flags[advice.cell]))


def find_proof(board: NDArray[np.int8], mines: int) -> tuple[Step, ...]:
    """Returns the shortest proof of safe cells, whose last step names advisable ones alone; empty without any."""
    if not (steps := hint(board, mines)):
        return ()
    return (*steps[:-1], replace(steps[-1], safe=advisable(steps[-1].safe, board)))


def judge(board: NDArray[np.int8], config: BoardConfig, cell: Cell, *, is_protected: bool) -> Advice:
    """Returns what is known of one covered cell: a proof that it is safe or a mine, or else its risk; see `advise`."""
    named = Advice(cell, 0.0, is_named=True, has_flag=bool(board[cell] == FLAGGED))
    if is_protected:
        return named
    steps = tuple(hint(board, config.mines, cell=cell))
    if steps:
        return replace(named, steps=steps) if cell in steps[-1].safe else Advice(cell, 1.0, steps, is_named=True)
    risk = float(mine_probabilities(board, config.mines)[cell])
    best = advise(board, config, is_protected=False)
    if best.survives:
        return replace(named, risk=risk, survives=True)
    if best.is_safe or not best.choices:
        return Advice(cell, risk, is_named=True, better=best if best.risk < risk else None)
    win = winning_of(config).win_after(board, [cell], risk)
    is_better = best.cell != cell and best.choices[0].win > win
    return Advice(cell, risk, is_named=True, win=win, is_exact=best.is_exact, better=best if is_better else None)


def marks_of(advice: Advice) -> Mapping[Cell, Mark]:
    """Returns the cells that advice names; one that the player has named, and that is not certain, is a "choice"."""
    return marks_of_proof(advice.steps) or {advice.cell: "safe" if advice.is_safe or not advice.is_named else "choice"}


def marks_of_proof(steps: Sequence[Step]) -> dict[Cell, Mark]:
    """Returns the marks of the cells that a proof names; a clue that some step proves is marked "safe" or "mine"."""
    marks: dict[Cell, Mark] = {cell: "clue" for step in steps for cell in step.because}
    for step in steps:
        marks |= dict.fromkeys(step.mine, "mine")
        marks |= dict.fromkeys(step.safe, "safe")
    return marks


def winning_of(config: BoardConfig) -> Winning:
    """Returns the estimator of probabilities of winning that ranks guesses in a game under way."""
    # Its import loads kernels that a game without a guess never needs.
    from baselines.scripted.oracle_play.position_value import Winning

    return Winning(replace(config, first_click="any"), GAMES)


def rank_guesses(board: NDArray[np.int8], winning: Winning) -> list[Choice]:
    """Returns the advisable guesses where no cell is safe, the best first; see `Winning.choices` for what it raises.

    Where all these guesses have flags, returns the least risky cell without a flag, if one may be free.
    """
    choices = {choice.cell: choice for choice in winning.choices(board)}
    risks = mine_probabilities(board, winning.config.mines)
    least_risky, *_ = _by_risk(board, risks)
    if board[least_risky] != FLAGGED and all(board[each] == FLAGGED for each in choices):
        from baselines.scripted.oracle_play.position_value import Choice

        risk = float(risks[least_risky])
        return [Choice(least_risky, risk, winning.win_after(board, [least_risky], risk))]
    return [choices[each] for each in advisable(choices, board)]


def _by_risk(board: NDArray[np.int8], risks: NDArray[np.float64]) -> tuple[Cell, ...]:
    """Returns the advisable cells that may be free, the least risky one first."""
    cells = cells_of((board >= FLAGGED) & (risks < 1.0))
    return advisable(sorted(cells, key=lambda cell: risks[cell]), board)


def _guess(board: NDArray[np.int8], config: BoardConfig, winning: Winning | None) -> Advice:
    """Returns the guess that wins most, or one of the least risk where no probability of winning is known."""
    risks = mine_probabilities(board, config.mines)
    cell, *_ = _by_risk(board, risks)
    if not config.luck:
        return Advice(cell, float(risks[cell]), survives=True)
    # A position that is too hard has no probability of winning.
    with suppress(PositionTooHardError):
        winning = winning or winning_of(config)
        choices = rank_guesses(board, winning)
        is_exact = winning.win(board).kind == "exact"
        return Advice(choices[0].cell, choices[0].risk, choices=tuple(choices), is_exact=is_exact)
    return Advice(cell, float(risks[cell]))
