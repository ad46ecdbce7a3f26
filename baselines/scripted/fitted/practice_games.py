"""The games that a fitted policy learns from: random clicks, on the seeds that are kept for training."""

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
"""The most games that a policy can be fitted to."""

_SIDE_BY_SIDE = 1000


class Practice(NamedTuple):
    """What a player has seen of N finished games.

    Attributes:
        boards: (T, rows, cols) int8, what each click of the games was chosen on.
        games: (T,) int64, which of the N games each of these boards belongs to.
        layouts: (N, rows, cols) bool, where the mines were: the end of a game, lost or won, shows it.
    """

    boards: NDArray[np.int8]
    games: NDArray[np.int64]
    layouts: NDArray[np.bool_]


def practise(config: BoardConfig, games: int, seed: int) -> Iterator[Practice]:
    """Plays games by random clicks, some at a time; all of them end, whatever the step limit of `config`.

    Args:
        config: the games.
        games: how many, 1 to `MAX_GAMES`.
        seed: at least 0; chooses where in `TRAINING_SEEDS` the consecutive seeds of the games begin.
    """
    first = TRAINING_SEEDS.start + derived_seed(seed) % (len(TRAINING_SEEDS) - games + 1)
    endless = replace(config, moves=("click",), max_steps=None)
    for begin in range(first, first + games, _SIDE_BY_SIDE):
        yield _play(endless, range(begin, min(begin + _SIDE_BY_SIDE, first + games)))


def _play(config: BoardConfig, seeds: range) -> Practice:
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
    return Practice(np.concatenate(boards), np.concatenate(games), _layouts(ends, config))


def _layouts(ends: NDArray[np.int8], config: BoardConfig) -> NDArray[np.bool_]:
    """Returns the mines of finished games: shown where the game is lost, else the cells that are still covered."""
    mines = ends == config.codes.mine
    lost = mines.any(axis=(1, 2), keepdims=True)
    return np.where(lost, mines, ends > config.codes.max_count)
