"""The batched environment as a `VecEnv` of Stable-Baselines3: one compiled call per step."""

import time
from collections.abc import Sequence
from functools import partial
from typing import Any, Self

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices

from minesweeper_env import ENV_SPECIFICATIONS
from minesweeper_env.config import BoardConfig, check_config, one_of
from minesweeper_env.engine.saving import check_array
from minesweeper_env.observations import Encoder
from minesweeper_env.rewards import Reward
from minesweeper_env.vector_env import CALLS, MinesweeperVectorEnv


class MinesweeperVecEnv(VecEnv):
    """N games as a `VecEnv`, with the method `action_masks` that sb3-contrib calls.

    A finished game is replaced in the same step. The info of that step then holds "terminal_observation",
    "TimeLimit.truncated", "is_success" and "episode". "episode" holds the return "r", the steps "l" and the seconds
    since the start "t". All other infos share one empty dict: a thousand dicts per step would take longer than the
    games.

    Args:
        config: the board and the rules.
        num_envs: N, at least 1.
        reward: a name in `minesweeper_env.rewards.REWARDS`, or a callable.
        observation: "codes", "planes" or "flat".
        render_mode: None, "ansi", "rgb_array", or "human" for a window. `render()` tiles the pictures of all games;
            `env_method("render")` returns one text or picture per game.

    Attributes:
        config: the board and the rules.
        games: the `MinesweeperVectorEnv` that plays the games.

    Raises:
        ValueError: an argument has a value that is not allowed; the message says which values are.
    """

    def __init__(
        self,
        config: BoardConfig,
        num_envs: int,
        reward: str | Reward = "win_loss",
        observation: str = "codes",
        render_mode: str | None = None,
    ) -> None:
        self.games = MinesweeperVectorEnv(
            num_envs,
            **check_config(config, "MinesweeperVecEnv.make takes an id").arguments(),
            reward=reward,
            observation=observation,
            render_mode=render_mode,
            autoreset_mode=AutoresetMode.SAME_STEP,
        )
        super().__init__(num_envs, self.games.single_observation_space, self.games.single_action_space)
        self.config = config
        self.returns = np.zeros(num_envs)
        self.lengths = np.zeros(num_envs, np.int64)
        self._actions = np.zeros(num_envs, np.int64)
        self._started = time.monotonic()

    @classmethod
    def make(cls, env_id: str, num_envs: int, **kwargs: Any) -> Self:
        """Returns N games of a registered id such as "Minesweeper-Expert-v0"; `kwargs` replace its arguments.

        Raises:
            TypeError: `threads` or `autoreset_mode` is given: one thread steps these games, in the mode SAME_STEP.
            ValueError: the id is unknown, or an argument has a value that is not allowed.
        """
        if dropped := [name for name in ("threads", "autoreset_mode") if name in kwargs]:
            raise TypeError(f"MinesweeperVecEnv steps with one thread and SAME_STEP; it takes no {', '.join(dropped)}")
        arguments = {**ENV_SPECIFICATIONS[one_of("env_id", env_id, ENV_SPECIFICATIONS)], **kwargs}
        options = {key: arguments.pop(key) for key in ("reward", "observation", "render_mode") if key in arguments}
        return cls(MinesweeperVectorEnv(1, **arguments).config, num_envs, **options)

    def reset(self) -> NDArray[Any]:
        """Starts N games with the seeds set before; returns the observations, the first axis N.

        Raises:
            ValueError: options were set; `games.reset` takes some.
        """
        if any(self._options):
            raise ValueError("the games of a VecEnv take no options; give them to games.reset")
        observations, _ = self.games.reset(seed=None if None in self._seeds else self._seeds)
        self.returns[:] = 0
        self.lengths[:] = 0
        self.reset_infos = [{}] * self.num_envs
        self._reset_seeds()
        self._reset_options()
        return observations

    def step_async(self, actions: NDArray[np.int64]) -> None:
        """Stores the (N,) actions for `step_wait`."""
        self._actions = actions

    def step_wait(self) -> tuple[NDArray[Any], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Returns observations (N, ...), rewards (N,) float32, dones (N,) bool and N infos, see the class."""
        observations, rewards, terminations, truncations, info = self.games.step(self._actions)
        self.returns += rewards
        self.lengths += 1
        ended = terminations | truncations
        infos: list[dict[str, Any]] = [{}] * self.num_envs
        seconds = round(time.monotonic() - self._started, 6)
        for index in np.flatnonzero(ended):
            infos[index] = {
                "terminal_observation": info["final_obs"][index],
                "TimeLimit.truncated": bool(truncations[index] and not terminations[index]),
                "is_success": bool(info["final_info"]["is_success"][index]),
                "episode": {"r": float(self.returns[index]), "l": int(self.lengths[index]), "t": seconds},
            }
        self.returns[ended] = 0
        self.lengths[ended] = 0
        return observations, rewards.astype(np.float32), ended, infos

    def action_masks(self) -> NDArray[np.bool_]:
        """Returns (N, actions) bool, True for each legal action."""
        return self.games.action_masks()

    def get_state(self) -> dict[str, NDArray[Any]]:
        """Returns the state of the games and their statistics as arrays, for `set_state`."""
        return {**self.games.get_state(), "returns": self.returns.copy(), "lengths": self.lengths.copy()}

    def set_state(self, state: dict[str, NDArray[Any]]) -> NDArray[Any]:
        """Restores a state of `get_state`, and returns the observations; raises ValueError if it is of other games."""
        dtypes = {"returns": np.float64, "lengths": np.int64}
        statistics = {key: check_array(key, state.get(key), dtype, {(self.num_envs,)}) for key, dtype in dtypes.items()}
        self.games.set_state({key: value for key, value in state.items() if key not in statistics})
        self.returns, self.lengths = statistics["returns"], statistics["lengths"]
        codes = self.games.get_state()["codes"]
        return Encoder(self.games.observation, self.config).encode(codes.reshape(self.num_envs, -1))

    def close(self) -> None:
        """Closes the games."""
        self.games.close()

    def get_images(self) -> Sequence[NDArray[np.uint8] | None]:
        """Returns one (height, width, 3) picture per game, for the mode "rgb_array"."""
        return list(self.games.call("render"))

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """Returns an attribute of each game of `indices`; for a method, a function without arguments that calls it."""
        game_indices = list(self._get_indices(indices))
        if attr_name in CALLS:
            return [partial(lambda game: self.games.call(attr_name)[game], i) for i in game_indices]
        values = self.games.get_attr(attr_name)
        return [values[i] for i in game_indices]

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Raises a NotImplementedError, since all games are one object."""
        raise NotImplementedError("all games are one object; make another environment to change an attribute")

    def env_method(
        self, method_name: str, *method_args: Any, indices: VecEnvIndices = None, **method_kwargs: Any
    ) -> list[Any]:
        """Calls "action_masks", "render" or "get_state" for the games of `indices`; arguments raise TypeError."""
        if method_name not in CALLS:
            raise AttributeError(f"the methods of games in a batch are {', '.join(CALLS)}, not {method_name}")
        results = self.games.call(method_name, *method_args, **method_kwargs)
        return [results[i] for i in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: type[gymnasium.Wrapper], indices: VecEnvIndices = None) -> list[bool]:  # noqa: ARG002
        """Returns False for each game of `indices`."""
        return [False] * len(list(self._get_indices(indices)))
