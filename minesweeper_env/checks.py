"""Checks of render modes, actions and reset options, and the random state that a seed gives to a game."""

import inspect
import operator
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from importlib.util import find_spec
from typing import Any, ParamSpec

import numpy as np
from gymnasium import logger
from numpy.typing import NDArray

from minesweeper_env.config import BoardConfig, one_of

DISPLAY_VARIABLES = ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER", "SDL_VIDEO_DRIVER")
"""Variables of the environment; a window can open on Linux if one of them is set."""

Parameters = ParamSpec("Parameters")


def names_arguments(init: Callable[Parameters, None]) -> Callable[Parameters, None]:
    """Decorates a constructor, so that its TypeError for an unknown argument also lists the allowed arguments.

    The message still begins with Python's own one, because TorchRL tries arguments and matches that message.
    """
    allowed = list(inspect.signature(init).parameters)[1:]

    @wraps(init)
    def wrapper(*args: Parameters.args, **kwargs: Parameters.kwargs) -> None:
        try:
            init(*args, **kwargs)
        except TypeError as error:
            if kwargs.keys() <= set(allowed):
                raise
            raise TypeError(f"{error}; allowed: {', '.join(allowed)}") from None

    return wrapper


def has_display() -> bool:
    """Returns whether a window can open on this machine."""
    return not sys.platform.startswith("linux") or any(os.environ.get(name) for name in DISPLAY_VARIABLES)


def metadata_of(metadata: Mapping[str, Any], render_mode: str | None) -> dict[str, Any]:
    """Returns the metadata of an environment on this machine, or raises a ValueError for an unknown render mode.

    The modes include "human" if a window can open or `render_mode` asks for one, since checkers try every mode.
    """
    modes = metadata["render_modes"]
    if render_mode is not None:
        one_of("render_mode", render_mode, modes, "None or ")
    lists_human = render_mode == "human" or (has_display() and find_spec("pygame") is not None)
    return {**metadata, "render_modes": [mode for mode in modes if lists_human or mode != "human"]}


def warn_without_mode(mode: str | None, spec: Any, default_id: str = "Minesweeper-v0") -> None:
    """Warns, as the environments of Gymnasium do, if `render` is called without a render mode."""
    if mode is None:
        env_id = default_id if spec is None else spec.id
        logger.warn(
            "render() returns nothing, because the environment has no render mode; choose one when you make it: "
            f'gym.make("{env_id}", render_mode="ansi"), "rgb_array" or "human"'
        )


def check_action(action: Any, actions: int) -> int:
    """Returns an action as an int, or raises a ValueError unless it is in 0..actions-1."""
    try:
        # `operator.index` accepts a tensor of shape (1,), though no array of that shape: both are refused here.
        index = operator.index(action) if type(action) is int or getattr(action, "ndim", 0) == 0 else -1
    except TypeError:
        index = -1
    if action is True or action is False or not 0 <= index < actions:
        raise ValueError(f"an action must be a whole number in 0..{actions - 1}, not {action!r}")
    return index


def check_option_names(options: Mapping[str, Any] | None, allowed: Sequence[str]) -> None:
    """Raises a ValueError unless each key of the reset options is one of `allowed`."""
    unknown = [key for key in options or () if key not in allowed]
    if unknown:
        raise ValueError(f"unknown reset options {unknown}; allowed: {', '.join(allowed)}")


def layout_option(
    options: Mapping[str, Any] | None, config: BoardConfig, count: int = 1, chosen: NDArray[np.bool_] | None = None
) -> NDArray[np.bool_] | None:
    """Returns the layouts that reset options give, (K, rows, cols) bool, or None; raises a ValueError for wrong ones.

    Of N = `count` games, `chosen`, (N,) bool, selects the K that get a layout. With it, "reset_mask" is an option, too.
    """
    check_option_names(options, ("layout",) if chosen is None else ("layout", "reset_mask"))
    if not options or "layout" not in options:
        return None
    shape = (config.rows, config.cols)
    layout = np.asarray(options["layout"])
    if layout.shape not in (shape, (count, *shape)) or layout.dtype != np.bool_:
        raise ValueError(f"layout must be a bool array of shape {shape}, not {layout.dtype} {layout.shape}")
    layouts = np.broadcast_to(layout, (count, *shape))[slice(None) if chosen is None else chosen]
    mine_counts = layouts.sum(axis=(1, 2))
    if (mine_counts != config.mines).any():
        raise ValueError(f"layout must have {config.mines} mines, not {mine_counts[mine_counts != config.mines][0]}")
    return layouts


def generator_state(np_random: np.random.Generator) -> np.uint64:
    """Draws the state of a game's own SplitMix64 generator, the only source of that game's randomness."""
    return np_random.integers(1 << 64, dtype=np.uint64)
