"""Internal: enumeration of the layouts that fit a visible board, if they are few enough.

`minesweeper_env.inference.kernels` exports `consistent_layouts`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from minesweeper_env.codes import Codes
from minesweeper_env.compiled import kernel
from minesweeper_env.config import whole_number
from minesweeper_env.inference.boards import check_boards, check_radius
from minesweeper_env.inference.errors import InconsistentBoardError, PositionTooHardError
from minesweeper_env.inference.search.backtracking import FAULT, Backtracking, Ints, Neighbours, make_backtracking
from minesweeper_env.inference.search.enumeration import TOO_LONG, TOO_MANY, Bytes, count_neighbours, list_layouts
from minesweeper_env.neighbours import neighbour_table

MAX_WORK = 20_000_000
"""Upper bound on cell assignments during an enumeration, or on steps that take as long (about 1 s)."""

MAX_ENTRIES = 1 << 26
"""Upper bound on layouts times covered cells, and so on the memory of a list: 128 MB with its counts."""

_FIRST_ROWS, _GROWTH = 1024, 8
"""Layouts that a list has room for at first, and the factor by which it grows."""


@kernel
def list_layouts_of_board(
    shown: NDArray[np.int8],
    neighbours: Neighbours,
    max_count: int,
    mines: int,
    max_work: int,
    mine: Bytes,
    count: Bytes,
    *workspace: Ints,
) -> int:
    """Lists layouts as `list_layouts` does, and writes their counts into `count`, (limit, covered cells) uint8."""
    backtracking = Backtracking(*workspace)
    found = list_layouts(shown, neighbours, max_count, mines, max_work, mine, backtracking)
    if found > 0:
        count_neighbours(mine[:found], neighbours, backtracking.column, count[:found])
    return found


class Layouts(NamedTuple):
    """The N layouts that fit a visible board with k covered cells.

    Attributes:
        cells: (k,) int64, the covered cells in reading order, numbered row * cols + col.
        mines: (N, k) uint8, 1 for a mine.
        counts: (N, k) uint8, the number of mines in the neighbours of each cell: its count where it is free.
    """

    cells: NDArray[np.int64]
    mines: Bytes
    counts: Bytes


_neighbours = lru_cache(maxsize=16)(neighbour_table)


def consistent_layouts(board: ArrayLike, mines: int, limit: int, *, radius: int = 1) -> Layouts:
    """Lists the layouts that fit a visible board.

    Args:
        board: (rows, cols) integers, cell codes; flags and question marks are no evidence.
        mines: the number of mines on the board.
        limit: the largest number of layouts to list, at least 1.
        radius: neighbourhood radius, 1 to 5.

    Raises:
        ValueError: the board, the number of mines or the limit is not allowed; the message names the allowed values.
        InconsistentBoardError: no layout fits.
        PositionTooHardError: more than `limit` layouts fit, or finding them takes more than `MAX_WORK` assignments, or
            they have more than `MAX_ENTRIES` cells.
    """
    radius = check_radius(radius)
    limit = whole_number("limit", limit, 1)
    array = check_boards(board, 2, mines, radius)
    most = Codes.of_radius(radius).max_count
    cells = np.flatnonzero(array > most)
    allowed = min(limit, max(1, MAX_ENTRIES // max(1, len(cells))))
    workspace = make_backtracking(array.size)
    neighbours = _neighbours(*array.shape, radius)
    # Most boards have few layouts, so the list grows.
    rows, found = 0, TOO_MANY
    while found == TOO_MANY and rows < allowed:
        rows = min(allowed, max(_FIRST_ROWS, _GROWTH * rows))
        mine, count = np.empty((2, rows, len(cells)), np.uint8)
        found = list_layouts_of_board(array.ravel(), neighbours, most, int(mines), MAX_WORK, mine, count, *workspace)
    if found == 0:
        _raise_inconsistent(workspace.counters[FAULT], array, most)
    if found == TOO_MANY and allowed < limit:
        raise PositionTooHardError(f"more than {allowed} layouts with {len(cells)} covered cells fit this board")
    if found == TOO_MANY:
        raise PositionTooHardError(f"more than {limit} layouts fit this board")
    if found == TOO_LONG:
        raise PositionTooHardError(f"listing the layouts of this board takes more than {MAX_WORK} steps")
    return Layouts(cells, mine[:found].copy(), count[:found].copy())


def _raise_inconsistent(fault: int, board: NDArray[np.int8], most: int) -> None:
    row, col = (int(part) for part in np.unravel_index(max(fault, 0), board.shape))
    if fault >= 0:
        raise InconsistentBoardError(f"the count {board[row, col]} cannot be met together with the others", (row, col))
    covered = np.argwhere(board > most)
    cell = tuple(covered[0].tolist()) if len(covered) else (row, col)
    raise InconsistentBoardError("the number of mines does not fit", cell)
