"""Kernel that computes posteriors of boards, and its stages for one board.

Steps 1 to 6 of docs/studies/inference.md.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.compiled import inlined, kernel, subroutine
from minesweeper_env.inference.counting.backward_pass import UNDERFLOW, join_components
from minesweeper_env.inference.counting.elimination_order import order_groups, reorder_wide_components
from minesweeper_env.inference.counting.forward_pass import BOOLEAN, FIXED_TOTAL, IID, Weighting, count_components
from minesweeper_env.inference.counting.frontier import Frontier, clues_of, merge_cells
from minesweeper_env.inference.counting.states import INFEASIBLE, OK, Floats
from minesweeper_env.inference.counting.workspace import Work, Workspace, carve
from minesweeper_env.inference.reading import MINE, NOWHERE, OPEN, UNKNOWN, follow_clues, read_clues

CONTRADICTION = 4
"""Outcome c + CONTRADICTION: cell c contradicts the rest of the board."""


@kernel
def posteriors(
    boards: NDArray[np.int8],
    max_count: int,
    mines: int,
    density: float,
    mode: int,
    first: int,
    probabilities: Floats,
    log_layouts: Floats,
    *arrays: Any,
) -> tuple[int, int]:
    """Computes the posteriors of boards, up to the first board that fails.

    Args:
        boards: (N, n) int8, cell codes.
        max_count: the largest clue.
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
    workspace = Workspace(*arrays)
    for i in range(first, len(boards)):
        outcome, log_layouts[i] = posterior(boards[i], max_count, mines, density, mode, probabilities[i], workspace)
        if outcome != OK:
            return i, outcome
    return len(boards), OK


@subroutine
def posterior(
    board: NDArray[np.int8],
    max_count: int,
    mines: int,
    density: float,
    mode: int,
    probabilities: Floats,
    workspace: Workspace,
) -> tuple[int, float]:
    """Computes the posterior of one board as `posteriors` does; returns the outcome and the logarithm."""
    work = carve(workspace)
    outcome = read_board(work, board, workspace.neighbours, max_count)
    if outcome != OK:
        return outcome, 0.0
    return finish_posterior(work, workspace.neighbours, mines, density, mode, probabilities)


@inlined
def read_board(work: Work, board: NDArray[np.int8], neighbours: NDArray[np.uint32], max_count: int) -> int:
    """Reads a board and applies single clues; returns the outcome."""
    clues = clues_of(work.frontier, neighbours)
    fault = read_clues(board, max_count, clues)
    if fault == NOWHERE:
        fault = follow_clues(clues)
    return OK if fault == NOWHERE else CONTRADICTION + fault


@subroutine
def finish_posterior(
    work: Work, neighbours: NDArray[np.uint32], mines: int, density: float, mode: int, probabilities: Floats
) -> tuple[int, float]:
    """Computes the posterior of the board that `read_board` has read; see `posterior`."""
    outcome, components, totals, log_scale, weighting = run_forward_pass(work, neighbours, mines, density, mode)
    if outcome != OK:
        return outcome, 0.0
    outcome, elsewhere, log_layouts = join_components(work, weighting, components, totals.mines, totals.outside)
    # BOOLEAN values cannot underflow: a sum of 0 means that no layout exists.
    if outcome == UNDERFLOW and mode == BOOLEAN:
        outcome = CONTRADICTION + _cell_to_name(work.frontier)
    if outcome != OK:
        return outcome, 0.0
    _hand_out(work.frontier, work.probability, elsewhere, probabilities)
    if mode == FIXED_TOTAL:
        # Each layout weighs its probability under independent cells; dividing by it leaves a plain count.
        log_layouts -= totals.mines * math.log(weighting.density) + totals.free * math.log1p(-weighting.density)
    return OK, log_layouts + log_scale


class Totals(NamedTuple):
    """Totals over the unknown cells after propagation.

    Attributes:
        mines: the mines among the unknown cells.
        free: the other unknown cells.
        outside: the unknown cells under no constraint.
    """

    mines: int
    free: int
    outside: int


@inlined
def run_forward_pass(
    work: Work, neighbours: NDArray[np.uint32], mines: int, density: float, mode: int
) -> tuple[int, int, Totals, float, Weighting]:
    """Counts the components of the board that `read_board` has read.

    Returns:
        The outcome, the number of components, the totals, the logarithm of the scale, and the weighting.
    """
    frontier, plan = work.frontier, work.plan
    constraints, groups, outside = merge_cells(frontier, neighbours)
    unknown = 0
    for cell in range(len(neighbours)):
        unknown += frontier.known[cell] == UNKNOWN
        mines -= frontier.known[cell] == MINE
    totals = Totals(mines, unknown - mines, outside)
    # Half a mine more keeps the density away from 0 and 1.
    weighting = Weighting(mode, density if density > 0.0 else (mines + 0.5) / (unknown + 1.0))
    if mode != IID and not 0 <= mines <= unknown:
        return CONTRADICTION + _cell_to_name(frontier), 0, totals, 0.0, weighting
    components, peak = order_groups(frontier, constraints, groups, plan.order, plan.component_end, plan.scratch)
    # Both bounds count: a component keeps its first order unless a sweep promises fewer states.
    peak = max(peak, reorder_wide_components(frontier, neighbours, plan, components))
    outcome, log_scale = count_components(work, weighting, constraints, components, peak)
    if outcome >= INFEASIBLE:
        outcome = CONTRADICTION + int(frontier.cell_of[outcome - INFEASIBLE])
    return outcome, components, totals, log_scale, weighting


@inlined
def _cell_to_name(frontier: Frontier) -> int:
    """Returns a cell for the error of an impossible mine count: an open constraint if there is one."""
    covered = 0
    for cell in range(len(frontier.known) - 1):
        if frontier.constraint_of[cell] >= 0:
            return cell
        if frontier.known[cell] != OPEN:
            covered = cell
    return covered


@inlined
def _hand_out(frontier: Frontier, probability: Floats, elsewhere: float, probabilities: Floats) -> None:
    for cell in range(len(probabilities)):
        known = frontier.known[cell]
        if known == UNKNOWN:
            group = frontier.group_of[cell]
            probabilities[cell] = elsewhere if group < 0 else probability[group]
        else:
            probabilities[cell] = 1.0 if known == MINE else 0.0
