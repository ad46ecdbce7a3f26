"""Play of two policies on seeded boards, each board twice: once with either of them moving first."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from azulejos_env.config import GameConfig
from azulejos_env.engine import batches
from azulejos_env.engine.games import Games
from baselines.azulejos.matches.players import Player
from baselines.evaluation.seeds import derived_seed
from minesweeper_env.calls.checks import generator_states


def play_boards(first: Player, second: Player, config: GameConfig, seeds: Sequence[int]) -> NDArray[np.int64]:
    """Plays two games per board, side by side.

    The board of seed s is that of `gymnasium.make("Azulejos-v0")` after `reset(seed=s)`.

    Args:
        first: a player.
        second: the other.
        config: board and rules.
        seeds: the seeds of N boards.

    Returns:
        (N, 2, 2) int64: for each board and each of its two games the scores of the first and the second player. The
        first player moves first in game 0, the second one in game 1.

    Raises:
        PolicyError: a policy chose something else than a group.
    """
    return np.stack([_play_seat(first, second, config, seeds, seat) for seat in (batches.FIRST, batches.SECOND)], 1)


def _play_seat(first: Player, second: Player, config: GameConfig, seeds: Sequence[int], seat: int) -> NDArray[np.int64]:
    """Returns (N, 2) int64, the scores of both players where the first one has a seat."""
    terms = batches.Terms(config.colours, batches.ASKED, seat, batches.DIFFERENCE, config.cells)
    games = Games(config, terms, len(seeds), second)
    games.seed(generator_states(list(seeds), np.random.default_rng(0)))
    for number, player in enumerate((first, second)):
        player.begin(derived_seed(seeds[0], seat, number))
    games.reset(np.ones(len(seeds), np.bool_))
    while True:
        playing = games.status == batches.PLAYING
        if not playing.any():
            return games.scores()
        moves = np.flatnonzero(playing & (games.batch.progress[:, batches.GROUPS] > 0))
        actions = np.zeros(len(seeds), np.int64)
        if len(moves):
            actions[moves] = first(games, moves)
        games.step(actions, False)
