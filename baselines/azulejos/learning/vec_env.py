"""Batches of games against several opponents as one `VecEnv` of Stable-Baselines3."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Discrete
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices

from azulejos_env.config import GameConfig
from azulejos_env.policies import Policy
from azulejos_env.vector_env import AzulejosVectorEnv
from baselines.azulejos.learning.observations import PLANES, observe
from baselines.azulejos.learning.rewards import LEAD, LEAD_SCALE
from baselines.learned.common.budget import Clock

_LARGEST = np.iinfo(np.int32)


class AzulejosVecEnv(VecEnv):
    """N games in batches, each against one opponent; the agent's seat is drawn for each game.

    A finished game is replaced in the same step. The info of that step then holds "terminal_observation",
    "TimeLimit.truncated", "is_success" and "episode". The last one has the return "r", the steps "l" and the seconds
    since the start "t". All other infos share one empty dict.

    Args:
        config: the board, under the usual rules.
        batches: pairs of an opponent, as `AzulejosVectorEnv` takes it, and a number of games.
        reward: one of `rewards.REWARDS`.

    Attributes:
        games: the `AzulejosVectorEnv` of each batch.
        clock: counts time within steps as "environment" and time between steps as "inference".
    """

    def __init__(self, config: GameConfig, batches: Sequence[tuple[str | Policy, int]], reward: str) -> None:
        """Makes the games; `reset` starts them."""
        size = (config.rows, config.cols)
        self.games = [
            AzulejosVectorEnv(
                count,
                size,
                config.colours,
                opponent,
                seat="random",
                reward="difference" if reward == LEAD else reward,
                autoreset_mode=AutoresetMode.SAME_STEP,
            )
            for opponent, count in batches
        ]
        space = Box(-1, _LARGEST.max, (PLANES, *size), np.int32)
        self.render_mode = None
        super().__init__(sum(count for _, count in batches), space, Discrete(config.cells))
        self.config, self.reward = config, reward
        self.clock = Clock()
        self.returns = np.zeros(self.num_envs)
        self.lengths = np.zeros(self.num_envs, np.int64)
        self.leads = np.zeros(self.num_envs)
        self._actions = np.zeros(self.num_envs, np.int64)
        self._ends = np.cumsum([games.num_envs for games in self.games])[:-1]
        self._started = time.monotonic()

    def reset(self) -> NDArray[np.int32]:
        """Starts N games with the seeds set before; returns the observations (N, 6, rows, cols)."""
        seeds = [None if part[0] is None else int(part[0]) for part in self._split(np.array(self._seeds, object))]
        results = [games.reset(seed=seed) for games, seed in zip(self.games, seeds, strict=True)]
        self.returns[:] = 0
        self.lengths[:] = 0
        self.leads[:] = 0
        self.reset_infos = [{}] * self.num_envs
        self._reset_seeds()
        return self._observe([boards for boards, _ in results], [info for _, info in results])

    def step_async(self, actions: NDArray[np.int64]) -> None:
        """Stores the (N,) actions for `step_wait`."""
        self._actions = actions

    def step_wait(self) -> tuple[NDArray[np.int32], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Makes the step.

        Returns:
            observations: (N, 6, rows, cols) int32.
            rewards: (N,) float32.
            dones: (N,) bool, True where a game ended.
            infos: N dicts; see the class.
        """
        self.clock.lap("inference")
        parts = [games.step(actions) for games, actions in zip(self.games, self._split(self._actions), strict=True)]
        boards, rewards, terminations, truncations, infos = zip(*parts, strict=True)
        observations = self._observe(boards, infos)
        ended = np.concatenate(terminations) | np.concatenate(truncations)
        earned = self._earned(np.concatenate(rewards), ended)
        self.returns += earned
        self.lengths += 1
        told = self._last_infos(infos, np.concatenate(terminations), ended)
        self.returns[ended] = 0
        self.lengths[ended] = 0
        self.clock.lap("environment")
        return observations, earned.astype(np.float32), ended, told

    def _earned(self, rewards: NDArray[np.float64], ended: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Returns the rewards, (N,)."""
        if self.reward != LEAD:
            return rewards
        # The games reward with the change of the lead, so the sum of the rewards is the lead.
        leads = self.leads + rewards
        earned = np.tanh(leads / LEAD_SCALE) - np.tanh(self.leads / LEAD_SCALE)
        self.leads = np.where(ended, 0.0, leads)
        return earned

    def _last_infos(
        self, infos: Sequence[dict[str, Any]], terminated: NDArray[np.bool_], ended: NDArray[np.bool_]
    ) -> list[dict[str, Any]]:
        told: list[dict[str, Any]] = [{}] * self.num_envs
        seconds, begin = round(time.monotonic() - self._started, 6), 0
        for games, info in zip(self.games, infos, strict=True):
            for place in np.flatnonzero(ended[begin : begin + games.num_envs]):
                index, final = begin + place, info["final_info"]
                board, scores = info["final_obs"][place], final["scores"][place]
                told[index] = {
                    "terminal_observation": observe(board[None], scores[None], self.config)[0],
                    "TimeLimit.truncated": not terminated[index],
                    "is_success": bool(final["is_success"][place]),
                    "episode": {"r": float(self.returns[index]), "l": int(self.lengths[index]), "t": seconds},
                }
            begin += games.num_envs
        return told

    def action_masks(self) -> NDArray[np.bool_]:
        """Returns (N, actions) bool, True for each legal action."""
        return self._masks

    def get_state(self) -> dict[str, NDArray[Any]]:
        """Returns the state of the games and their statistics as arrays, for `set_state`."""
        state = {"returns": self.returns.copy(), "lengths": self.lengths.copy(), "leads": self.leads.copy()}
        for number, games in enumerate(self.games):
            state |= {f"{number}/{name}": array for name, array in games.get_state().items()}
        return state

    def set_state(self, state: dict[str, NDArray[Any]]) -> NDArray[np.int32]:
        """Restores what `get_state` returned, and returns the observations.

        Raises:
            ValueError: the state is damaged, or belongs to other games.
        """
        self.returns, self.lengths, self.leads = (state[name].copy() for name in ("returns", "lengths", "leads"))
        if {len(array) for array in (self.returns, self.lengths, self.leads)} != {self.num_envs}:
            raise ValueError(f"the state holds {len(self.returns)} games, not {self.num_envs}")
        for number, games in enumerate(self.games):
            prefix = f"{number}/"
            games.set_state({n.removeprefix(prefix): array for n, array in state.items() if n.startswith(prefix)})
        saved = [games.get_state() for games in self.games]
        masks = [games.action_masks() for games in self.games]
        infos = [{"scores": _agent_first(s), "action_mask": mask} for s, mask in zip(saved, masks, strict=True)]
        return self._observe([each["board"] for each in saved], infos)

    def _split(self, values: NDArray[Any]) -> list[NDArray[Any]]:
        """Returns the values of N games in parts, one for each batch."""
        return np.split(values, self._ends)

    def _observe(self, boards: Sequence[NDArray[np.int8]], infos: Sequence[dict[str, Any]]) -> NDArray[np.int32]:
        self._masks = np.concatenate([info["action_mask"] for info in infos]).astype(np.bool_)
        scores = np.concatenate([info["scores"] for info in infos])
        return observe(np.concatenate(boards), scores, self.config)

    def close(self) -> None:
        """Closes the games."""
        for games in self.games:
            games.close()

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """Returns an attribute of this object, once for each game of `indices`."""
        return [getattr(self, attr_name)] * len(list(self._get_indices(indices)))

    def has_attr(self, attr_name: str) -> bool:
        """Returns whether this object has the attribute."""
        return hasattr(self, attr_name)

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Raises an error.

        Raises:
            NotImplementedError: always, since the games of a batch are one object.
        """
        raise NotImplementedError("the games of a batch are one object; make another environment instead")

    def env_method(
        self, method_name: str, *method_args: Any, indices: VecEnvIndices = None, **method_kwargs: Any
    ) -> list[Any]:
        """Returns the masks of the games of `indices`.

        Raises:
            AttributeError: `method_name` is not "action_masks"; single games have no other methods.
        """
        if method_name != "action_masks" or method_args or method_kwargs:
            raise AttributeError(f"the method of games in a batch is action_masks, not {method_name}")
        return list(self._masks[list(self._get_indices(indices))])

    def env_is_wrapped(
        self,
        wrapper_class: type[gymnasium.Wrapper],  # noqa: ARG002
        indices: VecEnvIndices = None,
    ) -> list[bool]:
        """Returns False for each game of `indices`."""
        return [False] * len(list(self._get_indices(indices)))


def _agent_first(saved: dict[str, NDArray[Any]]) -> NDArray[np.int64]:
    """Returns (N, 2), the scores of the agents and of their opponents, from saved games."""
    seat = saved["seat"].astype(np.int64)
    return np.take_along_axis(saved["scores"], np.stack([seat, 1 - seat], axis=1), axis=1)
