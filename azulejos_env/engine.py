"""Compiled rules: groups of equal tiles, and the board and the score after one is removed.

A board is one row of int8: 0 is empty, 1 to 9 are colours. Its cells lie between empty ones, so that no neighbour needs
a check: cell (row, col) is entry `(row + 1) * (cols + 1) + col`. While a group is gathered its tiles are negative.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from azulejos_env.config import GameConfig
from minesweeper_env.compiled import kernel
from minesweeper_env.engine.placement import random_below
from minesweeper_env.splitmix import next_stream

Board = NDArray[np.int8]
Cells = NDArray[np.int32]


class Rules(NamedTuple):
    """Rules of a game on a board of C cells.

    Attributes:
        rows: the number of rows.
        cols: the number of columns.
        leftwards: whether columns close to the left.
        points: (C + 1,) int64, points of a group by its number of tiles.
        numerator: the bonus is numerator / denominator.
        denominator: see numerator.
    """

    rows: int
    cols: int
    leftwards: bool
    points: NDArray[np.int64]
    numerator: int
    denominator: int


@lru_cache(maxsize=64)
def rules_of(config: GameConfig) -> Rules:
    """Returns the rules of a configuration."""
    bonus, leftwards = Fraction(config.bonus), config.side == "left"
    return Rules(config.rows, config.cols, leftwards, config.points_by_size(), bonus.numerator, bonus.denominator)


def with_border(board: Board) -> Board:
    """Returns a (rows, cols) board in the form that kernels take."""
    return np.pad(np.asarray(board, np.int8), [(1, 1), (0, 1)]).ravel()


def without_border(bordered: Board, rows: int, cols: int) -> Board:
    """Returns a bordered board as (rows, cols) int8; a copy."""
    return bordered.reshape(rows + 2, cols + 1)[1:-1, :-1].copy()


def cell_of(index: int, cols: int) -> tuple[int, int]:
    """Returns the (row, col) of an entry of a bordered board."""
    row, col = divmod(index, cols + 1)
    return row - 1, col


@kernel
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


@kernel
def list_groups(board: Board, rows: int, cols: int, group: Cells, moves: Cells, sizes: Cells) -> int:
    """Lists the groups of two tiles or more, in reading order, and returns their number.

    `moves` receives the first cell of each group, and `sizes` its tiles; `group` is room for the cells of one.
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


@kernel
def collapse(board: Board, rows: int, cols: int, leftwards: bool, target: Board) -> int:
    """Writes the board without its negative tiles to `target`, and returns the number of tiles that are left.

    Tiles fall, and empty columns close. `target` is another array, whose border is empty.
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


@kernel
def new_score(rules: Rules, score: int, size: int, clears: bool) -> int:
    """Returns the score after a group of `size` tiles; if that clears the board, the bonus multiplies all of it."""
    score += rules.points[size]
    return score * rules.numerator // rules.denominator if clears else score


@kernel
def draw(rng: NDArray[np.uint64], bound: int, numbers: NDArray[np.int64]) -> None:
    """Fills `numbers` with draws of 0..bound-1, all equally likely, from the SplitMix64 generator `rng`, (1,)."""
    first = np.int64(0)
    for k in range(numbers.shape[0]):
        numbers[k] = random_below(rng, first, bound)


@kernel
def begin_stream(rng: NDArray[np.uint64]) -> None:
    """Sets `rng`, (2,), to the stream of the next game: rng[0] draws, and rng[1] begins the game after it."""
    rng[0] = rng[1]
    rng[1] = next_stream(rng[0])
