"""Wrapper that puts the action mask into the observation, under the keys that each learning library expects."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Dict, MultiBinary, Space
from numpy.typing import DTypeLike, NDArray

CONVENTIONS: dict[str, tuple[str, str, str, str | None]] = {
    "pettingzoo": ("observation", "action_mask", "int8", None),
    "torchrl": ("observation", "action_mask", "bool", None),
    "rllib": ("observations", "action_mask", "float32", "float32"),
    "tianshou": ("obs", "mask", "bool", None),
}
"""How a library reads a mask: keys of the observation and of the mask, dtypes of the mask and of the observation.

Without a dtype the observation keeps its own.
"""


class ActionMaskObservation(
    gymnasium.Wrapper[Any, Any, Any, Any],
    gymnasium.utils.RecordConstructorArgs,
):
    """Turns the observation into a dict of the observation and the action mask.

    The observation space becomes a `Dict` of two spaces. The observation's space has the requested dtype. The mask's
    space is `MultiBinary` for int8, and a `Box` of 0 and 1 for other dtypes. Info keeps its mask.
    """

    def __init__(
        self,
        env: gymnasium.Env[Any, Any],
        convention: str = "pettingzoo",
        *,
        observation_key: str | None = None,
        mask_key: str | None = None,
        mask_dtype: DTypeLike | None = None,
        observation_dtype: DTypeLike | None = None,
    ) -> None:
        """Wraps an environment whose info holds "action_mask", as in every Minesweeper environment.

        Args:
            env: the environment, with a `Box` observation space and a `Discrete` action space.
            convention: "pettingzoo", "torchrl", "rllib" or "tianshou".
            observation_key: replaces the convention's key of the observation.
            mask_key: replaces the convention's key of the mask.
            mask_dtype: replaces the convention's dtype of the mask.
            observation_dtype: replaces the convention's dtype of the observation.

        Raises:
            ValueError: the convention is unknown, both keys are equal, or the spaces are of other types.
        """
        gymnasium.utils.RecordConstructorArgs.__init__(
            self,
            convention=convention,
            observation_key=observation_key,
            mask_key=mask_key,
            mask_dtype=mask_dtype,
            observation_dtype=observation_dtype,
        )
        super().__init__(env)
        if convention not in CONVENTIONS:
            raise ValueError(f"convention must be one of {', '.join(CONVENTIONS)}, not {convention!r}")
        if not isinstance(env.observation_space, Box) or not isinstance(env.action_space, gymnasium.spaces.Discrete):
            raise ValueError("the environment must have a Box observation space and a Discrete action space")
        own_key, own_mask_key, own_mask_dtype, own_dtype = CONVENTIONS[convention]
        self.observation_key, self.mask_key = observation_key or own_key, mask_key or own_mask_key
        if self.observation_key == self.mask_key:
            raise ValueError(f"the observation and the mask need different keys, not both {self.mask_key!r}")
        box, actions = env.observation_space, int(env.action_space.n)
        self._mask_dtype = np.dtype(mask_dtype or own_mask_dtype)
        self._observation_dtype = dtype = np.dtype(observation_dtype or own_dtype or box.dtype)
        mask_box = Box(0, 1, (actions,), self._mask_dtype.type)
        spaces: dict[str, Space[Any]] = {
            self.observation_key: Box(box.low.astype(dtype), box.high.astype(dtype), dtype=dtype.type),
            self.mask_key: MultiBinary(actions) if self._mask_dtype == np.int8 else mask_box,
        }
        self.observation_space = Dict(spaces)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """Starts a new game; returns the dict observation and the info."""
        observation, info = self.env.reset(seed=seed, options=options)
        return self._join(observation, info), info

    def step(self, action: Any) -> tuple[dict[str, NDArray[Any]], float, bool, bool, dict[str, Any]]:
        """Makes a move; returns the values of the environment's step, with the dict observation."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        return self._join(observation, info), float(reward), terminated, truncated, info

    def action_masks(self) -> NDArray[np.bool_]:
        """Returns (actions,) bool, True for each legal action."""
        return self.env.get_wrapper_attr("action_masks")()

    def _join(self, observation: NDArray[Any], info: dict[str, Any]) -> dict[str, NDArray[Any]]:
        return {
            self.observation_key: observation.astype(self._observation_dtype),
            self.mask_key: info["action_mask"].astype(self._mask_dtype),
        }
