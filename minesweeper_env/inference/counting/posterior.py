"""The kernel that turns boards into posteriors, and its stages for one board."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.compiled import inlined, kernel, subroutine
from minesweeper_env.inference.counting.backward_pass import UNDERFLOW, join_parts
from minesweeper_env.inference.counting.elimination_order import order_groups
from minesweeper_env.inference.counting.forward_pass import BOOLEAN, FIXED_TOTAL, IID, Terms, count_parts
from minesweeper_env.inference.counting.frontier import MINE, OPEN, UNKNOWN, Frontier, merge_cells
from minesweeper_env.inference.counting.propagation import NOWHERE, settle
from minesweeper_env.inference.counting.states import INFEASIBLE, OK, Floats
from minesweeper_env.inference.counting.sweep_order import reorder_wide_parts
from minesweeper_env.inference.counting.workspace import Work, Workspace, carve_work

CONTRADICTION = 4
"""The outcome c + CONTRADICTION says that cell c contradicts the rest of the board."""


@kernel
def posteriors(
    boards: NDArray[np.int8],
    max_count: int,
    mines: int,
    share: float,
    wanted: int,
    first: int,
    probabilities: Floats,
    log_layouts: Floats,
    *arrays: Any,
) -> tuple[int, int]:
    """Computes the posteriors of boards, up to the first one that it cannot do.

    Args:
        boards: (N, n) int8, cell codes.
        max_count: the largest count.
        mines: the number of mines of each board.
        share: `Terms.share`, or 0 for the share of mines among the unknown cells.
        wanted: GIVEN_TOTAL, INDEPENDENT or CERTAINTY.
        first: the board to begin with.
        probabilities: (N, n) filled with the chance of a mine in each cell; for CERTAINTY only 0 and 1 mean something.
        log_layouts: (N,) filled with the natural logarithm of the number of layouts, if GIVEN_TOTAL.
        *arrays: the fields of a `Workspace`.

    Returns:
        N and FINE, or the board that could not be done and why.
    """
    workspace = Workspace(*arrays)
    for i in range(first, len(boards)):
        outcome, log_layouts[i] = posterior(boards[i], max_count, mines, share, wanted, probabilities[i], workspace)
        if outcome != OK:
            return i, outcome
    return len(boards), OK


@subroutine
def posterior(
    board: NDArray[np.int8],
    max_count: int,
    mines: int,
    share: float,
    wanted: int,
    probabilities: Floats,
    workspace: Workspace,
) -> tuple[int, float]:
    """Computes the posterior of one board; see `posteriors`. Returns the outcome and the logarithm."""
    work = carve_work(workspace)
    outcome = read_board(work, board, workspace.neighbours, max_count)
    if outcome != OK:
        return outcome, 0.0
    return settled_posterior(work, workspace.neighbours, mines, share, wanted, probabilities)


@inlined
def read_board(work: Work, board: NDArray[np.int8], neighbours: NDArray[np.uint32], max_count: int) -> int:
    """Reads a board and settles what each count settles by itself; returns the outcome."""
    frontier = work.frontier
    fault = settle(board, neighbours, max_count, frontier.known, frontier.missing, frontier.unknown, frontier.spare)
    return OK if fault == NOWHERE else CONTRADICTION + fault


@subroutine
def settled_posterior(
    work: Work, neighbours: NDArray[np.uint32], mines: int, share: float, wanted: int, probabilities: Floats
) -> tuple[int, float]:
    """Computes the posterior of a board that `read_board` has read; see `posterior`."""
    outcome, parts, totals, log_scale, terms = count_settled(work, neighbours, mines, share, wanted)
    if outcome != OK:
        return outcome, 0.0
    outcome, elsewhere, log_layouts = join_parts(work, terms, parts, totals.mines, totals.outside)
    if outcome == UNDERFLOW and wanted == BOOLEAN:
        outcome = CONTRADICTION + _cell_to_name(work.frontier)
    if outcome != OK:
        return outcome, 0.0
    _hand_out(work.frontier, work.chance, elsewhere, probabilities)
    if wanted == FIXED_TOTAL:
        # The sums hold each layout with the chance that independent cells would give it.
        log_layouts -= totals.mines * math.log(terms.share) + totals.free * math.log1p(-terms.share)
    return OK, log_layouts + log_scale


class Totals(NamedTuple):
    """What is left once each count has been applied by itself.

    Attributes:
        mines: the mines among the unknown cells.
        free: the other unknown cells.
        outside: the unknown cells under no constraint.
    """

    mines: int
    free: int
    outside: int


@inlined
def count_settled(
    work: Work, neighbours: NDArray[np.uint32], mines: int, share: float, wanted: int
) -> tuple[int, int, Totals, float, Terms]:
    """Counts the parts of a board that `read_board` has read.

    Returns:
        The outcome, the number of parts, what is left, the logarithm of the scale, and the terms.
    """
    frontier, plan = work.frontier, work.plan
    constraints, groups, outside = merge_cells(frontier, neighbours)
    unknown = 0
    for cell in range(len(neighbours)):
        unknown += frontier.known[cell] == UNKNOWN
        mines -= frontier.known[cell] == MINE
    totals = Totals(mines, unknown - mines, outside)
    terms = Terms(wanted, share if share > 0.0 else (mines + 0.5) / (unknown + 1.0))
    if wanted != IID and not 0 <= mines <= unknown:
        return CONTRADICTION + _cell_to_name(frontier), 0, totals, 0.0, terms
    parts, peak = order_groups(frontier, constraints, groups, plan.order, plan.part_end, plan.room)
    peak = max(peak, reorder_wide_parts(frontier, neighbours, plan, parts))
    outcome, log_scale = count_parts(work, terms, constraints, parts, peak)
    if outcome >= INFEASIBLE:
        outcome = CONTRADICTION + int(frontier.cell_of[outcome - INFEASIBLE])
    return outcome, parts, totals, log_scale, terms


@inlined
def _cell_to_name(frontier: Frontier) -> int:
    """Returns a cell to name where the number of mines does not fit: a count that is unsettled, if there is one."""
    covered = 0
    for cell in range(len(frontier.known) - 1):
        if frontier.constraint_of[cell] >= 0:
            return cell
        if frontier.known[cell] != OPEN:
            covered = cell
    return covered


@inlined
def _hand_out(frontier: Frontier, chance: Floats, elsewhere: float, probabilities: Floats) -> None:
    for cell in range(len(probabilities)):
        known = frontier.known[cell]
        if known == UNKNOWN:
            group = frontier.group_of[cell]
            probabilities[cell] = elsewhere if group < 0 else chance[group]
        else:
            probabilities[cell] = 1.0 if known == MINE else 0.0
