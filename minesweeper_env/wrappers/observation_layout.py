"""Placement of mine probabilities in an observation: as an entry of a dict, as a plane, or not at all."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.spaces import Box, Dict, Space
from numpy.typing import NDArray

from minesweeper_env.config import BoardConfig

PLACES: tuple[str, ...] = ("info", "dict", "plane")
"""The places that `MineProbabilities` explains."""

UNKNOWN = -1.0
"""The value of an unknown probability in an observation; info holds NaN."""


class ObservationLayout:
    """Layout of an observation that holds mine probabilities."""

    def __init__(
        self, place: str, space: Space[Any], config: BoardConfig, observation_key: str, probability_key: str
    ) -> None:
        """Builds the space of one observation, as `MineProbabilities` describes the arguments."""
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
        # UNKNOWN, the lower bound, is not a probability, but a possible value.
        return Dict({**parts, self._probability_key: Box(UNKNOWN, 1.0, (config.rows, config.cols), np.float32)})

    def join(self, observation: Any, probabilities: NDArray[np.float64]) -> Any:
        """Returns an observation, or N observations, with the probabilities (..., rows, cols)."""
        if self._name == "info":
            return observation
        known = np.nan_to_num(probabilities, nan=UNKNOWN).astype(np.float32)
        if self._name == "plane":
            return np.concatenate([observation, known[..., None, :, :]], axis=-3)
        parts = observation if isinstance(observation, dict) else {self._observation_key: observation}
        return {**parts, self._probability_key: known}


def _with_a_plane(space: Space[Any], config: BoardConfig) -> Box[Any]:
    board = (config.rows, config.cols)
    if not isinstance(space, Box) or space.shape[1:] != board or space.dtype != np.float32:
        raise ValueError('place "plane" needs an environment with observation="planes"')
    low, high = (np.full((1, *board), bound, np.float32) for bound in (UNKNOWN, 1.0))
    return Box(np.concatenate([space.low, low]), np.concatenate([space.high, high]), dtype=np.float32)
