"""Replay buffer of transitions that stores a random part of them, mostly uncertain clicks.

Most clicks of a game are certain, and a network soon predicts them almost without error. They would fill the buffer and
take most of the learning time for almost no gradient. So a transition is stored with a probability that grows with the
expected loss of its click. This probability uses only the prediction made before the click, so given (board, click) the
stored outcomes are unbiased. Prioritised replay (Schaul et al. 2016) uses the loss after the outcome instead, and needs
importance weights.
"""

from typing import Any, NamedTuple

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3.common.utils import get_device
from torch import Tensor

from baselines.learned.common.tensor_files import Tensors


def keep_probabilities(errors: NDArray[np.float32], scale: float, least: float) -> NDArray[np.float32]:
    """Returns the probabilities that samples are kept, (N,) float32: clip(scale * error, least, 1).

    `errors` are the expected errors of the predictions, (N,) float32. A scale of 0 keeps every sample.
    """
    if scale == 0:
        return np.ones(len(errors), np.float32)
    return np.clip(scale * errors, least, 1.0).astype(np.float32)


class Transitions(NamedTuple):
    """N transitions as tensors."""

    observations: Tensor  # (N, rows, cols) int8: the codes before the click
    next_observations: Tensor  # (N, rows, cols) int8: the codes after the click
    actions: Tensor  # (N, 1) int64
    rewards: Tensor  # (N, 1) float32
    dones: Tensor  # (N, 1) float32: 1 where the game ended
    safe: Tensor  # (N, rows * cols) int8: outcome of each cell, 1 safe, 0 mine; -1 in games without an outcome yet


class RingBuffer:
    """Keeps the last `capacity` rows in `columns`, arrays by name; `added` counts all rows ever added."""

    def __init__(self, capacity: int, **columns: NDArray[Any]) -> None:
        """Makes a column with the dtype and row shape of each given array; the memory is committed as rows fill."""
        self.columns = {name: np.zeros((capacity, *like.shape[1:]), like.dtype) for name, like in columns.items()}
        self.capacity, self.added = capacity, 0

    @property
    def size(self) -> int:
        """The number of rows filled."""
        return min(self.added, self.capacity)

    def add(self, **rows: NDArray[Any]) -> None:
        """Stores rows in place of the oldest ones; of more rows than `capacity`, only the last ones."""
        count = len(next(iter(rows.values())))
        indices = (self.added + np.arange(count)) % self.capacity
        kept = slice(max(0, count - self.capacity), None)
        for name, values in rows.items():
            column = self.columns[name]
            column[indices[kept]] = values[kept].reshape(-1, *column.shape[1:])
        self.added += count

    def save(self) -> Tensors:
        """Returns copies of the filled rows of each column, and `added`, for `restore`."""
        filled = {name: torch.from_numpy(column[: self.size].copy()) for name, column in self.columns.items()}
        return filled | {"added": torch.tensor([self.added])}

    def restore(self, saved: Tensors) -> None:
        """Restores what `save` returned; raises KeyError or ValueError if it is of another buffer."""
        self.added = int(saved["added"][0])
        for name, column in self.columns.items():
            column[: self.size] = saved[name].numpy()


class ThinnedReplayBuffer(RingBuffer):
    """A ring buffer of `Transitions` of any number of games, each with the number of its game, in host memory.

    The constructor takes the arguments of a Stable-Baselines3 replay buffer. `sample` copies to `device`.
    """

    def __init__(
        self,
        buffer_size: int,
        observation_space: spaces.Space[Any],
        *_: Any,
        device: torch.device | str = "auto",
        **__: Any,
    ) -> None:
        rows, cols = observation_space.shape or (0, 0)
        boards, scalars = np.zeros((0, rows, cols), np.int8), np.zeros((0, 1), np.float32)
        super().__init__(
            buffer_size,
            observations=boards,
            next_observations=boards,
            actions=np.zeros((0, 1), np.int64),
            rewards=scalars,
            dones=scalars,
            safe=np.zeros((0, rows * cols), np.int8),
            games=np.zeros(0, np.int64),
        )
        self.device = get_device(device)

    def sample(self, batch_size: int) -> Transitions:
        """Returns transitions drawn uniformly with replacement by PyTorch's global generator."""
        rows = torch.randint(self.size, (batch_size,)).numpy()
        tensors = (torch.as_tensor(self.columns[name][rows], device=self.device) for name in Transitions._fields)
        return Transitions(*tensors)
