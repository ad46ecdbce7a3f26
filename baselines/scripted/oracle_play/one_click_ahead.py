"""The kernel that looks a click ahead: what each risk is worth taking for."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.scripted.oracle_play.least_risk import Boards, promise_of
from minesweeper_env.compiled import inlined, kernel
from minesweeper_env.inference.counting.forward_pass import GIVEN_TOTAL
from minesweeper_env.inference.counting.posterior import CONTRADICTION, posterior
from minesweeper_env.inference.counting.states import FINE, Floats
from minesweeper_env.inference.counting.workspace import Room


@kernel
def weigh_clicks(
    boards: Boards,
    legal: NDArray[np.bool_],
    max_count: int,
    mines: int,
    slack: float,
    breadth: int,
    discount: float,
    begin: int,
    clicks: NDArray[np.int64],
    chances: Floats,
    *arrays: Any,
) -> tuple[int, int]:
    """Chooses a click on each board, up to the first one that it cannot do.

    A click is worth the sum, over what the cell can show, of the chance that it does times the worth of the
    board then: the safety of its safest cell times the number of layouts to the power of -`discount`.

    Args:
        boards: (N, n) int8, cell codes; as they were in the end.
        legal: (N, n) bool, the clicks that are allowed; at least one on each board.
        max_count: the largest count.
        mines: the number of mines of each board.
        slack: clicks are considered whose risk is at most the least one plus this.
        breadth: at most so many are, those of least risk.
        discount: how much a board loses with the number of its layouts.
        begin: the board to begin with.
        clicks: (N,) filled.
        chances: (3, n) room.
        *arrays: the fields of a `Room`.

    Returns:
        N and FINE, or the board that could not be done and why.
    """
    room = Room(*arrays)
    for i in range(begin, len(boards)):
        board = boards[i]
        outcome, layouts = posterior(board, max_count, mines, 0.0, GIVEN_TOTAL, chances[0], room)
        if outcome != FINE:
            return i, outcome
        rank_clicks(board, legal[i], max_count, slack, chances[0], room.around, chances[1])
        best = -1.0
        for _ in range(breadth):
            cell = take_first(chances[1])
            # No click is worth more than its safety.
            if cell < 0 or 1.0 - chances[0, cell] <= best:
                break
            outcome, worth = _worth_of(cell, board, max_count, mines, discount, layouts, chances, room)
            if outcome != FINE:
                return i, outcome
            if worth > best:
                best, clicks[i] = worth, cell
    return len(boards), FINE


@inlined
def rank_clicks(
    board: Boards, allowed: NDArray[np.bool_], max_count: int, slack: float, chances: Floats,
    around: NDArray[np.uint32], ranks: Floats,
) -> None:  # fmt: skip
    """Fills in, for each cell to consider, a number that is larger the less the risk, then the more the promise."""
    least = 2.0
    for cell in range(len(board)):
        if allowed[cell]:
            least = min(least, chances[cell])
    for cell in range(len(board)):
        ranks[cell] = -1.0
        if allowed[cell] and chances[cell] <= least + slack:
            ranks[cell] = (1.0 - chances[cell]) * 1e6 + promise_of(cell, board, max_count, chances, around)


@inlined
def take_first(ranks: Floats) -> int:
    """Returns the cell of the highest rank, and takes it out; -1 if none is left."""
    first, most = -1, -0.5
    for cell in range(len(ranks)):
        if ranks[cell] > most:
            first, most = cell, ranks[cell]
    if first >= 0:
        ranks[first] = -1.0
    return first


@inlined
def _worth_of(
    cell: int, board: Boards, max_count: int, mines: int, discount: float, layouts: float, chances: Floats, room: Room
) -> tuple[int, float]:
    """Returns an outcome and the worth of a click; `chances[0]` are those before it."""
    covered = board[cell]
    least, most = count_bounds(cell, chances[0], room.around)
    outcome, worth = FINE, 0.0
    for count in range(least, most + 1):
        outcome, then = show_count(cell, count, board, max_count, mines, chances[2], room)
        if outcome != FINE:
            break
        if then > -math.inf:
            worth += math.exp(then - layouts - discount * then) * _best_safety(board, max_count, chances[2])
    board[cell] = covered
    return outcome, worth


@inlined
def show_count(
    cell: int, count: int, board: Boards, max_count: int, mines: int, chances: Floats, room: Room
) -> tuple[int, float]:
    """Writes a count into a cell, and fills in the chances then.

    Returns:
        An outcome, and the logarithm of the number of layouts that are left: -inf if the cell cannot show this count.
    """
    board[cell] = count
    outcome, log_layouts = posterior(board, max_count, mines, 0.0, GIVEN_TOTAL, chances, room)
    if outcome == FINE:
        return FINE, log_layouts
    return (outcome if FINE < outcome < CONTRADICTION else FINE), -math.inf


@inlined
def count_bounds(cell: int, chances: Floats, around: NDArray[np.uint32]) -> tuple[int, int]:
    """Returns the least and the largest count that a cell could show, by its certain neighbours alone."""
    least, most = 0, 0
    for j in range(around.shape[1]):
        neighbour = around[cell, j]
        if neighbour < len(chances):
            least += chances[neighbour] == 1.0
            most += chances[neighbour] > 0.0
    return least, most


@inlined
def _best_safety(board: Boards, max_count: int, chances: Floats) -> float:
    """Returns the chance that the safest covered cell is free; 1 where all are mines, for the game is won then."""
    least = 2.0
    for cell in range(len(board)):
        if board[cell] > max_count:
            least = min(least, chances[cell])
    return 1.0 if least >= 1.0 else 1.0 - least
