"""Posteriors of boards: the kernel, its stages for one board, and calls that repeat it with a larger workspace.

    P(cell x is a mine)  =  (number of layouts that fit the board and have a mine in x)  /  (number that fit)

A layout fits if it has the number of mines and shows each clue. Single clues come first (`reading`), then groups
(`frontier`), the sums over all fillings (`forward_pass`), and the probabilities (`backward_pass`): steps 1 to 6 of
docs/studies/inference.md.
"""

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.compiled import inlined, kernel, subroutine
from minesweeper_env.config import BoardConfig
from minesweeper_env.inference.boards import InconsistentBoardError, PositionTooHardError
from minesweeper_env.inference.counting import forward_pass as forward
from minesweeper_env.inference.counting import workspace as ws
from minesweeper_env.inference.counting.backward_pass import UNDERFLOW, join_components
from minesweeper_env.inference.counting.forward_pass import Weighting
from minesweeper_env.inference.counting.frontier import (
    CONTRADICTION,
    merge_cells,
    order_groups,
    read_board,
    reorder_wide_components,
)
from minesweeper_env.inference.counting.workspace import Floats, Frontier, Tables, Totals, Workspace
from minesweeper_env.inference.reading import MINE, OPEN, UNKNOWN

Boards = NDArray[np.int8]


@kernel
def posteriors(
    boards: Boards, mines: int, density: float, mode: int, first: int, probabilities: Floats, log_layouts: Floats,
    *arrays: Any,
) -> tuple[int, int]:  # fmt: skip
    """Computes the posteriors of boards, up to the first board that fails.

    Args:
        boards: (N, n) int8, cell codes.
        mines: the number of mines of each board.
        density: `Weighting.density`, or 0 for the density of mines among the unknown cells.
        mode: FIXED_TOTAL, IID or BOOLEAN.
        first: the first board to compute.
        probabilities: (N, n) filled with the probability of a mine in each cell; in BOOLEAN mode only 0 and 1 count.
        log_layouts: (N,) filled with the natural logarithm of the number of layouts in FIXED_TOTAL mode.
        *arrays: the fields of a `Workspace`.

    Returns:
        N and OK, or the failed board and its outcome.
    """
    work = Workspace(*arrays)
    for i in range(first, len(boards)):
        outcome, log_layouts[i] = posterior(boards[i], mines, density, mode, probabilities[i], work)
        if outcome != ws.OK:
            return i, outcome
    return len(boards), ws.OK


@subroutine
def posterior(
    board: Boards, mines: int, density: float, mode: int, probabilities: Floats, work: Workspace
) -> tuple[int, float]:
    """Computes the posterior of one board as `posteriors` does; returns the outcome and the entry of `log_layouts`."""
    outcome = read_board(work, board)
    if outcome != ws.OK:
        return outcome, 0.0
    return finish_posterior(work, mines, density, mode, probabilities)


@subroutine
def finish_posterior(
    work: Workspace, mines: int, density: float, mode: int, probabilities: Floats
) -> tuple[int, float]:
    """Computes and returns what `posterior` does, for the board that `read_board` has read."""
    frontier, tables = ws.frontier_of(work), ws.tables_of(work)
    outcome, log_scale, weighting, totals = run_forward_pass(frontier, tables, mines, density, mode)
    if outcome != ws.OK:
        return outcome, 0.0
    outcome, outside_probability, log_layouts = join_components(frontier, tables, totals, weighting)
    # BOOLEAN values cannot underflow: a sum of 0 means that no layout exists.
    if outcome == UNDERFLOW and mode == forward.BOOLEAN:
        outcome = CONTRADICTION + _cell_to_blame(frontier)
    if outcome != ws.OK:
        return outcome, 0.0
    for cell in range(len(probabilities)):
        known, group = frontier.known[cell], frontier.group_at[cell]
        if known == UNKNOWN:
            probabilities[cell] = outside_probability if group < 0 else frontier.probability[group]
        else:
            probabilities[cell] = 1.0 if known == MINE else 0.0
    if mode == forward.FIXED_TOTAL:
        # Each layout weighs its probability under independent cells; dividing by it leaves a plain count.
        log_layouts -= totals.mines * math.log(weighting.density) + totals.free * math.log1p(-weighting.density)
    return ws.OK, log_layouts + log_scale


@inlined
def run_forward_pass(
    frontier: Frontier, tables: Tables, mines: int, density: float, mode: int
) -> tuple[int, float, Weighting, Totals]:
    """Runs the forward pass on the board that `read_board` has read; the whole board has `mines` mines.

    Returns the outcome, the natural logarithm of the divisor of the weights, the weighting and the totals.
    """
    num_constraints, num_groups, num_outside = merge_cells(frontier)
    unknown = 0
    for cell in range(len(frontier.neighbours)):
        unknown += frontier.known[cell] == UNKNOWN
        mines -= frontier.known[cell] == MINE
    # Half a mine more, in one cell more, keeps the density within 0 and 1; an impossible number of mines is clipped.
    possible_mines = min(max(mines, 0), unknown)
    if density == 0.0:
        density = (possible_mines + 0.5) / (unknown + 1.0)
    weighting = forward.weighting_of(mode, density)
    if mode != forward.IID and not 0 <= mines <= unknown:
        return CONTRADICTION + _cell_to_blame(frontier), 0.0, weighting, Totals(0, mines, unknown - mines, num_outside)
    num_components, peak = order_groups(frontier, num_constraints, num_groups)
    totals = Totals(num_components, mines, unknown - mines, num_outside)
    for i in range(len(totals)):
        tables.totals[i] = totals[i]
    # Both bounds count: a component keeps its first order unless a sweep promises fewer states.
    peak = max(peak, reorder_wide_components(frontier, num_components))
    outcome, log_scale = forward.count_components(frontier, tables, weighting, num_components, num_constraints, peak)
    if outcome >= ws.INFEASIBLE:
        outcome = CONTRADICTION + frontier.cell_of[outcome - ws.INFEASIBLE]
    return outcome, log_scale, weighting, totals


@inlined
def _cell_to_blame(frontier: Frontier) -> int:
    """Returns the cell that the error of an impossible mine count names: a clue with unknown neighbours if any."""
    covered = 0
    for cell in range(len(frontier.neighbours)):
        if frontier.constraint_at[cell] >= 0:
            return cell
        if frontier.known[cell] != OPEN:
            covered = cell
    return covered


_MAX_KEPT_VALUES = 1 << 18
"""A workspace with more values than this is not kept for later calls."""


@lru_cache(maxsize=16)
def _spare_workspaces(_rows: int, _cols: int, _radius: int) -> list[Workspace]:
    """Returns the list, at first empty, of the workspaces for this size that no thread uses."""
    return []


def run_with_workspace(
    kernel: Callable[..., int], rows: int, cols: int, radius: int, *arguments: Any, passes: int = 1
) -> int:
    """Calls kernel(workspace, *arguments), again with a larger workspace while that is too small; returns its outcome.

    `passes` is the number of kernel calls that the answer takes; they share the limit on the states of a position.

    Raises:
        PositionTooHardError: the position needs more memory than the limits allow.
    """
    spare = _spare_workspaces(rows, cols, radius)
    max_states = min(ws.MAX_STATES, ws.SHARED_PASSES * ws.MAX_STATES // passes)
    # Threads share the list, so a test whether it is empty could be wrong by the time of the pop.
    try:
        workspace = spare.pop()
    except IndexError:
        workspace = ws.make_workspace(rows, cols, radius)
    while True:
        limited = workspace  # fewer entries of `links` have room for fewer states
        if len(workspace.links) > 2 * max_states:
            limited = workspace._replace(links=workspace.links[: 2 * max_states])
        outcome = kernel(limited, *arguments)
        if not ws.OK < outcome <= ws.NEED_VALUES:
            break
        workspace = ws.grow_workspace(workspace, outcome, max_states)
    if len(workspace.values) <= _MAX_KEPT_VALUES:
        spare.append(workspace)
    return outcome


def run_boards(
    config: BoardConfig, kernel: Callable[..., tuple[int, int]], arguments: Sequence[Any],
    board_at: Callable[[int], NDArray[np.int8]], give_up: Callable[[int], None] | None = None,
) -> None:  # fmt: skip
    """Runs a kernel over many boards, in a workspace that grows as needed.

    The kernel gets the index of the board to begin at, the `arguments`, and the fields of the workspace. It returns the
    number of boards and OK, or the index of a board that failed and its outcome. `board_at` returns the board of an
    index, (n,) int8, for an error. `give_up` is called with the index of each board that is too hard for the oracle,
    and the next board follows; without `give_up` such a board raises the error.

    Raises:
        InconsistentBoardError: no layout fits one of the boards.
        PositionTooHardError: one of the boards is too hard for the oracle.
    """
    index = 0

    def run_from_index(workspace: Workspace) -> int:
        nonlocal index
        index, board_outcome = kernel(index, *arguments, *workspace)
        return board_outcome

    while True:
        try:
            outcome = run_with_workspace(run_from_index, config.rows, config.cols, config.radius)
            if outcome == ws.OK:
                return
            raise failure(board_at(index).reshape(config.rows, -1), config.mines, config.radius, outcome, index)
        except PositionTooHardError:
            if give_up is None:
                raise
            give_up(index)
            index += 1


def infer(
    boards: Boards, mines: int, radius: int, mode: int, density: float, probabilities: Floats, passes: int = 1
) -> Floats:
    """Computes the posteriors of valid boards, contiguous (N, rows, cols) int8, into `probabilities` of that shape.

    Returns `log_layouts`, (N,) float64. The arguments are as in `posteriors` and `run_with_workspace`.
    """
    number, rows, cols = boards.shape
    log_layouts = np.empty(number)
    flat, results = boards.reshape(number, rows * cols), probabilities.reshape(number, rows * cols)
    index = 0

    def compute(work: Workspace) -> int:
        nonlocal index
        index, outcome = posteriors(flat, mines, density, mode, index, results, log_layouts, *work)
        return outcome

    # After an underflow the board is computed alone, at a density that keeps its weights in range.
    while (outcome := run_with_workspace(compute, rows, cols, radius, passes=passes)) != ws.OK:
        if outcome != UNDERFLOW or density != 0.0:
            raise failure(boards[index], mines, radius, outcome, index if number > 1 else None)
        density_that_fits = matching_density(boards[index], mines, radius)
        only = slice(index, index + 1)
        log_layouts[only] = infer(boards[only], mines, radius, mode, density_that_fits, probabilities[only])
        index += 1
    return log_layouts


def failure(board: Boards, mines: int, radius: int, outcome: int, index: int | None = None) -> ValueError:
    """Returns the error for a board, (rows, cols), and the outcome of a kernel; `index` is its index in a batch."""
    prefix = "" if index is None else f"board {index}: "
    if outcome == UNDERFLOW:
        # A total weight of 0 does not tell an impossible board from an unlikely one; BOOLEAN mode cannot underflow.
        try:
            infer(board[None], mines, radius, forward.BOOLEAN, 0.0, np.empty((1, *board.shape)))
        except InconsistentBoardError as error:
            return InconsistentBoardError(prefix + error.reason, error.cell)
        return PositionTooHardError(
            f"{prefix}{mines} mines are so unlikely for these numbers that the weights of all layouts underflow"
        )
    row, col = divmod(outcome - CONTRADICTION, board.shape[1])
    reason = f"{prefix}the numbers allow no layout with {mines} mines"
    min_mines, max_mines = _mines_that_fit(board, radius)
    if mines < min_mines:
        reason += f"; they need at least {min_mines}"
    elif mines > max_mines:
        reason += f"; they allow at most {max_mines}"
    return InconsistentBoardError(reason, (row, col))


def _mines_that_fit(board: Boards, radius: int) -> tuple[int, float]:
    """Returns the least and the largest number of mines that the clues allow; (0, inf) if no bounds are found."""
    min_mines, max_mines, flat = 0, math.inf, board.reshape(1, -1)

    def compute(work: Workspace) -> int:
        nonlocal min_mines, max_mines
        known_mines = 0
        # IID mode tells whether the clues alone can be met. BOOLEAN mode then fills the tables with the mines of each
        # component, even if the board cannot have the total that is passed.
        for mode in (forward.IID, forward.BOOLEAN):
            _, outcome = posteriors(flat, known_mines, 0.5, mode, 0, np.empty(flat.shape), np.empty(1), *work)
            if outcome != ws.OK and (mode == forward.IID or outcome <= ws.NEED_VALUES):
                return outcome
            known_mines = int((ws.name_frontier(work).known[: flat.size] == MINE).sum())
        # No constraint is open on the last level of a component, so it has one state.
        tables, totals = ws.name_tables(work), Totals(*work.totals.tolist())
        ends = tables.first_state[tables.last_level[: totals.components]]
        min_mines = known_mines + int(tables.min_used[ends].sum())
        max_mines = known_mines + int(tables.max_used[ends].sum() + totals.outside)
        return ws.OK

    with suppress(PositionTooHardError):
        run_with_workspace(compute, *board.shape, radius)
    return min_mines, max_mines


_EXTREME = 1e-6
"""Densities closer than this to 0 or 1 are not tried."""

_HALVINGS = 12
"""Bisections of the density, which need not be exact."""


def matching_density(board: Boards, mines: int, radius: int) -> float:
    """Returns the density of mines at which independent cells would have `mines` mines on average.

    With a density of mines / cells, the weights of a board underflow if its typical fillings have far more mines or far
    fewer. This density keeps the largest weights in range.
    """
    probabilities = np.empty((1, *board.shape))
    passes = _HALVINGS + 2  # the check, the bisection, and the caller's own pass
    infer(board[None], mines, radius, forward.BOOLEAN, 0.0, probabilities, passes)  # Raises if no layout fits.
    low, high = _EXTREME, 1.0 - _EXTREME
    for _ in range(_HALVINGS):
        odds = (low / (1.0 - low) * high / (1.0 - high)) ** 0.5  # Bisects the log odds.
        density = odds / (1.0 + odds)
        infer(board[None], mines, radius, forward.IID, density, probabilities, passes)
        low, high = (density, high) if probabilities.sum() < mines else (low, density)
    return density
