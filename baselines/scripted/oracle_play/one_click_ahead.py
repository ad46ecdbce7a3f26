"""Kernel that looks one click ahead, and weighs each risk against the boards that follow it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.scripted.oracle_play.exact import Boards, Floats, promise_of
from baselines.support.act_inputs import TIE
from minesweeper_env.compiled import inlined, kernel
from minesweeper_env.inference.kernels import CONTRADICTION, OK, Workspace, posterior


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
    probabilities: Floats,
    *arrays: Any,
) -> tuple[int, int]:
    """Chooses a click on each board, up to the first board that fails.

    The cell can show several clues. The value of a click adds, for each clue, its probability times the value of the
    board that follows. The value of a board is the safety of its safest cell times layouts ** -`discount`.

    Args:
        boards: (N, n) int8, cell codes; unchanged in the end.
        legal: (N, n) bool, the legal clicks; at least one on each board.
        max_count: the largest clue.
        mines: the number of mines of each board.
        slack: candidates have a risk of at most the least one plus this.
        breadth: the largest number of candidates, the least risky first.
        discount: the exponent of the number of layouts.
        begin: the first board to do.
        clicks: (N,) filled.
        probabilities: (3, n) scratch.
        *arrays: the fields of a `Workspace`.

    Returns:
        N and OK, or the failed board and its outcome.
    """
    workspace = Workspace(*arrays)
    for i in range(begin, len(boards)):
        board = boards[i]
        outcome, layouts = posterior(board, max_count, mines, probabilities[0], workspace)
        if outcome != OK:
            return i, outcome
        rank_clicks(board, legal[i], max_count, slack, probabilities[0], workspace.neighbours, probabilities[1])
        best = -1.0
        for _ in range(breadth):
            cell = take_first(probabilities[1])
            # The ranks fall with safety, so no later click is worth more either.
            if cell < 0 or most_worth(1.0 - probabilities[0, cell], layouts, max_count + 1, discount) <= best - TIE:
                break
            outcome, value = _value_of(cell, board, max_count, mines, discount, layouts, best, probabilities, workspace)
            if outcome != OK:
                return i, outcome
            if value > best:
                best, clicks[i] = value, cell
    return len(boards), OK


@inlined
def rank_clicks(
    board: Boards, allowed: NDArray[np.bool_], max_count: int, slack: float, probabilities: Floats,
    neighbours: NDArray[np.uint32], ranks: Floats,
) -> None:  # fmt: skip
    """Fills in a rank for each candidate, higher for less risk, then for more promise; -1 for other cells."""
    least = 2.0
    for cell in range(len(board)):
        if allowed[cell]:
            least = min(least, probabilities[cell])
    for cell in range(len(board)):
        ranks[cell] = -1.0
        if allowed[cell] and probabilities[cell] <= least + slack:
            ranks[cell] = (1.0 - probabilities[cell]) * 1e6 + promise_of(
                cell, board, max_count, probabilities, neighbours
            )


@inlined
def take_first(ranks: Floats) -> int:
    """Returns the cell of the highest rank and removes it; -1 if none is left."""
    first, most = -1, -0.5
    for cell in range(len(ranks)):
        if ranks[cell] > most:
            first, most = cell, ranks[cell]
    if first >= 0:
        ranks[first] = -1.0
    return first


@inlined
def most_worth(safety: float, layouts: float, clues: int, discount: float) -> float:
    """Returns an upper bound of the value of a click.

    No click is worth more than its safety s. A click that can show K clues, on a board with N layouts, is not worth
    more than (K / N) ** d * s ** (1 - d) either, where d is the discount: a clue of probability w leaves w * N layouts,
    so the click is worth at most the sum of w * (w * N) ** -d. That sum is largest if all w are s / K, because
    w ** (1 - d) is concave.

    Args:
        safety: the probability that the cell is free; or a part of it, for the clues that remain.
        layouts: the logarithm of the number of layouts before the click.
        clues: the number of clues that the cell can show.
        discount: the exponent of the number of layouts.
    """
    if discount >= 1.0 or safety <= 0.0:
        return max(safety, 0.0)
    return min(safety, math.exp(discount * (math.log(clues) - layouts) + (1.0 - discount) * math.log(safety)))


@inlined
def _value_of(
    cell: int,
    board: Boards,
    max_count: int,
    mines: int,
    discount: float,
    layouts: float,
    goal: float,
    probabilities: Floats,
    workspace: Workspace,
) -> tuple[int, float]:
    """Returns an outcome and the value of a click; less than that if it is below `goal`.

    `probabilities[0]` holds the probabilities before the click.
    """
    covered = board[cell]
    least, most = count_bounds(cell, probabilities[0], workspace.neighbours)
    outcome, value, rest = OK, 0.0, 1.0 - probabilities[0, cell]
    for count in range(least, most + 1):
        if value + most_worth(rest, layouts, most + 1 - count, discount) <= goal - TIE:
            break
        outcome, then = show_count(cell, count, board, max_count, mines, probabilities[2], workspace)
        if outcome != OK:
            break
        if then > -math.inf:
            value += math.exp(then - layouts - discount * then) * best_safety(board, max_count, probabilities[2])
            rest -= math.exp(then - layouts)
    board[cell] = covered
    return outcome, value


@inlined
def show_count(
    cell: int, count: int, board: Boards, max_count: int, mines: int, probabilities: Floats, workspace: Workspace
) -> tuple[int, float]:
    """Writes a clue into a cell, and fills in the probabilities of that board.

    Returns:
        An outcome, and the logarithm of the number of layouts left: -inf if the cell cannot show this clue.
    """
    board[cell] = count
    outcome, log_layouts = posterior(board, max_count, mines, probabilities, workspace)
    if outcome == OK:
        return OK, log_layouts
    # Outcomes between these ask for more memory. Any other one means that the cell cannot show this clue.
    return (outcome if OK < outcome < CONTRADICTION else OK), -math.inf


@inlined
def count_bounds(cell: int, probabilities: Floats, neighbours: NDArray[np.uint32]) -> tuple[int, int]:
    """Returns the least and the largest clue that a cell can show, judged by its certain neighbours alone."""
    least, most = 0, 0
    for j in range(neighbours.shape[1]):
        neighbour = neighbours[cell, j]
        if neighbour < len(probabilities):
            least += probabilities[neighbour] == 1.0
            most += probabilities[neighbour] > 0.0
    return least, most


@inlined
def best_safety(board: Boards, max_count: int, probabilities: Floats) -> float:
    """Returns the probability that the safest covered cell is free; 1 if all are mines, for then the game is won."""
    least = 2.0
    for cell in range(len(board)):
        if board[cell] > max_count:
            least = min(least, probabilities[cell])
    return 1.0 if least >= 1.0 else 1.0 - least
