"""Methods and attributes of the single games in a batch, under the names of `gymnasium.vector.SyncVectorEnv`."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.vector import VectorEnv
from numpy.typing import NDArray

SHARED_ATTRIBUTES = ("config", "render_mode", "metadata", "spec", "reward", "observation")
"""The attributes that `get_attr` returns once per game, since all games share them."""

CALLS = ("action_masks", "get_state", "render")
"""The methods of a single environment that `call` makes for each game of a batch."""


def final_results(
    observations: NDArray[Any], infos: dict[str, NDArray[Any]], ended: NDArray[np.bool_]
) -> dict[str, Any]:
    """Returns the entries of a SAME_STEP info that hold the last observations and infos of the games that ended.

    Args:
        observations: (K, ...) the last observations of these K games; the result holds views of the array.
        infos: the info of the step that ended them.
        ended: (N,) bool, True for these games.
    """
    final_observations = np.full(len(ended), None, dtype=object)
    for i, observation in zip(np.flatnonzero(ended).tolist(), observations, strict=True):
        final_observations[i] = observation
    final_infos = {}
    for key, value in infos.items():
        final_infos[key] = np.zeros_like(value)
        final_infos[key][ended] = value[ended]
    final = {"final_obs": final_observations, "final_info": final_infos}
    return final | {f"_{key}": ended.copy() for key in final}


class BatchCalls(VectorEnv[NDArray[Any], NDArray[np.int64], NDArray[Any]]):
    """Adds `call`, `get_attr` and `set_attr` to the batched environment."""

    def action_masks(self) -> NDArray[np.bool_]:
        """Returns (N, actions) bool."""
        raise NotImplementedError

    def get_state(self) -> dict[str, NDArray[Any]]:
        """Returns the games in progress as arrays."""
        raise NotImplementedError

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Calls a method for each game, or returns an attribute of each, as `gymnasium.vector.SyncVectorEnv` does.

        Args:
            name: "action_masks", "get_state" or "render", or an attribute that `get_attr` takes.
            *args: none; these methods take no arguments.
            **kwargs: none.

        Returns:
            N results, in the form that `MinesweeperEnv` has for one game.

        Raises:
            AttributeError: games in a batch have no such method or attribute; the message lists those they have.
            TypeError: an argument is given.
        """
        if name not in CALLS:
            return self.get_attr(name)
        if args or kwargs:
            raise TypeError(f"{name} takes no arguments")
        if name == "render":
            return self.render() or (None,) * self.num_envs
        if name == "action_masks":
            return tuple(self.action_masks())
        saved = {key: value for key, value in self.get_state().items() if key != "sampler"}
        return tuple({key: value[i] for key, value in saved.items()} for i in range(self.num_envs))

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """Returns an attribute once per game; all games share it.

        Raises:
            AttributeError: games in a batch have no such attribute; the message lists those they have.
        """
        spaces = {"observation_space": self.single_observation_space, "action_space": self.single_action_space}
        if name in spaces:
            return (spaces[name],) * self.num_envs
        if name in SHARED_ATTRIBUTES:
            return (getattr(self, name),) * self.num_envs
        if name in CALLS:
            return self.call(name)
        allowed = ", ".join((*CALLS, *SHARED_ATTRIBUTES, *spaces))
        raise AttributeError(f"games in a batch have no {name!r}; call and get_attr take {allowed}")

    def set_attr(self, name: str, values: Any) -> None:  # noqa: ARG002 - the signature is Gymnasium's
        """Raises an error, since all games share one configuration.

        Raises:
            AttributeError: always.
        """
        raise AttributeError(f"all games share one {name!r}; make another environment to change it")
