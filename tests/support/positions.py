"""Random positions of small boards, each with its true layout."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.codes import Codes
from support.naive_game import neighbours


class Position(NamedTuple):
    """A visible board (rows, cols) int8, its number of mines, its neighbourhood radius, and its true layout."""

    board: NDArray[np.int8]
    mines: int
    radius: int
    layout: NDArray[np.bool_]


def cells_of(layout):
    """Returns the cells that are True in an array (rows, cols)."""
    return {*map(tuple, np.argwhere(layout).tolist())}


def counts_of(layout, radius):
    """Returns the number of neighbouring mines of each cell of a layout (rows, cols), by shifted sums."""
    rows, cols = layout.shape
    padded = np.pad(layout.astype(np.int8), radius)
    side = 2 * radius + 1
    windows = [padded[row : row + rows, col : col + cols] for row in range(side) for col in range(side)]
    return sum(windows) - layout


def flood(opened, counts, cell, radius):
    """Opens a cell in `opened` (rows, cols) bool; a zero opens its neighbours too."""
    waiting = [cell]
    while waiting:
        cell = waiting.pop()
        if not opened[cell]:
            opened[cell] = True
            if counts[cell] == 0:
                waiting += neighbours(*opened.shape, cell, radius)


def board_of(layout, opened, radius):
    """Returns the board (rows, cols) int8 on which the cells `opened` are open and the others hidden."""
    return np.where(opened, counts_of(layout, radius), Codes.of_radius(radius).hidden).astype(np.int8)


def random_layout(rng, max_side):
    """Returns a layout of up to max_side x max_side cells; all numbers of mines occur, and small ones more often."""
    rows, cols = rng.integers(1, max_side + 1, (2, 2)).max(axis=0)
    cells = rows * cols
    mines = rng.integers(0, cells + 1) if rng.random() < 0.3 else rng.binomial(cells, rng.uniform(0.1, 0.4))
    return rng.permutation(np.arange(cells) < mines).reshape(rows, cols)


def layouts_of_size(rng, size, mines, number):
    """Yields random layouts of a size (rows, cols) with a given number of mines."""
    for _ in range(number):
        yield rng.permutation(np.arange(size[0] * size[1]) < mines).reshape(size)


def random_opened(rng, layout, radius):
    """Returns open free cells: reached by play, or scattered over the board without flood fill."""
    if rng.random() < 0.5:
        return ~layout & (rng.random(layout.shape) < rng.uniform(0.0, 0.6))
    opened = np.zeros(layout.shape, np.bool_)
    counts = counts_of(layout, radius)
    for row, col in rng.permutation(np.argwhere(~layout))[: rng.geometric(0.2) - 1]:
        flood(opened, counts, (int(row), int(col)), radius)
    return opened


def strew(rng, board, radius, layout):
    """Puts flags and question marks on covered cells at random; on some boards it shows mines, as after a loss."""
    codes = Codes.of_radius(radius)
    hidden = board == codes.hidden
    if rng.random() < 0.4:
        board[hidden & (rng.random(board.shape) < rng.random())] = codes.flagged
        board[hidden & (rng.random(board.shape) < 0.3)] = codes.question
    if rng.random() < 0.2:
        board[layout & (rng.random(board.shape) < rng.choice([0.3, 1.0]))] = codes.mine


def position_of(rng, layout, radius):
    """Returns a random position of a game on this layout."""
    board = board_of(layout, random_opened(rng, layout, radius), radius)
    strew(rng, board, radius, layout)
    return Position(board, int(layout.sum()), radius, layout)


def random_positions(seed, number, max_side=6):
    """Yields random positions of boards of up to max_side x max_side cells, of radius 1 or 2; a seed gives the same."""
    rng = np.random.default_rng(seed)
    for _ in range(number):
        yield position_of(rng, random_layout(rng, max_side), 1 if rng.random() < 0.7 else 2)


def perturbed(rng, position):
    """Returns a board and its number of mines, with up to three counts or that number changed: likely contradictory."""
    board, mines = position.board.copy(), position.mines
    codes = Codes.of_radius(position.radius)
    opened = np.argwhere(board <= codes.max_count)
    for row, col in rng.permutation(opened)[: rng.integers(1, 4)]:
        board[row, col] = np.clip(board[row, col] + rng.choice([-2, -1, 1, 2]), 0, codes.max_count)
    if not len(opened) or rng.random() < 0.3:
        mines = int(np.clip(mines + rng.choice([-2, -1, 1, 2]), 0, board.size))
    return board, mines
