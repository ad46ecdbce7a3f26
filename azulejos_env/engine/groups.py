"""Groups of equal tiles, and the board that is left when one is removed.

A board is one row of int8: 0 is empty, 1 to 9 are colours. Its cells lie between empty ones, so that no neighbour needs
a check: cell (row, col) is entry `(row + 1) * (cols + 1) + col`. While a group is gathered its tiles are negative.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.compiled import inlined, subroutine

Board = NDArray[np.int8]
Cells = NDArray[np.int32]


@inlined
def gather(board: Board, cols: int, cell: int, group: Cells) -> int:
    """Makes the tiles of a group negative, lists their cells in `group`, and returns how many there are."""
    colour = board[cell]
    board[cell] = -colour
    group[0] = cell
    size, following = 1, 0
    while following < size:
        here = group[following]
        following += 1
        for step in (-cols - 1, -1, 1, cols + 1):
            if board[here + step] == colour:
                board[here + step] = -colour
                group[size] = here + step
                size += 1
    return size


@subroutine
def list_groups(board: Board, rows: int, cols: int, group: Cells, moves: Cells, sizes: Cells) -> int:
    """Lists the groups of two tiles or more, in reading order of their first cells.

    Args:
        board: the board; it is the same afterwards.
        rows: the number of rows.
        cols: the number of columns.
        group: room for the cells of one group.
        moves: receives the first cell of each group, in reading order.
        sizes: receives the number of tiles of each group.

    Returns:
        The number of groups.
    """
    count = 0
    for row in range(1, rows + 1):
        for cell in range(row * (cols + 1), row * (cols + 1) + cols):
            if board[cell] > 0:
                size = gather(board, cols, cell, group)
                if size >= 2:
                    moves[count], sizes[count] = cell, size
                    count += 1
    for cell in range(cols + 1, (rows + 1) * (cols + 1)):
        board[cell] = abs(board[cell])
    return count


@subroutine
def collapse(board: Board, rows: int, cols: int, leftwards: bool, target: Board) -> int:
    """Writes the board without its negative tiles to `target`: tiles fall, and empty columns close.

    Args:
        board: the board.
        rows: the number of rows.
        cols: the number of columns.
        leftwards: whether columns close to the left, and not to the right.
        target: receives the new board; another array than `board`, whose border is empty.

    Returns:
        The number of tiles that are left.
    """
    stride = cols + 1
    first, step = (0, 1) if leftwards else (cols - 1, -1)
    column, tiles = first, 0
    for source in range(first, first + step * cols, step):
        bottom = rows * stride + column
        for cell in range(rows * stride + source, source, -stride):
            if board[cell] > 0:
                target[bottom] = board[cell]
                bottom -= stride
                tiles += 1
        if bottom != rows * stride + column:
            target[column + stride : bottom + 1 : stride] = 0
            column += step
    for empty in range(column, first + step * cols, step):
        target[empty + stride : rows * stride + empty + 1 : stride] = 0
    return tiles
