"""Wrappers of single and vector environments: the action mask and exact mine probabilities in the observation."""

from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Dict, MultiBinary, Space
from gymnasium.vector import VectorEnv, VectorWrapper
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from minesweeper_env.config import BoardConfig, one_of
from minesweeper_env.env import MinesweeperEnv
from minesweeper_env.inference.oracle import Answers, Oracle
from minesweeper_env.observations import Encoder
from minesweeper_env.vector_env import MinesweeperVectorEnv

__all__ = ["CONVENTIONS", "PLACES", "UNKNOWN", "ActionMaskObservation", "MineProbabilities", "VectorMineProbabilities"]

CONVENTIONS: dict[str, tuple[str, str, str, str | None]] = {
    "pettingzoo": ("observation", "action_mask", "int8", None),
    "torchrl": ("observation", "action_mask", "bool", None),
    "rllib": ("observations", "action_mask", "float32", "float32"),
    "tianshou": ("obs", "mask", "bool", None),
}
"""How a library reads a mask: keys of the observation and of the mask, dtypes of the mask and of the observation.

Without a dtype the observation keeps its own.
"""

PLACES: tuple[str, ...] = ("info", "dict", "plane")
"""The places that `MineProbabilities` explains."""

UNKNOWN = -1.0
"""The value of an unknown probability in an observation; info holds NaN."""


class ActionMaskObservation(gymnasium.Wrapper[Any, Any, Any, Any], gymnasium.utils.RecordConstructorArgs):
    """Turns the observation into a dict of the observation and the action mask.

    The observation space becomes a `Dict` of two spaces. The mask's space is `MultiBinary` for int8, and a
    `Box` of 0 and 1 for other dtypes. Info keeps its mask.
    """

    def __init__(self, env: gymnasium.Env[Any, Any], convention: str = "pettingzoo") -> None:
        """Wraps an environment whose info holds "action_mask", as in every Minesweeper environment.

        Args:
            env: the environment, with a `Box` observation space and a `Discrete` action space.
            convention: "pettingzoo", "torchrl", "rllib" or "tianshou".

        Raises:
            ValueError: the convention is unknown, the spaces are of other types, or the environment has no masks.
        """
        gymnasium.utils.RecordConstructorArgs.__init__(self, convention=convention)
        super().__init__(env)
        names = CONVENTIONS[one_of("convention", convention, CONVENTIONS)]
        self.observation_key, self.mask_key, mask_dtype, dtype = names
        if not isinstance(env.observation_space, Box) or not isinstance(env.action_space, gymnasium.spaces.Discrete):
            raise ValueError("the environment must have a Box observation space and a Discrete action space")
        if not env.has_wrapper_attr("action_masks"):
            raise ValueError(f"the environment must have action masks, as a Minesweeper environment has, not {env!r}")
        box, actions = env.observation_space, int(env.action_space.n)
        self._mask_dtype, self._dtype = np.dtype(mask_dtype), np.dtype(dtype or box.dtype)
        mask_box = Box(0, 1, (actions,), self._mask_dtype.type)
        mask_space = MultiBinary(actions) if self._mask_dtype == np.int8 else mask_box
        space = Box(box.low.astype(self._dtype), box.high.astype(self._dtype), dtype=self._dtype.type)
        self.observation_space = Dict({self.observation_key: space, self.mask_key: mask_space})

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
            self.observation_key: observation.astype(self._dtype),
            self.mask_key: info["action_mask"].astype(self._mask_dtype),
        }


class _WithProbabilities(gymnasium.utils.RecordConstructorArgs):
    """Base of the wrappers of a single and of a vector environment."""

    env: Any

    def _prepare(self, config: BoardConfig, space: Space[Any], threads: int = 1) -> Space[Any]:
        """Makes the oracle, and returns the space of an observation with its probabilities."""
        self._place, self._overlay = self._saved_kwargs["place"], self._saved_kwargs["overlay"]
        self._oracle = Oracle(config, threads)
        if one_of("place", self._place, PLACES) == "info":
            return space
        if self._place == "plane":
            return _with_plane(space, config)
        parts = dict(space.spaces) if isinstance(space, Dict) else {"observation": space}
        # The lower bound is UNKNOWN, -1.0, which stands for a probability that the oracle could not compute.
        return Dict({**parts, "mine_probability": Box(UNKNOWN, 1.0, (config.rows, config.cols), np.float32)})

    @property
    def _bare(self) -> Any:
        return self.env.unwrapped  # not stored, because a copy of the wrapper may get another `env`

    def _set_overlay(self) -> None:
        """Gives the environment the oracle whose probabilities `render` shows, or none without `overlay`."""
        self._bare.ask_oracle = self._oracle.ask if self._overlay else None

    def render(self) -> Any:
        """Returns the environment's rendering, with the probabilities if `overlay` is set."""
        self._set_overlay()
        return self.env.render()

    def _join(self, observation: Any, probabilities: NDArray[np.float64]) -> Any:
        """Returns an observation, or N of them, with the probabilities, (rows, cols) or (N, rows, cols) float64."""
        if self._place == "info":
            return observation
        values = np.nan_to_num(probabilities, nan=UNKNOWN).astype(np.float32)
        if self._place == "plane":
            return np.concatenate([observation, values[..., None, :, :]], axis=-3)
        parts = observation if isinstance(observation, dict) else {"observation": observation}
        return {**parts, "mine_probability": values}


def _with_plane(space: Space[Any], config: BoardConfig) -> Space[Any]:
    board = (config.rows, config.cols)
    if not isinstance(space, Box) or space.shape[1:] != board or space.dtype != np.float32:
        raise ValueError('place "plane" needs an environment with observation="planes"')
    low, high = (np.full((1, *board), bound, np.float32) for bound in (UNKNOWN, 1.0))
    return Box(np.concatenate([space.low, low]), np.concatenate([space.high, high]), dtype=np.float32)


class MineProbabilities(_WithProbabilities, gymnasium.Wrapper[Any, Any, Any, Any]):
    """Adds the exact mine probability of each cell, inferred from the visible board alone.

    At every reset and step info has two more keys:

    | key | |
    |---|---|
    | mine_probability | float64 (rows, cols), 0.0 on open cells; NaN where unknown |
    | mine_probability_exact | bool, whether all of them are known |

    All layouts that fit the board count as equally likely. Before the first click every cell therefore has the
    probability mines / cells. If a position is too hard for the oracle, the probabilities of its covered cells are
    unknown. On a lost board the flags have unknown probabilities if some are right and others wrong.

    `place` selects where else the probabilities appear:

    | place | observation |
    |---|---|
    | "info" | unchanged |
    | "dict" | a `Dict` with "mine_probability", a float32 `Box` (rows, cols); it joins an existing `Dict` |
    | "plane" | the planes, with a last plane of probabilities |

    In an observation -1.0 stands for an unknown probability.
    """

    def __init__(self, env: gymnasium.Env[Any, Any], place: str = "info", *, overlay: bool = False) -> None:
        """Wraps a `MinesweeperEnv`, bare or wrapped.

        Args:
            env: the environment, with first click "opening", "safe" or "any".
            place: "info", "dict" or "plane".
            overlay: whether `render` shows the probabilities, in every render mode.

        Raises:
            ValueError: the environment is of another kind, or its first-click rule or its observation does not suit.
        """
        gymnasium.utils.RecordConstructorArgs.__init__(self, place=place, overlay=overlay)
        gymnasium.Wrapper.__init__(self, env)
        bare = env.unwrapped
        if not isinstance(bare, MinesweeperEnv):
            raise ValueError(f"the environment must be a MinesweeperEnv, wrapped or not, not {bare!r}")
        self.observation_space = self._prepare(bare.config, env.observation_space)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Starts a new game; returns the environment's observation and info, with the probabilities."""
        self._set_overlay()
        return self._add(*self.env.reset(seed=seed, options=options))

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Makes a move; returns the values of the environment's step, with the probabilities."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        observation, info = self._add(observation, info)
        return observation, float(reward), terminated, truncated, info

    def action_masks(self) -> NDArray[np.bool_]:
        """Returns (actions,) bool, True for each legal action."""
        return self.env.get_wrapper_attr("action_masks")()

    def _add(self, observation: Any, info: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        answers = self._oracle.ask(self._bare.get_state()["codes"][None])
        probabilities, exact = answers.probabilities[0], bool(answers.exact[0])
        info = {**info, "mine_probability": probabilities, "mine_probability_exact": exact}
        return self._join(observation, probabilities), info


class VectorMineProbabilities(_WithProbabilities, VectorWrapper):
    """Adds the keys of `MineProbabilities` to the batched environment, with a first axis of length N.

    With `AutoresetMode.SAME_STEP`, "final_obs" and "final_info" hold the probabilities of the final boards.
    """

    def __init__(
        self, env: VectorEnv[Any, Any, Any], place: str = "info", *, overlay: bool = False, threads: int = 1
    ) -> None:
        """Wraps a `MinesweeperVectorEnv`, such as `gymnasium.make_vec` returns, whose observations no wrapper changed.

        The arguments and errors are those of `MineProbabilities`; `threads` threads share the games.
        """
        gymnasium.utils.RecordConstructorArgs.__init__(self, place=place, overlay=overlay, threads=threads)
        VectorWrapper.__init__(self, env)
        bare = env.unwrapped
        if not isinstance(bare, MinesweeperVectorEnv) or env.single_observation_space != bare.single_observation_space:
            raise ValueError(
                "the environment must be a MinesweeperVectorEnv with unchanged observations, "
                f"not {env!r}; in other vector environments wrap each game with MineProbabilities"
            )
        self._encoder = Encoder(bare.observation, bare.config)
        self.single_observation_space = self._prepare(bare.config, env.single_observation_space, threads)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Starts new games; returns the environment's observations and infos, with the probabilities."""
        self._set_overlay()
        observations, infos = self.env.reset(seed=seed, options=options)
        answers = self._oracle.ask(self._encoder.decode(observations))
        return self._join(observations, answers.probabilities), _annotate(infos, answers, infos["_action_mask"])

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Makes a move in each game; returns the values of the environment's step, with the probabilities."""
        observations, rewards, terminations, truncations, infos = self.env.step(actions)
        if "final_obs" in infos:
            infos = self._add_to_final(infos)
        answers = self._oracle.ask(self._encoder.decode(observations))
        observations = self._join(observations, answers.probabilities)
        return observations, rewards, terminations, truncations, _annotate(infos, answers, infos["_action_mask"])

    def sample_actions(self) -> NDArray[np.int64]:
        """Draws one legal action for each game, as `MinesweeperVectorEnv.sample_actions` does."""
        return self._bare.sample_actions()

    def action_masks(self) -> NDArray[np.bool_]:
        """Returns (N, actions) bool, True for each legal action."""
        return self._bare.action_masks()

    def _add_to_final(self, infos: dict[str, Any]) -> dict[str, Any]:
        """Returns the infos of a SAME_STEP step with the probabilities of the final boards."""
        ended, final_observations = infos["_final_obs"], infos["final_obs"].copy()
        observations = np.stack(list(final_observations[ended]))
        final = self._oracle.ask(self._encoder.decode(observations))
        for i, observation, probabilities in zip(np.flatnonzero(ended), observations, final.probabilities, strict=True):
            final_observations[i] = self._join(observation, probabilities)
        # From the ended games to all N: the others get zeros.
        answers = Answers(np.zeros((self.num_envs, *final.probabilities.shape[1:])), np.zeros(self.num_envs, np.bool_))
        answers.probabilities[ended], answers.exact[ended] = final
        return {**infos, "final_obs": final_observations, "final_info": _annotate(infos["final_info"], answers, ended)}


def _annotate(infos: dict[str, Any], answers: Answers, chosen: NDArray[np.bool_]) -> dict[str, Any]:
    """Returns infos with the oracle's answers for N games; `_key` is True for the `chosen` games, (N,) bool."""
    added = {"mine_probability": answers.probabilities, "mine_probability_exact": answers.exact}
    return {**infos, **added, **{f"_{key}": chosen.copy() for key in added}}
