"""Internal: record of the tree of a search, which drops its deepest levels where there is too little room."""

from __future__ import annotations

from azulejos_env.searching.stack import (
    BEST,
    COUNT,
    CUT,
    DEEPEST,
    MOVE,
    NEXT,
    NONE,
    PARENT,
    PLY,
    RECORD,
    RECORDED,
    STATUS,
    TURN,
    VALUE,
    VALUED,
    Search,
)
from minesweeper_env.compiled import inlined, subroutine


@subroutine
def _drop_deepest_level(search: Search) -> None:
    """Removes the nodes of the deepest level, and records no more of them."""
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
def record_node(search: Search, above: int, move: int, turn: int, status: int) -> int:
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
def record_end(search: Search, ply: int) -> None:
    """Records the value of a level, and the moves that it did not try."""
    level = search.levels[ply]
    if level[RECORD] == NONE:
        return
    node = search.record[level[RECORD]]
    node[VALUE], node[STATUS] = level[BEST], VALUED
    for move in range(level[NEXT], level[COUNT]):
        record_node(search, ply, search.moves[ply, move], ply + 1, CUT)
