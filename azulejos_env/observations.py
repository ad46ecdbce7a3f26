"""Encodings of an observation: the colours of the cells, and one-hot planes with the difference of the scores."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.spaces import Box
from numpy.typing import NDArray

from azulejos_env.config import GameConfig
from minesweeper_env.threads import ThreadPool, split

__all__ = ["ENCODINGS", "Encoder"]

ENCODINGS: tuple[str, ...] = ("codes", "planes")
"""The names of the encodings; `Encoder` explains them."""

_PART = 1 << 19
"""Elements of planes that are filled at a time, so that what is computed in between stays in the processor's cache."""

_ALONE = ThreadPool()


class Encoder:
    """Turns N boards into observations.

    | encoding | dtype   | shape                     | values                                                 |
    |----------|---------|---------------------------|--------------------------------------------------------|
    | "codes"  | int8    | (rows, cols)              | 0 for an empty cell, 1 to `colours` for a tile         |
    | "planes" | float32 | (colours + 2, rows, cols) | plane c is 1.0 where a cell has code c; the last plane |
    |          |         |                           | is tanh(difference of the scores / number of cells)    |
    """

    def __init__(self, encoding: str, config: GameConfig) -> None:
        """Builds the space of one observation.

        Raises:
            ValueError: `encoding` is not "codes" or "planes".
        """
        if encoding not in ENCODINGS:
            raise ValueError(f"observation must be one of {', '.join(ENCODINGS)}, not {encoding!r}")
        self.encoding = encoding
        self.space: Box[Any]
        self._config = config
        if encoding == "codes":
            self.space = Box(0, config.colours, (config.rows, config.cols), np.int8)
        else:
            shape = (config.colours + 2, config.rows, config.cols)
            low = np.zeros(shape, np.float32)
            low[-1] = -1.0
            self.space = Box(low, np.ones(shape, np.float32), shape, np.float32)

    def encode(
        self, boards: NDArray[np.int8], leads: NDArray[np.int64], pool: ThreadPool | None = None
    ) -> NDArray[Any]:
        """Returns the observations, (N, *space.shape).

        Args:
            boards: (N, cells) int8.
            leads: (N,), the scores of the agents minus those of their opponents.
            pool: divides the boards.
        """
        config = self._config
        shaped = boards.reshape(-1, config.rows, config.cols)
        if self.encoding == "codes":
            return shaped
        planes = np.empty((len(shaped), *self.space.shape), np.float32)
        codes = np.arange(config.colours + 1, dtype=np.int8)[:, None, None]

        def fill(part: slice) -> None:
            planes[part, :-1] = shaped[part, None] == codes
            planes[part, -1] = np.tanh(leads[part] / config.cells)[:, None, None]

        (pool or _ALONE).run(fill, split(len(shaped), planes.size // _PART))
        return planes
