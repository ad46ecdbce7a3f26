"""Batches of games, used in ways that the environments do not need."""

import numpy as np
import pytest
from support.naive_game import neighbours

from minesweeper_env import BoardConfig
from minesweeper_env.engine.games import Games
from minesweeper_env.engine.state import LOST, PLAYING, RewardWeights

CONFIG = BoardConfig(4, 5, 3, moves=("click",))


@pytest.fixture
def games():
    """Five games after their first click."""
    games = Games(CONFIG, 5, RewardWeights())
    games.seed(np.arange(5, dtype=np.uint64))
    games.reset(np.ones(5, np.bool_))
    games.step(np.full(5, 0), False)
    return games


def layout_without(rng, free):
    layout = np.zeros(CONFIG.cells, np.bool_)
    layout[rng.choice(np.setdiff1d(np.arange(CONFIG.cells), free), CONFIG.mines, replace=False)] = True
    return layout.reshape(CONFIG.rows, CONFIG.cols)


def test_mines_are_laid_anew_in_the_chosen_games_alone(games):
    before, (codes, _) = games.mines(), games.show()
    layouts = np.stack([layout_without(np.random.default_rng(seed), []) for seed in (1, 2)])
    layouts.flags.writeable = False
    chosen = np.array([3, 1])
    chosen.flags.writeable = False
    games.lay_out(layouts, chosen)
    expected = before.copy()
    expected[[3, 1]] = layouts
    np.testing.assert_array_equal(games.mines(), expected)
    np.testing.assert_array_equal(games.show()[0], codes)


def test_a_game_goes_on_by_the_mines_laid_last(games):
    layout = layout_without(np.random.default_rng(0), [0])
    games.reset(np.arange(5) == 2)
    games.lay_out(layout[None], np.array([2]))
    assert games.status[2] == PLAYING
    mine = int(np.flatnonzero(layout)[0])
    beside = neighbours(CONFIG.rows, CONFIG.cols, divmod(mine, CONFIG.cols))
    row, col = min(place for place in beside if not layout[place])
    codes, _ = games.step(np.full(5, row * CONFIG.cols + col), False)
    around = neighbours(CONFIG.rows, CONFIG.cols, (row, col))
    assert codes[2, row * CONFIG.cols + col] == sum(layout[place] for place in around)
    games.step(np.full(5, mine), False)
    assert games.status[2] == LOST
