"""Internal: arrays of the alpha-beta search, one level for each move that has been made."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from azulejos_env.engine.boards import bordered_cells
from azulejos_env.engine.groups import Board, Cells

OWN, OTHER, TILES, LEFT, ALPHA, BETA, LOWEST, BEST, CHOICE, COUNT, NEXT, HINT, SIZE, HORIZON, RECORD = range(15)
"""Columns of `Search.levels`:

    OWN      score of the player to move
    OTHER    score of the other player
    TILES    number of tiles on the board
    LEFT     number of moves still to look ahead
    ALPHA    value that the player to move has elsewhere already
    BETA     value from which the other player avoids this position
    LOWEST   ALPHA when the level was opened
    BEST     greatest value of the moves tried so far
    CHOICE   move with the value BEST, or NONE
    COUNT    number of moves; 0 where the value is known without trying them
    NEXT     number of moves tried, or UNOPENED
    HINT     move to try first, or NONE
    SIZE     number of moves in the line
    HORIZON  whether the value may change with a deeper search
    RECORD   row of the record of the tree"""

COLUMNS = 15

NODES, PLY, RECORDED, DEEPEST = range(4)
"""Entries of `Search.counters`:

    NODES     number of positions evaluated
    PLY       current level; -1 once the search is over
    RECORDED  number of rows of the record in use
    DEEPEST   deepest level whose nodes are recorded"""

PARENT, MOVE, TURN, VALUE, STATUS = range(5)
"""Columns of `Search.record`, one row for each node of the tree: the row of its parent, the move that led to it, the
level, its value for the player to move, and one of the following."""

OPEN, VALUED, CUT = range(3)
"""Status of a recorded node: entered but without a value; valued; cut without being entered."""

UNOPENED, NONE = -1, -1

INFINITE = 1 << 40
"""More than any difference of scores."""


class Search(NamedTuple):
    """Arrays of a search over D moves, on boards of B bordered cells with up to M groups.

    Attributes:
        boards: (D + 1, B) int8, the board of each level.
        levels: (D + 1, 15) int64, see the table of columns.
        keys: (D + 1,) uint64, the hash of each position.
        moves: (D + 1, M) int32, the moves of each level, the tried ones first.
        sizes: (D + 1, M) int32, their numbers of tiles.
        lines: (D + 1, D + 1) int32, the best line from each level.
        group: (C,) int32, room for one group.
        scratch: (B,) int8, room for one board.
        codes: (B, 10) uint64, a random word for each cell and colour.
        table_keys: (T,) uint64, keys of the transposition table; T is a power of two, or 0 for no table.
        table: (T, 5) int64, its entries: value, kind, depth, move, horizon.
        record: (R, 5) int64, the nodes of the tree; R is 0 if none is wanted.
        places: (R,) int64, room for the new rows of the nodes when deep levels are dropped.
        counters: (4,) int64, see the table of entries.
    """

    boards: NDArray[np.int8]
    levels: NDArray[np.int64]
    keys: NDArray[np.uint64]
    moves: NDArray[np.int32]
    sizes: NDArray[np.int32]
    lines: NDArray[np.int32]
    group: Cells
    scratch: Board
    codes: NDArray[np.uint64]
    table_keys: NDArray[np.uint64]
    table: NDArray[np.int64]
    record: NDArray[np.int64]
    places: NDArray[np.int64]
    counters: NDArray[np.int64]


def make_search(rows: int, cols: int, depth: int, table: int, record: int) -> Search:
    """Returns the arrays of a search that looks `depth` moves ahead.

    Args:
        rows: the number of rows.
        cols: the number of columns.
        depth: the number of moves, at least 1.
        table: number of entries of the transposition table, a power of two or 0.
        record: number of nodes of the tree that can be recorded.
    """
    border, cells = bordered_cells(rows, cols), rows * cols
    groups = max(cells // 2, 1)
    return Search(
        np.zeros((depth + 1, border), np.int8),
        np.zeros((depth + 1, COLUMNS), np.int64),
        np.zeros(depth + 1, np.uint64),
        np.zeros((depth + 1, groups), np.int32),
        np.zeros((depth + 1, groups), np.int32),
        np.zeros((depth + 1, depth + 1), np.int32),
        np.zeros(cells, np.int32),
        np.zeros(border, np.int8),
        random_codes(border),
        np.zeros(table, np.uint64),
        np.zeros((table, 5), np.int64),
        np.zeros((record, 5), np.int64),
        np.zeros(record, np.int64),
        np.zeros(4, np.int64),
    )


def random_codes(border: int) -> NDArray[np.uint64]:
    """Returns (border, 10) uint64: a word for each cell and colour, 0 for empty cells (Zobrist 1970)."""
    codes = np.random.default_rng(0).integers(0, 1 << 64, (border, 10), np.uint64, endpoint=False)
    codes[:, 0] = 0
    return codes
