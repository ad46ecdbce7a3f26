"""Runs of kernels with as much memory as they need, and errors for their outcomes."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.inference.boards import InconsistentBoardError, PositionTooHardError
from minesweeper_env.inference.counting.backward_pass import UNDERFLOW
from minesweeper_env.inference.counting.forward_pass import BOOLEAN, IID
from minesweeper_env.inference.counting.posterior import CONTRADICTION, posteriors
from minesweeper_env.inference.counting.states import NEED_VALUES, OK
from minesweeper_env.inference.counting.workspace import Workspace, grow_workspace, limited, make_workspace
from minesweeper_env.threads import Lender

_EXTREME = 1e-6
"""Densities closer than this to 0 or 1 are not tried."""

_HALVINGS = 12
"""Bisections of the density, which need not be exact."""

_PASSES = _HALVINGS + 2

_MAX_KEPT_VALUES = 1 << 18
"""A workspace with more values than this is not kept for later calls."""


@lru_cache(maxsize=16)
def _workspaces(rows: int, cols: int, radius: int) -> Lender[Workspace]:
    return Lender(partial(make_workspace, rows, cols, radius))


def infer(
    boards: NDArray[np.int8],
    mines: int,
    radius: int,
    mode: int,
    density: float,
    probabilities: NDArray[np.float64],
    passes: int = 1,
) -> NDArray[np.float64]:
    """Computes the posteriors of valid boards.

    Args:
        boards: (N, rows, cols) int8, contiguous.
        mines: the number of mines of each board.
        radius: the radius of the neighbourhood.
        mode: FIXED_TOTAL, IID or BOOLEAN.
        density: the prior in IID mode; otherwise 0, for a density that suits the board.
        probabilities: (N, rows, cols) float64, filled with the probability of a mine in each cell.
        passes: as in `run_with_workspace`.

    Returns:
        (N,) float64, the natural logarithms of the numbers of layouts in FIXED_TOTAL mode.

    Raises:
        InconsistentBoardError: no layout fits one of the boards.
        PositionTooHardError: one of the boards is too hard.
    """
    many, rows, cols = boards.shape
    log_layouts = np.empty(many)
    flat, results = boards.reshape(many, rows * cols), probabilities.reshape(many, rows * cols)
    done = 0

    def compute(workspace: Workspace) -> int:
        nonlocal done
        done, outcome = posteriors(
            flat, workspace.neighbours.shape[1], mines, density, mode, done, results, log_layouts, *workspace
        )
        return outcome

    while (outcome := run_with_workspace(compute, rows, cols, radius, passes=passes)) != OK:
        if outcome != UNDERFLOW or density != 0.0:
            raise failure(boards[done], mines, radius, outcome, done if many > 1 else None)
        found = matching_density(boards[done], mines, radius)
        one = slice(done, done + 1)
        log_layouts[one] = infer(boards[one], mines, radius, mode, found, probabilities[one])
        done += 1
    return log_layouts


def run_with_workspace(
    kernel: Callable[..., int], rows: int, cols: int, radius: int, *arguments: Any, passes: int = 1
) -> int:
    """Calls kernel(workspace, *arguments), again with more memory if it lacked some; returns its outcome.

    Args:
        kernel: the kernel.
        rows: the number of rows.
        cols: the number of columns.
        radius: the radius of the neighbourhood.
        *arguments: further arguments of the kernel.
        passes: the number of calls that the answer takes, which share the limit on the states of a position.

    Raises:
        PositionTooHardError: the position needs more memory than the limits allow.
    """
    workspaces = _workspaces(rows, cols, radius)
    workspace = workspaces.borrow()
    outcome = kernel(limited(workspace, passes), *arguments)
    while OK < outcome <= NEED_VALUES:
        workspace = grow_workspace(workspace, outcome, passes)
        outcome = kernel(limited(workspace, passes), *arguments)
    if len(workspace.values) <= _MAX_KEPT_VALUES:
        workspaces.give_back(workspace)
    return outcome


def failure(board: NDArray[np.int8], mines: int, radius: int, outcome: int, index: int | None = None) -> ValueError:
    """Returns the error for an outcome of a board that a kernel failed on; `index` is the board's place in a batch."""
    where = "" if index is None else f"board {index}: "
    if outcome == UNDERFLOW:
        # A total weight of 0 does not tell an impossible board from an unlikely one; BOOLEAN mode cannot underflow.
        try:
            infer(board[None], mines, radius, BOOLEAN, 0.0, np.empty((1, *board.shape)))
        except InconsistentBoardError as error:
            return InconsistentBoardError(where + error.reason, error.cell)
        return PositionTooHardError(
            f"{where}{mines} mines are so unlikely for these numbers that the weights of all layouts underflow"
        )
    row, col = divmod(outcome - CONTRADICTION, board.shape[1])
    return InconsistentBoardError(f"{where}its numbers allow no layout with {mines} mines", (row, col))


def matching_density(board: NDArray[np.int8], mines: int, radius: int) -> float:
    """Returns the density of mines at which independent cells would have `mines` mines on average.

    With a density of mines / cells, the weights of a board underflow if its typical fillings have far more mines or far
    fewer. This density keeps the largest weights in range.

    Args:
        board: (rows, cols) int8, contiguous.
        mines: the number of mines.
        radius: the radius of the neighbourhood.

    Raises:
        InconsistentBoardError: no layout fits the board.
        PositionTooHardError: the passes together take too many states.
    """
    probabilities = np.empty((1, *board.shape))
    infer(board[None], mines, radius, BOOLEAN, 0.0, probabilities, _PASSES)
    low, high = _EXTREME, 1.0 - _EXTREME
    for _ in range(_HALVINGS):
        # Bisection of the log odds.
        odds = (low / (1.0 - low) * high / (1.0 - high)) ** 0.5
        density = odds / (1.0 + odds)
        infer(board[None], mines, radius, IID, density, probabilities, _PASSES)
        low, high = (density, high) if probabilities.sum() < mines else (low, density)
    return density
