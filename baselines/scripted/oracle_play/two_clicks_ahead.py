"""Kernel that looks two clicks ahead: a risk is weighed against the best click that may follow it.

The value of a click adds, for each clue that the cell can show, the probability of the clue times the largest value of
a next click. A next click is valued as `one_click_ahead` values clicks.

Cut-offs skip what cannot change the choice, as in the Star1 search of trees with random outcomes (Ballard 1983, "The
*-minimax search procedure for trees containing chance nodes"). They rest on the bounds of `most_worth`.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baselines.scripted.oracle_play.exact import Boards, Floats
from baselines.scripted.oracle_play.one_click_ahead import (
    best_safety,
    count_bounds,
    most_worth,
    rank_clicks,
    show_count,
    take_first,
)
from baselines.support.act_inputs import TIE
from minesweeper_env.compiled import inlined, kernel, subroutine
from minesweeper_env.inference.kernels import OK, Workspace, posterior


class Limits(NamedTuple):
    """What bounds the search.

    Attributes:
        slack: candidates have a risk of at most the least one plus this.
        breadth: the largest number of candidates, the least risky first.
        next_breadth: the largest number of candidates for the second click.
        discount: the exponent of the number of layouts in the value of a board.
    """

    slack: float
    breadth: int
    next_breadth: int
    discount: float


class Scratch(NamedTuple):
    """Arrays for one board of n cells with clues up to K.

    Attributes:
        allowed: (n,) bool, the covered cells after the first click.
        risks: (n,) float64, the probabilities of a mine before the first click.
        ranks: (n,) float64, the ranks of the candidates.
        next_ranks: (n,) float64, the ranks of the candidates for the second click.
        next_risks: (K + 1, n) float64, the probabilities after each clue of the first click.
        last_risks: (n,) float64, the probabilities after the second click.
        bounds: (K + 1,) float64, the probability of each clue times the most that its board can be worth.
        log_layouts: (K + 1,) float64, the logarithm of the number of layouts after each clue.
    """

    allowed: NDArray[np.bool_]
    risks: Floats
    ranks: Floats
    next_ranks: Floats
    next_risks: Floats
    last_risks: Floats
    bounds: Floats
    log_layouts: Floats


_SCRATCH = len(Scratch._fields)


def make_scratch(cells: int, max_count: int) -> Scratch:
    """Returns scratch arrays for boards of this many cells, with clues up to `max_count`."""
    counts = max_count + 1
    return Scratch(
        np.zeros(cells, np.bool_),
        np.zeros(cells),
        np.zeros(cells),
        np.zeros(cells),
        np.zeros((counts, cells)),
        np.zeros(cells),
        np.zeros(counts),
        np.zeros(counts),
    )


@kernel
def weigh_two_clicks(
    boards: Boards,
    legal: NDArray[np.bool_],
    max_count: int,
    mines: int,
    slack: float,
    breadth: int,
    next_breadth: int,
    discount: float,
    begin: int,
    clicks: NDArray[np.int64],
    values: Floats,
    *arrays: Any,
) -> tuple[int, int]:
    """Chooses a click on each board, up to the first board that fails.

    Among clicks of equal value it takes the least risky one, and among these the first by `rank_clicks`.

    Args:
        boards: (N, n) int8, cell codes; unchanged in the end.
        legal: (N, n) bool, the legal clicks; at least one on each board. The second click may be any covered cell.
        max_count: the largest clue.
        mines: the number of mines of each board.
        slack: as in `Limits`.
        breadth: as in `Limits`.
        next_breadth: as in `Limits`.
        discount: as in `Limits`.
        begin: the first board to do.
        clicks: (N,) filled.
        values: (N,) filled with the values of the clicks.
        *arrays: the fields of a `Scratch` and of a `Workspace`.

    Returns:
        N and OK, or the failed board and its outcome.
    """
    scratch, workspace = Scratch(*arrays[:_SCRATCH]), Workspace(*arrays[_SCRATCH:])
    limits = Limits(slack, breadth, next_breadth, discount)
    for i in range(begin, len(boards)):
        board = boards[i]
        outcome, layouts = posterior(board, max_count, mines, scratch.risks, workspace)
        if outcome != OK:
            return i, outcome
        for cell in range(len(board)):
            scratch.allowed[cell] = board[cell] > max_count
        rank_clicks(board, legal[i], max_count, slack, scratch.risks, workspace.neighbours, scratch.ranks)
        values[i] = -1.0
        for _ in range(breadth):
            cell = take_first(scratch.ranks)
            # The ranks fall with safety, so no later click is worth more either. Two clicks show up to K * K clues.
            if (
                cell < 0
                or most_worth(1.0 - scratch.risks[cell], layouts, (max_count + 1) ** 2, discount) <= values[i] + TIE
            ):
                break
            outcome, value = _value_of(cell, board, max_count, mines, layouts, values[i], limits, scratch, workspace)
            if outcome != OK:
                return i, outcome
            if value > values[i] + TIE:
                values[i], clicks[i] = value, cell
    return len(boards), OK


@inlined
def _value_of(
    cell: int, board: Boards, max_count: int, mines: int, layouts: float, goal: float, limits: Limits,
    scratch: Scratch, workspace: Workspace,
) -> tuple[int, float]:  # fmt: skip
    """Returns an outcome and the value of a first click, or an upper bound that does not exceed `goal`."""
    covered = board[cell]
    outcome, value = _bound_counts(cell, board, max_count, mines, layouts, limits.discount, scratch, workspace)
    scratch.allowed[cell] = False
    while outcome == OK and value > goal + TIE:
        count = np.argmax(scratch.bounds)
        bound = scratch.bounds[count]
        if bound <= 0.0:
            break
        scratch.bounds[count] = 0.0
        # All counts that remain may reach their bounds, so this board must be worth more than `needed` to matter.
        weight = math.exp(scratch.log_layouts[count] - layouts)
        needed = (goal + bound - value) / weight
        board[cell] = count
        outcome, worth = _best_next(
            board, max_count, mines, scratch.log_layouts[count], needed, limits, scratch.next_risks[count],
            scratch, workspace,
        )  # fmt: skip
        value += weight * worth - bound
    board[cell] = covered
    scratch.allowed[cell] = True
    return outcome, value


@inlined
def _bound_counts(
    cell: int, board: Boards, max_count: int, mines: int, layouts: float, discount: float, scratch: Scratch,
    workspace: Workspace,
) -> tuple[int, float]:  # fmt: skip
    """Fills in the boards after each clue and their bounds; returns an outcome and the sum of the bounds."""
    covered = board[cell]
    least, most = count_bounds(cell, scratch.risks, workspace.neighbours)
    outcome, total = OK, 0.0
    scratch.bounds[:] = 0.0
    for count in range(least, most + 1):
        outcome, then = _show(cell, count, board, max_count, mines, scratch.next_risks[count], workspace)
        if outcome != OK:
            break
        if then > -math.inf:
            scratch.log_layouts[count] = then
            safety = best_safety(board, max_count, scratch.next_risks[count])
            scratch.bounds[count] = math.exp(then - layouts) * most_worth(safety, then, max_count + 1, discount)
            total += scratch.bounds[count]
    board[cell] = covered
    return outcome, total


@inlined
def _best_next(
    board: Boards, max_count: int, mines: int, layouts: float, needed: float, limits: Limits, risks: Floats,
    scratch: Scratch, workspace: Workspace,
) -> tuple[int, float]:  # fmt: skip
    """Returns an outcome and the largest value of a second click; one of at most `needed` may be too low."""
    rank_clicks(board, scratch.allowed, max_count, limits.slack, risks, workspace.neighbours, scratch.next_ranks)
    outcome, best = OK, 0.0
    for _ in range(limits.next_breadth):
        cell = take_first(scratch.next_ranks)
        if cell >= 0 and layouts < TIE:
            # One layout fits: the game is as good as won.
            best = 1.0
        goal = max(best, needed) + TIE
        if cell < 0 or most_worth(1.0 - risks[cell], layouts, max_count + 1, limits.discount) <= goal:
            break
        outcome, value = _value_of_next(
            cell, board, max_count, mines, layouts, goal, limits.discount, risks, scratch.last_risks, workspace
        )
        if outcome != OK:
            break
        best = max(best, value)
    return outcome, best


@inlined
def _value_of_next(
    cell: int, board: Boards, max_count: int, mines: int, layouts: float, goal: float, discount: float, risks: Floats,
    last_risks: Floats, workspace: Workspace,
) -> tuple[int, float]:  # fmt: skip
    """Returns an outcome and the value of a second click; one of at most `goal` may be too low."""
    covered = board[cell]
    least, most = count_bounds(cell, risks, workspace.neighbours)
    outcome, value, left = OK, 0.0, 1.0 - risks[cell]
    for count in range(least, most + 1):
        if value + most_worth(left, layouts, most - count + 1, discount) <= goal:
            break
        outcome, then = _show(cell, count, board, max_count, mines, last_risks, workspace)
        if outcome != OK:
            break
        if then > -math.inf:
            weight = math.exp(then - layouts)
            value += weight * math.exp(-discount * then) * best_safety(board, max_count, last_risks)
            left -= weight
    board[cell] = covered
    return outcome, value


@subroutine
def _show(
    cell: int, count: int, board: Boards, max_count: int, mines: int, risks: Floats, workspace: Workspace
) -> tuple[int, float]:
    """Does what `show_count` does, compiled once for both clicks."""
    return show_count(cell, count, board, max_count, mines, risks, workspace)
