"""Internal: values of positions that the search has met before, by the hash of the position."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from azulejos_env.engine.groups import Board
from azulejos_env.searching.stack import BEST, BETA, CHOICE, HORIZON, LEFT, LOWEST, NONE, Search
from minesweeper_env.compiled import inlined, subroutine
from minesweeper_env.splitmix import mix

EMPTY, EXACT, AT_LEAST, AT_MOST = range(4)
"""Kinds of an entry: none; the value itself; a lower bound of it; an upper bound of it."""

_VALUE, _KIND, _DEPTH, _MOVE, _HORIZON = range(5)


@subroutine
def hash_position(codes: NDArray[np.uint64], board: Board, own: int, other: int) -> np.uint64:
    """Returns the hash of a board, the score of the player to move and that of the other."""
    key = mix(np.uint64(own)) ^ mix(mix(np.uint64(other)))
    for cell in range(len(board)):
        if board[cell] > 0:
            key ^= codes[cell, board[cell]]
    return key


@inlined
def find(keys: NDArray[np.uint64], table: NDArray[np.int64], key: np.uint64) -> int:
    """Returns the row of the table that holds a position, or NONE."""
    if len(keys) == 0:
        return NONE
    row = int(np.int64(key & np.uint64(len(keys) - 1)))
    return row if table[row, _KIND] != EMPTY and keys[row] == key else NONE


@inlined
def settles(entry: NDArray[np.int64], depth: int, alpha: int, beta: int) -> bool:
    """Returns whether an entry settles a search to this depth between these bounds.

    An entry of another depth does only if all games of its search ended, or the table would change the value.
    """
    kind, value = entry[_KIND], entry[_VALUE]
    if entry[_DEPTH] != depth and (entry[_HORIZON] or entry[_DEPTH] > depth):
        return False
    return kind == EXACT or (kind == AT_LEAST and value >= beta) or (kind == AT_MOST and value <= alpha)


@inlined
def value_of(entry: NDArray[np.int64]) -> int:
    """Returns the value of an entry."""
    return entry[_VALUE]


@inlined
def move_of(entry: NDArray[np.int64]) -> int:
    """Returns the best move of an entry, or NONE."""
    return entry[_MOVE]


@inlined
def horizon_of(entry: NDArray[np.int64]) -> int:
    """Returns whether a deeper search may change the value of an entry."""
    return entry[_HORIZON]


@subroutine
def store(search: Search, ply: int) -> None:
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
