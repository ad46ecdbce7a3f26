"""Replay buffer of boards to learn from, for one board size."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from baselines.learned.afterstate.self_play import Afterstates, Lessons

Columns = TypeVar("Columns", Lessons, Afterstates)


class Replay(Generic[Columns]):
    """Ring buffer of the last boards, in columns.

    Args:
        capacity: number of rows.
        empty: columns without rows, which define names, shapes and types.

    Attributes:
        added: number of boards ever added.
    """

    def __init__(self, capacity: int, empty: Columns) -> None:
        """Makes empty arrays; the system commits their memory as they fill."""
        self._kind: Any = type(empty)
        self._columns = {name: _zeros(capacity, column) for name, column in empty._asdict().items()}
        self._capacity = capacity
        self.added = 0

    @property
    def size(self) -> int:
        """The number of rows filled."""
        return min(self.added, self._capacity)

    def add(self, boards: Columns) -> None:
        """Stores boards in place of the oldest ones; if more are given than fit, the last ones stay."""
        count = len(boards.codes)
        rows = (self.added + np.arange(count)) % self._capacity
        kept = slice(max(0, count - self._capacity), None)
        for name, values in boards._asdict().items():
            self._columns[name][rows[kept]] = values[kept]
        self.added += count

    def draw(self, count: int, rng: np.random.Generator) -> Columns:
        """Returns `count` boards, drawn uniformly with replacement."""
        rows = rng.integers(self.size, size=count)
        drawn: Columns = self._kind(**{name: column[rows] for name, column in self._columns.items()})
        return drawn

    def save(self) -> dict[str, NDArray[Any]]:
        """Returns copies of the filled rows, for `restore`."""
        filled = {name: column[: self.size].copy() for name, column in self._columns.items()}
        return {**filled, "added": np.array([self.added])}

    def restore(self, saved: dict[str, NDArray[Any]]) -> None:
        """Restores what `save` returned.

        Raises:
            KeyError, ValueError: it is of another buffer.
        """
        self.added = int(saved["added"][0])
        for name, column in self._columns.items():
            column[: self.size] = saved[name]


def _zeros(capacity: int, like: NDArray[Any]) -> NDArray[Any]:
    """Returns zeros of the type of a column, with `capacity` rows of its shape."""
    return np.zeros((capacity, *like.shape[1:]), like.dtype)
