"""The arrays that hold a batch of games, and the constants by which kernels read them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Int = int | np.integer[Any]
Codes = NDArray[np.int8]
Flags = NDArray[np.bool_]
Integers = NDArray[np.int64]
Generators = NDArray[np.uint64]

FRESH, PLAYING, WON, LOST, TRUNCATED = range(5)
"""The status of a game: mines not laid yet, under way, and the three ways to be over."""

ANY, SAFE, OPENING, CORNERS = range(4)
"""The first-click rules, in the order of `config.FIRST_CLICKS`."""

STATUS, REMAINING, STEPS = range(3)
"""The columns of `Boards.games`."""

TERMINATION, TRUNCATION, SUCCESS, ILLEGAL, IDLE = range(5)
"""The rows of the events of a step: the game is won or lost; the step limit has ended it; it is won; the
action was illegal; no move was made, because the game was over before the step."""

MINE_BIT, COUNT_BITS = 0x80, 0x7F
"""The parts of a cell of `Boards.truth`."""


class RewardWeights(NamedTuple):
    """What a step earns: the sum of these over what happened.

    Attributes:
        win: for winning the game.
        loss: for losing it.
        opening: for opening at least one cell without losing.
        cell: for each cell opened without losing.
        illegal: for an illegal action.
    """

    win: float = 0.0
    loss: float = 0.0
    opening: float = 0.0
    cell: float = 0.0
    illegal: float = 0.0


class Rules(NamedTuple):
    """What stays the same from game to game, on boards of n cells with K neighbours at most.

    Attributes:
        neighbours: (n, K) uint32, the cells of each neighbourhood; n stands for "off the board".
        refuges: (n,) int64, the cells in the order in which the "corners" rule moves mines to them.
        moves: (m,) int64, the `Move` that each block of n actions makes.
        mines: the number of mines.
        first_click: ANY, SAFE, OPENING or CORNERS.
        max_steps: the number of steps after which an unfinished game is truncated.
        weights: (5,) float64, the `RewardWeights`.
    """

    neighbours: NDArray[np.uint32]
    refuges: NDArray[np.int64]
    moves: NDArray[np.int64]
    mines: int
    first_click: int
    max_steps: int
    weights: NDArray[np.float64]


class Boards(NamedTuple):
    """The state of N games on boards of n cells, numbered in reading order.

    Column n is a sentinel: an open cell, to which the neighbour table points wherever a neighbourhood
    leaves the board, so that no kernel ever compares a row or a column with the edge.

    Attributes:
        shown: (N, n + 1) int8, the codes that the player sees.
        truth: (N, n + 1) uint8, the count of mines around each cell, plus MINE_BIT on a mine.
        games: (N, 3) int64, the columns STATUS, REMAINING (safe cells not yet open) and STEPS.
        rng: (N,) uint64, the states of the SplitMix64 generators that lay the mines.
        stack: (n,) uint32, room for the flood fill.
    """

    shown: NDArray[np.int8]
    truth: NDArray[np.uint8]
    games: NDArray[np.int64]
    rng: NDArray[np.uint64]
    stack: NDArray[np.uint32]


def refuge_order(rows: int, cols: int) -> NDArray[np.int64]:
    """Returns the cells as the "corners" rule fills them: corners, then sides, then the rest.

    The corners go bottom right, top left, bottom left, top right; the others in reading order.
    """
    cells = np.arange(rows * cols).reshape(rows, cols)
    corners = [cells[-1, -1], cells[0, 0], cells[-1, 0], cells[0, -1]]
    sides = np.concatenate([cells[0], cells[-1], cells[:, 0], cells[:, -1]])
    order = dict.fromkeys([*corners, *np.sort(sides), *cells.ravel()])
    return np.array(list(order), dtype=np.int64)
