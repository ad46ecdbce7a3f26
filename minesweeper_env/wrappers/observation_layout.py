"""Where the mine probabilities are in an observation: nowhere, beside it, or in a plane of their own."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.spaces import Box, Dict, Space
from numpy.typing import NDArray

from minesweeper_env.config import BoardConfig

PLACES: tuple[str, ...] = ("info", "dict", "plane")
NOT_KNOWN = -1.0
"""What an observation holds in place of a probability that is not known; info holds NaN."""


class Placement:
    """Where in an observation the probabilities are."""

    def __init__(
        self, place: str, space: Space[Any], config: BoardConfig, observation_key: str, probability_key: str
    ) -> None:
        """Finds the space of the observation of one game."""
        self._name = place
        self._observation_key = observation_key
        self._probability_key = probability_key
        if place == "info":
            self.space = space
        elif place == "dict":
            self.space = self._dict_space(space, config)
        elif place == "plane":
            self.space = _with_a_plane(space, config)
        else:
            raise ValueError(f"place must be one of {', '.join(PLACES)}, not {place!r}")

    def _dict_space(self, space: Space[Any], config: BoardConfig) -> Dict:
        parts = dict(space.spaces) if isinstance(space, Dict) else {self._observation_key: space}
        if self._probability_key in parts:
            raise ValueError(f"the probabilities need a key of their own, not {self._probability_key!r}")
        # NOT_KNOWN is no probability, but may be there.
        return Dict({**parts, self._probability_key: Box(NOT_KNOWN, 1.0, (config.rows, config.cols), np.float32)})

    def join(self, observation: Any, probabilities: NDArray[np.float64]) -> Any:
        """Returns an observation, or those of N games, with the probabilities (..., rows, cols)."""
        if self._name == "info":
            return observation
        known = np.nan_to_num(probabilities, nan=NOT_KNOWN).astype(np.float32)
        if self._name == "plane":
            return np.concatenate([observation, known[..., None, :, :]], axis=-3)
        parts = observation if isinstance(observation, dict) else {self._observation_key: observation}
        return {**parts, self._probability_key: known}


def _with_a_plane(space: Space[Any], config: BoardConfig) -> Box[Any]:
    board = (config.rows, config.cols)
    if not isinstance(space, Box) or space.shape[1:] != board or space.dtype != np.float32:
        raise ValueError('place "plane" needs an environment with observation="planes"')
    low, high = (np.full((1, *board), bound, np.float32) for bound in (NOT_KNOWN, 1.0))
    return Box(np.concatenate([space.low, low]), np.concatenate([space.high, high]), dtype=np.float32)
