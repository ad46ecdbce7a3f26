"""A replay buffer of single transitions, of which not all are stored.

Most clicks of a game are certain, and a network soon predicts them almost without error: they would fill the buffer
and take most of the time to learn from, for next to no gradient. So a transition is stored with a chance that grows
with the loss that was expected of its click. This rests on what was known before the click: what is stored has,
given its board and its click, the outcomes of all, and the means that are learned have no bias. (Prioritised replay,
Schaul et al. 2016, goes by the loss that came, and needs weights that make up for it.)
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


class Transitions(NamedTuple):
    """N transitions, as tensors.

    Attributes:
        observations: (N, rows, cols) int8 codes.
        actions: (N, 1) int64.
        next_observations: (N, rows, cols) int8 codes.
        dones: (N, 1) float32, 1 where the game ended.
        rewards: (N, 1) float32.
        safe: (N, rows * cols) int8, whether each cell had proved safe by the end of the game: 1 or 0, or -1 for a
            board of a game that has not ended.
    """

    observations: Tensor
    actions: Tensor
    next_observations: Tensor
    dones: Tensor
    rewards: Tensor
    safe: Tensor


class ThinnedReplayBuffer(BaseBuffer):
    """The last `buffer_size` transitions of all games together.

    Args:
        buffer_size: the number of transitions.
        observation_space: the `Box` of the codes.
        action_space: of the clicks.
        device: where samples go.
        n_envs: ignored; any number of games may add to it.
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
        """Prepares empty arrays, whose memory is taken only as they fill."""
        if optimize_memory_usage:
            raise ValueError("optimize_memory_usage is not for transitions that are stored one by one")
        super().__init__(whole_number("buffer_size", buffer_size, 1), observation_space, action_space, device, n_envs)
        self.observations = np.zeros((buffer_size, *self.obs_shape), np.int8)
        self.next_observations = np.zeros_like(self.observations)
        self.actions = np.zeros(buffer_size, np.int64)
        self.rewards, self.dones = (np.zeros(buffer_size, np.float32) for _ in range(2))
        self.games = np.full(buffer_size, -1, np.int64)
        self.safe = np.zeros((buffer_size, int(np.prod(self.obs_shape))), np.int8)
        self.added = 0

    def add_some(self, chosen: Bools, **transitions: NDArray[Any]) -> None:
        """Stores transitions in place of the oldest; how their games will end is not known yet.

        Args:
            chosen: (M,) bool, which of the M given ones to store; at most `buffer_size`.
            **transitions: the arrays of `NAMES` other than "safe", each of first dimension M; "games" holds a number
                for each game, by which `ended` finds it.
        """
        count = int(chosen.sum())
        places = (self.pos + np.arange(count)) % self.buffer_size
        for name, values in transitions.items():
            getattr(self, name)[places] = values[chosen]
        self.safe[places] = -1
        self.full = self.full or self.pos + count >= self.buffer_size
        self.pos = (self.pos + count) % self.buffer_size
        self.added += count

    def ended(self, game: int, safe: NDArray[np.bool_]) -> None:
        """Notes for all boards of a game which cells proved safe, (rows * cols,) bool."""
        self.safe[self.games == game] = safe

    def sample(self, batch_size: int, env: Any = None) -> Transitions:  # noqa: ARG002
        """Draws transitions, all equally likely, with replacement, by PyTorch's global generator."""
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
        """Returns what is stored, and the counters, as arrays."""
        return {name: getattr(self, name)[: self.size()] for name in self.NAMES} | {
            "counters": np.array([self.pos, self.added])
        }

    def set_state(self, state: dict[str, NDArray[Any]]) -> None:
        """Goes on from `get_state`.

        Raises:
            ValueError, KeyError: the state is of another buffer.
        """
        size = len(state["games"])
        for name in self.NAMES:
            getattr(self, name)[:size] = state[name]
        self.full = size == self.buffer_size
        self.pos, self.added = (int(number) for number in state["counters"])
