"""Arrays that hold a batch of games, and the constants by which kernels read them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from azulejos_env.engine.boards import bordered_cells
from azulejos_env.engine.groups import Cells
from azulejos_env.engine.rules import Rules

PLAYING, OVER, TRUNCATED = range(3)
"""The status of a game: under way, without a group left, ended by the step limit."""

SEAT, TURN, GROUPS, TILES, LEAD, STEPS, STATUS, SEED = range(8)
"""Columns of `Batch.progress`:

    SEAT    the player that the agent is: 0 moves first, 1 second
    TURN    the player to move
    GROUPS  number of groups on the board
    TILES   number of tiles on the board
    LEAD    score of the agent minus the opponent's, after the last step
    STEPS   number of steps taken
    STATUS  see above
    SEED    seed of the next move of an opponent that Python asks"""

COLUMNS = 8

ALONE, RANDOM, GREEDY, ASKED = range(4)
"""The opponents: none, a uniformly random group, the group that earns most, and one that Python asks."""

FIRST, SECOND, EITHER = range(3)
"""The seats: the agent moves first, second, or either with equal probability."""

DIFFERENCE, WIN_LOSS = range(2)
"""The reward schemes; `AzulejosEnv` explains them."""

TERMINATION, TRUNCATION, SUCCESS, ILLEGAL, IDLE = range(5)
"""The rows of the events of a step.

| row         | the event, for each game                                           |
|-------------|--------------------------------------------------------------------|
| TERMINATION | no group is left                                                   |
| TRUNCATION  | the step limit has ended the game                                  |
| SUCCESS     | no group is left, and the agent is ahead, or alone with no tile    |
| ILLEGAL     | the action was illegal                                             |
| IDLE        | the game was over before the step                                  |
"""


class Terms(NamedTuple):
    """Terms under which the agent plays.

    Attributes:
        colours: the number of colours of a dealt board.
        opponent: ALONE, RANDOM, GREEDY or ASKED.
        seat: FIRST, SECOND or EITHER.
        reward: DIFFERENCE or WIN_LOSS.
        max_steps: the number of steps after which an unfinished game is truncated.
    """

    colours: int
    opponent: int
    seat: int
    reward: int
    max_steps: int


class Batch(NamedTuple):
    """State of N games on boards of B bordered cells with up to M groups.

    Attributes:
        boards: (N, B) int8, the bordered boards.
        before: (N, B) int8, the boards before the last move; the tiles that it removed are negative.
        scores: (N, 2) int64, the scores of the first and the second player.
        progress: (N, 8) int64, see the table of columns.
        rng: (N,) uint64, the states of the SplitMix64 generators that deal boards and move the opponents.
        next_rng: (N,) uint64, the states with which the next games begin.
        moves: (N, M) int32, the first cells of the groups, in reading order.
        sizes: (N, M) int32, their numbers of tiles.
        group: (C,) int32, room for one group.
    """

    boards: NDArray[np.int8]
    before: NDArray[np.int8]
    scores: NDArray[np.int64]
    progress: NDArray[np.int64]
    rng: NDArray[np.uint64]
    next_rng: NDArray[np.uint64]
    moves: NDArray[np.int32]
    sizes: NDArray[np.int32]
    group: Cells


RULE_FIELDS = len(Rules._fields)
TERM_FIELDS = RULE_FIELDS + len(Terms._fields)
"""A kernel's `*state` holds the fields of `Rules` up to RULE_FIELDS, those of `Terms` up to here, those of `Batch`."""


def make_batch(rows: int, cols: int, count: int) -> Batch:
    """Returns the arrays of `count` games that have not begun."""
    border, groups = bordered_cells(rows, cols), max(rows * cols // 2, 1)
    return Batch(
        np.zeros((count, border), np.int8),
        np.zeros((count, border), np.int8),
        np.zeros((count, 2), np.int64),
        np.zeros((count, COLUMNS), np.int64),
        np.zeros(count, np.uint64),
        np.zeros(count, np.uint64),
        np.zeros((count, groups), np.int32),
        np.zeros((count, groups), np.int32),
        np.zeros(rows * cols, np.int32),
    )
