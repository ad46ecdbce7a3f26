"""Kernel that labels the groups of boards and ranks their colours."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from azulejos_env.engine.groups import Cells, gather
from minesweeper_env.compiled import inlined, kernel

Integers = NDArray[np.int32]


Counts = NDArray[np.int64]


@inlined
def _rank(counts: Counts, colour: int) -> int:
    """Returns 1 plus the number of colours that come before a colour, and 0 for an empty cell."""
    rank = int(colour > 0)
    for other in range(1, len(counts)):
        more = counts[other] > counts[colour]
        rank += colour > 0 and (more or (other < colour and counts[other] == counts[colour]))
    return rank


@kernel
def label_and_rank(
    bordered: NDArray[np.int8], rows: int, cols: int, group: Cells, counts: Counts, seen: Integers
) -> None:
    """Writes the ranks of the colours and the labels of the groups of N boards.

    Args:
        bordered: (N, B) int8, boards with their borders; their tiles are negative afterwards.
        rows: the number of rows.
        cols: the number of columns.
        group: (rows * cols,) int32, room for one group.
        counts: (10,) int64, room for the number of tiles of each colour.
        seen: (N, planes, rows, cols) int32; plane 0 receives the ranks of the colours, 0 for an empty cell and 1 for
            the colour of most tiles, equal numbers in the order of the colours. Plane 1 receives, at each tile, the
            first cell of its group in reading order, and -1 at an empty cell.
    """
    stride = cols + 1
    for i in range(bordered.shape[0]):
        board = bordered[i]
        counts[:] = 0
        for cell in range(len(board)):
            counts[board[cell]] += 1
        for place in range(rows * cols):
            row, col = place // cols, place % cols
            seen[i, 0, row, col] = _rank(counts, board[(row + 1) * stride + col])
            seen[i, 1, row, col] = -1
        for place in range(rows * cols):
            cell = (place // cols + 1) * stride + place % cols
            if board[cell] > 0:
                for k in range(gather(board, cols, cell, group)):
                    seen[i, 1, group[k] // stride - 1, group[k] % stride] = place
