"""Closed form of the mine probabilities that Antolín & de la Torre (2018) compute, for `bayes_source`.

Their program keeps the evidence, the queried cell and its neighbours in the network, and deletes every other node.
pgmpy then averages the tables of the clues over the deleted cells. Each deleted cell becomes a fair coin,
independently for each of its clues. The distribution left over the n queried cells is

    P(x) ~ p**k * (1 - p)**(n - k) * product over the clues c of Binomial(r_c, 1/2) at (c - flags - mines of x)

Here x puts k mines on the queried cells, which are the cell itself and its unknown neighbours; p = mines / cells;
and r_c is the number of unknown neighbours of clue c outside them. Cells and clues without a link to the queried cell
drop out, even if they contradict each other. The tests compare the formula with pgmpy.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.compiled import inlined, kernel

MAX_COUNT, FLAGGED, QUESTION, MINE = 8, 9, 10, 12
"""Cell codes of radius 1, the only radius of the program."""

Cells = NDArray[np.int64]
Floats = NDArray[np.float64]

COINS = np.array([[math.comb(coins, heads) / 2**coins for heads in range(9)] for coins in range(9)])
"""(9, 9): the probability of `heads` heads among `coins` fair coins, at [coins, heads]."""


def is_unknown(code: int) -> bool:
    """Returns whether the program treats a cell as unknown; it takes an open 8 for a covered cell."""
    return code == MAX_COUNT or (code >= QUESTION and code != MINE)


def is_clue(code: int) -> bool:
    """Returns whether a cell shows a clue that the program reads."""
    return code < MAX_COUNT


# Python calls the functions above, and kernels these: the compiler keeps no entry for Python to an inlined one.
_is_unknown, _is_clue = inlined(is_unknown), inlined(is_clue)


@kernel
def local_probabilities(
    boards: NDArray[np.int8],
    density: float,
    neighbours: NDArray[np.uint32],
    coins: Floats,
    positions: Cells,
    clues: Cells,
    probabilities: Floats,
) -> None:
    """Computes the program's mine probabilities.

    Args:
        boards: (N, n) int8, cell codes.
        density: prior mine probability of a cell.
        neighbours: (n, 8) uint32, the neighbours of each cell; n where there is none.
        coins: `COINS`.
        positions: (n + 1,) int64 scratch, all -1 before and after: the index of each queried cell.
        clues: (25, 3) int64 scratch; at most 25 cells have a queried neighbour, see `_read_clues`.
        probabilities: (N, n) float64, filled: NaN where the evidence contradicts itself, and -1 in cells that the
            program does not query, because they are known or have no known neighbour.
    """
    for i in range(len(boards)):
        for cell in range(boards.shape[1]):
            probabilities[i, cell] = -1.0
            if _is_unknown(boards[i, cell]) and _has_known_neighbour(boards[i], cell, neighbours):
                probabilities[i, cell] = _local_probability(
                    boards[i], cell, density, neighbours, coins, positions, clues
                )


@inlined
def _has_known_neighbour(board: NDArray[np.int8], cell: int, neighbours: NDArray[np.uint32]) -> bool:
    known = 0
    for j in range(neighbours.shape[1]):
        neighbour = neighbours[cell, j]
        known += neighbour < len(board) and not _is_unknown(board[neighbour])
    return known > 0


@inlined
def _local_probability(
    board: NDArray[np.int8],
    cell: int,
    density: float,
    neighbours: NDArray[np.uint32],
    coins: Floats,
    positions: Cells,
    clues: Cells,
) -> float:
    size = _mark_cells(board, cell, neighbours, positions)
    clue_count = _keep_linked(clues, _read_clues(board, neighbours, positions, clues))
    total, mined = 0.0, 0.0
    for assignment in range(1 << size):
        weight = 1.0
        for bit in range(size):
            weight *= density if assignment >> bit & 1 else 1.0 - density
        for i in range(clue_count):
            heads = clues[i, 1] - _popcount(assignment & clues[i, 0])
            weight *= coins[clues[i, 2], heads] if 0 <= heads <= clues[i, 2] else 0.0
            if weight == 0.0:
                break
        total += weight
        # Bit 0 is the queried cell itself.
        if assignment & 1:
            mined += weight
    positions[cell] = -1
    # Absent neighbours have the index n, which is why `positions` has n + 1 entries.
    for j in range(neighbours.shape[1]):
        positions[neighbours[cell, j]] = -1
    return mined / total if total > 0.0 else np.nan


@inlined
def _mark_cells(board: NDArray[np.int8], cell: int, neighbours: NDArray[np.uint32], positions: Cells) -> int:
    """Numbers the queried cells in `positions`, 0 being the cell itself; returns how clue_count there are."""
    positions[cell] = 0
    size = 1
    for j in range(neighbours.shape[1]):
        neighbour = neighbours[cell, j]
        if neighbour < len(board) and _is_unknown(board[neighbour]):
            positions[neighbour] = size
            size += 1
    return size


@inlined
def _read_clues(board: NDArray[np.int8], neighbours: NDArray[np.uint32], positions: Cells, clues: Cells) -> int:
    """Fills in the clues with a queried neighbour, and returns their number.

    | column of `clues` | content |
    | --- | --- |
    | 0 | queried neighbours, as bits |
    | 1 | clue minus flagged neighbours |
    | 2 | other unknown neighbours: the fair coins |
    """
    clue_count = 0
    for other in range(len(board)):
        if not _is_clue(board[other]):
            continue
        bits, missing, coins = 0, np.int64(board[other]), 0
        for j in range(neighbours.shape[1]):
            neighbour = neighbours[other, j]
            if neighbour == len(board):
                continue
            if positions[neighbour] >= 0:
                bits |= 1 << positions[neighbour]
            elif _is_unknown(board[neighbour]):
                coins += 1
            elif not _is_clue(board[neighbour]):
                # Neither unknown nor a clue: a flag, or a mine that a lost game shows.
                missing -= 1
        if bits != 0:
            clues[clue_count, 0], clues[clue_count, 1], clues[clue_count, 2] = bits, missing, coins
            clue_count += 1
    return clue_count


@inlined
def _keep_linked(clues: Cells, clue_count: int) -> int:
    """Moves the clues linked to the queried cell to the front; returns their number."""
    reached, kept, before = 1, 0, -1
    while kept > before:
        before = kept
        for i in range(kept, clue_count):
            if clues[i, 0] & reached:
                reached |= clues[i, 0]
                for k in range(3):
                    clues[i, k], clues[kept, k] = clues[kept, k], clues[i, k]
                kept += 1
    return kept


@inlined
def _popcount(number: int) -> int:
    """Returns the number of set bits."""
    clue_count = 0
    while number > 0:
        number &= number - 1
        clue_count += 1
    return clue_count
