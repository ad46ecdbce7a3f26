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
from stable_baselines3.common.utils import get_device
from torch import Tensor


def keep_probabilities(errors: NDArray[np.float32], scale: float, least: float) -> NDArray[np.float32]:
    """Returns the probabilities that samples are kept, (N,) float32: clip(scale * error, least, 1).

    `errors` are the expected errors of the predictions, (N,) float32. A scale of 0 keeps every sample.
    """
    if scale == 0:
        return np.ones(len(errors), np.float32)
    return np.clip(scale * errors, least, 1.0).astype(np.float32)


class Transitions(NamedTuple):
    """N transitions as tensors.

    Attributes:
        observations: (N, rows, cols) int8 codes before the click.
        next_observations: (N, rows, cols) int8 codes after the click.
        actions: (N, 1) int64.
        rewards: (N, 1) float32.
        dones: (N, 1) float32, 1 where the game ended.
        safe: (N, rows * cols) int8, outcome of each cell: 1 safe, 0 mine; -1 in games without an outcome yet.
    """

    observations: Tensor
    next_observations: Tensor
    actions: Tensor
    rewards: Tensor
    dones: Tensor
    safe: Tensor


class ThinnedReplayBuffer:
    """Ring buffer of the last `buffer_size` stored transitions of all games, in columns.

    Args:
        buffer_size: number of rows.
        observation_space: `Box` of the codes.
        action_space: of the clicks.
        device: device of the sampled tensors.
        **_: what Stable-Baselines3 passes besides; any number of games may add transitions.

    Attributes:
        columns: the arrays by name, those of `Transitions` and "games", the number of the game of each row.
        added: number of transitions ever stored.
    """

    def __init__(
        self,
        buffer_size: int,
        observation_space: spaces.Space[Any],
        action_space: spaces.Space[Any],  # noqa: ARG002
        device: torch.device | str = "auto",
        **_: Any,
    ) -> None:
        """Makes empty arrays; the system commits their memory as they fill."""
        self.buffer_size, self.device, self.added = buffer_size, get_device(device), 0
        rows, cols = observation_space.shape or (0, 0)
        boards = (buffer_size, rows, cols)
        self.columns: dict[str, NDArray[Any]] = {
            "observations": np.zeros(boards, np.int8),
            "next_observations": np.zeros(boards, np.int8),
            "actions": np.zeros((buffer_size, 1), np.int64),
            "rewards": np.zeros((buffer_size, 1), np.float32),
            "dones": np.zeros((buffer_size, 1), np.float32),
            "safe": np.zeros((buffer_size, rows * cols), np.int8),
            "games": np.full(buffer_size, -1, np.int64),
        }

    def size(self) -> int:
        """Returns the number of rows filled."""
        return min(self.added, self.buffer_size)

    def add_some(self, chosen: NDArray[np.bool_], **transitions: NDArray[Any]) -> None:
        """Stores some transitions in place of the oldest ones; `ended` adds their outcomes later.

        Args:
            chosen: (M,) bool, True for each transition to store; at most `buffer_size` of them.
            **transitions: arrays of first dimension M, named as the columns, without "safe".
        """
        rows = (self.added + np.arange(int(chosen.sum()))) % self.buffer_size
        for name, values in transitions.items():
            column = self.columns[name]
            column[rows] = values[chosen].reshape(-1, *column.shape[1:])
        self.columns["safe"][rows] = -1
        self.added += len(rows)

    def ended(self, game: int, safe: NDArray[np.bool_]) -> None:
        """Records the outcome of each cell, (rows * cols,) bool, in all stored rows of a game."""
        self.columns["safe"][self.columns["games"] == game] = safe

    def sample(self, batch_size: int) -> Transitions:
        """Draws transitions uniformly with replacement, by PyTorch's global generator."""
        rows = torch.randint(self.size(), (batch_size,)).numpy()
        return Transitions(
            *(torch.as_tensor(self.columns[name][rows], device=self.device) for name in Transitions._fields)
        )

    def get_state(self) -> dict[str, NDArray[Any]]:
        """Returns the stored rows and their number as arrays, for `set_state`."""
        return {name: column[: self.size()] for name, column in self.columns.items()} | {
            "added": np.array([self.added])
        }

    def set_state(self, state: dict[str, NDArray[Any]]) -> None:
        """Restores what `get_state` returned; raises ValueError or KeyError if it is of another kind of buffer."""
        self.added = int(state["added"][0])
        for name, column in self.columns.items():
            column[: self.size()] = state[name]
