"""The check of saved games before they are gone on with."""

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
    """Returns the arrays of N saved games, in the dtypes of `example`, which another save has.

    Args:
        saved: the keys of `Games.save`, with arrays whose first axis has length N.
        example: arrays of the shapes and dtypes that are allowed.
        config: the board that the games are to go on with.

    Raises:
        ValueError: a part is missing or too much, has another shape or dtype, or contradicts another.
    """
    if not isinstance(saved, Mapping) or set(saved) != set(example):
        raise ValueError(f"a saved state has the keys {', '.join(example)}, as get_state returns them")
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
    """Raises a ValueError unless open cells show the counts of the mines, and mines show in lost games alone."""
    codes = arrays["codes"].reshape(-1, config.cells)
    mines = arrays["mines"].reshape(-1, config.cells)
    # The neighbour table points off the board to one cell past the last.
    beside = np.pad(mines, ((0, 0), (0, 1)))[:, neighbour_table(config.rows, config.cols, config.radius)]
    counts = beside.sum(axis=2)
    is_open, is_mine = codes <= config.codes.max_count, codes == config.codes.mine
    laid = (arrays["status"] != FRESH)[:, None]
    _allow(~is_open | (laid & ~mines & (codes == counts)), "state['codes'] must show the counts of state['mines']")
    lost = (arrays["status"] == LOST)[:, None]
    _allow(~is_mine | (mines & lost), "state['codes'] may show only mines as mines, and in lost games alone")


def _allow(right: NDArray[np.bool_], message: str) -> None:
    if not right.all():
        raise ValueError(message)
