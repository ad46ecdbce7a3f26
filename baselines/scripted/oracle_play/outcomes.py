"""Possible outcomes of clicks at a guess, and the boards that follow."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baselines.scripted.oracle_play.one_click_ahead import count_bounds, rank_clicks, show_count, take_first
from minesweeper_env.compiled import inlined, kernel
from minesweeper_env.config import BoardConfig
from minesweeper_env.inference import PositionTooHardError
from minesweeper_env.inference.kernels import OK, Workspace, failure, posterior, run_with_workspace

Floats = NDArray[np.float64]

CELLS_AT_ONCE = 1 << 15
"""Approximate number of cells on the boards listed at once, which bounds the memory."""

_FILLED, _BOARD = 0, 1
"""Entries of `progress`: the number of listed outcomes, and the next board."""


class Positions(NamedTuple):
    """N boards with the oracle's probabilities.

    Attributes:
        codes: (N, rows, cols) int8.
        probabilities: (N, rows, cols) float64, the probability of a mine in each cell; 0 on open cells.
        log_layouts: (N,) float64, the natural logarithm of the number of layouts that fit each board.
    """

    codes: NDArray[np.int8]
    probabilities: Floats
    log_layouts: Floats


class Listing(NamedTuple):
    """Arrays for M outcomes, which the kernel fills.

    Attributes:
        boards: (M,) int64, the index of the board.
        cells: (M,) int64, the clicked cell, row * cols + col.
        weights: (M,) float64, the probability that the cell is free and shows this clue.
        codes: (M, n) int8, the board with this clue, where no other cell has been opened.
        probabilities: (M, n) float64, the probability of a mine in each of its cells.
        log_layouts: (M,) float64, the natural logarithm of the number of its layouts.
    """

    boards: NDArray[np.int64]
    cells: NDArray[np.int64]
    weights: Floats
    codes: NDArray[np.int8]
    probabilities: Floats
    log_layouts: Floats


class Outcomes(NamedTuple):
    """M outcomes of clicks, in the order of `lookahead`: the least risky click of a board first.

    Attributes:
        boards, cells, weights: as in `Listing`.
        after: the boards that follow.
    """

    boards: NDArray[np.int64]
    cells: NDArray[np.int64]
    weights: Floats
    after: Positions


_FIELDS = len(Listing._fields)


@kernel
def list_outcomes(
    boards: NDArray[np.int8],
    legal: NDArray[np.bool_],
    max_count: int,
    mines: int,
    slack: float,
    breadth: int,
    progress: NDArray[np.int64],
    scratch: Floats,
    *arrays: Any,
) -> int:
    """Lists the outcomes of clicks on each board, up to the first board that fails or exceeds the listing.

    Args:
        boards: (N, n) int8, cell codes; unchanged in the end.
        legal: (N, n) bool, the legal clicks; at least one on each board.
        max_count: the largest clue.
        mines: the number of mines of each board.
        slack: candidates have a risk of at most the least one plus this.
        breadth: the largest number of candidates, the least risky first.
        progress: (2,) the number of listed outcomes and the next board; both advance.
        scratch: (2, n) float64.
        *arrays: the fields of a `Listing`, which is filled, and of a `Workspace`.

    Returns:
        OK, or the outcome of the failed board.
    """
    listing, workspace = Listing(*arrays[:_FIELDS]), Workspace(*arrays[_FIELDS:])
    # The listing must hold all outcomes of a board, so that no board is listed in part.
    most = len(listing.boards) - breadth * (max_count + 1)
    while progress[_BOARD] < len(boards) and progress[_FILLED] <= most:
        i, filled = progress[_BOARD], progress[_FILLED]
        outcome, layouts = posterior(boards[i], max_count, mines, scratch[0], workspace)
        if outcome != OK:
            return outcome
        rank_clicks(boards[i], legal[i], max_count, slack, scratch[0], workspace.neighbours, scratch[1])
        for _ in range(breadth):
            cell = take_first(scratch[1])
            if cell < 0:
                break
            begin = filled
            outcome, filled = _list_click(
                cell, boards[i], max_count, mines, layouts, scratch[0], listing, begin, workspace
            )
            if outcome != OK:
                return outcome
            listing.boards[begin:filled] = i
        progress[_BOARD], progress[_FILLED] = i + 1, filled
    return OK


@inlined
def _list_click(
    cell: int, board: NDArray[np.int8], max_count: int, mines: int, layouts: float, probabilities: Floats,
    listing: Listing, filled: int, workspace: Workspace,
) -> tuple[int, int]:  # fmt: skip
    """Lists the outcomes of a click from index `filled` on; returns the outcome and the next free index."""
    covered = board[cell]
    least, most = count_bounds(cell, probabilities, workspace.neighbours)
    outcome = OK
    for count in range(least, most + 1):
        outcome, then = show_count(cell, count, board, max_count, mines, listing.probabilities[filled], workspace)
        if outcome != OK:
            break
        if then > -math.inf:
            listing.cells[filled], listing.weights[filled] = cell, math.exp(then - layouts)
            listing.log_layouts[filled] = then
            for other in range(len(board)):
                listing.codes[filled, other] = board[other]
            filled += 1
    board[cell] = covered
    return outcome, filled


def outcomes_of(
    config: BoardConfig, boards: NDArray[np.int8], legal: NDArray[np.bool_], slack: float, breadth: int
) -> Iterator[Outcomes]:
    """Yields the outcomes of clicks on N boards, some boards at a time.

    Boards that are too hard for the oracle are left out, as are boards with such an outcome.

    Args:
        config: the games.
        boards: (N, n) int8, cell codes; unchanged in the end.
        legal: (N, n) bool, the legal clicks; at least one on each board.
        slack: candidates have a risk of at most the least one plus this.
        breadth: the largest number of candidates, the least risky first.
    """
    max_count, rows, cols = config.codes.max_count, config.rows, config.cols
    listing = _make_listing(max(breadth * (max_count + 1), CELLS_AT_ONCE // config.cells), config.cells)
    scratch, progress = np.zeros((2, config.cells)), np.zeros(2, np.int64)

    def list_more(workspace: Workspace) -> int:
        return list_outcomes(
            boards, legal, max_count, config.mines, slack, breadth, progress, scratch, *listing, *workspace
        )

    while progress[_BOARD] < len(boards):
        progress[_FILLED] = 0
        try:
            outcome = run_with_workspace(list_more, rows, cols, config.radius)
            if outcome != OK:
                board = int(progress[_BOARD])
                raise failure(boards[board].reshape(rows, cols), config.mines, config.radius, outcome, board)
        except PositionTooHardError:
            progress[_BOARD] += 1
        found = Listing._make(values[: progress[_FILLED]].copy() for values in listing)
        after = Positions(
            found.codes.reshape(-1, rows, cols), found.probabilities.reshape(-1, rows, cols), found.log_layouts
        )
        yield Outcomes(found.boards, found.cells, found.weights, after)


def _make_listing(outcomes: int, cells: int) -> Listing:
    return Listing(
        np.zeros(outcomes, np.int64),
        np.zeros(outcomes, np.int64),
        np.zeros(outcomes),
        np.zeros((outcomes, cells), np.int8),
        np.zeros((outcomes, cells)),
        np.zeros(outcomes),
    )
