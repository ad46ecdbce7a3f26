"""Saved games in progress as dicts of arrays, and the validation of dicts that the engine did not make."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.cell_sets import neighbour_table
from minesweeper_env.config import BoardConfig
from minesweeper_env.engine.state import FRESH, LOST, PLAYING, TRUNCATED, WON, Flags

Arrays = dict[str, NDArray[Any]]


class SavedState(dict[str, Any]):
    """A dict of arrays, as `get_state` returns it, that also holds the boards of the engine.

    `set_state` copies the boards, and checks nothing, as long as the dict and its arrays are as `get_state` made them.
    The boards share no memory with the arrays. Copies and pickles are plain dicts without the boards.
    """

    __slots__ = ("_arrays", "_batch", "_boards", "_bytes", "_config", "_values")

    def __init__(self, arrays: Mapping[str, Any], boards: Sequence[NDArray[Any]], config: BoardConfig) -> None:
        """Takes the arrays, and the fields of `state.Boards` of the same games, under this configuration."""
        super().__init__(arrays)
        self._boards, self._config, self._batch = boards, config, arrays["codes"].shape[:-2]
        self._values = dict(self)
        # The other values are scalars of NumPy, which nothing changes.
        self._arrays = [value for value in self.values() if isinstance(value, np.ndarray)]
        self._bytes = [array.tobytes() for array in self._arrays]

    def __reduce__(self) -> tuple[type[dict[str, Any]], tuple[dict[str, Any]]]:
        return dict, (dict(self),)

    def boards(self, config: BoardConfig, batch: tuple[int, ...]) -> Sequence[NDArray[Any]] | None:
        """Returns the boards, or None if the dict has changed, or if `config` or `batch` does not suit them."""
        fits = len(self) == len(self._values) and self._batch in ((), batch)  # one game fits any batch
        fits = fits and (config is self._config or config == self._config)
        for key, value in self._values.items():
            fits = fits and self.get(key) is value
        return self._boards if fits and [array.tobytes() for array in self._arrays] == self._bytes else None


_TYPES = {
    "codes": np.int8,
    "mines": np.bool_,
    "status": np.int64,
    "steps": np.int64,
    "generator": np.uint64,
    "next_generator": np.uint64,
}


def read_saved(saved: Any, config: BoardConfig, count: int, batch: tuple[int, ...]) -> Arrays:
    """Returns the arrays of N = `count` saved games; a ValueError names one of a wrong type, shape or range.

    An array has the first axes `batch`, or is that of one game, which then stands for N such games. A batch may also
    have the key "sampler".
    """
    if not isinstance(saved, Mapping) or set(saved) - ({"sampler"} if batch else set()) != set(_TYPES):
        raise ValueError(f"a saved state must be a dict and have the keys {', '.join(_TYPES)}, as get_state returns it")
    if "sampler" in saved:
        check_array("sampler", saved["sampler"], np.uint64, {(1,)})
    maxima = {"codes": config.codes.mine, "status": TRUNCATED, "steps": config.step_limit}
    arrays = {}
    for key, dtype in _TYPES.items():
        one_game = (config.rows, config.cols) if key in ("codes", "mines") else ()
        array = check_array(key, saved[key], dtype, {(*batch, *one_game), one_game}, maxima.get(key))
        arrays[key] = np.broadcast_to(array, (count, *one_game))
    return arrays


def check_reachable(saved: Arrays, truth: NDArray[np.uint8], config: BoardConfig) -> None:
    """Raises a ValueError unless a game can reach each of N states; `truth`, (N, n), is that of `state.Boards`."""
    for key, holds, rule in _state_rules(saved, truth, config):
        if not holds.all():
            game = f" (game {np.argwhere(~holds)[0, 0]})" if len(holds) > 1 else ""
            raise ValueError(f"state[{key!r}] must {rule}{game}")


def _state_rules(saved: Arrays, truth: NDArray[np.uint8], config: BoardConfig) -> Iterator[tuple[str, Flags, str]]:
    """Yields for each rule the key of an array, where the rule holds, (N, 1) or (N, n) bool, and the rule's text."""
    codes, mines = (saved[key].reshape(truth.shape) for key in ("codes", "mines"))
    status, steps = saved["status"][:, None], saved["steps"][:, None]
    limit, total = config.step_limit, mines.sum(axis=1, keepdims=True)
    is_open, flagged = codes <= config.codes.max_count, codes == config.codes.flagged
    in_time = np.where(status == TRUNCATED, steps == limit, (status > PLAYING) | (steps < limit))
    yield "steps", in_time, f"be less than {limit} in a game under way, and {limit} in a truncated one"
    placed = np.where(status == FRESH, total == 0, (total == config.mines) | ((total == 0) & (status == TRUNCATED)))
    yield "mines", placed, f"have {config.mines} mines, or none before the first click"
    yield "codes", ~is_open | ((total > 0) & (codes == truth)), "show the clues of state['mines']"
    for move, marked in (("flag", flagged), ("question", codes == config.codes.question)):
        if move not in config.moves:
            yield "codes", ~marked, f"have no {move} marks, as the moves lack {move!r}"
    if {"flag", "question"}.isdisjoint(config.moves):
        table = neighbour_table(config.rows, config.cols, config.radius)
        # A last column, never covered, stands for the neighbours off the board. Before `any` the shape is (N, n, K).
        has_covered = np.pad(~is_open, ((0, 0), (0, 1)))[:, table].any(axis=2)
        yield "codes", (codes > 0) | ~has_covered, "show all neighbours of an open 0, because no mark keeps a cell shut"
    cleared, lost = (total > 0) & (is_open | mines).all(axis=1, keepdims=True), status == LOST
    yield "status", lost | ((status == WON) == cleared), f"be {WON}, won, exactly where every safe cell is open"
    revealed = codes == config.codes.mine
    yield "codes", revealed == (lost & mines & ~flagged), "show the mines without a flag in lost games, and no others"
    yield "codes", ~lost | revealed.any(axis=1, keepdims=True), "show at least one mine in a lost game"


def check_array(
    key: str, value: Any, dtype: type[Any], shapes: Collection[tuple[int, ...]], maximum: int | None = None
) -> NDArray[Any]:
    """Returns an array of a state as `dtype`; a ValueError names the allowed shapes and values, 0 to `maximum`."""
    array = np.asarray(None)
    with suppress(ValueError):
        array = np.asarray(value)  # raises for a ragged list, so that the array of None fails the test below
    if dtype is np.uint64 and isinstance(value, (int, list)):
        # From JSON: NumPy would read small numbers as int64, and small and large ones together as float64.
        numbers = np.asarray(value, object)
        if all(type(number) is int and 0 <= number < 1 << 64 for number in numbers.flat):
            array = numbers.astype(dtype)
    if array.shape not in shapes or not np.can_cast(array.dtype, dtype, "same_kind"):
        allowed = f"{np.dtype(dtype)} of shape {' or '.join(map(str, sorted(shapes, reverse=True)))}"
        raise ValueError(f"state[{key!r}] must be {allowed}, not {array.dtype} {array.shape}")
    if maximum is not None and ((array < 0) | (array > maximum)).any():
        raise ValueError(f"state[{key!r}] must be 0 to {maximum}")
    return array.astype(dtype)
