"""The chance of a mine in a cell as the source of `bayes_source` computes it, in closed form.

The source deletes from its network whatever is neither evidence, nor the cell in question, nor a neighbour of it.
pgmpy then averages the tables of the counts over the deleted cells, so that each of these is a fair coin of its own
for each count that it is beside. What is left is

    P(x) ~ p**k * (1 - p)**(n - k) * product over the counts c of Binomial(r_c, 1/2) at (c - flags - mines of x)

where x lays k mines on the n cells in question (the cell itself and its hidden neighbours), p = mines / cells, and
r_c is how many other hidden cells the count c has beside it. Cells and counts that nothing links to the cell in
question drop out, even if they contradict themselves.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.compiled import inlined, kernel

MAX_COUNT, FLAGGED, QUESTION, MINE = 8, 9, 10, 12
"""The cell codes of radius 1, the only one that the source knows."""

Cells = NDArray[np.int64]
Floats = NDArray[np.float64]

COINS = np.array([[math.comb(coins, heads) / 2**coins for heads in range(9)] for coins in range(9)])
"""Binomial(coins, 1/2) at heads."""


@inlined
def is_unknown(code: int) -> bool:
    """Says whether a cell is unknown to the source: it takes an open cell that shows 8 for a covered one."""
    return code == MAX_COUNT or (code >= QUESTION and code != MINE)


@inlined
def is_count(code: int) -> bool:
    """Says whether a cell shows a count that the source reads."""
    return code < MAX_COUNT


@kernel
def local_chances(
    boards: NDArray[np.int8],
    share: float,
    around: NDArray[np.uint32],
    coins: Floats,
    places: Cells,
    counts: Cells,
    chances: Floats,
) -> None:
    """Computes the source's chances of a mine.

    Args:
        boards: (N, n) int8, cell codes.
        share: the prior chance of a mine in a cell.
        around: (n, 8) uint32, the neighbours of each cell; n where there is none.
        coins: `COINS`.
        places: (n + 1,) room, all -1; and so it is left.
        counts: (25, 3) room.
        chances: (N, n) filled: NaN where the evidence contradicts itself, and -1 in cells that the source does not
            ask about, for they are known, or beside nothing known.
    """
    for i in range(len(boards)):
        for cell in range(boards.shape[1]):
            chances[i, cell] = -1.0
            if is_unknown(boards[i, cell]) and _is_beside_known(boards[i], cell, around):
                chances[i, cell] = _local_chance(boards[i], cell, share, around, coins, places, counts)


@inlined
def _is_beside_known(board: NDArray[np.int8], cell: int, around: NDArray[np.uint32]) -> bool:
    known = 0
    for j in range(around.shape[1]):
        neighbour = around[cell, j]
        known += neighbour < len(board) and not is_unknown(board[neighbour])
    return known > 0


@inlined
def _local_chance(
    board: NDArray[np.int8],
    cell: int,
    share: float,
    around: NDArray[np.uint32],
    coins: Floats,
    places: Cells,
    counts: Cells,
) -> float:
    size = _mark_cells(board, cell, around, places)
    many = _keep_linked(counts, _read_counts(board, around, places, counts))
    total, mined = 0.0, 0.0
    for laid in range(1 << size):
        weight = 1.0
        for bit in range(size):
            weight *= share if laid >> bit & 1 else 1.0 - share
        for i in range(many):
            heads = counts[i, 1] - _bits(laid & counts[i, 0])
            weight *= coins[counts[i, 2], heads] if 0 <= heads <= counts[i, 2] else 0.0
            if weight == 0.0:
                break
        total += weight
        if laid & 1:
            mined += weight
    places[cell] = -1
    for j in range(around.shape[1]):
        places[around[cell, j]] = -1
    return mined / total if total > 0.0 else np.nan


@inlined
def _mark_cells(board: NDArray[np.int8], cell: int, around: NDArray[np.uint32], places: Cells) -> int:
    """Numbers the cells in question in `places`, from 0 for the cell itself; returns how many they are."""
    places[cell] = 0
    size = 1
    for j in range(around.shape[1]):
        neighbour = around[cell, j]
        if neighbour < len(board) and is_unknown(board[neighbour]):
            places[neighbour] = size
            size += 1
    return size


@inlined
def _read_counts(board: NDArray[np.int8], around: NDArray[np.uint32], places: Cells, counts: Cells) -> int:
    """Fills in, for each count beside a cell in question, its cells in question as bits, what it lacks, and its coins.

    Returns:
        How many counts these are.
    """
    many = 0
    for other in range(len(board)):
        if not is_count(board[other]):
            continue
        bits, lacks, coins = 0, np.int64(board[other]), 0
        for j in range(around.shape[1]):
            neighbour = around[other, j]
            if neighbour == len(board):
                continue
            if places[neighbour] >= 0:
                bits |= 1 << places[neighbour]
            elif is_unknown(board[neighbour]):
                coins += 1
            elif not is_count(board[neighbour]):
                lacks -= 1
        if bits != 0:
            counts[many, 0], counts[many, 1], counts[many, 2] = bits, lacks, coins
            many += 1
    return many


@inlined
def _keep_linked(counts: Cells, many: int) -> int:
    """Moves the counts to the front that are linked to the cell in question; returns how many they are."""
    reached, kept, before = 1, 0, -1
    while kept > before:
        before = kept
        for i in range(kept, many):
            if counts[i, 0] & reached:
                reached |= counts[i, 0]
                for k in range(3):
                    counts[i, k], counts[kept, k] = counts[kept, k], counts[i, k]
                kept += 1
    return kept


@inlined
def _bits(number: int) -> int:
    """Returns how many bits of a number are set."""
    many = 0
    while number > 0:
        number &= number - 1
        many += 1
    return many
