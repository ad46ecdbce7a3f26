"""Storage of boards before and after guesses, first until their games end, then until they have been learned from."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baselines.learned.value.positions import Positions

_NONE = -1
_FIRST_CAPACITY = 1024

_STORED = {"probabilities": "chances"}
"""Columns whose names in checkpoint files differ from those here."""

Floats = NDArray[np.float32]
Flags = NDArray[np.bool_]
Rows = NDArray[np.int64]


class GuessClicks(NamedTuple):
    """One click at a guess in each of N games.

    Attributes:
        safety: (N,) float64, the probability that the clicked cell is free.
        values: (N,) float64, the value of the best click: the probability of winning, by the network.
        explored: (N,) bool, True where the click was not the best one.
    """

    safety: NDArray[np.float64]
    values: NDArray[np.float64]
    explored: Flags


class ValueSamples(NamedTuple):
    """K boards to learn from.

    Attributes:
        codes: (K, rows, cols) int8.
        probabilities: (K, rows, cols) float32, the probability of a mine in each cell.
        log_layouts: (K,) float32, the natural logarithm of the number of layouts.
        targets: (K,) float32, the return: an estimate of the probability of winning from this board.
    """

    codes: NDArray[np.int8]
    probabilities: Floats
    log_layouts: Floats
    targets: Floats


class Trajectories:
    """Boards of N games before and after their guesses, in columns whose rows are reused.

    The targets are lambda-returns (Sutton and Barto 2018, section 12.1), computed backwards from the last guess of a
    game. The caller gives the return of the board after the last guess. Then, for each guess,

        return before the guess = safety * return after it
        return after the previous guess = (1 - decay) * value + decay * safety * return after this guess.

    The second line holds because all clicks between two guesses are certain. At a guess that explored, the board
    before it is not learned from, and the second line has decay 0: exploration is not the policy to evaluate.

    Each guess fills two rows, one for the board before it and one for the board after it. The latter also holds:

    | column | content |
    |---|---|
    | safety, values, explored | the fields of `GuessClicks` |
    | guess | row of the board before this guess |
    | before | row of the board after the previous guess of the game, or `_NONE` |

    Attributes:
        ready: (K,) int64, rows that can be drawn, each repeated by its number of remaining draws.
    """

    def __init__(self, games: int, rows: int, cols: int, decay: float, replay_ratio: int) -> None:
        """Makes empty columns.

        Args:
            games: N.
            rows: rows of a board.
            cols: columns of a board.
            decay: the lambda of the returns, 0 to 1.
            replay_ratio: number of draws per board.
        """
        self.ready: Rows = np.empty(0, np.int64)
        self._replay_ratio = replay_ratio
        self._shape = (rows, cols)
        self._decay = decay
        self._newest = np.full(games, _NONE)
        self._free: Rows = np.empty(0, np.int64)
        self._columns = self._make(0)

    def _make(self, capacity: int) -> dict[str, NDArray[Any]]:
        return {
            "codes": np.zeros((capacity, *self._shape), np.int8),
            "probabilities": np.zeros((capacity, *self._shape), np.float32),
            "log_layouts": np.zeros(capacity, np.float32),
            "safety": np.zeros(capacity),
            "values": np.zeros(capacity),
            "explored": np.zeros(capacity, np.bool_),
            "targets": np.zeros(capacity, np.float32),
            "before": np.zeros(capacity, np.int64),
            "guess": np.zeros(capacity, np.int64),
            "left": np.zeros(capacity, np.int64),
        }

    def add(self, before: Positions, after: Positions, clicks: GuessClicks) -> None:
        """Stores one guess of each game: the N boards before it, the N boards after it, and the clicks."""
        guesses, rows = self._take(len(self._newest)), self._take(len(self._newest))
        columns = self._columns
        for name in Positions._fields:
            columns[name][guesses], columns[name][rows] = getattr(before, name), getattr(after, name)
        for name, values in clicks._asdict().items():
            columns[name][rows] = values
        columns["before"][rows], columns["guess"][rows] = self._newest, guesses
        self._newest = rows

    def finish(self, games: Rows, returns: NDArray[np.float64]) -> None:
        """Computes the targets of games that end, and makes their boards ready.

        Args:
            games: (K,) int64, indices of the games.
            returns: (K,) float64, the probability of winning from the board after the last guess of each.
        """
        columns, finished = self._columns, []
        rows = self._newest[games]
        self._newest[games] = _NONE
        # One step back in all games at once; games leave the loop at their first guess.
        while len(rows) > 0:
            made = rows != _NONE
            rows, returns = rows[made], returns[made]
            columns["targets"][rows] = returns
            guesses, explored = columns["guess"][rows], columns["explored"][rows]
            returns = columns["safety"][rows] * returns
            columns["targets"][guesses] = returns
            finished += [rows, guesses[~explored]]
            self._free = np.concatenate([self._free, guesses[explored]])
            decay = np.where(explored, 0.0, self._decay)
            returns = (1.0 - decay) * columns["values"][rows] + decay * returns
            rows = columns["before"][rows]
        new = np.concatenate([np.empty(0, np.int64), *finished])
        columns["left"][new] = self._replay_ratio
        self.ready = np.concatenate([self.ready, np.repeat(new, self._replay_ratio)])

    def drop(self, games: Rows) -> None:
        """Frees the boards of games, (K,) int64, that have no outcome."""
        rows = self._newest[games]
        self._newest[games] = _NONE
        while len(rows) > 0:
            rows = rows[rows != _NONE]
            self._free = np.concatenate([self._free, rows, self._columns["guess"][rows]])
            rows = self._columns["before"][rows]

    def draw(self, count: int, rng: np.random.Generator) -> ValueSamples:
        """Draws `count` entries of `ready` uniformly without replacement, and frees boards after their last draw."""
        chosen = np.zeros(len(self.ready), np.bool_)
        chosen[rng.choice(len(self.ready), count, replace=False)] = True
        rows, self.ready = self.ready[chosen], self.ready[~chosen]
        samples = ValueSamples(*(self._columns[name][rows] for name in ValueSamples._fields))
        left, drawn = self._columns["left"], np.unique(rows)
        np.subtract.at(left, rows, 1)
        self._free = np.concatenate([self._free, drawn[left[drawn] == 0]])
        return samples

    def _take(self, count: int) -> Rows:
        """Returns `count` free rows; where too few are free, the columns at least double."""
        if len(self._free) < count:
            capacity = len(self._columns["before"])
            more = max(_FIRST_CAPACITY, count, capacity)
            new = self._make(more)
            self._columns = {name: np.concatenate([old, new[name]]) for name, old in self._columns.items()}
            self._free = np.concatenate([self._free, np.arange(capacity, capacity + more)])
        rows, self._free = self._free[:count], self._free[count:]
        return rows

    def save(self) -> dict[str, NDArray[Any]]:
        """Returns copies of all arrays, for `restore`."""
        own = {"ready": self.ready, "newest": self._newest, "free": self._free}
        return {_STORED.get(name, name): values.copy() for name, values in (own | self._columns).items()}

    def restore(self, saved: dict[str, NDArray[Any]]) -> None:
        """Restores what `save` returned."""
        self._columns = {name: np.array(saved[_STORED.get(name, name)]) for name in self._columns}
        self.ready, self._newest, self._free = (np.array(saved[name]) for name in ("ready", "newest", "free"))
