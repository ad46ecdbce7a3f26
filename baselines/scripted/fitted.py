"""`marginal` and `conditional`: guesses fitted to practice games of random clicks, after Antimatroid (2012)."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baselines.evaluation.seeds import TRAINING_SEEDS, derived_seed
from baselines.scripted.base import Knowledge, ScriptedPolicy
from minesweeper_env.config import MAX_RADIUS, BoardConfig, one_of, whole_number
from minesweeper_env.vector_env import MinesweeperVectorEnv

MAX_GAMES = 1_000_000
"""Maximum number of practice games of a fit."""

_BATCH_SIZE = 1000


class PracticeGames(NamedTuple):
    """N finished games, and the T boards that their clicks met."""

    boards: NDArray[np.int8]  # (T, rows, cols), each before a click
    games: NDArray[np.int64]  # (T,), the game of each board
    layouts: NDArray[np.bool_]  # (N, rows, cols), the mines of each game


def play_practice_games(config: BoardConfig, games: int, seed: int) -> Iterator[PracticeGames]:
    """Yields `games` finished games of random clicks, in batches.

    The step limit, `no_guess` and `luck` of `config` are ignored. The games have consecutive seeds of
    `TRAINING_SEEDS`, and `seed` fixes the first one.
    """
    first = TRAINING_SEEDS.start + derived_seed(seed) % (len(TRAINING_SEEDS) - games + 1)
    endless = replace(config, moves=("click",), max_steps=None, no_guess=False, luck=True)
    for begin in range(first, first + games, _BATCH_SIZE):
        yield _play_to_end(endless, range(begin, min(begin + _BATCH_SIZE, first + games)))


def _play_to_end(config: BoardConfig, seeds: range) -> PracticeGames:
    """Plays a game of random clicks from each seed to its end."""
    env = MinesweeperVectorEnv(len(seeds), **config.arguments())
    observations, _ = env.reset(seed=list(seeds))
    playing = np.ones(len(seeds), np.bool_)
    boards, games, final_boards = [], [], observations.copy()
    while playing.any():  # The environment restarts games that end before the last one; these are left out.
        boards.append(observations[playing])
        games.append(np.flatnonzero(playing))
        observations, _, terminations, _, _ = env.step(env.sample_actions())
        ended = playing & terminations
        final_boards[ended] = observations[ended]
        playing &= ~ended
    # Lost boards show the mines; on won ones they are still covered.
    mines = final_boards == config.codes.mine
    layouts = np.where(mines.any(axis=(1, 2), keepdims=True), mines, final_boards > config.codes.max_count)
    return PracticeGames(np.concatenate(boards), np.concatenate(games), layouts)


class FittedPolicy(ScriptedPolicy):
    """Scripted policy without deduction whose guess rule is fitted; subclasses define `fit` and `risks`."""

    batch_size = 200

    def __init__(self, config: BoardConfig, *, fit_games: int | None = None, fit_seed: int = 0) -> None:
        """Fits the rule to 1 to `MAX_GAMES` practice games, or `default_games()` for None; `fit_seed` is at least 0."""
        super().__init__(config)
        games = self.default_games() if fit_games is None else fit_games
        games = whole_number("fit_games", games, 1, MAX_GAMES)
        self.fit(play_practice_games(config, games, whole_number("fit_seed", fit_seed, 0)))

    def default_games(self) -> int:
        """Returns the default number of practice games."""
        return 1000

    def fit(self, practice: Iterator[PracticeGames]) -> None:
        """Fits the guess rule to practice games."""
        raise NotImplementedError


class MarginalPolicy(FittedPolicy):
    """Clicks the covered cell that was safe in the largest fraction of practice games, whatever the board shows.

    If mines are uniform and games independent, each `fit_seed` gives a uniformly random order of clicks. On average
    over the seeds the policy is then as good as `random`.
    """

    def fit(self, practice: Iterator[PracticeGames]) -> None:
        """Estimates the mine probability of each cell, with Laplace smoothing."""
        games, mines = 0, np.zeros((self.config.rows, self.config.cols))
        for batch in practice:
            games += len(batch.layouts)
            mines += batch.layouts.sum(axis=0)
        self._mine_probabilities: NDArray[np.float64] = (mines + 1.0) / (games + 2.0)

    def risks(self, knowledge: Knowledge) -> NDArray[np.float64]:
        """Returns the estimated mine probability of each cell."""
        return np.broadcast_to(self._mine_probabilities, knowledge.unknown.shape)


class ConditionalPolicy(FittedPolicy):
    """Clicks the covered cell that is most probably safe by naive Bayes.

    The classes are safe and mine. Each neighbour is a feature: its value is a clue, "covered" or "off the board".
    Probabilities are relative frequencies over the covered cells of all practice boards, with Laplace smoothing.

    Attributes:
        evidence: (neighbours, values) float64, the change in log-odds of a mine by the value of each neighbour.
    """

    def __init__(
        self,
        config: BoardConfig,
        *,
        radius: int = 1,
        choice: str = "largest",
        fit_games: int | None = None,
        fit_seed: int = 0,
    ) -> None:
        """Fits the rule to practice games.

        Args:
            config: the games.
            radius: neighbourhood radius of the features, in cells, 1 to `MAX_RADIUS`.
            choice: "largest" clicks the cell most probably safe; "class" draws uniformly among the cells more
                probably safe than mined, and falls back on "largest" if there is none.
            fit_games: see `FittedPolicy`.
            fit_seed: see `FittedPolicy`.
        """
        self._radius = whole_number("radius", radius, 1, MAX_RADIUS)
        self._choice = one_of("choice", choice, ("largest", "class"))
        self._value_count = config.codes.max_count + 3
        super().__init__(config, fit_games=fit_games, fit_seed=fit_seed)

    def fit(self, practice: Iterator[PracticeGames]) -> None:
        """Computes the prior log-odds of a mine, and `evidence`, with Laplace smoothing."""
        class_counts, value_counts = (counts + 1.0 for counts in self.count(practice))
        log_likelihoods = np.log(value_counts / value_counts.sum(axis=2, keepdims=True))
        self._prior_log_odds = float(np.log(class_counts[1] / class_counts[0]))
        self.evidence: NDArray[np.float64] = log_likelihoods[1] - log_likelihoods[0]

    def count(self, practice: Iterator[PracticeGames]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Returns int64 counts: of covered cells, (2,) by class, and of values, (2, neighbours, values)."""
        class_counts = np.zeros(2, np.int64)
        value_counts = np.zeros((2, (2 * self._radius + 1) ** 2 - 1, self._value_count), np.int64)
        for batch in practice:
            covered = batch.boards > self.config.codes.max_count
            mine = batch.layouts[batch.games]
            by_class = [np.flatnonzero(covered & ~mine), np.flatnonzero(covered & mine)]
            class_counts += [len(cells) for cells in by_class]
            for k, grid in enumerate(self._neighbour_values(batch.boards)):
                values = grid.ravel()
                value_counts[:, k] += [np.bincount(values[cells], minlength=self._value_count) for cells in by_class]
        return class_counts, value_counts

    def log_odds(self, boards: NDArray[np.int8]) -> NDArray[np.float64]:
        """Returns (N, rows, cols) float64: ln(P(mine) / P(safe)) by naive Bayes; meaningful on covered cells only."""
        log_odds = np.full(boards.shape, self._prior_log_odds)
        for evidence, values in zip(self.evidence, self._neighbour_values(boards), strict=True):
            log_odds += evidence[values]
        return log_odds

    def risks(self, knowledge: Knowledge) -> NDArray[np.float64]:
        """Returns the log-odds of a mine; under the choice "class", 0 for cells more probably safe than mined."""
        covered = np.int16(self.config.codes.hidden)
        log_odds = self.log_odds(np.where(knowledge.open, knowledge.counts, covered))
        return log_odds if self._choice == "largest" else np.maximum(log_odds, 0.0)

    def _neighbour_values(self, boards: NDArray[np.integer[Any]]) -> Iterator[NDArray[np.int16]]:
        """Yields the values that each cell sees at one neighbour, (N, rows, cols), for each neighbour in reading order.

        A value is a clue, or K + 1 if covered, or K + 2 off the board; K is the largest clue.
        """
        covered = self.config.codes.max_count + 1
        reach, (_, rows, cols) = self._radius, boards.shape
        border = ((0, 0), (reach, reach), (reach, reach))
        padded = np.pad(np.minimum(boards, covered).astype(np.int16), border, constant_values=covered + 1)
        for i in range(2 * reach + 1):
            for j in range(2 * reach + 1):
                if (i, j) != (reach, reach):
                    yield padded[:, i : i + rows, j : j + cols]
