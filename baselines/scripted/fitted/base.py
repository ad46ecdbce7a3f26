"""Base class of the fitted policies: parameters come from practice games of random clicks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from baselines.evaluation.seeds import TRAINING_SEEDS, derived_seed
from baselines.scripted.base import ScriptedPolicy
from baselines.support.checks import whole_number_within
from minesweeper_env.config import BoardConfig, whole_number
from minesweeper_env.vector_env import MinesweeperVectorEnv

Values = dict[str, NDArray[np.int64]]

MAX_GAMES = 1_000_000
"""Maximum number of practice games of a fit."""

_BATCH_SIZE = 1000


class PracticeGames(NamedTuple):
    """Boards and layouts of N finished games.

    Attributes:
        boards: (T, rows, cols) int8, the visible board before each click of the games.
        games: (T,) int64, the index of the game of each board.
        layouts: (N, rows, cols) bool, the mines of each game, read off its final board.
    """

    boards: NDArray[np.int8]
    games: NDArray[np.int64]
    layouts: NDArray[np.bool_]


def play_practice_games(config: BoardConfig, games: int, seed: int) -> Iterator[PracticeGames]:
    """Plays games by random clicks to their end, in batches; no step limit and no `no_guess` of `config` applies.

    Args:
        config: the games.
        games: number of games, 1 to `MAX_GAMES`.
        seed: at least 0; fixes where in `TRAINING_SEEDS` the consecutive seeds of the games start.
    """
    first = TRAINING_SEEDS.start + derived_seed(seed) % (len(TRAINING_SEEDS) - games + 1)
    endless = replace(config, moves=("click",), max_steps=None, no_guess=False)
    for begin in range(first, first + games, _BATCH_SIZE):
        yield _play(endless, range(begin, min(begin + _BATCH_SIZE, first + games)))


def _play(config: BoardConfig, seeds: range) -> PracticeGames:
    env = MinesweeperVectorEnv.of_config(config, len(seeds))
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
    return PracticeGames(np.concatenate(boards), np.concatenate(games), _layouts(ends, config))


def _layouts(ends: NDArray[np.int8], config: BoardConfig) -> NDArray[np.bool_]:
    """Returns the mines of finished games: shown on lost boards, and the cells still covered on won ones."""
    mines = ends == config.codes.mine
    lost = mines.any(axis=(1, 2), keepdims=True)
    return np.where(lost, mines, ends > config.codes.max_count)


class FittedPolicy(ScriptedPolicy):
    """Scripted policy without deduction whose guess rule is fitted; subclasses define `fit`, `use` and `risks`.

    Attributes:
        values: the fitted values, int64 arrays by name.
    """

    batch_size = 200

    def __init__(self, config: BoardConfig, *, fit_games: int | None = None, fit_seed: int = 0) -> None:
        """Fits the values to practice games.

        Args:
            config: the games.
            fit_games: number of practice games, 1 to `MAX_GAMES`; None for `default_games()`.
            fit_seed: seed of the practice games, at least 0.

        Raises:
            ValueError: an argument is not allowed.
        """
        super().__init__(config)
        games = self.default_games() if fit_games is None else fit_games
        games = whole_number_within("fit_games", games, 1, MAX_GAMES)
        self.values = self.fit(play_practice_games(config, games, whole_number("fit_seed", fit_seed, 0)))
        self.use(self.values)

    def default_games(self) -> int:
        """Returns the default number of practice games."""
        return 1000

    def fit(self, practice: Iterator[PracticeGames]) -> Values:
        """Returns the values fitted to these games."""
        raise NotImplementedError

    def use(self, values: Values) -> None:
        """Prepares to play with these values."""
        raise NotImplementedError
