"""Negamax with alpha-beta cuts on an explicit stack, so that a search can pause and go on.

Values are the score of the player to move minus that of the other, `depth` moves later (Knuth and Moore 1975, "An
analysis of alpha-beta pruning"). Without `prune` the bounds stay infinite, and every move is tried.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from azulejos_env.engine import Board, Cells, Rules, bordered_cells, collapse, gather, list_groups, new_score
from minesweeper_env.compiled import inlined, kernel, subroutine
from minesweeper_env.splitmix import mix

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

EMPTY, EXACT, AT_LEAST, AT_MOST = range(4)
"""Kinds of an entry of the table: none; the value itself; a lower bound of it; an upper bound of it."""

_VALUE, _KIND, _DEPTH, _MOVE, _HORIZON = range(5)
"""Columns of `Search.table`."""

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
        codes: (B, 10) uint64, a random word for each cell and colour, 0 for empty cells (Zobrist 1970).
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
    """Returns the arrays of a search `depth` moves deep, with `table` entries and `record` nodes of the tree."""
    border, cells = bordered_cells(rows, cols), rows * cols
    moves, sizes = np.zeros((2, depth + 1, max(cells // 2, 1)), np.int32)
    codes = np.random.default_rng(0).integers(0, 1 << 64, (border, 10), np.uint64, endpoint=False)
    codes[:, 0] = 0
    return Search(
        boards=np.zeros((depth + 1, border), np.int8),
        levels=np.zeros((depth + 1, 15), np.int64),
        keys=np.zeros(depth + 1, np.uint64),
        moves=moves,
        sizes=sizes,
        lines=np.zeros((depth + 1, depth + 1), np.int32),
        group=np.zeros(cells, np.int32),
        scratch=np.zeros(border, np.int8),
        codes=codes,
        table_keys=np.zeros(table, np.uint64),
        table=np.zeros((table, 5), np.int64),
        record=np.zeros((record, 5), np.int64),
        places=np.zeros(record, np.int64),
        counters=np.zeros(4, np.int64),
    )


@subroutine
def _hash(codes: NDArray[np.uint64], board: Board, own: int, other: int) -> np.uint64:
    """Returns the hash of a board, the score of the player to move and that of the other."""
    key = mix(np.uint64(own)) ^ mix(mix(np.uint64(other)))
    for cell in range(len(board)):
        if board[cell] > 0:
            key ^= codes[cell, board[cell]]
    return key


@inlined
def _find(search: Search, key: np.uint64) -> int:
    """Returns the row of the table that holds a position, or NONE."""
    if len(search.table_keys) == 0:
        return NONE
    row = int(np.int64(key & np.uint64(len(search.table_keys) - 1)))
    return row if search.table[row, _KIND] != EMPTY and search.table_keys[row] == key else NONE


@inlined
def _settles(entry: NDArray[np.int64], depth: int, alpha: int, beta: int) -> bool:
    """Returns whether an entry settles a search to this depth between these bounds.

    An entry of another depth does only if all games of its search ended, or the table would change the value.
    """
    kind, value = entry[_KIND], entry[_VALUE]
    if entry[_DEPTH] != depth and (entry[_HORIZON] or entry[_DEPTH] > depth):
        return False
    return kind == EXACT or (kind == AT_LEAST and value >= beta) or (kind == AT_MOST and value <= alpha)


@subroutine
def _store(search: Search, ply: int) -> None:
    """Keeps the value of a level that tried its moves, in place of whatever had its row of the table."""
    if len(search.table_keys) == 0:
        return
    level = search.levels[ply]
    row = np.int64(search.keys[ply] & np.uint64(len(search.table_keys) - 1))
    kind = AT_LEAST if level[BEST] >= level[BETA] else AT_MOST if level[BEST] <= level[LOWEST] else EXACT
    search.table_keys[row] = search.keys[ply]
    entry = search.table[row]
    entry[_VALUE], entry[_KIND], entry[_DEPTH] = level[BEST], kind, level[LEFT]
    entry[_MOVE], entry[_HORIZON] = level[CHOICE], level[HORIZON]


@subroutine
def _drop_deepest_level(search: Search) -> None:
    """Removes the recorded nodes of the deepest level, and records no more of them."""
    search.counters[DEEPEST] -= 1
    deepest, kept = search.counters[DEEPEST], 0
    for row in range(search.counters[RECORDED]):
        node = search.record[row]
        if node[TURN] <= deepest:
            search.places[row] = kept
            parent = NONE if node[PARENT] == NONE else search.places[node[PARENT]]
            place = search.record[kept]
            for column in range(len(node)):
                place[column] = node[column]
            place[PARENT] = parent
            kept += 1
    search.counters[RECORDED] = kept
    for ply in range(search.counters[PLY] + 1):
        row = search.levels[ply, RECORD]
        search.levels[ply, RECORD] = search.places[row] if row != NONE and ply <= deepest else NONE


@subroutine
def _record_node(search: Search, above: int, move: int, turn: int, status: int) -> int:
    """Adds a node to the record if its level is recorded.

    Args:
        search: the arrays.
        above: the level of its parent, or NONE for the root.
        move: the move that leads to it.
        turn: its own level.
        status: OPEN or CUT.

    Returns:
        Its row, or NONE.
    """
    while len(search.record) and turn <= search.counters[DEEPEST] and search.counters[RECORDED] == len(search.record):
        _drop_deepest_level(search)
    if len(search.record) == 0 or turn > search.counters[DEEPEST]:
        return NONE
    row = search.counters[RECORDED]
    search.counters[RECORDED] += 1
    node = search.record[row]
    parent = NONE if above == NONE else search.levels[above, RECORD]
    node[PARENT], node[MOVE], node[TURN], node[VALUE], node[STATUS] = parent, move, turn, 0, status
    return row


@inlined
def _record_end(search: Search, ply: int) -> None:
    """Records the value of a level, and the moves that it did not try."""
    level = search.levels[ply]
    if level[RECORD] == NONE:
        return
    node = search.record[level[RECORD]]
    node[VALUE], node[STATUS] = level[BEST], VALUED
    for move in range(level[NEXT], level[COUNT]):
        _record_node(search, ply, search.moves[ply, move], ply + 1, CUT)


@inlined
def _enter(search: Search, ply: int, own: int, other: int, left: int, alpha: int, beta: int) -> None:
    """Begins a level whose board and number of tiles are set."""
    level = search.levels[ply]
    level[OWN], level[OTHER], level[LEFT] = own, other, left
    level[ALPHA], level[BETA], level[LOWEST] = alpha, beta, alpha
    level[BEST], level[CHOICE], level[COUNT], level[NEXT] = -INFINITE, NONE, 0, UNOPENED
    level[SIZE], level[HORIZON] = 0, 0
    search.counters[PLY] = ply


@kernel
def begin(search: Search, own: int, other: int, tiles: int, depth: int) -> None:
    """Begins a search from the board of level 0; the transposition table is kept.

    Args:
        search: the arrays.
        own: the score of the player to move.
        other: the score of the other player.
        tiles: the number of tiles on the board.
        depth: the number of moves to look ahead.
    """
    search.counters[RECORDED], search.counters[DEEPEST] = 0, depth
    search.levels[0, TILES] = tiles
    search.levels[0, HINT] = NONE
    search.keys[0] = _hash(search.codes, search.boards[0], own, other)
    _enter(search, 0, own, other, depth, -INFINITE, INFINITE)
    search.levels[0, RECORD] = _record_node(search, NONE, NONE, 0, OPEN)


@inlined
def _settle(level: NDArray[np.int64], value: int, horizon: int) -> None:
    """Gives a level its value without trying its moves."""
    level[BEST], level[HORIZON], level[COUNT], level[NEXT] = value, horizon, 0, 0


@inlined
def _settle_last_move(rules: Rules, search: Search, ply: int, count: int) -> None:
    """Gives a level that looks one move ahead its value, without making the moves."""
    level, best, choice, cleared = search.levels[ply], -INFINITE, NONE, True
    for move in range(count):
        size = search.sizes[ply, move]
        clears = size == level[TILES]
        value = new_score(rules, level[OWN], size, clears) - level[OTHER]
        cleared = cleared and clears
        if value > best:
            best, choice = value, search.moves[ply, move]
    search.counters[NODES] += count
    search.lines[ply, 0] = choice
    level[CHOICE], level[SIZE] = choice, 1
    _settle(level, best, 0 if cleared else 1)


@inlined
def _pick(search: Search, ply: int) -> None:
    """Puts the most promising move next: the hint, then the largest group."""
    level, moves, sizes = search.levels[ply], search.moves[ply], search.sizes[ply]
    first = level[NEXT]
    best = first
    for move in range(first, level[COUNT]):
        if moves[move] == level[HINT]:
            best = move
            break
        if sizes[move] > sizes[best]:
            best = move
    moves[first], moves[best] = moves[best], moves[first]
    sizes[first], sizes[best] = sizes[best], sizes[first]


@subroutine
def _open(rules: Rules, search: Search, ply: int) -> None:
    """Opens a level: finds its value in the table or at the depth, or else lists its moves."""
    level = search.levels[ply]
    search.counters[NODES] += 1
    entry = _find(search, search.keys[ply])
    if entry != NONE:
        known = search.table[entry]
        # The root needs its move, and the line of a value from the table is not known; `complete_line` finds the rest.
        if ply and _settles(known, level[LEFT], level[ALPHA], level[BETA]):
            _settle(level, known[_VALUE], known[_HORIZON])
            return
        level[HINT] = known[_MOVE]
    count = list_groups(search.boards[ply], rules.rows, rules.cols, search.group, search.moves[ply], search.sizes[ply])
    if count == 0 or level[LEFT] == 0:
        _settle(level, level[OWN] - level[OTHER], 1 if count else 0)
    elif level[LEFT] == 1 and (len(search.record) == 0 or ply >= search.counters[DEEPEST]):
        _settle_last_move(rules, search, ply, count)
    else:
        level[COUNT], level[NEXT] = count, 0


@subroutine
def _descend(rules: Rules, search: Search, ply: int, prune: bool) -> None:
    """Makes the next move of a level, and enters the level below."""
    level = search.levels[ply]
    _pick(search, ply)
    move = search.moves[ply, level[NEXT]]
    level[NEXT] += 1
    for cell in range(len(search.scratch)):
        search.scratch[cell] = search.boards[ply, cell]
    size = gather(search.scratch, rules.cols, move, search.group)
    tiles = collapse(search.scratch, rules.rows, rules.cols, rules.leftwards, search.boards[ply + 1])
    score = new_score(rules, level[OWN], size, tiles == 0)
    search.levels[ply + 1, TILES] = tiles
    search.levels[ply + 1, HINT] = NONE
    if len(search.table_keys):
        search.keys[ply + 1] = _hash(search.codes, search.boards[ply + 1], level[OTHER], score)
    alpha = max(level[ALPHA], level[BEST])
    if prune:
        _enter(search, ply + 1, level[OTHER], score, level[LEFT] - 1, -level[BETA], -alpha)
    else:
        _enter(search, ply + 1, level[OTHER], score, level[LEFT] - 1, -INFINITE, INFINITE)
    search.levels[ply + 1, RECORD] = _record_node(search, ply, move, ply + 1, OPEN)


@subroutine
def _close(search: Search, ply: int) -> None:
    """Ends a level, and passes its value and its line to the level above."""
    level = search.levels[ply]
    if level[COUNT]:
        _store(search, ply)
    _record_end(search, ply)
    search.counters[PLY] = ply - 1
    if ply == 0:
        return
    above = search.levels[ply - 1]
    above[HORIZON] |= level[HORIZON]
    if -level[BEST] > above[BEST]:
        above[BEST] = -level[BEST]
        above[CHOICE] = search.moves[ply - 1, above[NEXT] - 1]
        above[SIZE] = level[SIZE] + 1
        search.lines[ply - 1, 0] = above[CHOICE]
        for move in range(level[SIZE]):
            search.lines[ply - 1, move + 1] = search.lines[ply, move]


@kernel
def advance(rules: Rules, search: Search, prune: bool, limit: int) -> bool:
    """Continues a search until it ends or has evaluated `limit` positions in all.

    Args:
        rules: the rules.
        search: the arrays of a search that `begin` began.
        prune: whether to cut branches that cannot change the value.
        limit: the value of the counter NODES from which the search pauses.

    Returns:
        Whether the search is over; its value is `levels[0, BEST]`, and its line the first entries of `lines[0]`.
    """
    counters = search.counters
    while counters[PLY] >= 0 and counters[NODES] < limit:
        ply = counters[PLY]
        level = search.levels[ply]
        if level[NEXT] == UNOPENED:
            _open(rules, search, ply)
        if level[NEXT] < level[COUNT] and level[BEST] < level[BETA]:
            _descend(rules, search, ply, prune)
        else:
            _close(search, ply)
    return counters[PLY] < 0
