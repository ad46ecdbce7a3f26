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
    """N finished games: T boards (T, rows, cols) before their clicks, the game of each, and N layouts of mines."""

    boards: NDArray[np.int8]
    games: NDArray[np.int64]
    layouts: NDArray[np.bool_]


def play_practice_games(config: BoardConfig, games: int, seed: int) -> Iterator[PracticeGames]:
    """Plays games by random clicks to their end, in batches; no step limit, `no_guess` and `luck` of `config` applies.

    The games have consecutive seeds of `TRAINING_SEEDS`; `seed` fixes the first one.
    """
    first = TRAINING_SEEDS.start + derived_seed(seed) % (len(TRAINING_SEEDS) - games + 1)
    endless = replace(config, moves=("click",), max_steps=None, no_guess=False, luck=True)
    for begin in range(first, first + games, _BATCH_SIZE):
        yield _play(endless, range(begin, min(begin + _BATCH_SIZE, first + games)))


def _play(config: BoardConfig, seeds: range) -> PracticeGames:
    env = MinesweeperVectorEnv(len(seeds), **config.arguments())
    observations, _ = env.reset(seed=list(seeds))
    playing = np.ones(len(seeds), np.bool_)
    boards, games, ends = [], [], observations.copy()
    while playing.any():
        boards.append(observations[playing])
        games.append(np.flatnonzero(playing))
        observations, _, terminations, _, _ = env.step(env.sample_actions())
        ended = playing & terminations
        ends[ended] = observations[ended]
        playing &= ~ended
    # Lost boards show the mines; on won ones they are still covered.
    mines = ends == config.codes.mine
    layouts = np.where(mines.any(axis=(1, 2), keepdims=True), mines, ends > config.codes.max_count)
    return PracticeGames(np.concatenate(boards), np.concatenate(games), layouts)


class FittedPolicy(ScriptedPolicy):
    """Scripted policy without deduction whose guess rule is fitted; subclasses define `fit` and `risks`."""

    batch_size = 200

    def __init__(self, config: BoardConfig, *, fit_games: int | None = None, fit_seed: int = 0) -> None:
        """Fits the rule to practice games: 1 to `MAX_GAMES`; None stands for `default_games()`. `fit_seed` is >= 0."""
        super().__init__(config)
        games = self.default_games() if fit_games is None else fit_games
        games = whole_number("fit_games", games, 1, MAX_GAMES)
        self.fit(play_practice_games(config, games, whole_number("fit_seed", fit_seed, 0)))

    def default_games(self) -> int:
        """Returns the default number of practice games."""
        return 1000

    def fit(self, practice: Iterator[PracticeGames]) -> None:
        """Fits the rule to these games."""
        raise NotImplementedError


class MarginalPolicy(FittedPolicy):
    """Clicks the covered cell that was safe in the largest fraction of practice games, whatever the board shows.

    If mines are uniform and independent of past games, the click order is a uniformly random one over `fit_seed`.
    On average the policy is then as good as `random`.
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
        self._values = config.codes.max_count + 3
        super().__init__(config, fit_games=fit_games, fit_seed=fit_seed)

    def fit(self, practice: Iterator[PracticeGames]) -> None:
        """Computes the prior log-odds of a mine, and `evidence`, with Laplace smoothing."""
        cells, shown = (counts + 1.0 for counts in self.count(practice))
        log_likelihoods = np.log(shown / shown.sum(axis=2, keepdims=True))
        self._prior = float(np.log(cells[1] / cells[0]))
        self.evidence: NDArray[np.float64] = log_likelihoods[1] - log_likelihoods[0]

    def count(self, practice: Iterator[PracticeGames]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Counts covered cells by class, (2,), and values of neighbours by class and neighbour."""
        cells = np.zeros(2, np.int64)
        shown = np.zeros((2, (2 * self._radius + 1) ** 2 - 1, self._values), np.int64)
        for batch in practice:
            covered = batch.boards > self.config.codes.max_count
            mine = batch.layouts[batch.games]
            groups = [np.flatnonzero(covered & ~mine), np.flatnonzero(covered & mine)]
            cells += [len(group) for group in groups]
            for k, values in enumerate(self._neighbour_values(batch.boards)):
                flat = values.ravel()
                shown[:, k] += [np.bincount(flat[group], minlength=self._values) for group in groups]
        return cells, shown

    def log_odds(self, boards: NDArray[np.int8]) -> NDArray[np.float64]:
        """Returns (N, rows, cols) float64: ln(P(mine) / P(safe)) by naive Bayes; meaningful on covered cells only."""
        odds = np.full(boards.shape, self._prior)
        for evidence, values in zip(self.evidence, self._neighbour_values(boards), strict=True):
            odds += evidence[values]
        return odds

    def risks(self, knowledge: Knowledge) -> NDArray[np.float64]:
        """Returns the log-odds of a mine; under the choice "class", 0 for cells more probably safe than mined."""
        hidden = np.int16(self.config.codes.hidden)
        odds = self.log_odds(np.where(knowledge.open, knowledge.counts, hidden))
        return odds if self._choice == "largest" else np.maximum(odds, 0.0)

    def _neighbour_values(self, boards: NDArray[np.integer[Any]]) -> Iterator[NDArray[np.int16]]:
        """Yields, for each neighbour in reading order, its (N, rows, cols) values."""
        covered = self.config.codes.max_count + 1
        reach, (_, rows, cols) = self._radius, boards.shape
        border = ((0, 0), (reach, reach), (reach, reach))
        padded = np.pad(np.minimum(boards, covered).astype(np.int16), border, constant_values=covered + 1)
        for i in range(2 * reach + 1):
            for j in range(2 * reach + 1):
                if (i, j) != (reach, reach):
                    yield padded[:, i : i + rows, j : j + cols]
