"""Practice games of the fitted policies: random clicks, on seeds reserved for training."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from baselines.evaluation.seeds import TRAINING_SEEDS, derived_seed
from minesweeper_env.config import BoardConfig
from minesweeper_env.vector_env import MinesweeperVectorEnv

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
