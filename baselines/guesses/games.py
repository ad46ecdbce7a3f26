"""Games of policies that act at guesses alone, from their first click on."""

from __future__ import annotations

import numpy as np

from baselines.policy import Policy
from baselines.rollouts.guess_games import Flags, GuessGames
from baselines.rollouts.players import clicks_of
from minesweeper_env.config import BoardConfig
from minesweeper_env.vector_env import MinesweeperVectorEnv


def first_click(policy: Policy, config: BoardConfig) -> int:
    """Returns the first click of a policy."""
    return int(clicks_of(policy, config, np.full((1, config.cells), config.codes.hidden, np.int8))[0])


def seeded_layouts(config: BoardConfig, seeds: range, cell: int) -> Flags:
    """Returns the layouts (N, rows, cols) of the games that `evaluate.py` plays on these seeds after a first click."""
    env = MinesweeperVectorEnv.of_config(config, len(seeds))
    env.reset(seed=list(seeds))
    env.step(np.full(len(seeds), cell, np.int64))
    return env.get_state()["mines"]


def begun_games(config: BoardConfig, layouts: Flags, cell: int) -> GuessGames:
    """Returns games after a first click on one cell of covered boards; none of the layouts has a mine there."""
    games = GuessGames(config, np.full(config.cells, config.codes.hidden, np.int8), layouts)
    games.click(np.arange(len(layouts)), np.full(len(layouts), cell))
    return games
