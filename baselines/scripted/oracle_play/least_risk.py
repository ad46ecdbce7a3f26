"""Kernels that click a certain cell where there is one, and a cell of least risk otherwise."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.support.rounding import TIE
from minesweeper_env.compiled import inlined, kernel
from minesweeper_env.inference.kernels import OK, Workspace, is_known_safe, posterior_after_propagation, propagate

CERTAIN = -1.0
"""Entry of `log_layouts` for a click without a risk, or without a choice."""

Boards = NDArray[np.int8]
Floats = NDArray[np.float64]


@kernel
def choose_clicks(
    boards: Boards,
    legal: NDArray[np.bool_],
    max_count: int,
    mines: int,
    first_cell: int,
    begin: int,
    clicks: NDArray[np.int64],
    log_layouts: Floats,
    probabilities: Floats,
    *arrays: Any,
) -> tuple[int, int]:
    """Chooses a click on each board, up to the first board that fails.

    The click is a cell that is certainly free; without one, it is a cell of least risk. Ties go to the cell
    with the most open neighbours, then to the cell most likely to show 0, then to the first.

    Args:
        boards: (N, n) int8, cell codes.
        legal: (N, n) bool, the legal clicks; at least one on each board.
        max_count: the largest clue.
        mines: the number of mines of each board.
        first_cell: the click on a board without open cells.
        begin: the first board to do.
        clicks: (N,) filled.
        log_layouts: (N,) filled with the natural logarithm of the number of layouts at a risk, and with CERTAIN
            elsewhere.
        probabilities: (n,) scratch.
        *arrays: the fields of a `Workspace`.

    Returns:
        N and OK, or the failed board and its outcome.
    """
    workspace = Workspace(*arrays)
    for i in range(begin, len(boards)):
        board, allowed = boards[i], legal[i]
        log_layouts[i] = CERTAIN
        clicks[i] = first_cell
        if allowed[first_cell] and _is_unopened(board, max_count):
            continue
        outcome = propagate(board, max_count, workspace)
        if outcome != OK:
            return i, outcome
        clicks[i] = _find_safe(allowed, workspace)
        if clicks[i] >= 0:
            continue
        outcome, layouts = posterior_after_propagation(workspace, mines, probabilities)
        if outcome != OK:
            return i, outcome
        clicks[i] = least_risk(board, allowed, max_count, probabilities, workspace.neighbours)
        if probabilities[clicks[i]] > 0.0:
            log_layouts[i] = layouts
    return len(boards), OK


@kernel
def choose_least_risks(
    boards: Boards,
    legal: NDArray[np.bool_],
    max_count: int,
    first_cell: int,
    risks: Floats,
    neighbours: NDArray[np.uint32],
    clicks: NDArray[np.int64],
) -> None:
    """Chooses a click on each board by given risks, with the ties of `choose_clicks`.

    Args:
        boards: (N, n) int8, cell codes.
        legal: (N, n) bool, the legal clicks; at least one on each board.
        max_count: the largest clue.
        first_cell: the click on a board without open cells.
        risks: (N, n), the probabilities of a mine; none above 1.
        neighbours: (n, degree) uint32, the neighbours of each cell.
        clicks: (N,) filled.
    """
    for i in range(len(boards)):
        if legal[i, first_cell] and _is_unopened(boards[i], max_count):
            clicks[i] = first_cell
        else:
            clicks[i] = least_risk(boards[i], legal[i], max_count, risks[i], neighbours)


@inlined
def _is_unopened(board: Boards, max_count: int) -> bool:
    shown = 0
    for cell in range(len(board)):
        shown += board[cell] <= max_count
    return shown == 0


@inlined
def _find_safe(allowed: NDArray[np.bool_], workspace: Workspace) -> int:
    """Returns the first legal cell that single clues prove safe, or -1."""
    for cell in range(len(allowed)):
        if allowed[cell] and is_known_safe(cell, workspace):
            return cell
    return -1


@inlined
def least_risk(
    board: Boards, allowed: NDArray[np.bool_], max_count: int, probabilities: Floats, neighbours: NDArray[np.uint32]
) -> int:
    """Returns the legal cell of least risk, with the ties of `choose_clicks`."""
    least = 2.0
    for cell in range(len(board)):
        if allowed[cell] and probabilities[cell] < least:
            least = probabilities[cell]
    chosen, most = -1, -1.0
    for cell in range(len(board)):
        if allowed[cell] and probabilities[cell] <= least + TIE:
            promise = promise_of(cell, board, max_count, probabilities, neighbours)
            if promise > most:
                chosen, most = cell, promise
    return chosen


@inlined
def promise_of(
    cell: int, board: Boards, max_count: int, probabilities: Floats, neighbours: NDArray[np.uint32]
) -> float:
    """Returns the number of open neighbours of a cell, plus an estimate below 1 of the probability that it shows 0.

    The estimate takes the neighbours as independent.
    """
    open_neighbours, zero = 0, 0.999
    for j in range(neighbours.shape[1]):
        neighbour = neighbours[cell, j]
        if neighbour < len(board):
            if board[neighbour] <= max_count:
                open_neighbours += 1
            else:
                zero *= 1.0 - probabilities[neighbour]
    return open_neighbours + zero
