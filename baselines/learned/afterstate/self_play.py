"""Self-play of `afterstate`: whole games of the agent, and what they teach in hindsight."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from baselines.learned.afterstate.network import COUNTS, AfterstateNetwork
from baselines.learned.afterstate.open_kernel import open_cells
from baselines.learned.afterstate.search import (
    Limits,
    Ratings,
    afterstates,
    candidates,
    click_values,
    first_click_values,
    rate,
)
from baselines.learned.afterstate.targets import GuessRecords, worth_targets
from baselines.learned.settings.hyperparameters import AfterstateHyperparameters
from minesweeper_env.config import BoardConfig
from minesweeper_env.engine.games import Games
from minesweeper_env.engine.state import PLAYING, WON, RewardWeights

MINE, UNKNOWN = COUNTS, -1
"""Labels of cells that are no count: a mine, and a cell that is open or whose content teaches nothing."""

_OPEN_AT_ONCE = 0.998
"""Cells of at least this safety are all opened before the network looks again."""

_LAST_EXPLORING = 4
"""Games whose exploring guess would be this one or a later one do not explore."""

_FIRST_KEPT = 0.5
"""Fraction of the afterstates of first clicks that are stored; every game has one, and they are few boards."""


class Lessons(NamedTuple):
    """K boards that teach safety and counts.

    Attributes:
        codes: (K, rows, cols) int8.
        labels: (K, rows * cols) int8, the count that a covered safe cell shows, MINE, or UNKNOWN.
    """

    codes: NDArray[np.int8]
    labels: NDArray[np.int8]


class Afterstates(NamedTuple):
    """K boards that teach the worth.

    Attributes:
        codes: (K, rows, cols) int8.
        targets: (K,) float32, the probability of winning.
        weights: (K,) float32, positive.
    """

    codes: NDArray[np.int8]
    targets: NDArray[np.float32]
    weights: NDArray[np.float32]


@dataclass
class Counters:
    """Counts since the last log row.

    Attributes:
        games: games finished.
        wins: games won.
        guesses: guesses made, without first clicks.
        changed: guesses where the search preferred a click that is not the safest.
    """

    games: int = 0
    wins: int = 0
    guesses: int = 0
    changed: int = 0


class SelfPlay:
    """Plays games of one configuration, many side by side, each to its end.

    Args:
        config: the games.
        count: number of games side by side.
        hyperparameters: how to explore, search and store.
    """

    def __init__(self, config: BoardConfig, count: int, hyperparameters: AfterstateHyperparameters) -> None:
        """Prepares the games; `play` begins them."""
        self.config, self.count = config, count
        self.counters = Counters()
        self.rated = 0
        self._own = hyperparameters
        self._limits = Limits.on(config, hyperparameters.slack, hyperparameters.breadth)
        self._games = Games(config, count, RewardWeights())

    def play(self, network: AfterstateNetwork, rng: np.random.Generator, searches: bool) -> tuple[Lessons, Afterstates]:
        """Plays `count` games to their ends.

        Args:
            network: plays.
            rng: source of all randomness.
            searches: whether to weigh the clicks at guesses; the safest one is clicked otherwise.

        Returns:
            What the games teach. The layout of a game is looked at once it is over, when every player sees it.
        """
        games = self._games
        games.seed(rng.integers(0, 1 << 64, self.count, np.uint64, endpoint=False))
        games.reset(np.ones(self.count, np.bool_))
        explores = rng.geometric(self._own.exploration, self.count) - 1
        explores[explores >= _LAST_EXPLORING] = -1
        kept: list[tuple[NDArray[np.int64], NDArray[np.int8]]] = []
        records = [self._click_first(network, rng, explores, searches)]
        guesses = np.ones(self.count, np.int64)
        while len(playing := np.flatnonzero(games.status == PLAYING)) > 0:
            boards = self._codes()[playing]
            legal = (boards > self.config.codes.max_count).reshape(len(boards), -1)
            safety = rate(network, self.config.mines, boards, legal, counts=False).safety
            best = safety.max(axis=1)
            self.rated += len(boards)
            keep = rng.random(len(boards)) < np.clip(self._own.keep_scale * (1 - best), self._own.keep_min, 1)
            kept.append((playing[keep], boards[keep]))
            chosen = safety >= np.maximum(_OPEN_AT_ONCE, self._own.sure)
            unsure = best < _OPEN_AT_ONCE
            chosen[unsure, safety[unsure].argmax(axis=1)] = True
            guessing = np.flatnonzero(best < self._own.sure)
            which = playing[guessing]
            cells, values, own = self._guess(
                network, rng, boards[guessing], legal[guessing], guesses[which] == explores[which], searches
            )
            chosen[guessing] = False
            chosen[guessing, cells] = True
            self._open(playing, chosen)
            records.append(self._record(which, boards[guessing], cells, own, values, guesses[which]))
            guesses[which] += 1
        self.counters.games += self.count
        self.counters.wins += int((games.status == WON).sum())
        return self._samples(records, kept, explores, rng, self._own.mixing if searches else 1.0)

    def _click_first(
        self, network: AfterstateNetwork, rng: np.random.Generator, explores: NDArray[np.int64], searches: bool
    ) -> GuessRecords:
        """Makes the first click of each game: the best one by the network, or any cell where the game explores it."""
        best = int(first_click_values(network, self.config).argmax()) if searches else 0
        anywhere = (explores == 0) | (not searches)
        cells = np.where(anywhere, rng.integers(self.config.cells, size=self.count), best)
        everyone = np.arange(self.count)
        boards = self._codes()
        self._open(everyone, np.eye(self.config.cells, dtype=np.bool_)[cells])
        unknown, sure = np.full(self.count, np.nan), np.ones(self.count)
        return self._record(everyone, boards, cells, sure, unknown, np.zeros(self.count, np.int64))

    def _guess(
        self,
        network: AfterstateNetwork,
        rng: np.random.Generator,
        boards: NDArray[np.int8],
        legal: NDArray[np.bool_],
        exploring: NDArray[np.bool_],
        searches: bool,
    ) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
        """Returns the cells to click, the values of the best clicks, and the safety of the clicked cells."""
        if len(boards) == 0:
            return np.zeros(0, np.int64), np.zeros(0), np.zeros(0)
        everyone = np.arange(len(boards))
        ratings = rate(network, self.config.mines, boards, legal, counts=True)
        # Every legal cell counts, also one that the network takes for a certain mine.
        ratings = Ratings(np.maximum(ratings.safety, 1e-6 * legal), ratings.counts)
        safest = ratings.safety.argmax(axis=1)
        cells, best = safest, np.full(len(boards), np.nan)
        if searches:
            clicks = candidates(ratings.safety, self._limits)
            values = click_values(network, self.config.mines, boards, ratings, clicks)
            cells, best = values.argmax(axis=1), values.max(axis=1)
        weighed = candidates(ratings.safety, Limits(self._own.exploration_slack, self._own.breadth))
        drawn = np.where(weighed, rng.random(weighed.shape), -1.0).argmax(axis=1)
        self.counters.guesses += len(boards)
        self.counters.changed += int((cells != safest).sum())
        cells = np.where(exploring, drawn, cells)
        return cells, best, ratings.safety[everyone, cells].astype(np.float64)

    def _open(self, games: NDArray[np.int64], chosen: NDArray[np.bool_]) -> None:
        everywhere = np.zeros((self.count, self.config.cells), np.bool_)
        everywhere[games] = chosen
        open_cells(everywhere, *self._games.arrays)

    def _codes(self) -> NDArray[np.int8]:
        return self._games.show()[0].reshape(self.count, self.config.rows, self.config.cols)

    def _record(
        self,
        games: NDArray[np.int64],
        boards: NDArray[np.int8],
        cells: NDArray[np.int64],
        safety: NDArray[np.float64],
        values: NDArray[np.float64],
        order: NDArray[np.int64],
    ) -> GuessRecords:
        shown = self._codes().reshape(self.count, -1)[games, cells]
        counts = np.where(shown <= self.config.codes.max_count, shown, -1).astype(np.int8)
        return GuessRecords(games, boards, cells, counts, safety, values, order.copy())

    def _samples(
        self,
        parts: list[GuessRecords],
        kept: list[tuple[NDArray[np.int64], NDArray[np.int8]]],
        explores: NDArray[np.int64],
        rng: np.random.Generator,
        mixing: float,
    ) -> tuple[Lessons, Afterstates]:
        records = GuessRecords(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))
        targets, weights = worth_targets(records, self._games.status == WON, explores, mixing)
        thinned = (records.order > 0) | (rng.random(len(weights)) < _FIRST_KEPT)
        useful = (weights > 0) & thinned
        chosen = records.chosen(useful)
        contents = finished_contents(self._games.revealed_mines())
        after = afterstates(chosen.boards, chosen.cells, chosen.counts.astype(np.int64))
        worth = Afterstates(after, targets[useful].astype(np.float32), weights[useful].astype(np.float32))
        lessons = [self._lessons(contents[games], boards) for games, boards in kept]
        if self.config.first_click in ("safe", "any"):
            lessons.append(self._first_lessons(contents, records.chosen(thinned & (records.order == 0))))
        return Lessons(*(np.concatenate(columns) for columns in zip(*lessons, strict=True))), worth

    def _lessons(self, contents: NDArray[np.int8], codes: NDArray[np.int8]) -> Lessons:
        """Returns boards with the contents (K, n) of their covered cells as labels."""
        covered = (codes > self.config.codes.max_count).reshape(contents.shape)
        return Lessons(codes, np.where(covered, contents, UNKNOWN).astype(np.int8))

    def _first_lessons(self, contents: NDArray[np.int8], first: GuessRecords) -> Lessons:
        """Returns covered boards whose only label is the content of the clicked cell.

        The first-click rule concerns this cell: what other cells hold then is not what they would show as first clicks.
        """
        labels = np.full((len(first.games), self.config.cells), UNKNOWN, np.int8)
        labels[np.arange(len(labels)), first.cells] = contents[first.games, first.cells]
        return Lessons(first.boards, labels)


def finished_contents(mines: NDArray[np.bool_]) -> NDArray[np.int8]:
    """Returns what each cell holds, (N, rows * cols) int8: its count or MINE, for mines (N, rows, cols)."""
    padded = np.pad(mines.astype(np.int8), ((0, 0), (1, 1), (1, 1)))
    rows, cols = mines.shape[1:]
    squares = [padded[:, i : i + rows, j : j + cols] for i in range(3) for j in range(3)]
    return np.where(mines, MINE, sum(squares)).astype(np.int8).reshape(len(mines), -1)
