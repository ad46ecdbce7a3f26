"""Validation of a saved state before `set_state` restores it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.config import BoardConfig
from minesweeper_env.engine.state import FRESH, LOST, TRUNCATED
from minesweeper_env.neighbours import neighbour_table

Arrays = dict[str, NDArray[Any]]


def check_saved(saved: Any, example: Mapping[str, NDArray[Any]], config: BoardConfig) -> Arrays:
    """Returns the arrays of N saved games, in the dtypes of `example`.

    Args:
        saved: the keys of `Games.save`, with arrays whose first axis has length N.
        example: arrays of the allowed shapes and dtypes.
        config: the configuration of the games.

    Raises:
        ValueError: a key is missing or unknown, an array has a wrong shape or dtype, or two arrays contradict
            each other.
    """
    if not isinstance(saved, Mapping) or set(saved) != set(example):
        raise ValueError(f"a saved state must have the keys {', '.join(example)}, as get_state returns it")
    arrays = {key: _as_in(key, saved[key], model) for key, model in example.items()}
    status, codes = arrays["status"], arrays["codes"]
    _allow((status >= FRESH) & (status <= TRUNCATED), f"state['status'] must be {FRESH} to {TRUNCATED}")
    _allow(arrays["steps"] >= 0, "state['steps'] must be at least 0")
    _allow((codes >= 0) & (codes <= config.codes.mine), f"state['codes'] must be 0 to {config.codes.mine}")
    mines = np.where(status == FRESH, 0, config.mines)
    _allow(
        arrays["mines"].sum(axis=(1, 2)) == mines,
        f"state['mines'] must have {config.mines} mines, or none before the first click",
    )
    _check_boards(arrays, config)
    return arrays


def _as_in(key: str, value: Any, model: NDArray[Any]) -> NDArray[Any]:
    array = np.asarray(value)
    if array.shape != model.shape or not np.can_cast(array.dtype, model.dtype, "same_kind"):
        allowed = f"{model.dtype} of shape {model.shape}"
        raise ValueError(f"state[{key!r}] must be {allowed}, not {array.dtype} {array.shape}")
    return array.astype(model.dtype)


def _check_boards(arrays: Arrays, config: BoardConfig) -> None:
    """Raises a ValueError unless open cells show the counts of the mines, and only lost games show mines."""
    codes = arrays["codes"].reshape(-1, config.cells)
    mines = arrays["mines"].reshape(-1, config.cells)
    # The neighbour table stands for a cell off the board by the index past the last cell.
    neighbours = np.pad(mines, ((0, 0), (0, 1)))[:, neighbour_table(config.rows, config.cols, config.radius)]
    counts = neighbours.sum(axis=2)
    is_open, is_mine = codes <= config.codes.max_count, codes == config.codes.mine
    placed = (arrays["status"] != FRESH)[:, None]
    _allow(~is_open | (placed & ~mines & (codes == counts)), "state['codes'] must show the counts of state['mines']")
    lost = (arrays["status"] == LOST)[:, None]
    _allow(
        ~is_mine | (mines & lost),
        "state['codes'] may show mines only in lost games, and only where state['mines'] has them",
    )


def _allow(right: NDArray[np.bool_], message: str) -> None:
    if not right.all():
        raise ValueError(message)
