"""Internal: negamax with alpha-beta cuts on an explicit stack, so that a search can pause and go on.

Values are the score of the player to move minus that of the other, `depth` moves later (Knuth and Moore 1975, "An
analysis of alpha-beta pruning"). Without `prune` the bounds stay infinite, and every move is tried.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from azulejos_env.engine.groups import collapse, gather, list_groups
from azulejos_env.engine.rules import Rules, new_score
from azulejos_env.searching.record import record_end, record_node
from azulejos_env.searching.stack import (
    ALPHA,
    BEST,
    BETA,
    CHOICE,
    COUNT,
    DEEPEST,
    HINT,
    HORIZON,
    INFINITE,
    LEFT,
    LOWEST,
    NEXT,
    NODES,
    NONE,
    OPEN,
    OTHER,
    OWN,
    PLY,
    RECORD,
    RECORDED,
    SIZE,
    TILES,
    UNOPENED,
    Search,
)
from azulejos_env.searching.transposition_table import (
    find,
    hash_position,
    horizon_of,
    move_of,
    settles,
    store,
    value_of,
)
from minesweeper_env.compiled import inlined, kernel, subroutine


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
def begin(search: Search, own: int, other: int, tiles: int, depth: int, deepest: int) -> None:
    """Begins a search from the board of level 0.

    Args:
        search: the arrays; the transposition table is kept.
        own: the score of the player to move.
        other: the score of the other player.
        tiles: the number of tiles on the board.
        depth: the number of moves to look ahead.
        deepest: the deepest level whose nodes are recorded.
    """
    search.counters[RECORDED], search.counters[DEEPEST] = 0, deepest
    search.levels[0, TILES] = tiles
    search.levels[0, HINT] = NONE
    search.keys[0] = hash_position(search.codes, search.boards[0], own, other)
    _enter(search, 0, own, other, depth, -INFINITE, INFINITE)
    search.levels[0, RECORD] = record_node(search, NONE, NONE, 0, OPEN)


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
def _promote(search: Search, ply: int, move: int) -> None:
    """Moves the entry `move` of the list of moves in front of those that have not been tried."""
    first = search.levels[ply, NEXT]
    moves, sizes = search.moves[ply], search.sizes[ply]
    moves[first], moves[move] = moves[move], moves[first]
    sizes[first], sizes[move] = sizes[move], sizes[first]


@inlined
def _pick(search: Search, ply: int) -> None:
    """Puts the most promising move next: the hint, then the largest group."""
    level = search.levels[ply]
    best = level[NEXT]
    for move in range(level[NEXT], level[COUNT]):
        if search.moves[ply, move] == level[HINT]:
            best = move
            break
        if search.sizes[ply, move] > search.sizes[ply, best]:
            best = move
    _promote(search, ply, best)


@subroutine
def _open(rules: Rules, search: Search, ply: int) -> None:
    """Opens a level: finds its value in the table or at the depth, or else lists its moves."""
    level = search.levels[ply]
    search.counters[NODES] += 1
    entry = find(search.table_keys, search.table, search.keys[ply])
    if entry != NONE:
        known = search.table[entry]
        # The root needs its move, and the line of a value from the table is not known; `complete_line` finds the rest.
        if ply and settles(known, level[LEFT], level[ALPHA], level[BETA]):
            _settle(level, value_of(known), horizon_of(known))
            return
        level[HINT] = move_of(known)
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
        search.keys[ply + 1] = hash_position(search.codes, search.boards[ply + 1], level[OTHER], score)
    alpha = max(level[ALPHA], level[BEST])
    if prune:
        _enter(search, ply + 1, level[OTHER], score, level[LEFT] - 1, -level[BETA], -alpha)
    else:
        _enter(search, ply + 1, level[OTHER], score, level[LEFT] - 1, -INFINITE, INFINITE)
    search.levels[ply + 1, RECORD] = record_node(search, ply, move, ply + 1, OPEN)


@subroutine
def _close(search: Search, ply: int) -> None:
    """Ends a level, and passes its value and its line to the level above."""
    level = search.levels[ply]
    if level[COUNT]:
        store(search, ply)
    record_end(search, ply)
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
