"""Checks of keyword arguments, actions, reset options and seeds, and the random state that a seed gives to a game."""

from __future__ import annotations

import difflib
import inspect
import operator
from collections.abc import Mapping, Sequence
from types import NoneType
from typing import Any, Self

import numpy as np
from gymnasium import logger
from gymnasium.error import ResetNeeded
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from minesweeper_env.config import BoardConfig, whole_number

RESET_OPTIONS: tuple[str, ...] = ("layout",)
"""The keys of the `options` of `reset`."""

MEANT = {
    **dict.fromkeys(("width", "height", "rows", "cols", "columns", "shape", "board", "board_size"), "size"),
    **dict.fromkeys(("bombs", "num_bombs", "density"), "mines"),
    **dict.fromkeys(("mode", "render"), "render_mode"),
    **dict.fromkeys(("obs", "obs_type"), "observation"),
}
"""Names of arguments in other environments, and what they are called here."""


class NamesArguments:
    """An environment that names the argument which was probably meant where it gets an unknown one."""

    def __new__(cls, *_: Any, **named: Any) -> Self:
        """Raises a TypeError for an unknown keyword argument, before `__init__` would with Python's own message."""
        parameters = inspect.signature(cls.__init__).parameters
        takes_all = any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters.values())
        allowed = [name for name in parameters if name != "self"]
        for name in () if takes_all else named:
            if name not in allowed:
                near = [MEANT[name]] if name in MEANT else difflib.get_close_matches(name, allowed, 1)
                hint = f", did you mean {near[0]}?" if near else ";"
                # TorchRL tries `frameskip`, and looks for these words of Python's own message.
                wrong = f"{cls.__name__} got an unexpected keyword argument {name!r}"
                raise TypeError(f"{wrong}{hint} It takes {', '.join(allowed)}")
        return super().__new__(cls)


def warn_without_mode(mode: str | None, spec: Any, default_id: str = "Minesweeper-v0") -> None:
    """Warns, as the environments of Gymnasium do, where `render` is called and there is no render mode."""
    if mode is None:
        env_id = default_id if spec is None else spec.id
        logger.warn(
            "render() returns nothing, because the environment has no render mode; choose one when you make it: "
            f'gym.make("{env_id}", render_mode="ansi"), "rgb_array" or "human"'
        )


def check_action(action: Any, actions: int) -> int:
    """Returns an action as an int, or raises a ValueError unless it is in 0..actions-1."""
    try:
        # A tensor of shape (1,) is a whole number to Python, and an array of that shape is none.
        index = operator.index(action) if type(action) is int or getattr(action, "ndim", 0) == 0 else -1
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


def check_autoreset_mode(mode: AutoresetMode | str) -> AutoresetMode:
    """Returns an autoreset mode given as itself, its value or its name, or raises a ValueError."""
    for allowed in AutoresetMode:
        if mode in (allowed, allowed.value, allowed.name):
            return allowed
    raise ValueError(f"autoreset_mode must be one of {', '.join(map(str, AutoresetMode))}, not {mode!r}")


def smaller_limit(max_steps: int | None, max_episode_steps: int | None) -> int | None:
    """Returns the smaller of two step limits, None where there is neither, or raises a ValueError."""
    given = {"max_steps": max_steps, "max_episode_steps": max_episode_steps}
    limits = [whole_number(name, limit, 1) for name, limit in given.items() if limit is not None]
    return min(limits, default=None)


def check_under_way(over: NDArray[np.bool_]) -> None:
    """Raises a ResetNeeded that names the games, by their place in `over`, which are over."""
    games = np.flatnonzero(over)
    if len(games):
        raise ResetNeeded(f"games {games.tolist()} are over: reset them with options={{'reset_mask': ...}}")


def check_option_names(options: Mapping[str, Any] | None, allowed: Sequence[str]) -> None:
    """Raises a ValueError unless the reset options are a dict, and each key is one of `allowed`."""
    if not isinstance(options, (Mapping, NoneType)):
        raise ValueError(f"reset options must be a dict with keys among {', '.join(allowed)}, not {options!r}")
    unknown = [key for key in options or () if key not in allowed]
    if unknown:
        raise ValueError(f"unknown reset options {unknown}; allowed: {', '.join(allowed)}")


def reset_mask_option(options: Mapping[str, Any] | None, count: int) -> NDArray[np.bool_]:
    """Returns the (N,) mask of the games to reset, all True without one; errors are those of `SyncVectorEnv`."""
    if not options or "reset_mask" not in options:
        return np.ones(count, np.bool_)
    mask, name = options["reset_mask"], "`options['reset_mask']` must"
    if not isinstance(mask, np.ndarray):
        raise TypeError(f"{name} be a numpy array, got {type(mask)}")
    if mask.shape != (count,):
        raise ValueError(f"{name} have shape `({count},)`, got {mask.shape}")
    if mask.dtype != np.bool_:
        raise TypeError(f"{name} have `dtype=np.bool_`, got {mask.dtype}")
    if not mask.any():
        raise ValueError(f"{name} contain a boolean array with at least one True value, got reset_mask={mask}")
    # A copy, because a read-only array has a numba type of its own and would compile the kernel again.
    return mask.copy()


def layout_option(
    options: Mapping[str, Any] | None, config: BoardConfig, count: int, chosen: NDArray[np.bool_] | None = None
) -> NDArray[np.bool_] | None:
    """Returns the (K, rows, cols) layouts in the options of N = `count` games for the `chosen` K, None without any.

    Raises:
        ValueError: the shape, dtype or number of mines of the layout is wrong.
    """
    if not options or "layout" not in options:
        return None
    board = (config.rows, config.cols)
    allowed = f"layout must be a bool array of shape {board}"
    try:
        layout = np.asarray(options["layout"])
    except ValueError as error:
        raise ValueError(f"{allowed}, not a ragged list") from error
    if layout.shape not in (board, (count, *board)) or layout.dtype != np.bool_:
        raise ValueError(f"{allowed}, not {layout.dtype} {layout.shape}")
    layouts = np.broadcast_to(layout, (count, *board))
    if chosen is not None:
        layouts = layouts[chosen]
    found = layouts.sum(axis=(1, 2))
    if (found != config.mines).any():
        raise ValueError(f"layout must have {config.mines} mines, not {found[found != config.mines][0]}")
    return layouts


def check_seeds(seed: int | Sequence[int | None] | None, count: int) -> list[int | None]:
    """Returns N seeds, `seed` + i for game i or the given sequence, all None for None; raises ValueError for others."""
    if seed is None:
        return [None] * count
    is_sequence = isinstance(seed, (Sequence, np.ndarray))
    seeds: list[Any] = list(seed) if is_sequence else [seed]  # type: ignore[arg-type]
    if is_sequence and len(seeds) != count:
        raise ValueError(f"a sequence of seeds must have one seed for each of {count} games, not {len(seeds)}")
    if not all(s is None or (isinstance(s, (int, np.integer)) and s >= 0) for s in seeds):
        raise ValueError(f"a seed must be a whole number of at least 0, or None, not {seed!r}")
    return [None if s is None else int(s) for s in seeds] if is_sequence else [int(seeds[0]) + i for i in range(count)]


def generator_state(np_random: np.random.Generator) -> np.uint64:
    """Draws the state of a game's own generator, the only source of its randomness."""
    return np_random.integers(1 << 64, dtype=np.uint64)


def generator_states(seeds: Sequence[int | None], np_random: np.random.Generator) -> NDArray[np.uint64]:
    """Returns the (N,) states that single environments with these seeds draw, from `np_random` where a seed is None."""
    sources = (np_random if seed is None else seeding.np_random(seed)[0] for seed in seeds)
    return np.array([generator_state(source) for source in sources], dtype=np.uint64)
