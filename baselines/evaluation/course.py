"""Course of games that are played side by side: the checked actions of a policy, and the running outcomes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.evaluation.records import GameRecord
from baselines.policy import Policy, PolicyError
from baselines.support.act_inputs import policy_name
from minesweeper_env.vector_env import MinesweeperVectorEnv


class Course:
    """Running outcomes of N games that are played side by side.

    Attributes:
        playing: (N,) bool, True for the games that are not over.
    """

    def __init__(self, env: MinesweeperVectorEnv, finishes: Callable[[NDArray[np.int8]], bool] | None) -> None:
        """Begins with all games unfinished.

        Args:
            env: the environment of the games.
            finishes: the method `finishes` of the policy, if it has one.
        """
        self.playing = np.ones(env.num_envs, np.bool_)
        self._env = env
        self._finishes = finishes
        self._clicks, self._opened = np.zeros((2, env.num_envs), np.int64)
        self._won, self._truncated, self._marked = np.zeros((3, env.num_envs), np.bool_)

    def follow(
        self,
        observations: NDArray[np.int8],
        terminations: NDArray[np.bool_],
        truncations: NDArray[np.bool_],
        won: NDArray[np.bool_],
    ) -> int:
        """Records one step of each unfinished game; returns the number of games that it ended."""
        self._clicks += self.playing
        self._won |= self.playing & won
        self._truncated |= self.playing & truncations
        self._find_marked(observations)
        ended = self.playing & (terminations | truncations)
        if self._finishes is not None:
            for i in np.flatnonzero(self.playing & won & ~self._marked):
                self._marked[i] = self._finishes(observations[i])
        self._opened[ended] = (observations[ended] <= self._env.config.codes.max_count).sum(axis=(1, 2))
        self.playing = self.playing & ~ended
        return int(ended.sum())

    def _find_marked(self, observations: NDArray[np.int8]) -> None:
        config = self._env.config
        if "flag" not in config.moves:
            return
        flags = observations == config.codes.flagged
        candidates = self.playing & ~self._marked & (flags.sum(axis=(1, 2)) == config.mines)
        if candidates.any():
            mines = self._env.get_state()["mines"]
            self._marked |= candidates & (flags == mines).all(axis=(1, 2))

    def records(self, seeds: Sequence[int]) -> list[GameRecord]:
        """Returns the records of the games, once all are over."""
        columns = (self._won, self._clicks, self._truncated, self._opened, self._marked)
        return [GameRecord(*row) for row in zip(seeds, *(column.tolist() for column in columns), strict=True)]


def choose_actions(policy: Policy, observations: NDArray[np.int8], masks: NDArray[np.int8]) -> NDArray[np.int64]:
    """Returns the actions of a policy, (N,) int64.

    Raises:
        PolicyError: an action is illegal, or the answer has another shape or type.
    """
    answer: Any = policy.act(observations, masks)
    name, count = policy_name(policy), len(masks)
    if not isinstance(answer, np.ndarray) or answer.shape != (count,) or answer.dtype != np.int64:
        found = f"{answer.dtype} {answer.shape}" if isinstance(answer, np.ndarray) else type(answer).__name__
        raise PolicyError(f"{name}.act must return an int64 array of shape ({count},), not {found}")
    outside = (answer < 0) | (answer >= masks.shape[1])
    if outside.any():
        raise PolicyError(f"{name}.act chose {answer[outside][0]}, but actions are 0 to {masks.shape[1] - 1}")
    illegal = masks[np.arange(count), answer] == 0
    if illegal.any():
        raise PolicyError(f"{name}.act chose action {answer[illegal][0]}, which its mask forbids")
    return answer
