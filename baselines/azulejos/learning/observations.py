"""Observations of positions for the network: ranked colours, groups, scores and points as whole numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from azulejos_env.config import MAX_COLOURS, GameConfig
from azulejos_env.engine.boards import with_border
from azulejos_env.engine.rules import compile_rules
from baselines.azulejos.learning.observation_kernel import LABEL, OTHER, OWN, describe_boards, make_room

PLANES = 6
"""Number of planes of an observation; see `observe`."""


def observe(boards: NDArray[np.int8], scores: NDArray[np.int64], config: GameConfig) -> NDArray[np.int32]:
    """Returns the observations of the players to move.

    | plane | value of a cell |
    |---|---|
    | 0 | 0 if empty, else the rank of its colour by the number of tiles, 1 for the most frequent colour |
    | 1 | the first cell of its group in reading order, row * cols + col, or -1 if empty |
    | 2 | the score of the player to move, constant over the board |
    | 3 | the score of the other player, constant over the board |
    | 4 | points that removing its group earns, with the bonus; 0 if it is in no group of two tiles |
    | 5 | points that the best answer to this move earns the other player, with the bonus |

    Colours have no meaning but which cells are equal, so ranks make positions that differ in their names alike.

    Args:
        boards: (N, rows, cols) int8 colours, 0 for an empty cell; the tiles have fallen.
        scores: (N, 2) integers, the score of the player to move and that of the other.
        config: the rules; their size is the size of the boards.

    Returns:
        (N, 6, rows, cols) int32.
    """
    count, rows, cols = boards.shape
    seen = np.empty((count, PLANES, rows, cols), np.int32)
    seen[:, [OWN, OTHER]] = np.asarray(scores)[:, :, None, None]
    describe_boards(with_border(boards), seen, *compile_rules(config), *make_room(rows, cols, MAX_COLOURS))
    return seen


def legal_moves(seen: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Returns (N, rows * cols) bool: the first cells of the groups of two tiles or more.

    Args:
        seen: (N, 6, rows, cols) int32, as `observe` returns them.
    """
    labels = seen[:, LABEL].reshape(len(seen), -1)
    members = np.zeros(labels.shape, np.int32)
    games, tiles = np.nonzero(labels >= 0)
    np.add.at(members, (games, labels[games, tiles]), 1)
    return (labels == np.arange(labels.shape[1])) & (members >= 2)
