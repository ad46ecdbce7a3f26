"""Games in progress as dicts of arrays: as the engine saves them, and the check of those that come from elsewhere."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.config import BoardConfig
from minesweeper_env.engine.state import FRESH, TRUNCATED

Arrays = dict[str, NDArray[Any]]


class SavedState(dict[str, Any]):
    """A dict of arrays, as `get_state` returns it, that also holds the boards of the engine.

    `set_state` copies the boards, and checks nothing, as long as the dict and its arrays are as `get_state` made them.
    Copies and pickles are plain dicts without the boards.
    """

    __slots__ = ("_arrays", "_boards", "_bytes", "_config", "_values")

    def __init__(self, arrays: Mapping[str, Any], boards: Sequence[NDArray[Any]], config: BoardConfig) -> None:
        """Takes the arrays, and the fields of `state.Boards` of the same games, under this configuration."""
        super().__init__(arrays)
        self._boards, self._config = boards, config
        self._values = dict(self)
        # The other values are scalars of NumPy, which nothing changes.
        self._arrays = [value for value in self.values() if isinstance(value, np.ndarray)]
        self._bytes = [array.tobytes() for array in self._arrays]

    def __reduce__(self) -> tuple[type[dict[str, Any]], tuple[dict[str, Any]]]:
        """Leaves the boards out of copies and pickles."""
        return dict, (dict(self),)

    def boards(self, config: BoardConfig) -> Sequence[NDArray[Any]] | None:
        """Returns the boards; None if the dict has changed, or belongs to another configuration."""
        same = len(self) == len(self._values) and (config is self._config or config == self._config)
        for key, value in self._values.items():
            same = same and self.get(key) is value
        return self._boards if same and [array.tobytes() for array in self._arrays] == self._bytes else None


_TYPES = {
    "codes": np.int8,
    "mines": np.bool_,
    "status": np.int64,
    "steps": np.int64,
    "generator": np.uint64,
    "next_generator": np.uint64,
}


def check_saved(saved: Mapping[str, Any], config: BoardConfig, count: int, batch: tuple[int, ...]) -> Arrays:
    """Returns the arrays of N = `count` saved games; a ValueError names one that does not fit.

    An array has a first axis of games, `batch`, or is that of one game, which then stands for N such games. Batches may
    have the key "sampler", too.
    """
    if set(saved) - ({"sampler"} if batch else set()) != set(_TYPES):
        raise ValueError(f"a saved state must have the keys {', '.join(_TYPES)}, as get_state returns it")
    most = {"codes": config.codes.mine, "status": TRUNCATED, "steps": config.step_limit}
    arrays = {}
    for key, dtype in _TYPES.items():
        one = (config.rows, config.cols) if key in ("codes", "mines") else ()
        array = check_array(key, saved[key], dtype, {(*batch, *one), one}, most.get(key))
        arrays[key] = np.broadcast_to(array, (count, *one))
    found = arrays["mines"].sum(axis=(1, 2))
    if not ((found == 0) | ((found == config.mines) & (arrays["status"] != FRESH))).all():
        raise ValueError(f"state['mines'] must have {config.mines} mines, or none before the first click")
    return arrays


def check_array(
    key: str, value: Any, dtype: type[np.generic], shapes: Collection[tuple[int, ...]], most: int | None = None
) -> NDArray[Any]:
    """Returns one array of a state in its type; a ValueError says what is allowed if another one was given."""
    array = np.asarray(value)
    if dtype is np.uint64 and isinstance(value, (int, list)):
        # From JSON: NumPy would read small numbers as int64, and small and large ones together as float64.
        numbers = np.asarray(value, object)
        if all(type(number) is int and 0 <= number < 1 << 64 for number in numbers.flat):
            array = numbers.astype(dtype)
    if array.shape not in shapes or not np.can_cast(array.dtype, dtype, "same_kind"):
        allowed = f"{np.dtype(dtype)} of shape {' or '.join(map(str, sorted(shapes, reverse=True)))}"
        raise ValueError(f"state[{key!r}] must be {allowed}, not {array.dtype} {array.shape}")
    if most is not None and ((array < 0) | (array > most)).any():
        raise ValueError(f"state[{key!r}] must be 0 to {most}")
    return array.astype(dtype)
