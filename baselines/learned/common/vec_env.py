"""The batched environment as a `VecEnv` of Stable-Baselines3: one compiled call per step."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices

from baselines.learned.common.budget import Clock
from minesweeper_env.config import BoardConfig
from minesweeper_env.rewards import Reward
from minesweeper_env.vector_env import MinesweeperVectorEnv


class MinesweeperVecEnv(VecEnv):
    """N games as a `VecEnv`, with the method `action_masks` that sb3-contrib calls.

    Observations are int8 codes. A finished game is replaced in the same step. The info of that step then holds
    "terminal_observation", "TimeLimit.truncated", "is_success" and "episode". The last one holds the return "r", the
    steps "l" and the seconds since the start "t". All other infos share one empty dict: a thousand dicts per step would
    take longer than the games.

    Args:
        config: the board and the rules.
        num_envs: N, at least 1.
        reward: a name in `minesweeper_env.rewards.REWARDS`, or a callable.

    Attributes:
        config: the board and the rules.
        clock: counts time within steps as "environment" and time between steps as "inference".

    Raises:
        ValueError: an argument has a value that is not allowed; the message says which values are.
    """

    def __init__(self, config: BoardConfig, num_envs: int, reward: str | Reward = "win_loss") -> None:
        """Makes the environment; `reset` starts the games."""
        self.games = MinesweeperVectorEnv.of_config(
            config, num_envs, reward=reward, autoreset_mode=AutoresetMode.SAME_STEP
        )
        super().__init__(num_envs, self.games.single_observation_space, self.games.single_action_space)
        self.config = config
        self.clock = Clock()
        self.returns = np.zeros(num_envs)
        self.lengths = np.zeros(num_envs, np.int64)
        self._actions = np.zeros(num_envs, np.int64)
        self._started = time.monotonic()

    def reset(self) -> NDArray[np.int8]:
        """Starts N games with the seeds and options set before; returns the codes (N, rows, cols) int8."""
        seeds = None if None in self._seeds else self._seeds
        codes, info = self.games.reset(seed=seeds, options=self._batched_options())
        self._masks = info["action_mask"]
        self.returns[:] = 0
        self.lengths[:] = 0
        self.reset_infos = [{}] * self.num_envs
        self._reset_seeds()
        self._reset_options()
        return codes

    def _batched_options(self) -> dict[str, Any] | None:
        if not any(self._options):
            return None
        return {key: np.stack([options[key] for options in self._options]) for key in self._options[0]}

    def step_async(self, actions: NDArray[np.int64]) -> None:
        """Stores the (N,) actions for `step_wait`."""
        self._actions = actions

    def step_wait(self) -> tuple[NDArray[np.int8], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Makes the step.

        Returns:
            codes: (N, rows, cols) int8.
            rewards: (N,) float32.
            dones: (N,) bool, True where a game ended.
            infos: N dicts; see the class.
        """
        self.clock.lap("inference")
        codes, rewards, terminations, truncations, info = self.games.step(self._actions)
        self._masks = info["action_mask"]
        self.returns += rewards
        self.lengths += 1
        ended = terminations | truncations
        infos: list[dict[str, Any]] = [{}] * self.num_envs
        for index in np.flatnonzero(ended):
            infos[index] = self._last_info(index, info, bool(truncations[index] and not terminations[index]))
        self.returns[ended] = 0
        self.lengths[ended] = 0
        self.clock.lap("environment")
        return codes, rewards.astype(np.float32), ended, infos

    def _last_info(self, index: np.intp, info: dict[str, Any], truncated: bool) -> dict[str, Any]:
        seconds = round(time.monotonic() - self._started, 6)
        return {
            "terminal_observation": info["final_obs"][index],
            "TimeLimit.truncated": truncated,
            "is_success": bool(info["final_info"]["is_success"][index]),
            "episode": {"r": float(self.returns[index]), "l": int(self.lengths[index]), "t": seconds},
        }

    def action_masks(self) -> NDArray[np.bool_]:
        """Returns (N, actions) bool, True for each legal action."""
        return self._masks.astype(np.bool_)

    def get_state(self) -> dict[str, NDArray[Any]]:
        """Returns the state of the games and their statistics as arrays, for `set_state`."""
        return {**self.games.get_state(), "returns": self.returns.copy(), "lengths": self.lengths.copy()}

    def set_state(self, state: dict[str, NDArray[Any]]) -> NDArray[np.int8]:
        """Restores what `get_state` returned, and returns the codes (N, rows, cols) int8.

        Raises:
            ValueError: the state is damaged, or belongs to other games.
        """
        games = dict(state)
        self.returns, self.lengths = games.pop("returns").copy(), games.pop("lengths").copy()
        self.games.set_state(games)
        self._masks = self.games.action_masks()
        return np.array(state["codes"], np.int8)

    def close(self) -> None:
        """Closes the environment."""
        self.games.close()

    def get_images(self) -> Sequence[NDArray[np.uint8] | None]:
        """Returns None for each game; a batch draws no pictures."""
        return [None] * self.num_envs

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """Returns the attribute once per game of `indices`; all games share it."""
        source = self if attr_name == "action_masks" else self.games
        return [getattr(source, attr_name)] * len(list(self._get_indices(indices)))

    def has_attr(self, attr_name: str) -> bool:
        """Returns whether the games have the attribute."""
        return attr_name == "action_masks" or hasattr(self.games, attr_name)

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Raises an error.

        Raises:
            NotImplementedError: always, since all games are one object.
        """
        raise NotImplementedError("all games are one object; make another environment to change an attribute")

    def env_method(
        self,
        method_name: str,
        *method_args: Any,  # noqa: ARG002 - the signature is Stable-Baselines3's
        indices: VecEnvIndices = None,
        **method_kwargs: Any,  # noqa: ARG002
    ) -> list[Any]:
        """Calls "action_masks" for the games of `indices`.

        Raises:
            AttributeError: `method_name` is another one; single games have no methods.
        """
        if method_name != "action_masks":
            raise AttributeError(f"the only method of games in a batch is action_masks, not {method_name}")
        return list(self.action_masks()[list(self._get_indices(indices))])

    def env_is_wrapped(
        self,
        wrapper_class: type[gymnasium.Wrapper],  # noqa: ARG002
        indices: VecEnvIndices = None,
    ) -> list[bool]:
        """Returns False for each game of `indices`."""
        return [False] * len(list(self._get_indices(indices)))
