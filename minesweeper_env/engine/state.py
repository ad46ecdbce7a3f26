"""Arrays that hold a batch of games, and the constants by which kernels read them."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Int = int | np.integer[Any]
CodeArray = NDArray[np.int8]
Flags = NDArray[np.bool_]
Integers = NDArray[np.int64]
Generators = NDArray[np.uint64]

FRESH, PLAYING, WON, LOST, TRUNCATED = range(5)
"""The status of a game: mines not placed yet, under way, and the three ways to be over."""

FIRST_ANY, FIRST_SAFE, FIRST_OPENING, FIRST_CORNERS = range(4)
"""The first-click rules, in the order of `config.FIRST_CLICKS`."""

STATUS, REMAINING, STEPS, NEXT = range(4)
"""The columns of `Boards.progress`."""

TERMINATION, TRUNCATION, SUCCESS, ILLEGAL, IDLE = range(5)
"""The rows of the events of a step.

| row         | the event, for each game                                 |
|-------------|----------------------------------------------------------|
| TERMINATION | the game is won or lost                                  |
| TRUNCATION  | the step limit has ended it                              |
| SUCCESS     | the game is won                                          |
| ILLEGAL     | the action was illegal                                   |
| IDLE        | no move was made: the game was over before the step      |
"""

WAIT, RESTART, RESET = range(3)
"""Modes of `kernels.play_batch`: WAIT steps only games under way, RESTART also starts those over, RESET only starts."""

MINE_BIT, COUNT_BITS = 0x80, 0x7F
"""The bits of a cell of `Boards.truth`: whether it is a mine, and how many of its neighbours are mines."""


class RewardWeights(NamedTuple):
    """Weights of the events of a step; the reward of the step is the sum of the weights that apply.

    A loss and an illegal action earn their own weight alone. Other steps earn `opening` if they open a cell, `cell` for
    each opened cell, and `win` if they win.
    """

    win: float = 0.0
    loss: float = 0.0
    opening: float = 0.0
    cell: float = 0.0
    illegal: float = 0.0


class Rules(NamedTuple):
    """Everything that stays the same from game to game, on boards of n cells with at most K neighbours."""

    neighbours: NDArray[np.uint32]  # (n, K) uint32, the neighbours of each cell; n stands for "off the board"
    refuges: NDArray[np.int64]  # (n,) int64, the cells as `refuge_order` sorts them for the "corners" rule
    moves: NDArray[np.int64]  # (m,) int64, the `Move` that each block of n actions makes
    mines: int  # the number of mines
    first_click: int  # FIRST_ANY, FIRST_SAFE, FIRST_OPENING or FIRST_CORNERS
    max_steps: int  # the number of steps after which an unfinished game is truncated
    weights: NDArray[np.float64]  # (5,) float64, the `RewardWeights`


class Boards(NamedTuple):
    """The state of N games on boards of n cells, numbered in reading order.

    Column n of `shown` is a sentinel: an open cell that stands for every cell off the board. The neighbour table
    points to it, so no kernel compares a row or a column with the edge. Column n of `truth` means nothing.
    """

    shown: NDArray[np.int8]  # (N, n + 1) int8, the codes that the player sees
    # (N, n + 1) uint8, the number of neighbouring mines, plus MINE_BIT on a mine; 0 before mines are placed.
    truth: NDArray[np.uint8]
    # (N, 4) int64, the columns STATUS, REMAINING (safe cells still covered), STEPS and NEXT. NEXT holds the bits of the
    # state with which the next game begins; an array of its own would slow each call of a kernel.
    progress: NDArray[np.int64]
    rng: NDArray[np.uint64]  # (N,) uint64, the states of the SplitMix64 generators that place the mines
    stack: NDArray[np.uint32]  # (n,) uint32, scratch space for the flood fill


RULE_FIELDS = len(Rules._fields)
"""Number of leading entries of a kernel's `*arrays` that belong to `Rules`; the fields of `Boards` follow."""


def refuge_order(rows: int, cols: int) -> NDArray[np.int64]:
    """Returns the cells sorted by when the "corners" rule fills them: corners, other sides, rest in reading order."""
    cells = np.arange(rows * cols).reshape(rows, cols)
    corners = [cells[-1, -1], cells[0, 0], cells[-1, 0], cells[0, -1]]
    sides = np.concatenate([cells[0], cells[-1], cells[:, 0], cells[:, -1]])
    order = dict.fromkeys([*corners, *np.sort(sides), *cells.ravel()])  # keeps the first place of each cell
    return np.array(list(order), dtype=np.int64)
