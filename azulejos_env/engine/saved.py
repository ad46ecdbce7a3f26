"""Checks of saved games: a state is refused unless some game can reach it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from azulejos_env.config import GameConfig
from azulejos_env.engine import kernels
from azulejos_env.engine.batches import OVER, PLAYING, TRUNCATED, Terms
from azulejos_env.engine.boards import with_border, without_border
from azulejos_env.engine.rules import compile_rules
from minesweeper_env.engine.saved import Arrays, allow, read_arrays


def settled(config: GameConfig, boards: NDArray[np.int8]) -> NDArray[np.int8]:
    """Returns boards, (N, rows, cols) int8, after their tiles have fallen and their columns have closed."""
    rules, bordered = compile_rules(config), with_border(boards)
    targets = np.zeros_like(bordered)
    for board, target in zip(bordered, targets, strict=True):
        kernels.settle(rules, board, target)
    return without_border(targets, config.rows, config.cols)


def check_saved(saved: Any, example: Mapping[str, NDArray[Any]], config: GameConfig, terms: Terms) -> Arrays:
    """Returns the arrays of N saved games, in the dtypes of `example`.

    Args:
        saved: the keys of `Games.save`, with arrays whose first axis has length N.
        example: arrays of the allowed shapes and dtypes.
        config: the configuration of the games.
        terms: their terms.

    Raises:
        ValueError: a key is missing or unknown, an array has a wrong shape or dtype, or no game of this
            configuration reaches the state; the message names the array.
    """
    arrays = read_arrays(saved, example)
    board, status, steps = arrays["board"], arrays["status"], arrays["steps"]
    allow("board", (board >= 0) & (board <= config.colours), f"be 0 to {config.colours}")
    allow("board", board == settled(config, board), "have no empty cell below a tile, and no empty column between two")
    allow("scores", arrays["scores"] >= 0, "be at least 0")
    allow("seat", (arrays["seat"] == 0) | (arrays["seat"] == 1), "be 0 or 1")
    allow("status", (status >= PLAYING) & (status <= TRUNCATED), f"be {PLAYING} to {TRUNCATED}")
    allow("status", (status != OVER) | ~_have_groups(board), f"be {OVER}, over, only where no group is left")
    allow("steps", (steps >= 0) & (steps <= terms.max_steps), f"be 0 to {terms.max_steps}, the limit of these games")
    allow("steps", (status > PLAYING) | (steps < terms.max_steps), "be less than the limit in a game under way")
    return arrays


def _have_groups(boards: NDArray[np.int8]) -> NDArray[np.bool_]:
    """Returns (N,) bool: whether two equal tiles of a board touch."""
    beside = (boards[:, :, 1:] == boards[:, :, :-1]) & (boards[:, :, 1:] > 0)
    below = (boards[:, 1:] == boards[:, :-1]) & (boards[:, 1:] > 0)
    return beside.any(axis=(1, 2)) | below.any(axis=(1, 2))
