"""Replay buffer of single transitions that stores only a random part of them.

Most clicks of a game are certain, and a network soon predicts them almost without error. They would fill the buffer and
take most of the learning time for almost no gradient. So a transition is stored with a probability that grows with the
expected loss of its click. This probability uses only the prediction made before the click, so given (board, click) the
stored outcomes are unbiased. Prioritised replay (Schaul et al. 2016) uses the loss after the outcome instead, and needs
importance weights.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3.common.buffers import BaseBuffer
from torch import Tensor

from minesweeper_env.config import whole_number

Bools = NDArray[np.bool_]


def keep_probabilities(errors: NDArray[np.float32], scale: float, least: float) -> NDArray[np.float32]:
    """Returns the probability that each sample is kept, clip(scale * error, least, 1).

    Args:
        errors: (N,) float32, the expected error of each prediction.
        scale: the factor; 0 keeps every sample.
        least: lower bound of the probabilities.

    Returns:
        (N,) float32.
    """
    if scale == 0:
        return np.ones(len(errors), np.float32)
    return np.clip(scale * errors, least, 1.0).astype(np.float32)


class Transitions(NamedTuple):
    """N transitions as tensors.

    Attributes:
        observations: (N, rows, cols) int8 codes before the click.
        actions: (N, 1) int64.
        next_observations: (N, rows, cols) int8 codes after the click.
        dones: (N, 1) float32, 1 where the game ended.
        rewards: (N, 1) float32.
        safe: (N, rows * cols) int8, outcome of each cell: 1 safe, 0 mine; -1 in games without an outcome yet.
    """

    observations: Tensor
    actions: Tensor
    next_observations: Tensor
    dones: Tensor
    rewards: Tensor
    safe: Tensor


class ThinnedReplayBuffer(BaseBuffer):
    """Ring buffer of the last `buffer_size` stored transitions of all games.

    Args:
        buffer_size: number of rows.
        observation_space: `Box` of the codes.
        action_space: space of the clicks.
        device: device of the sampled tensors.
        n_envs: ignored; any number of games may add transitions.
        optimize_memory_usage: must be False.

    Raises:
        ValueError: an argument is not allowed.
    """

    NAMES: tuple[str, ...] = ("observations", "next_observations", "actions", "rewards", "dones", "games", "safe")

    def __init__(
        self,
        buffer_size: int,
        observation_space: spaces.Space[Any],
        action_space: spaces.Space[Any],
        device: torch.device | str = "auto",
        n_envs: int = 1,
        optimize_memory_usage: bool = False,
    ) -> None:
        """Makes empty arrays; the system commits their memory as they fill."""
        if optimize_memory_usage:
            raise ValueError("optimize_memory_usage must be False: successive transitions are not all stored")
        super().__init__(whole_number("buffer_size", buffer_size, 1), observation_space, action_space, device, n_envs)
        self.observations = np.zeros((buffer_size, *self.obs_shape), np.int8)
        self.next_observations = np.zeros_like(self.observations)
        self.actions = np.zeros(buffer_size, np.int64)
        self.rewards, self.dones = (np.zeros(buffer_size, np.float32) for _ in range(2))
        self.games = np.full(buffer_size, -1, np.int64)
        self.safe = np.zeros((buffer_size, int(np.prod(self.obs_shape))), np.int8)
        self.added = 0

    def add_some(self, chosen: Bools, **transitions: NDArray[Any]) -> None:
        """Stores some transitions in place of the oldest ones; `ended` adds their outcomes later.

        Args:
            chosen: (M,) bool, True for each transition to store; at most `buffer_size` of them.
            **transitions: arrays of first dimension M, named as in `NAMES` without "safe". "games" holds the number of
                each game, by which `ended` finds its rows.
        """
        count = int(chosen.sum())
        rows = (self.pos + np.arange(count)) % self.buffer_size
        for name, values in transitions.items():
            getattr(self, name)[rows] = values[chosen]
        self.safe[rows] = -1
        self.full = self.full or self.pos + count >= self.buffer_size
        self.pos = (self.pos + count) % self.buffer_size
        self.added += count

    def ended(self, game: int, safe: NDArray[np.bool_]) -> None:
        """Records the outcome of each cell, (rows * cols,) bool, in all stored rows of a game."""
        self.safe[self.games == game] = safe

    def sample(self, batch_size: int, env: Any = None) -> Transitions:  # noqa: ARG002
        """Draws transitions uniformly with replacement, by PyTorch's global generator."""
        return self._get_samples(torch.randint(self.size(), (batch_size,)).numpy())

    def _get_samples(self, batch_inds: NDArray[np.int64], env: Any = None) -> Transitions:  # type: ignore[override]  # noqa: ARG002
        def column(values: NDArray[Any]) -> Tensor:
            return self.to_torch(values[batch_inds][:, None])

        return Transitions(
            self.to_torch(self.observations[batch_inds]),
            column(self.actions),
            self.to_torch(self.next_observations[batch_inds]),
            column(self.dones),
            column(self.rewards),
            self.to_torch(self.safe[batch_inds]),
        )

    def get_state(self) -> dict[str, NDArray[Any]]:
        """Returns the stored rows and the counters as arrays, for `set_state`."""
        return {name: getattr(self, name)[: self.size()] for name in self.NAMES} | {
            "counters": np.array([self.pos, self.added])
        }

    def set_state(self, state: dict[str, NDArray[Any]]) -> None:
        """Restores what `get_state` returned.

        Raises:
            ValueError, KeyError: the state is from another kind of buffer.
        """
        size = len(state["games"])
        for name in self.NAMES:
            getattr(self, name)[:size] = state[name]
        self.full = size == self.buffer_size
        self.pos, self.added = (int(number) for number in state["counters"])
