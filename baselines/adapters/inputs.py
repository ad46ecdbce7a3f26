"""Input of a model: boards in the encoding of the observation space that it was trained on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from gymnasium.spaces import Box, Dict, MultiBinary, Space
from numpy.typing import NDArray

from baselines.support.board_names import size_name
from minesweeper_env.config import BoardConfig
from minesweeper_env.observations import ENCODINGS, Encoder

Input = Callable[[NDArray[np.int8], NDArray[np.bool_]], Any]
"""A function of boards (N, rows, cols) int8 and masks (N, actions) bool that returns N observations."""


def input_of(space: Space[Any], config: BoardConfig, owner: str) -> Input:
    """Returns the function that makes the observations of a space.

    Args:
        space: a `Box` of codes, planes or flat planes, of any number type; or a `Dict` of such a `Box` and a mask.
        config: the board.
        owner: the model in words, for the error.

    Raises:
        ValueError: the space has none of these forms; the message names them.
    """
    if not isinstance(space, Dict):
        return _part_of(space, config, owner)
    parts = {key: _part_of(part, config, f"{owner}, key {key!r},") for key, part in space.spaces.items()}
    return lambda boards, masks: {key: make(boards, masks) for key, make in parts.items()}


def _part_of(space: Space[Any], config: BoardConfig, owner: str) -> Input:
    shape, dtype = space.shape, space.dtype
    if _is_mask(space, config):
        return lambda _, masks: masks.astype(dtype)
    encoding = _encoding_of(space, config)
    if encoding is None or shape is None:
        raise ValueError(
            f"{owner} was trained on observations {space}, which are none of {', '.join(ENCODINGS)} on "
            f"{size_name(config.rows, config.cols)}: {_shapes(config)}"
        )
    encode = Encoder(encoding, config).encode
    return lambda boards, _: encode(boards).reshape(len(boards), *shape).astype(dtype)


def _is_mask(space: Space[Any], config: BoardConfig) -> bool:
    """Returns whether a space holds one truth value per action, as in the conventions of `ActionMaskObservation`."""
    if space.shape != (config.actions,):
        return False
    return isinstance(space, MultiBinary) or (isinstance(space, Box) and bool((space.high == 1).all()))


def _encoding_of(space: Space[Any], config: BoardConfig) -> str | None:
    """Returns the encoding with the shape and the range of a space, or None if there is none."""
    if not isinstance(space, Box):
        return None
    rows, cols, planes = config.rows, config.cols, config.codes.mine + 1
    if bool((space.high >= config.codes.mine).all()):
        return "codes" if space.shape in ((rows, cols), (1, rows, cols), (config.cells,)) else None
    return {(planes, rows, cols): "planes", (planes * config.cells,): "flat"}.get(space.shape)


def _shapes(config: BoardConfig) -> str:
    shapes = (Encoder(encoding, config).space.shape for encoding in ENCODINGS)
    return ", ".join(str(shape) for shape in shapes)
