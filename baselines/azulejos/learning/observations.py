"""Observations of positions for the network: ranked colours, groups and scores as whole numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from azulejos_env.config import MAX_COLOURS
from azulejos_env.engine.boards import with_border
from baselines.azulejos.learning.observation_kernel import label_and_rank

PLANES = 4
"""Number of planes of an observation; see `observe`."""


def observe(boards: NDArray[np.int8], scores: NDArray[np.int64]) -> NDArray[np.int32]:
    """Returns the observations of the players to move.

    | plane | value of a cell |
    |---|---|
    | 0 | 0 if empty, else the rank of its colour by the number of tiles, 1 for the most frequent colour |
    | 1 | the first cell of its group in reading order, row * cols + col, or -1 if empty |
    | 2 | the score of the player to move, constant over the board |
    | 3 | the score of the other player, constant over the board |

    Colours have no meaning but which cells are equal, so ranks make positions that differ in their names alike.

    Args:
        boards: (N, rows, cols) int8 colours, 0 for an empty cell; the tiles have fallen.
        scores: (N, 2) integers, the score of the player to move and that of the other.

    Returns:
        (N, 4, rows, cols) int32.
    """
    count, rows, cols = boards.shape
    seen = np.empty((count, PLANES, rows, cols), np.int32)
    room, counts = np.zeros(rows * cols, np.int32), np.zeros(MAX_COLOURS + 1, np.int64)
    label_and_rank(with_border(boards), rows, cols, room, counts, seen)
    seen[:, 2:] = np.asarray(scores)[:, :, None, None]
    return seen


def legal_moves(seen: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Returns (N, rows * cols) bool: the first cells of the groups of two tiles or more.

    Args:
        seen: (N, 4, rows, cols) int32, as `observe` returns them.
    """
    labels = seen[:, 1].reshape(len(seen), -1)
    cells = np.arange(labels.shape[1])
    members = np.zeros(labels.shape, np.int32)
    games, tiles = np.nonzero(labels >= 0)
    np.add.at(members, (games, labels[games, tiles]), 1)
    return (labels == cells) & (members >= 2)
