"""Self-play of `afterstate`: whole games of the agent, and the training samples that they give in hindsight."""

from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from baselines.learned.afterstate import search
from baselines.learned.afterstate.clues import Doubles
from baselines.learned.afterstate.network import COUNTS, AfterstateNetwork
from baselines.learned.afterstate.search import Cells, Flags, Limits, Outcomes, Ratings
from baselines.learned.afterstate.teacher import Teacher
from baselines.learned.common.optimisation import safety_of
from baselines.learned.settings import AfterstateHyperparameters
from baselines.scripted.base import neighbour_sums
from minesweeper_env.compiled import kernel
from minesweeper_env.config import BoardConfig
from minesweeper_env.engine.games import Games
from minesweeper_env.engine.rules import CLICK, make_move
from minesweeper_env.engine.state import PLAYING, REMAINING, STATUS, WON, Boards, RewardWeights, Rules

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
    """K guesses of N games that are over, in the order of the clicks; the first click counts as a guess."""

    games: NDArray[np.int64]  # the number of the game
    boards: NDArray[np.int8]  # (K, rows, cols): the codes before the click
    cells: NDArray[np.int64]  # the clicked cell
    counts: NDArray[np.int8]  # what it showed; -1 for a mine
    safety: NDArray[np.float64]  # the agent's own probability that the click is safe
    values: NDArray[np.float64]  # its own probability of winning with its best click; NaN if it weighed none
    order: NDArray[np.int64]  # the number of earlier guesses in the game


def worth_targets(records: GuessRecords, won: Flags, explores: Cells, mixing: float) -> tuple[Doubles, Doubles]:
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
        Targets (K,) within 0 and 1, and weights (K,); 0 after a mine, and where nothing can be learned.
    """
    by_game = np.argsort(records.games, kind="stable")
    games, _, _, counts, safety, values, order = (column[by_game] for column in records)
    is_last = np.append(games[1:] != games[:-1], True)[: len(games)]  # The slice keeps an empty array empty.
    next_values = np.where(is_last, won[games], np.append(values[1:], 0)[: len(games)])
    known = np.isfinite(next_values)
    # q, the product of the safety of all later guesses of the game: its logarithm is a difference of running sums.
    log_sums = np.cumsum(np.log(np.maximum(safety, 1e-9)))
    ends = np.flatnonzero(is_last)
    log_sums_at_end = np.repeat(log_sums[ends], np.diff(ends, prepend=-1))
    survival = np.maximum(np.exp(log_sums_at_end - log_sums), _LEAST_SURVIVAL)
    survived_guesses = np.ones(len(won), np.bool_)
    survived_guesses[games[counts < 0]] = False
    outcome_counts = survived_guesses[games] & (order >= explores[games])
    outcome_share = np.where(order == 0, 1.0, mixing)
    bootstrap_weights = (1 - outcome_share) * known
    weights = bootstrap_weights + outcome_share * outcome_counts / survival
    # The weight 1 / q of a won game times its target q is 1.
    weighted_targets = bootstrap_weights * np.where(known, next_values, 0.0)
    weighted_targets += outcome_share * (outcome_counts & won[games])
    weights[counts < 0] = 0.0
    targets = np.divide(weighted_targets, weights, out=np.zeros_like(weights), where=weights > 0)
    unsorted = np.argsort(by_game)
    return np.clip(targets, 0, 1)[unsorted], weights[unsorted]


MINE, UNKNOWN = COUNTS, -1
"""Labels of cells that are no count: a mine, and a cell that is open or whose content teaches nothing."""

_OPEN_AT_ONCE = 0.998
"""Cells of at least this safety are all opened before the network looks again."""

_MAY_EXPLORE = 4
"""The number of guesses, from the first click on, at which a game may explore; a later draw means that it does not."""

_FIRST_KEPT = 0.5
"""Fraction of the afterstates of first clicks that are stored; every game has one, and they are few boards."""


class Samples(NamedTuple):
    """K boards that teach safety and counts."""

    codes: NDArray[np.int8]  # (K, rows, cols)
    labels: NDArray[np.int8]  # (K, rows * cols): the count that a covered safe cell shows, MINE, or UNKNOWN


class Afterstates(NamedTuple):
    """K boards that teach the worth."""

    codes: NDArray[np.int8]  # (K, rows, cols)
    targets: NDArray[np.float32]  # the probability of winning
    weights: NDArray[np.float32]  # positive


class SelfPlay:
    """Plays rounds of games of one configuration, many side by side, each to its end.

    Attributes:
        config: the games.
        count: number of games side by side.
        wins: games won in the last round.
        rated: boards that the network rated in it.
        guessed: guesses made in it, without first clicks.
        changed: guesses where the search preferred a click that is not the safest.
    """

    def __init__(
        self,
        config: BoardConfig,
        count: int,
        hyperparameters: AfterstateHyperparameters,
        teacher: Teacher | None = None,
    ) -> None:
        self.config, self.count, self._hyperparameters, self._teacher = config, count, hyperparameters, teacher
        self._limits = Limits.on(config, hyperparameters.slack, hyperparameters.breadth, power=1.0)
        self._games = Games(config, count, RewardWeights())

    def play(self, network: AfterstateNetwork, rng: np.random.Generator, searches: bool) -> tuple[Samples, Afterstates]:
        """Plays a round of `count` games to their ends, and returns what they teach.

        All randomness is from `rng`. A guess is the click of highest value by the search if the round `searches`, else
        the safest click. The layout of a game is read only after its end, when every player sees it.
        """
        self._network, self._rng, self._searches = network, rng, searches
        self.rated = self.guessed = self.changed = 0
        # The number of guesses so far in each game.
        self._guess_counts = np.zeros(self.count, np.int64)
        self._records: list[GuessRecords] = []
        # The games, (k,), and codes, (k, rows, cols), of the boards that `Samples` is made of.
        self._kept: list[tuple[NDArray[np.int64], NDArray[np.int8]]] = []
        self._games.seed(rng.integers(0, 1 << 64, self.count, np.uint64, endpoint=False))
        self._games.reset(np.ones(self.count, np.bool_))
        # The number of the guess that explores in each game; -1 for none.
        self._exploring_guess = rng.geometric(self._hyperparameters.exploration, self.count) - 1
        self._exploring_guess[self._exploring_guess >= _MAY_EXPLORE] = -1
        self._click_first()
        while len(playing := np.flatnonzero(self._games.status == PLAYING)) > 0:
            self._open_sure_or_guess(playing)
        self.wins = int((self._games.status == WON).sum())
        return self._learning_data()

    def _click_first(self) -> None:
        """Makes the first click of each game: the best one by the network, or any cell where the game explores it."""
        best = int(search.first_click_values(self._network, self.config).argmax()) if self._searches else 0
        explores = (self._exploring_guess == 0) | (not self._searches)
        cells = np.where(explores, self._rng.integers(self.config.cells, size=self.count), best)
        all_games, boards = np.arange(self.count), self._codes()
        self._open(all_games, np.eye(self.config.cells, dtype=np.bool_)[cells])
        self._record(all_games, boards, cells, np.ones(self.count), np.full(self.count, np.nan))

    def _open_sure_or_guess(self, playing: NDArray[np.int64]) -> None:
        """Opens all sure cells in each of the games `playing`, or makes a guess where no cell is sure."""
        boards = self._codes()[playing]
        legal = (boards > self.config.codes.max_count).reshape(len(boards), -1)
        safety = self._rate(boards, legal, counts=False).safety
        highest = safety.max(axis=1)
        self.rated += len(boards)
        keep_chance = np.clip(self._hyperparameters.keep_scale * (1 - highest), self._hyperparameters.keep_min, 1)
        kept = self._rng.random(len(boards)) < keep_chance
        self._kept.append((playing[kept], boards[kept]))
        # All that are surely safe, or else the safest one.
        chosen = safety >= np.maximum(_OPEN_AT_ONCE, self._hyperparameters.sure)
        unsure = highest < _OPEN_AT_ONCE
        chosen[unsure, safety[unsure].argmax(axis=1)] = True
        guessing = np.flatnonzero(highest < self._hyperparameters.sure)
        if len(guessing) == 0:
            self._open(playing, chosen)
            return
        games, before = playing[guessing], boards[guessing]
        cells, guess_safety, values = self._choose_guesses(games, before, legal[guessing])
        chosen[guessing] = False
        chosen[guessing, cells] = True
        self._open(playing, chosen)
        self._record(games, before, cells, guess_safety, values)

    def _rate(self, boards: NDArray[np.int8], legal: Flags, counts: bool) -> Ratings:
        """Rates the cells of boards by the network; before games search, a teacher rates their safety instead.

        A new network would die before it meets a late guess.
        """
        network, mines = self._network, self.config.mines
        if self._teacher is None or self._searches:
            return search.rate(network, mines, boards, legal, counts)
        safety = safety_of(torch.from_numpy(boards), mines).numpy() * legal
        no_counts = np.zeros((len(boards), 0, legal.shape[1]), np.float32)
        return Ratings(safety, search.rate(network, mines, boards, legal, counts).counts if counts else no_counts)

    def _choose_guesses(self, games: Cells, boards: NDArray[np.int8], legal: Flags) -> tuple[Cells, Doubles, Doubles]:
        """Returns the cells to click in K games, their safety, and the values of the best clicks, (K,) each.

        A value is NaN if the round does not search. An exploring click need not be the best one.
        """
        network, mines = self._network, self.config.mines
        ratings = self._rate(boards, legal, counts=True)
        # A positive safety keeps every legal cell a candidate, also one that the network takes for a certain mine.
        ratings = Ratings(np.maximum(ratings.safety, 1e-6 * legal), ratings.counts)
        cells, highest = ratings.safety.argmax(axis=1), np.full(len(boards), np.nan)
        self.guessed += len(boards)
        if self._searches:
            outcomes = Outcomes.of(boards, ratings.counts, search.clicks_to_weigh(ratings, self._limits))
            values = outcomes.click_values(ratings.safety, search.worths(network, mines, outcomes))
            self.changed += int((values.argmax(axis=1) != cells).sum())
            cells, highest = values.argmax(axis=1), values.max(axis=1)
        # A game explores by a click drawn uniformly among those near the highest safety.
        limits = Limits(self._hyperparameters.exploration_slack, self._hyperparameters.breadth)
        candidates = search.clicks_to_weigh(ratings, limits)
        drawn = np.where(candidates, self._rng.random(candidates.shape), -1.0).argmax(axis=1)
        cells = np.where(self._guess_counts[games] == self._exploring_guess[games], drawn, cells)
        return cells, ratings.safety[np.arange(len(boards)), cells].astype(np.float64), highest

    def _open(self, games: NDArray[np.int64], chosen: NDArray[np.bool_]) -> None:
        """Clicks the chosen cells, (K, n) bool, of K games; see `open_cells`."""
        chosen_of_all = np.zeros((self.count, self.config.cells), np.bool_)
        chosen_of_all[games] = chosen
        open_cells(chosen_of_all, *self._games.arrays)

    def _codes(self) -> NDArray[np.int8]:
        """Returns the visible boards of all games, (count, rows, cols)."""
        return self._games.show()[0].reshape(self.count, self.config.rows, self.config.cols)

    def _record(self, games: Cells, boards: NDArray[np.int8], cells: Cells, safety: Doubles, values: Doubles) -> None:
        """Appends guesses, whose clicks are made, to the records; `boards` are those before the clicks."""
        shown = self._codes().reshape(self.count, -1)[games, cells]
        counts = np.where(shown <= self.config.codes.max_count, shown, -1).astype(np.int8)
        self._records.append(GuessRecords(games, boards, cells, counts, safety, values, self._guess_counts[games]))
        self._guess_counts[games] += 1

    def _learning_data(self) -> tuple[Samples, Afterstates]:
        """Returns what the games of the round, which are over, teach: safety and counts, and the worth."""
        records = GuessRecords(*(np.concatenate(columns) for columns in zip(*self._records, strict=True)))
        kept = (records.order > 0) | (self._rng.random(len(records.order)) < _FIRST_KEPT)
        worth = self._afterstates(records, kept)
        contents = finished_contents(self._games.revealed_mines())
        games, codes = (np.concatenate(columns) for columns in zip(*self._kept, strict=True))
        covered = (codes > self.config.codes.max_count).reshape(len(codes), self.config.cells)
        samples = Samples(codes, np.where(covered, contents[games], UNKNOWN).astype(np.int8))
        if self.config.first_click in ("safe", "any"):
            # A first click teaches its own cell alone: the rule may have changed what the other cells hold.
            first = kept & (records.order == 0)
            games, cells = records.games[first], records.cells[first]
            labels = np.full((len(cells), self.config.cells), UNKNOWN, np.int8)
            labels[np.arange(len(cells)), cells] = contents[games, cells]
            first_samples = Samples(records.boards[first], labels)
            samples = Samples(*(np.concatenate(columns) for columns in zip(samples, first_samples, strict=True)))
        return samples, worth

    def _afterstates(self, records: GuessRecords, kept: Flags) -> Afterstates:
        """Returns what the `kept` guesses, (K,) bool, of the finished games teach: the worth."""
        mixing = self._hyperparameters.mixing if self._searches else 1.0
        targets, weights = worth_targets(records, self._games.status == WON, self._exploring_guess, mixing)
        useful = (weights > 0) & kept
        taught_codes, taught_values = records.boards[:0], np.zeros(0)
        if self._teacher is not None:
            later = np.flatnonzero(records.order > 0)
            taught_codes, taught_values, is_late = self._teacher.afterstates(records.boards[later], self._rng)
            useful[later[is_late]] = False
        counts = records.counts[useful].astype(np.int64)
        own_codes = search.afterstates(records.boards[useful], records.cells[useful], counts)
        codes = np.concatenate([own_codes, taught_codes])
        all_targets, all_weights = np.append(targets[useful], taught_values), np.ones(len(codes))
        all_weights[: len(counts)] = weights[useful]
        return Afterstates(codes, all_targets.astype(np.float32), all_weights.astype(np.float32))


def finished_contents(mines: NDArray[np.bool_]) -> NDArray[np.int8]:
    """Returns the count or MINE of each cell, (N, rows * cols) int8, from mines, (N, rows, cols) bool."""
    return np.where(mines, MINE, neighbour_sums(mines, 1)).astype(np.int8).reshape(len(mines), -1)
