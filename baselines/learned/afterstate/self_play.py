"""Self-play of `afterstate`: whole games of the agent, and what they teach in hindsight."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baselines.learned.afterstate.network import COUNTS, AfterstateNetwork
from baselines.learned.afterstate.search import (
    Floats,
    Limits,
    Ratings,
    afterstates,
    click_values,
    clicks_to_weigh,
    first_click_values,
    rate,
)
from baselines.learned.settings import ISOLATED, MAX_BATCH, MAX_BUFFER, Hyperparameters, option
from minesweeper_env.compiled import kernel
from minesweeper_env.config import BoardConfig
from minesweeper_env.engine.games import Games
from minesweeper_env.engine.rules import CLICK, make_move
from minesweeper_env.engine.state import PLAYING, REMAINING, STATUS, WON, Boards, RewardWeights, Rules


@dataclass(frozen=True)
class AfterstateHyperparameters(Hyperparameters):
    """Hyperparameters of afterstate; `SelfPlay` and `AfterstateLearner` explain them."""

    learning_rate_flat: float = option(0.4, "fraction of the training before the learning rate falls linearly", 0, 0.99)
    batch_size: int = option(256, "boards of 64 cells per minibatch; fewer boards if they are larger", 1, MAX_BATCH)
    buffer_size: int = option(100_000, "boards in each replay buffer", 1, MAX_BUFFER)
    replay_ratio: float = option(4.0, "mean number of draws per stored afterstate", 1e-3, 1e3)
    keep_scale: float = option(
        2.0, "probability of storing a board, as a multiple of the error of its safest cell", 0, 1e6
    )
    keep_min: float = option(0.05, "minimum probability of storing", 0, 1)
    isolated_weight_cap: float = option(64.0, ISOLATED, 0, 1e6)
    counts: float = option(0.5, "weight of the loss of the counts", 0, 1e3)
    mixing: float = option(
        0.3, "weight of the outcome in the targets after the first click; the rest is bootstrapped", 0, 1
    )
    exploration: float = option(0.3, "probability that a guess explores; one guess per game does, at most", 1e-3, 1)
    exploration_slack: float = option(0.12, "maximum risk of an exploring click above the least risk", 0, 1)
    slack: float = option(0.05, "maximum risk of a weighed click above the least, on up to 64 cells", 0, 1)
    breadth: int = option(8, "upper bound on the clicks weighed at a guess", 1, 1_000)
    sure: float = option(0.99, "safety at which a training game clicks a cell without weighing others", 0, 1)
    search_starts: int = option(60_000, "boards to learn from before training games weigh clicks", 0, MAX_BUFFER)
    depth_spread: int = option(2, "training leaves out up to this many applications of the block, at random", 0, 63)
    recall: int = option(1, "1: the input planes enter every application of the block; 0: the first alone", 0, 1)
    safety_rate: float = option(1.0, "learning rate of safety, as a multiple of the rate of counts and worth", 0, 1e3)
    averaging: float = option(0.998, "decay per minibatch of the averaged weights, which play", 0, 1)
    warm_up: int = option(400, "minibatches over which the learning rate rises from 0", 1, MAX_BUFFER)
    heads_first: int = option(200, "minibatches at the start from which only the heads learn", 0, MAX_BUFFER)
    other_rule: float = option(0.25, "fraction of the games under another first-click rule: safe, or opening", 0, 1)


_RULES = len(Rules._fields)


@kernel
def open_cells(chosen: NDArray[np.bool_], *arrays: Any) -> None:
    """Clicks the chosen cells of each game in reading order, until the game is over.

    Args:
        chosen: (N, n) bool; cells that are open, or that an earlier click opens, are left out.
        *arrays: the fields of a `Rules`, then of a `Boards`.
    """
    rules, boards = Rules(*arrays[:_RULES]), Boards(*arrays[_RULES:])
    covered = rules.neighbours.shape[1] + 2
    for i in range(len(chosen)):
        for cell in range(chosen.shape[1]):
            if chosen[i, cell] and boards.progress[i, STATUS] <= PLAYING and boards.shown[i, cell] >= covered:
                make_move(rules, boards, i, CLICK, cell)
                if boards.progress[i, STATUS] == PLAYING and boards.progress[i, REMAINING] == 0:
                    boards.progress[i, STATUS] = WON


_LEAST_SURVIVAL = 0.05
"""Lower bound of the agent's own probability of surviving the rest of a game; it bounds the weights."""


class GuessRecords(NamedTuple):
    """K guesses of N games that are over, in the order of the clicks.

    Attributes:
        games: (K,) int64, the number of the game of each guess.
        boards: (K, rows, cols) int8, the codes before the click.
        cells: (K,) int64, the clicked cells.
        counts: (K,) int8, what the cells showed; -1 for a mine.
        safety: (K,) float64, the agent's own probability that the click is safe.
        values: (K,) float64, the agent's own probability of winning with its best click there; NaN if it weighed none.
        order: (K,) int64, the number of earlier guesses in the game; the first click counts as one.
    """

    games: NDArray[np.int64]
    boards: NDArray[np.int8]
    cells: NDArray[np.int64]
    counts: NDArray[np.int8]
    safety: NDArray[np.float64]
    values: NDArray[np.float64]
    order: NDArray[np.int64]

    def chosen(self, which: NDArray[np.bool_]) -> GuessRecords:
        """Returns the guesses where `which`, (K,) bool, is True."""
        columns: Any = [column[which] for column in self]
        return GuessRecords(*columns)


def worth_targets(
    records: GuessRecords, won: NDArray[np.bool_], explores: NDArray[np.int64], mixing: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Returns a target for the board after each guess, and its weight.

    A weighted mean of two estimates of W, the probability that the agent wins from there:

    1. Bootstrapping (weight 1 - mixing): the agent's value of its next guess in this game. The click at that guess
       plays no part, so neither does its luck. If no guess follows, it is 1 for a won game, and 0 for a lost one, which
       died of a click that seemed sure. Without these losses such clicks would seem free, and the agent would seek
       them.
    2. The outcome (weight mixing): let q be the product of the safety of all later guesses. Games that end by a mine at
       a guess do not count. Won games have the target q, games that died of a click that seemed sure the target 0, and
       both have the weight 1 / q. A game survives its guesses with probability q, so that

           E[weight * target] = E[won],  E[weight] = E[survived / q] = 1,

       and the weighted mean of the targets is W if the safety is right. A later guess that explores would spoil this
       estimate. So the guess that explores is drawn before the game, and the outcome counts from there on alone.

    The first click learns from the outcome alone. Its candidates are nearly equal, and bootstrapped values are too high
    by more than that: each is the highest of several estimates.

    Args:
        records: all guesses of N games; the guesses of a game are in their order.
        won: (N,) bool.
        explores: (N,) int64, the number of the guess that explores in each game; -1 for none.
        mixing: the weight of the outcome after later guesses, 0 to 1.

    Returns:
        targets: (K,) float64 within 0 and 1.
        weights: (K,) float64; 0 after a mine, and where nothing can be learned.
    """
    last, following = _following(records.games)
    values = np.where(last, won[records.games], records.values[following])
    known = np.isfinite(values)
    survival = np.maximum(_later_products(records.games, records.safety), _LEAST_SURVIVAL)
    survived = np.ones(len(won), np.bool_)
    survived[records.games[records.counts < 0]] = False
    counts = survived[records.games] & (records.order >= explores[records.games])
    share = np.where(records.order == 0, 1.0, mixing)
    bootstrapped = (1 - share) * known
    weights = bootstrapped + share * counts / survival
    totals = bootstrapped * np.where(known, values, 0.0) + share * (counts & won[records.games])
    weights[records.counts < 0] = 0.0
    return np.clip(np.divide(totals, weights, out=np.zeros_like(weights), where=weights > 0), 0, 1), weights


def _following(games: NDArray[np.int64]) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Returns whether a guess is the last one of its game, (K,) bool, and the index of the next one, (K,) int64."""
    order = np.argsort(games, kind="stable")
    following = np.arange(len(games))
    last = np.ones(len(games), np.bool_)
    same = games[order[:-1]] == games[order[1:]]
    following[order[:-1][same]] = order[1:][same]
    last[order[:-1][same]] = False
    return last, following


def _later_products(games: NDArray[np.int64], safety: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns the product of the safety of all later guesses of the same game, (K,) float64; 1 after the last."""
    logarithms = np.log(np.maximum(safety, 1e-9))
    order = np.argsort(games, kind="stable")
    sums = np.cumsum(logarithms[order])
    ends = np.flatnonzero(np.append(games[order[1:]] != games[order[:-1]], True)) if len(games) else np.zeros(0, int)
    totals = np.repeat(sums[ends], np.diff(ends, prepend=-1))
    products = np.empty(len(games))
    products[order] = np.exp(totals - sums)
    return products


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


@dataclass
class _Round:
    """A round of games in progress.

    Attributes:
        network: plays.
        rng: source of all randomness.
        searches: whether to weigh the clicks at guesses.
        explores: (N,) int64, the number of the guess that explores in each game; -1 for none.
        guesses: (N,) int64, the number of guesses so far, the first click included.
        records: the guesses.
        kept: game numbers (K,) and boards (K, rows, cols) that teach safety and counts.
    """

    network: AfterstateNetwork
    rng: np.random.Generator
    searches: bool
    explores: NDArray[np.int64]
    guesses: NDArray[np.int64]
    records: list[GuessRecords] = field(default_factory=list)
    kept: list[tuple[NDArray[np.int64], NDArray[np.int8]]] = field(default_factory=list)


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
        self._limits = Limits.on(config, hyperparameters.slack, hyperparameters.breadth, power=1.0)
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
        self._games.seed(rng.integers(0, 1 << 64, self.count, np.uint64, endpoint=False))
        self._games.reset(np.ones(self.count, np.bool_))
        current = _Round(network, rng, searches, self._draw_explorations(rng), np.zeros(self.count, np.int64))
        self._click_first(current)
        while len(playing := np.flatnonzero(self._games.status == PLAYING)) > 0:
            self._click(current, playing)
        self.counters.games += self.count
        self.counters.wins += int((self._games.status == WON).sum())
        return self._samples(current)

    def _draw_explorations(self, rng: np.random.Generator) -> NDArray[np.int64]:
        """Returns the number of the guess that explores in each game, (N,) int64; -1 for none."""
        explores = rng.geometric(self._own.exploration, self.count) - 1
        explores[explores >= _LAST_EXPLORING] = -1
        return explores

    def _click_first(self, current: _Round) -> None:
        """Makes the first click of each game: the best one by the network, or any cell where the game explores it."""
        best = int(first_click_values(current.network, self.config).argmax()) if current.searches else 0
        anywhere = (current.explores == 0) | (not current.searches)
        cells = np.where(anywhere, current.rng.integers(self.config.cells, size=self.count), best)
        everyone = np.arange(self.count)
        boards = self._codes()
        self._open(everyone, np.eye(self.config.cells, dtype=np.bool_)[cells])
        unknown, sure = np.full(self.count, np.nan), np.ones(self.count)
        self._record(current, everyone, boards, cells, sure, unknown)

    def _click(self, current: _Round, playing: NDArray[np.int64]) -> None:
        """Opens all sure cells of each game that goes on, or makes its guess."""
        boards = self._codes()[playing]
        legal = (boards > self.config.codes.max_count).reshape(len(boards), -1)
        safety = rate(current.network, self.config.mines, boards, legal, counts=False).safety
        best = safety.max(axis=1)
        self.rated += len(boards)
        keep = current.rng.random(len(boards)) < np.clip(self._own.keep_scale * (1 - best), self._own.keep_min, 1)
        current.kept.append((playing[keep], boards[keep]))
        chosen = self._sure_cells(safety, best)
        guessing = np.flatnonzero(best < self._own.sure)
        which, before = playing[guessing], boards[guessing]
        cells, values, own = self._guess(current, which, before, legal[guessing])
        chosen[guessing] = False
        chosen[guessing, cells] = True
        self._open(playing, chosen)
        self._record(current, which, before, cells, own, values)

    def _sure_cells(self, safety: Floats, best: Floats) -> NDArray[np.bool_]:
        """Returns the cells to open at once, (K, n) bool: all that are surely safe, or else the safest one."""
        chosen = safety >= np.maximum(_OPEN_AT_ONCE, self._own.sure)
        unsure = best < _OPEN_AT_ONCE
        chosen[unsure, safety[unsure].argmax(axis=1)] = True
        return chosen

    def _guess(
        self, current: _Round, which: NDArray[np.int64], boards: NDArray[np.int8], legal: NDArray[np.bool_]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
        """Returns the cells to click, the values of the best clicks, and the safety of the clicked cells.

        Args:
            current: the round.
            which: (K,) int64, the numbers of the games.
            boards: (K, rows, cols) int8, their codes.
            legal: (K, rows * cols) bool, the legal clicks.
        """
        if len(boards) == 0:
            return np.zeros(0, np.int64), np.zeros(0), np.zeros(0)
        ratings = rate(current.network, self.config.mines, boards, legal, counts=True)
        # Every legal cell counts, also one that the network takes for a certain mine.
        ratings = Ratings(np.maximum(ratings.safety, 1e-6 * legal), ratings.counts)
        cells, best = self._best_clicks(current, boards, ratings)
        exploring = current.guesses[which] == current.explores[which]
        cells = np.where(exploring, self._exploring_clicks(current.rng, ratings), cells)
        return cells, best, ratings.safety[np.arange(len(boards)), cells].astype(np.float64)

    def _best_clicks(
        self, current: _Round, boards: NDArray[np.int8], ratings: Ratings
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Returns the best click on each board, and its value; the safest one and NaN if the round does not search."""
        cells, best = ratings.safety.argmax(axis=1), np.full(len(boards), np.nan)
        self.counters.guesses += len(boards)
        if not current.searches:
            return cells, best
        clicks = clicks_to_weigh(ratings, self._limits)
        values = click_values(current.network, self.config.mines, boards, ratings, clicks)
        self.counters.changed += int((values.argmax(axis=1) != cells).sum())
        return values.argmax(axis=1), values.max(axis=1)

    def _exploring_clicks(self, rng: np.random.Generator, ratings: Ratings) -> NDArray[np.int64]:
        """Draws a click on each board, uniformly among those near the highest safety."""
        weighed = clicks_to_weigh(ratings, Limits(self._own.exploration_slack, self._own.breadth))
        return np.where(weighed, rng.random(weighed.shape), -1.0).argmax(axis=1)

    def _open(self, games: NDArray[np.int64], chosen: NDArray[np.bool_]) -> None:
        everywhere = np.zeros((self.count, self.config.cells), np.bool_)
        everywhere[games] = chosen
        open_cells(everywhere, *self._games.arrays)

    def _codes(self) -> NDArray[np.int8]:
        return self._games.show()[0].reshape(self.count, self.config.rows, self.config.cols)

    def _record(
        self,
        current: _Round,
        which: NDArray[np.int64],
        boards: NDArray[np.int8],
        cells: NDArray[np.int64],
        safety: NDArray[np.float64],
        values: NDArray[np.float64],
    ) -> None:
        """Appends guesses, whose clicks are made, to the records."""
        shown = self._codes().reshape(self.count, -1)[which, cells]
        counts = np.where(shown <= self.config.codes.max_count, shown, -1).astype(np.int8)
        current.records.append(GuessRecords(which, boards, cells, counts, safety, values, current.guesses[which]))
        current.guesses[which] += 1

    def _samples(self, current: _Round) -> tuple[Lessons, Afterstates]:
        """Returns what the games of a round, which are over, teach."""
        records = GuessRecords(*(np.concatenate(columns) for columns in zip(*current.records, strict=True)))
        mixing = self._own.mixing if current.searches else 1.0
        targets, weights = worth_targets(records, self._games.status == WON, current.explores, mixing)
        thinned = (records.order > 0) | (current.rng.random(len(weights)) < _FIRST_KEPT)
        useful = (weights > 0) & thinned
        chosen = records.chosen(useful)
        contents = finished_contents(self._games.revealed_mines())
        after = afterstates(chosen.boards, chosen.cells, chosen.counts.astype(np.int64))
        worth = Afterstates(after, targets[useful].astype(np.float32), weights[useful].astype(np.float32))
        lessons = [self._lessons(contents[which], boards) for which, boards in current.kept]
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
