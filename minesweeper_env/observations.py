"""Encodings of an observation: cell codes, one-hot planes, and the planes as one vector."""

import math
from typing import Any

import numpy as np
from gymnasium.spaces import Box
from numpy.typing import ArrayLike, NDArray

from minesweeper_env.config import BoardConfig, check_config, one_of
from minesweeper_env.threads import ThreadPool, split

__all__ = ["ENCODINGS", "Encoder"]

ENCODINGS: tuple[str, ...] = ("codes", "planes", "flat")
"""The names of the encodings; `Encoder` explains them."""

_PART = 1 << 19
"""Elements of the planes that one task fills: few enough for its temporary arrays to stay in the processor's cache."""

_ONE_THREAD = ThreadPool()


class Encoder:
    """Turns the codes of N boards into observations.

    C is the number of codes, 13 at radius 1.

    | encoding | dtype   | shape              | values                                     |
    |----------|---------|--------------------|--------------------------------------------|
    | "codes"  | int8    | (rows, cols)       | the codes                                  |
    | "planes" | float32 | (C, rows, cols)    | plane c is 1.0 where a cell shows code c   |
    | "flat"   | float32 | (C * rows * cols,) | the planes in one row                      |

    Filling "planes" or "flat" takes longer than a step of the game. For speed, use "codes" and expand them on the
    learner's device.
    """

    def __init__(self, encoding: str, config: BoardConfig) -> None:
        """Builds the space of one observation; raises a ValueError unless `encoding` is one of `ENCODINGS`."""
        self.encoding = one_of("observation", encoding, ENCODINGS)
        self._num_codes, self._shape = check_config(config).codes.mine + 1, (config.rows, config.cols)
        planes = (self._num_codes, *self._shape)
        self.space: Box[Any] = Box(0.0, 1.0, planes if encoding == "planes" else (math.prod(planes),), np.float32)
        if encoding == "codes":
            self.space = Box(0, config.codes.mine, self._shape, np.int8)

    def encode(self, codes: ArrayLike, pool: ThreadPool | None = None) -> NDArray[Any]:
        """Returns the observations, (N, *space.shape), of N boards of codes; the threads of `pool` share the boards."""
        boards = np.asarray(codes, np.int8).reshape(-1, *self._shape)
        if self.encoding == "codes":
            return boards
        planes = np.empty((len(boards), self._num_codes, *self._shape), np.float32)
        plane_codes = np.arange(self._num_codes, dtype=np.int8)[:, None, None]

        def fill(part: slice) -> None:
            planes[part] = boards[part, None] == plane_codes  # 1.0 where a board shows the code of the plane

        (pool or _ONE_THREAD).run(fill, split(len(boards), planes.size // _PART))
        return planes.reshape(len(boards), *self.space.shape)

    def decode(self, observations: ArrayLike) -> NDArray[np.int8]:
        """Returns the codes, (N, rows, cols) int8, of N encoded observations; raises a ValueError for other sizes."""
        batch = np.asarray(observations)
        if self.encoding == "codes":
            return batch.reshape(len(batch), *self._shape).astype(np.int8, copy=False)
        return batch.reshape(len(batch), self._num_codes, *self._shape).argmax(axis=1).astype(np.int8)
