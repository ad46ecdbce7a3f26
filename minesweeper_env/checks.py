"""Checks of actions, reset options and seeds, and the random state that a seed gives to a game."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium.utils import seeding
from numpy.typing import NDArray

from minesweeper_env.config import BoardConfig

RESET_OPTIONS: tuple[str, ...] = ("layout",)
"""The keys of the `options` of `reset`."""


def check_action(action: Any, actions: int) -> int:
    """Returns an action as an int, or raises a ValueError unless it is in 0..actions-1."""
    try:
        index = operator.index(action)
    except TypeError:
        index = -1
    if action is True or action is False or not 0 <= index < actions:
        raise ValueError(f"an action must be a whole number in 0..{actions - 1}, not {action!r}")
    return index


def check_actions(actions: Any, count: int) -> NDArray[np.int64]:
    """Returns N actions as (N,) int64, or raises a ValueError unless they are N whole numbers."""
    array = np.asarray(actions)
    if array.shape != (count,) or array.dtype.kind not in "iu":
        raise ValueError(f"actions must be whole numbers of shape ({count},), not {array.dtype} {array.shape}")
    # A copy, because a read-only array has a numba type of its own and would compile the kernel again.
    return np.array(array, dtype=np.int64, order="C")


def layout_option(options: Mapping[str, Any] | None, config: BoardConfig, count: int) -> NDArray[np.bool_] | None:
    """Returns the (N, rows, cols) layouts in the reset options, or None if there are none.

    Raises:
        ValueError: an option is unknown, or the shape, dtype or number of mines of the layout is wrong.
    """
    if not options:
        return None
    unknown = [key for key in options if key not in RESET_OPTIONS]
    if unknown:
        raise ValueError(f"unknown reset options {unknown}; allowed: {', '.join(RESET_OPTIONS)}")
    board = (config.rows, config.cols)
    allowed = f"layout must be a bool array of shape {board}"
    try:
        layout = np.asarray(options["layout"])
    except ValueError as error:
        raise ValueError(f"{allowed}, not a ragged list") from error
    if layout.shape not in (board, (count, *board)) or layout.dtype != np.bool_:
        raise ValueError(f"{allowed}, not {layout.dtype} {layout.shape}")
    layouts = np.broadcast_to(layout, (count, *board))
    found = layouts.sum(axis=(1, 2))
    if (found != config.mines).any():
        raise ValueError(f"layout must have {config.mines} mines, not {found[found != config.mines][0]}")
    return layouts


def check_seeds(seed: int | Sequence[int | None] | None, count: int) -> list[int | None] | None:
    """Returns N seeds, `seed` + i for game i or the given sequence, or None if `seed` is None.

    Raises:
        ValueError: a seed is not a whole number of at least 0, or the length of the sequence is not N.
    """
    if seed is None:
        return None
    if isinstance(seed, (Sequence, np.ndarray)):
        seeds = list(seed)
        if len(seeds) != count:
            raise ValueError(f"a sequence of seeds must have one seed for each of {count} games, not {len(seeds)}")
    else:
        seeds = [seed]
    if not all(s is None or (isinstance(s, (int, np.integer)) and s >= 0) for s in seeds):
        raise ValueError(f"a seed must be a whole number of at least 0, or None, not {seed!r}")
    if isinstance(seed, (Sequence, np.ndarray)):
        return [None if s is None else int(s) for s in seeds]
    return [int(seed) + i for i in range(count)]


def generator_state(np_random: np.random.Generator) -> np.uint64:
    """Draws the state of a game's own generator, the only source of its randomness."""
    return np_random.integers(1 << 64, dtype=np.uint64)


def generator_states(seeds: Sequence[int | None], np_random: np.random.Generator) -> NDArray[np.uint64]:
    """Returns the (N,) states that single environments with these seeds draw, from `np_random` where a seed is None."""
    sources = (np_random if seed is None else seeding.np_random(seed)[0] for seed in seeds)
    return np.array([generator_state(source) for source in sources], dtype=np.uint64)
