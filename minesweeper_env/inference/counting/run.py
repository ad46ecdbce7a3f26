"""Runs the kernels with as much memory as they need, and turns their outcomes into errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.inference.counting.backward_pass import UNDERFLOW
from minesweeper_env.inference.counting.forward_pass import BOOLEAN, IID
from minesweeper_env.inference.counting.posterior import CONTRADICTION, posteriors
from minesweeper_env.inference.counting.states import NEED_VALUES, OK
from minesweeper_env.inference.counting.workspace import Workspace, grow_workspace, workspace_pool
from minesweeper_env.inference.errors import InconsistentBoardError, PositionTooHardError

_EXTREME = 1e-6
"""Shares of mines nearer to 0 and 1 are not tried."""

_HALVINGS = 40


def infer(
    boards: NDArray[np.int8], mines: int, radius: int, wanted: int, share: float, probabilities: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Computes the posteriors of boards that have been checked.

    Args:
        boards: (N, rows, cols) int8, contiguous.
        mines: the number of mines of each board.
        radius: the reach of a count.
        wanted: GIVEN_TOTAL, INDEPENDENT or CERTAINTY.
        share: the prior, if INDEPENDENT; else 0 for one that suits the board.
        probabilities: (N, rows, cols) float64, filled.

    Returns:
        (N,) float64, the natural logarithms of the numbers of layouts, if `wanted` is GIVEN_TOTAL.

    Raises:
        InconsistentBoardError: no layout fits one of the boards.
        PositionTooHardError: one of the boards is too hard.
    """
    many, rows, cols = boards.shape
    log_layouts = np.empty(many)
    flat, results = boards.reshape(many, rows * cols), probabilities.reshape(many, rows * cols)
    done = 0

    def go_on(workspace: Workspace) -> int:
        nonlocal done
        done, outcome = posteriors(
            flat, workspace.neighbours.shape[1], mines, share, wanted, done, results, log_layouts, *workspace
        )
        return outcome

    while (outcome := run_with_workspace(go_on, rows, cols, radius)) != OK:
        if outcome != UNDERFLOW or share != 0.0:
            raise failure(boards[done], mines, radius, outcome, done if many > 1 else None)
        found = likely_share(boards[done], mines, radius)
        part = slice(done, done + 1)
        log_layouts[part] = infer(boards[part], mines, radius, wanted, found, probabilities[part])
        done += 1
    return log_layouts


def run_with_workspace(kernel: Callable[..., int], rows: int, cols: int, radius: int, *arguments: Any) -> int:
    """Calls kernel(room, *arguments), again with more memory where there was too little; returns its outcome."""
    rooms = workspace_pool(rows, cols, radius)
    workspace = rooms.take()
    outcome = kernel(workspace, *arguments)
    while OK < outcome <= NEED_VALUES:
        workspace = grow_workspace(workspace, outcome)
        outcome = kernel(workspace, *arguments)
    rooms.put_back(workspace)
    return outcome


def failure(board: NDArray[np.int8], mines: int, radius: int, outcome: int, index: int | None = None) -> ValueError:
    """Returns the error for the outcome of a kernel that could not do a board; `index` is its place in a batch."""
    where = "" if index is None else f"board {index}: "
    if outcome == UNDERFLOW:
        # It may have no layouts at all.
        try:
            infer(board[None], mines, radius, BOOLEAN, 0.0, np.empty((1, *board.shape)))
        except InconsistentBoardError as error:
            return InconsistentBoardError(where + error.reason, error.cell)
        return PositionTooHardError(
            f"{where}{mines} mines are so unlikely for what it shows that the weights of its layouts vanish"
        )
    row, col = divmod(outcome - CONTRADICTION, board.shape[1])
    return InconsistentBoardError(f"{where}what it shows cannot be with {mines} mines", (row, col))


def likely_share(board: NDArray[np.int8], mines: int, radius: int) -> float:
    """Returns the share of mines under which independent cells would have as many as there are.

    With it the weights of a board do not vanish whose typical fillings have by far too many mines, or too few.

    Args:
        board: (rows, cols) int8, contiguous.
        mines: the number of mines.
        radius: the reach of a count.

    Raises:
        InconsistentBoardError: no layout fits the board.
    """
    probabilities = np.empty((1, *board.shape))
    infer(board[None], mines, radius, BOOLEAN, 0.0, probabilities)
    low, high = _EXTREME, 1.0 - _EXTREME
    for _ in range(_HALVINGS):
        odds = (low / (1.0 - low) * high / (1.0 - high)) ** 0.5
        share = odds / (1.0 + odds)
        infer(board[None], mines, radius, IID, share, probabilities)
        low, high = (share, high) if probabilities.sum() < mines else (low, share)
    return share
