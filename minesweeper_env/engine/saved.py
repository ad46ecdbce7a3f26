"""Checks of saved games: a state is refused unless some game can reach it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.config import BoardConfig
from minesweeper_env.engine.state import FRESH, LOST, PLAYING, TRUNCATED, WON
from minesweeper_env.neighbours import neighbour_table

Arrays = dict[str, NDArray[Any]]


def _as_in(key: str, value: Any, model: NDArray[Any]) -> NDArray[Any]:
    """Returns a value as an array of the dtype of `model`."""
    allowed = f"state[{key!r}] must be {model.dtype} of shape {model.shape}"
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise ValueError(f"{allowed}, not a ragged list") from error
    if array.shape != model.shape or not np.can_cast(array.dtype, model.dtype, "same_kind"):
        raise ValueError(f"{allowed}, not {array.dtype} {array.shape}")
    converted = array.astype(model.dtype)
    allow(key, converted == array, f"be {model.dtype} numbers")
    return converted


def allow(key: str, right: NDArray[np.bool_], rule: str) -> None:
    """Raises a ValueError about the first game that breaks a rule; the first axis of `right` numbers the games."""
    if not right.all():
        wrong = int(np.argwhere(~right)[0, 0])
        game = f" (game {wrong})" if len(right) > 1 else ""
        raise ValueError(f"state[{key!r}] must {rule}{game}")


def check_saved(saved: Any, example: Mapping[str, NDArray[Any]], config: BoardConfig) -> Arrays:
    """Returns the arrays of N saved games, in the dtypes of `example`.

    Args:
        saved: the keys of `Games.save`, with arrays whose first axis has length N.
        example: arrays of the allowed shapes and dtypes.
        config: the configuration of the games.

    Raises:
        ValueError: a key is missing or unknown, an array has a wrong shape or dtype, or no game of this
            configuration reaches the state; the message names the array.
    """
    if not isinstance(saved, Mapping) or set(saved) != set(example):
        raise ValueError(f"a saved state must have the keys {', '.join(example)}, as get_state returns it")
    arrays = {key: _as_in(key, saved[key], model) for key, model in example.items()}
    _check_progress(arrays, config)
    _check_mines(arrays, config)
    _check_counts(arrays, config)
    _check_marks(arrays, config)
    _check_status(arrays, config)
    return arrays


def _check_progress(arrays: Arrays, config: BoardConfig) -> None:
    status, steps, limit = arrays["status"], arrays["steps"], config.step_limit
    allow("status", (status >= FRESH) & (status <= TRUNCATED), f"be {FRESH} to {TRUNCATED}")
    allow("steps", (steps >= 0) & (steps <= limit), f"be 0 to {limit}, the limit of these games")
    allow("steps", (status > PLAYING) | (steps < limit), f"be less than the limit {limit} in a game under way")
    allow("steps", (status != TRUNCATED) | (steps == limit), f"be the limit {limit} in a truncated game")


def _check_mines(arrays: Arrays, config: BoardConfig) -> None:
    status, found = arrays["status"], arrays["mines"].sum(axis=(1, 2))
    allow("mines", (found == 0) | (found == config.mines), f"have {config.mines} mines, or none before the first click")
    allow("mines", (status != FRESH) | (found == 0), "have no mines before the first click")
    truncated = (status == TRUNCATED) & ~_is_open(arrays, config).any(axis=1)
    allow("mines", (status == FRESH) | truncated | (found > 0), f"have {config.mines} mines after the first click")


def _check_counts(arrays: Arrays, config: BoardConfig) -> None:
    codes, mines, is_open = _flat(arrays["codes"]), _flat(arrays["mines"]), _is_open(arrays, config)
    allow("codes", (codes >= 0) & (codes <= config.codes.mine), f"be 0 to {config.codes.mine}")
    # The neighbour table stands for a cell off the board by the index past the last cell.
    neighbours = np.pad(mines, ((0, 0), (0, 1)))[:, neighbour_table(config.rows, config.cols, config.radius)]
    placed = mines.any(axis=1, keepdims=True)
    counts = neighbours.sum(axis=2)
    allow("codes", ~is_open | (placed & ~mines & (codes == counts)), "show the counts of state['mines']")


def _check_marks(arrays: Arrays, config: BoardConfig) -> None:
    codes = arrays["codes"]
    for move, mark in (("flag", config.codes.flagged), ("question", config.codes.question)):
        if move not in config.moves:
            allow("codes", codes != mark, f"have no {move} marks, since the moves lack {move!r}")


def _check_status(arrays: Arrays, config: BoardConfig) -> None:
    """Raises a ValueError unless the board shows that the game is won, lost or neither, as its status says."""
    codes, mines, status = _flat(arrays["codes"]), _flat(arrays["mines"]), arrays["status"]
    cleared = mines.any(axis=1) & (mines | _is_open(arrays, config)).all(axis=1)
    allow("status", (status != WON) | cleared, f"be {WON}, won, only where every safe cell is open")
    allow("status", (status == WON) | (status == LOST) | ~cleared, f"be {WON}, won, where every safe cell is open")
    shown, lost = codes == config.codes.mine, (status == LOST).reshape(-1, 1)
    allow("codes", ~shown | (mines & lost), "show mines only in lost games, where state['mines'] has them")
    hidden = mines & ~shown & (codes != config.codes.flagged)
    allow("codes", ~lost | ~hidden, "show every mine without a flag in a lost game")
    allow("codes", ~lost[:, 0] | shown.any(axis=1), "show at least one mine in a lost game")


def _flat(cells: NDArray[Any]) -> NDArray[Any]:
    return cells.reshape(len(cells), -1)


def _is_open(arrays: Arrays, config: BoardConfig) -> NDArray[np.bool_]:
    is_open: NDArray[np.bool_] = _flat(arrays["codes"]) <= config.codes.max_count
    return is_open
