"""Kernels that value clicks at a guess one and two clicks ahead, weighing each risk against the boards that follow.

The value of a click adds, for each clue that the cell can show, the probability of the clue times the value of the
board that follows. One click ahead, the value of a board with N layouts is the safety of its safest cell times
N ** -discount. Two clicks ahead, it is the largest value that a click on it has one click ahead.

Cut-offs skip what cannot change the choice, as in the Star1 search of trees with random outcomes (Ballard 1983, "The
*-minimax search procedure for trees containing chance nodes"). The cut-offs rest on the bounds of `most_worth`.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baselines.scripted.oracle_play.exact import Boards, Flags, Floats, promise_of
from minesweeper_env.compiled import inlined, kernel, subroutine
from minesweeper_env.config import BoardConfig
from minesweeper_env.inference.kernels import CONTRADICTION, OK, TIE, Workspace, posterior, run_boards


class Search(NamedTuple):
    """Facts about the boards, and the parameters of the search; kernels take it as one argument."""

    max_count: int  # the largest clue
    mines: int  # on each board
    slack: float  # how far the risk of a candidate may exceed the least risk
    breadth: int  # the most candidates of a click
    next_breadth: int  # those of the second click; 0 looks one click ahead
    discount: float  # the exponent of the number of layouts in the value of a board


class Scratch(NamedTuple):
    """Arrays for one board of n cells with clues up to K; risks are probabilities of a mine."""

    allowed: Flags  # (n,): the covered cells after the first click
    risks: Floats  # (n,): before the first click
    ranks: Floats  # (n,): of the candidates for the first click, by `_rank_clicks`
    next_ranks: Floats  # (n,): of the candidates for the second click
    last_risks: Floats  # (n,): after a clue of the last click
    next_risks: Floats  # (K + 1, n): after each clue of the first click
    bounds: Floats  # (K + 1,): the probability of each clue times an upper bound on the value of its board
    log_layouts: Floats  # (K + 1,): the natural logarithm of the number of layouts after each clue


_SCRATCH = len(Scratch._fields)


def make_scratch(cells: int, max_count: int) -> Scratch:
    """Returns scratch arrays for boards of this many cells, with clues up to `max_count`."""
    risks, ranks, next_ranks, last_risks = np.zeros((4, cells))
    bounds, log_layouts = np.zeros((2, max_count + 1))
    next_risks = np.zeros((max_count + 1, cells))
    allowed = np.zeros(cells, np.bool_)
    return Scratch(allowed, risks, ranks, next_ranks, last_risks, next_risks, bounds, log_layouts)


@kernel
def weigh_clicks(
    begin: int, boards: Boards, legal: Flags, search: Search, clicks: NDArray[np.int64], *arrays: Any
) -> tuple[int, int]:
    """Chooses the click of largest value on each board, for `run_boards`.

    Two clicks ahead, ties go to the least risky click, then to the one of highest `promise_of`.

    The kernel begins at the board `begin`, and fills in `clicks`, (N,). Each of the (N, n) boards has a legal click; a
    second click may be any covered cell. The boards are unchanged in the end. The arrays are the fields of a `Scratch`
    and of a `Workspace`. Returns (N, OK), or the index of a board that fails and its outcome.
    """
    scratch, workspace = Scratch(*arrays[:_SCRATCH]), Workspace(*arrays[_SCRATCH:])
    risks, twice = scratch.risks, search.next_breadth > 0
    clues = (search.max_count + 1) ** 2 if twice else search.max_count + 1  # the pairs, or clues, that can show
    # Two clicks ahead, a later click must be better by more than rounding; one click ahead, by anything.
    margin, gain = (TIE, TIE) if twice else (-TIE, 0.0)
    for i in range(begin, len(boards)):
        board = boards[i]
        outcome, log_layouts = posterior(board, search.mines, risks, workspace)
        if outcome != OK:
            return i, outcome
        for cell in range(len(board)):
            scratch.allowed[cell] = board[cell] > search.max_count
        _rank_clicks(board, legal[i], search, risks, workspace.neighbours, scratch.ranks)
        best = -1.0
        for _ in range(search.breadth):
            cell = _take_first(scratch.ranks)
            # The ranks fall with safety, so no later click is worth more either.
            if cell < 0 or most_worth(1.0 - risks[cell], log_layouts, clues, search.discount) <= best + margin:
                break
            if twice:
                outcome, value = _value_twice(cell, board, search, log_layouts, best, scratch, workspace)
            else:
                last_risks = scratch.last_risks
                outcome, value = _value_once(cell, board, search, log_layouts, best - TIE, risks, last_risks, workspace)
            if outcome != OK:
                return i, outcome
            if value > best + gain:
                best, clicks[i] = value, cell
    return len(boards), OK


@inlined
def _rank_clicks(
    board: Boards, allowed: Flags, search: Search, risks: Floats, neighbours: NDArray[np.uint32], ranks: Floats
) -> None:
    """Fills in a rank for each candidate, higher for less risk, then for more of `promise_of`; -1 for other cells."""
    min_risk = 2.0
    for cell in range(len(board)):
        if allowed[cell]:
            min_risk = min(min_risk, risks[cell])
    for cell in range(len(board)):
        ranks[cell] = -1.0
        if allowed[cell] and risks[cell] <= min_risk + search.slack:
            ranks[cell] = (1.0 - risks[cell]) * 1e6 + promise_of(cell, board, search.max_count, risks, neighbours)


@inlined
def _take_first(ranks: Floats) -> int:
    """Returns the cell of highest rank, and sets its rank to -1; returns -1 if no candidate is left."""
    best, best_rank = -1, -0.5
    for cell in range(len(ranks)):
        if ranks[cell] > best_rank:
            best, best_rank = cell, ranks[cell]
    if best >= 0:
        ranks[best] = -1.0
    return best


@inlined
def most_worth(safety: float, log_layouts: float, clues: int, discount: float) -> float:
    """Returns an upper bound of the value of a click.

    No click is worth more than its safety s. A click that can show K clues, on a board with N layouts, is not worth
    more than (K / N) ** d * s ** (1 - d) either, where d is the discount: a clue of probability w leaves w * N layouts,
    so the click is worth at most the sum of w * (w * N) ** -d. That sum is largest if all w are s / K, because
    w ** (1 - d) is concave.

    Args:
        safety: the probability that the cell is free; or a part of it, for the clues that remain.
        log_layouts: the logarithm of the number of layouts before the click.
        clues: the number of clues that the cell can show.
        discount: the exponent of the number of layouts.
    """
    if discount >= 1.0 or safety <= 0.0:
        return max(safety, 0.0)
    return min(safety, math.exp(discount * (math.log(clues) - log_layouts) + (1.0 - discount) * math.log(safety)))


@inlined
def _value_once(
    cell: int, board: Boards, search: Search, log_layouts: float, goal: float, risks: Floats, last_risks: Floats,
    workspace: Workspace,
) -> tuple[int, float]:  # fmt: skip
    """Returns an outcome and the value of a click one click ahead; the value may be too low if it is at most `goal`."""
    old_code = board[cell]
    min_clue, max_clue = _count_bounds(cell, risks, workspace.neighbours)
    outcome, value, safety_left = OK, 0.0, 1.0 - risks[cell]
    for clue in range(min_clue, max_clue + 1):
        if value + most_worth(safety_left, log_layouts, max_clue - clue + 1, search.discount) <= goal:
            break
        outcome, next_log_layouts = _show(cell, clue, board, search, last_risks, workspace)
        if outcome != OK:
            break
        if next_log_layouts > -math.inf:
            best_safety = _best_safety(board, search.max_count, last_risks)
            # The probability of the clue, N' / N, times the value of the next board, N' ** -discount * safety.
            value += math.exp(next_log_layouts - log_layouts - search.discount * next_log_layouts) * best_safety
            safety_left -= math.exp(next_log_layouts - log_layouts)
    board[cell] = old_code
    return outcome, value


@inlined
def _value_twice(
    cell: int, board: Boards, search: Search, log_layouts: float, goal: float, scratch: Scratch, workspace: Workspace
) -> tuple[int, float]:
    """Returns an outcome and the value of a first click, or an upper bound that does not exceed `goal`.

    The bound begins as the sum over all clues; the value of a clue then replaces its bound, largest bound first.
    """
    old_code = board[cell]
    outcome, upper = _bound_counts(cell, board, search, log_layouts, scratch, workspace)
    scratch.allowed[cell] = False
    while outcome == OK and upper > goal + TIE:
        clue = int(np.argmax(scratch.bounds))
        bound = scratch.bounds[clue]
        if bound <= 0.0:
            break
        scratch.bounds[clue] = 0.0
        # Even if all clues that remain reach their bounds, this board must be worth more than `needed` to matter.
        probability = math.exp(scratch.log_layouts[clue] - log_layouts)
        needed = (goal + bound - upper) / probability
        board[cell] = clue
        outcome, value = _best_next(board, search, clue, needed, scratch, workspace)
        upper += probability * value - bound
    board[cell] = old_code
    scratch.allowed[cell] = True
    return outcome, upper


@inlined
def _bound_counts(
    cell: int, board: Boards, search: Search, log_layouts: float, scratch: Scratch, workspace: Workspace
) -> tuple[int, float]:
    """Fills in risks, layouts and bound of the board after each clue; returns an outcome and the sum of the bounds."""
    old_code, clues = board[cell], search.max_count + 1
    min_clue, max_clue = _count_bounds(cell, scratch.risks, workspace.neighbours)
    outcome, total = OK, 0.0
    scratch.bounds[:] = 0.0
    for clue in range(min_clue, max_clue + 1):
        outcome, next_log_layouts = _show(cell, clue, board, search, scratch.next_risks[clue], workspace)
        if outcome != OK:
            break
        if next_log_layouts > -math.inf:
            scratch.log_layouts[clue] = next_log_layouts
            safety = _best_safety(board, search.max_count, scratch.next_risks[clue])
            probability = math.exp(next_log_layouts - log_layouts)
            scratch.bounds[clue] = probability * most_worth(safety, next_log_layouts, clues, search.discount)
            total += scratch.bounds[clue]
    board[cell] = old_code
    return outcome, total


@inlined
def _best_next(
    board: Boards, search: Search, clue: int, needed: float, scratch: Scratch, workspace: Workspace
) -> tuple[int, float]:
    """Returns an outcome and the largest value of a second click, after a first one that shows `clue`.

    The value may be too low if it is at most `needed`.
    """
    risks, log_layouts = scratch.next_risks[clue], scratch.log_layouts[clue]
    _rank_clicks(board, scratch.allowed, search, risks, workspace.neighbours, scratch.next_ranks)
    outcome, best = OK, 0.0
    for _ in range(search.next_breadth):
        cell = _take_first(scratch.next_ranks)
        if cell >= 0 and log_layouts < TIE:
            # One layout fits: the game is as good as won.
            best = 1.0
        goal = max(best, needed) + TIE
        if cell < 0 or most_worth(1.0 - risks[cell], log_layouts, search.max_count + 1, search.discount) <= goal:
            break
        outcome, value = _value_once(cell, board, search, log_layouts, goal, risks, scratch.last_risks, workspace)
        if outcome != OK:
            break
        best = max(best, value)
    return outcome, best


@subroutine
def _show(
    cell: int, clue: int, board: Boards, search: Search, risks: Floats, workspace: Workspace
) -> tuple[int, float]:
    """Writes a clue on the board, and fills in its risks; returns an outcome and ln(layouts), -inf if impossible."""
    board[cell] = clue
    outcome, log_layouts = posterior(board, search.mines, risks, workspace)
    if outcome == OK:
        return OK, log_layouts
    # An outcome between OK and CONTRADICTION asks for more memory; any other means that the clue is impossible.
    return (outcome if OK < outcome < CONTRADICTION else OK), -math.inf


@inlined
def _count_bounds(cell: int, risks: Floats, neighbours: NDArray[np.uint32]) -> tuple[int, int]:
    """Returns bounds on the clue that a cell can show: its certain mines, and its neighbours that may be mines."""
    least, most = 0, 0
    for j in range(neighbours.shape[1]):
        neighbour = neighbours[cell, j]
        if neighbour < len(risks):  # The number n stands for a neighbour off the board.
            least += risks[neighbour] == 1.0
            most += risks[neighbour] > 0.0
    return least, most


@inlined
def _best_safety(board: Boards, max_count: int, risks: Floats) -> float:
    """Returns the probability that the safest covered cell is free; 1 if all are mines, for then the game is won."""
    min_risk = 2.0
    for cell in range(len(board)):
        if board[cell] > max_count:
            min_risk = min(min_risk, risks[cell])
    return 1.0 if min_risk >= 1.0 else 1.0 - min_risk


@kernel
def list_values(board: Boards, legal: Flags, search: Search, values: Floats, *arrays: Any) -> int:
    """Fills in the value of each candidate one click ahead, on one board; returns an outcome."""
    scratch, workspace = Scratch(*arrays[:_SCRATCH]), Workspace(*arrays[_SCRATCH:])
    risks, last_risks = scratch.risks, scratch.last_risks
    outcome, log_layouts = posterior(board, search.mines, risks, workspace)
    _rank_clicks(board, legal, search, risks, workspace.neighbours, scratch.ranks)
    for _ in range(search.breadth):
        cell = _take_first(scratch.ranks)
        if cell < 0 or outcome != OK:
            break
        outcome, values[cell] = _value_once(cell, board, search, log_layouts, -1.0, risks, last_risks, workspace)
    return outcome


def click_values(
    config: BoardConfig, board: Boards, legal: Flags, slack: float, breadth: int, discount: float
) -> Floats:
    """Returns the value of each candidate one click ahead, (n,) float64; -1 for other cells.

    All values are -1 on a board that is too hard for the oracle. The board, (n,), has a legal click; `slack`, `breadth`
    and `discount` are those of a `Search`.
    """
    board, values, max_count = board.copy(), np.full(config.cells, -1.0), config.codes.max_count
    search = Search(max_count, config.mines, slack, breadth, 0, discount)
    scratch = make_scratch(config.cells, max_count)

    # `run_boards` begins again at board 1 after it has given up board 0, the only one.
    def fill(begin: int, *arguments: Any) -> tuple[int, int]:
        return begin, OK if begin else list_values(*arguments)

    run_boards(config, fill, (board, legal, search, values, *scratch), lambda _: board, lambda _: values.fill(-1.0))
    return values
