"""Players of guesses: what continues the games of playouts."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from baselines.policy import Policy
from baselines.rollouts.guess_games import Boards, Cells
from minesweeper_env.config import BoardConfig

Player = Callable[[Boards], Cells]
"""Returns clicks (K,) for boards (K, n) int8 without a certain cell."""


def player_of(policy: Policy, config: BoardConfig) -> Player:
    """Returns the player that clicks as a policy does."""
    return lambda boards: clicks_of(policy, config, boards)


def clicks_of(policy: Policy, config: BoardConfig, boards: Boards) -> Cells:
    """Returns the clicks (N,) of a policy on boards (N, n)."""
    masks = (boards > config.codes.max_count).astype(np.int8)
    return np.asarray(policy.act(boards.reshape(-1, config.rows, config.cols), masks), np.int64)
