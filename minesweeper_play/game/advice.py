"""Advice to a player: the easiest proof of a safe cell, or the cell of least risk; and what is known of one cell."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from baselines.scripted.oracle_play.first_click import first_cell
from minesweeper_env.config import BoardConfig
from minesweeper_env.inference import Step, hint, mine_probabilities
from minesweeper_play.game.moves import Cell

_WORTH_NAMING = 1e-12
"""Difference of two risks that rounding can make."""


@dataclass(frozen=True)
class Advice:
    """A cell to open, and why.

    Attributes:
        cell: the cell.
        risk: the probability that it is a mine; 0.0 where it is certainly safe.
        steps: the proof, as `minesweeper_env.inference.hint` returns it; empty where the cell is a guess, or where the
            rule of the first click protects it.
        is_named: whether the player has named the cell.
        better: where the player has named a cell, advice on one of less risk; None if there is none.
    """

    cell: Cell
    risk: float
    steps: tuple[Step, ...] = ()
    is_named: bool = False
    better: Advice | None = None

    @property
    def is_safe(self) -> bool:
        """True if the cell is certainly safe."""
        return self.risk == 0.0

    @property
    def is_mine(self) -> bool:
        """True if the cell is certainly a mine."""
        return self.risk == 1.0


def advise(board: NDArray[np.int8], config: BoardConfig, *, is_protected: bool) -> Advice:
    """Returns advice for a game that is not over.

    Args:
        board: int8 (rows, cols), the visible codes.
        config: the board and its rules.
        is_protected: whether the first-click rule protects the next click.

    Raises:
        PositionTooHardError: an exact answer would take too much time or memory.
    """
    if is_protected:
        return Advice(divmod(first_cell(config), config.cols), 0.0)
    steps = tuple(hint(board, config.mines, radius=config.radius))
    if steps:
        return Advice(_unflagged_first(steps[-1].safe, board, config), 0.0, steps)
    risks = mine_probabilities(board, config.mines, radius=config.radius)
    risks[board <= config.codes.max_count] = np.inf
    # An unflagged cell comes first, because a player has to take a flag away before the click.
    least = risks <= risks.min() + _WORTH_NAMING
    cells = [(row, col) for row, col in np.argwhere(least).tolist()]
    cell = _unflagged_first(cells, board, config)
    return Advice(cell, float(risks[cell]))


def judge(board: NDArray[np.int8], config: BoardConfig, cell: Cell, *, is_protected: bool) -> Advice:
    """Returns what is known of one covered cell: a proof that it is safe or a mine, or else its risk.

    Args:
        board: int8 (rows, cols), the visible codes of a game that is not over.
        config: the board and its rules.
        cell: the cell.
        is_protected: whether the first-click rule protects the next click.

    Raises:
        PositionTooHardError: an exact answer would take too much time or memory.
    """
    if is_protected:
        return Advice(cell, 0.0, is_named=True)
    steps = tuple(hint(board, config.mines, radius=config.radius, cell=cell))
    if steps:
        return Advice(cell, 0.0 if cell in steps[-1].safe else 1.0, steps, is_named=True)
    risks = mine_probabilities(board, config.mines, radius=config.radius)
    other = advise(board, config, is_protected=False)
    is_better = other.risk < risks[cell] - _WORTH_NAMING
    return Advice(cell, float(risks[cell]), is_named=True, better=other if is_better else None)


def _unflagged_first(cells: tuple[Cell, ...] | list[Cell], board: NDArray[np.int8], config: BoardConfig) -> Cell:
    return next((cell for cell in cells if board[cell] != config.codes.flagged), cells[0])
