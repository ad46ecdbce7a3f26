"""Arrays of saved games: read in the shapes and dtypes of an example, and checked by rules that name the game."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Arrays = dict[str, NDArray[Any]]


def read_arrays(saved: Any, example: Mapping[str, NDArray[Any]]) -> Arrays:
    """Returns the arrays of saved games, in the dtypes of `example`.

    Args:
        saved: a mapping with the keys of `example`.
        example: arrays of the allowed shapes and dtypes.

    Raises:
        ValueError: a key is missing or unknown, or an array has a wrong shape or dtype; the message names the array.
    """
    if not isinstance(saved, Mapping) or set(saved) != set(example):
        raise ValueError(f"a saved state must have the keys {', '.join(example)}, as get_state returns it")
    return {key: _as_in(key, saved[key], model) for key, model in example.items()}


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
