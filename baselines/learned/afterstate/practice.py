"""Games and samples of `afterstate` on one board: what it plays, stores and draws."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from baselines.learned.afterstate.self_play import AfterstateHyperparameters, Afterstates, Lessons, SelfPlay
from baselines.learned.settings import scaled
from minesweeper_env.config import BoardConfig

MIN_GAMES = 32
"""Lower bound on the games on large boards, where fewer games hold as many cells."""

Columns = TypeVar("Columns", Lessons, Afterstates)


class Replay(Generic[Columns]):
    """Ring buffer of the last `capacity` boards, in columns like those of `empty`, which has no rows.

    Attributes:
        added: number of boards ever added.
    """

    def __init__(self, capacity: int, empty: Any) -> None:
        """Makes empty arrays; the system commits their memory as they fill."""
        self._kind: Any = type(empty)
        self._columns: dict[str, NDArray[Any]] = {}
        like: NDArray[Any]
        for name, like in empty._asdict().items():
            self._columns[name] = np.zeros((capacity, *like.shape[1:]), like.dtype)
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
        """Restores what `save` returned; raises KeyError or ValueError if it is of another buffer."""
        self.added = int(saved["added"][0])
        for name, column in self._columns.items():
            column[: self.size] = saved[name]


@dataclass
class Practice:
    """Games, samples and work on one board.

    Attributes:
        plays: games under the rule of the training, then those under the other rule, if there are any.
        lessons: the boards that teach safety and counts, of both.
        afterstates: the boards that teach the worth.
        work: forward passes of the network on one cell so far, roughly.
        pending: afterstates that wait to be drawn.
    """

    plays: list[SelfPlay]
    lessons: Replay[Lessons]
    afterstates: Replay[Afterstates]
    work: float = 0.0
    pending: float = 0.0

    @classmethod
    def on(cls, config: BoardConfig, own: AfterstateHyperparameters, envs: int) -> Practice:
        """Returns games on a board, some of them under the other first-click rule, and empty replay buffers.

        `envs` is the number of games in a round on a board of 64 cells; a larger board has fewer, with as many cells.
        """
        count = scaled(envs, config.cells, MIN_GAMES)
        others = min(round(own.other_rule * count), count - 1)
        other = "safe" if config.first_click == "opening" else "opening"
        rules = {config.first_click: count - others, other: others}
        plays = [SelfPlay(replace(config, first_click=rule), games, own) for rule, games in rules.items() if games > 0]
        codes, numbers = np.zeros((0, config.rows, config.cols), np.int8), np.zeros(0, np.float32)
        lessons = Lessons(codes, np.zeros((0, config.cells), np.int8))
        return cls(
            plays, Replay(own.buffer_size, lessons), Replay(own.buffer_size, Afterstates(codes, numbers, numbers))
        )

    @property
    def replays(self) -> dict[str, Replay[Any]]:
        """Both replay buffers, by name."""
        return {"lessons": self.lessons, "afterstates": self.afterstates}

    @property
    def config(self) -> BoardConfig:
        """The board under the rule of the training."""
        return self.plays[0].config
