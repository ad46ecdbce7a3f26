"""Boards before and after guesses, kept until it is known what became of them, and then until they are learned from."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baselines.learned.value.positions import Positions

_NONE = -1
_FIRST_ROOM = 1024

Floats = NDArray[np.float32]
Flags = NDArray[np.bool_]
Places = NDArray[np.int64]


class Clicks(NamedTuple):
    """How N games were clicked at a guess.

    Attributes:
        safety: (N,) float64, the chances that the clicked cells were free.
        values: (N,) float64, the chances to win before the clicks, by what the best of them can show and the network.
        explored: (N,) bool, whether something else than the best was clicked.
    """

    safety: NDArray[np.float64]
    values: NDArray[np.float64]
    explored: Flags


class Samples(NamedTuple):
    """K boards to learn from.

    Attributes:
        codes: (K, rows, cols) int8.
        chances: (K, rows, cols) float32, the chance of a mine in each cell.
        log_layouts: (K,) float32, the natural logarithms of the numbers of layouts.
        targets: (K,) float32, what the game was worth then; see `Trajectories`.
    """

    codes: NDArray[np.int8]
    chances: Floats
    log_layouts: Floats
    targets: Floats


class Trajectories:
    """The boards of N games before and after their guesses, in arrays whose rows are used again.

    What a board is worth is learned from a lambda-return (Sutton and Barto 2018, section 12.1), from the last guess of
    a game backwards. The worth of the board after the last one is given. The board before a guess is to learn the
    safety of the click times the worth of the board after it, and the board after the guess before it

        G = (1 - decay) * value + decay * safety * (the worth of the board after it),

    since what lies between those two is certain. Of a guess that explored the board before it learns nothing, and
    G = value there: what came of it says nothing of the play that is valued.

    Attributes:
        ready: (K,) the rows of the boards that can be learned from, each as often as it is to be drawn yet.
    """

    def __init__(self, games: int, rows: int, cols: int, decay: float, replay_ratio: int) -> None:
        """Prepares to keep boards.

        Args:
            games: the number of games.
            rows: of their boards.
            cols: of their boards.
            decay: the lambda above, 0 to 1.
            replay_ratio: number of draws per board.
        """
        self.ready: Places = np.empty(0, np.int64)
        self._replay_ratio = replay_ratio
        self._shape = (rows, cols)
        self._decay = decay
        self._newest = np.full(games, _NONE)
        self._free: Places = np.empty(0, np.int64)
        self._columns = self._make(0)

    def _make(self, room: int) -> dict[str, NDArray[Any]]:
        return {
            "codes": np.zeros((room, *self._shape), np.int8),
            "chances": np.zeros((room, *self._shape), np.float32),
            "log_layouts": np.zeros(room, np.float32),
            "safety": np.zeros(room),
            "values": np.zeros(room),
            "explored": np.zeros(room, np.bool_),
            "targets": np.zeros(room, np.float32),
            "before": np.zeros(room, np.int64),
            "guess": np.zeros(room, np.int64),
            "left": np.zeros(room, np.int64),
        }

    def add(self, before: Positions, after: Positions, clicks: Clicks) -> None:
        """Keeps the boards of each game before and after a guess, and the guess, (N,) of all."""
        guesses, places = self._take(len(self._newest)), self._take(len(self._newest))
        columns = self._columns
        for name in Positions._fields:
            columns[name][guesses], columns[name][places] = getattr(before, name), getattr(after, name)
        for name, values in clicks._asdict().items():
            columns[name][places] = values
        columns["before"][places], columns["guess"][places] = self._newest, guesses
        self._newest = places

    def finish(self, games: Places, worths: NDArray[np.float64]) -> None:
        """Ends some of the games.

        Args:
            games: (K,) int64, which.
            worths: (K,), the chance that each is won from the board after its last guess.
        """
        columns, finished = self._columns, []
        places = self._newest[games]
        self._newest[games] = _NONE
        while len(places) > 0:
            made = places != _NONE
            places, worths = places[made], worths[made]
            columns["targets"][places] = worths
            guesses, explored = columns["guess"][places], columns["explored"][places]
            worths = columns["safety"][places] * worths
            columns["targets"][guesses] = worths
            finished += [places, guesses[~explored]]
            self._free = np.concatenate([self._free, guesses[explored]])
            decay = np.where(explored, 0.0, self._decay)
            worths = (1.0 - decay) * columns["values"][places] + decay * worths
            places = columns["before"][places]
        new = np.concatenate([np.empty(0, np.int64), *finished])
        columns["left"][new] = self._replay_ratio
        self.ready = np.concatenate([self.ready, np.repeat(new, self._replay_ratio)])

    def drop(self, games: Places) -> None:
        """Forgets the boards of some of the games, (K,) int64."""
        places = self._newest[games]
        self._newest[games] = _NONE
        while len(places) > 0:
            places = places[places != _NONE]
            self._free = np.concatenate([self._free, places, self._columns["guess"][places]])
            places = self._columns["before"][places]

    def draw(self, count: int, rng: np.random.Generator) -> Samples:
        """Draws `count` of what is ready, all equally likely, and forgets boards that have been drawn often enough."""
        chosen = np.zeros(len(self.ready), np.bool_)
        chosen[rng.choice(len(self.ready), count, replace=False)] = True
        places, self.ready = self.ready[chosen], self.ready[~chosen]
        samples = Samples(*(self._columns[name][places] for name in Samples._fields))
        left, drawn = self._columns["left"], np.unique(places)
        np.subtract.at(left, places, 1)
        self._free = np.concatenate([self._free, drawn[left[drawn] == 0]])
        return samples

    def _take(self, count: int) -> Places:
        """Returns the numbers of free rows, and makes more where there are too few."""
        if len(self._free) < count:
            room = len(self._columns["before"])
            more = max(_FIRST_ROOM, count, room)
            new = self._make(more)
            self._columns = {name: np.concatenate([old, new[name]]) for name, old in self._columns.items()}
            self._free = np.concatenate([self._free, np.arange(room, room + more)])
        places, self._free = self._free[:count], self._free[count:]
        return places

    def save(self) -> dict[str, NDArray[Any]]:
        """Returns all that is needed to go on."""
        own = {"ready": self.ready, "newest": self._newest, "free": self._free}
        return {name: values.copy() for name, values in (own | self._columns).items()}

    def restore(self, saved: dict[str, NDArray[Any]]) -> None:
        """Goes back to what `save` returned."""
        self._columns = {name: np.array(saved[name]) for name in self._columns}
        self.ready, self._newest, self._free = (np.array(saved[name]) for name in ("ready", "newest", "free"))
