"""Endgames: the search finds perfect play, and runs only on boards within its limits."""

from __future__ import annotations

import math

import numpy as np
import pytest
from support.policies import boards_in_play, click_config

from baselines.scripted.oracle_play.lookahead import Endings
from minesweeper_env.inference import count_layouts, mine_probabilities
from minesweeper_env.inference.optimal import OptimalPlay

CONFIG = click_config(4, 5, 4)


@pytest.fixture(scope="module")
def guesses():
    """Boards of games under way, with the numbers of layouts."""
    boards = [board for board in boards_in_play(CONFIG, 100) if (board <= 8).any()]
    return [(board, count_layouts(board, CONFIG.mines)) for board in boards]


def test_the_play_found_wins_as_often_as_perfect_play(guesses):
    endings, play = Endings(CONFIG, 10_000, 100_000), OptimalPlay(4, 5, 4)
    for board, layouts in guesses:
        ending = endings.find(board, math.log(layouts))
        assert ending.win_probability == pytest.approx(float(play.best_click(board).win_probability), abs=1e-12)
        assert ending.win_probability <= 1.0 - mine_probabilities(board, 4).ravel()[ending.cell] + 1e-12


def test_the_number_of_layouts_decides_whether_a_board_is_searched(guesses):
    some = sorted({layouts for _, layouts in guesses})
    limit = some[len(some) // 2]
    endings = Endings(CONFIG, limit, 100_000)
    for board, layouts in guesses:
        # A logarithm comes with a rounding error.
        found = endings.find(board.ravel(), math.log(layouts) + 1e-8)
        assert (found is not None) == (layouts <= limit) == (math.log(layouts) <= endings.most)


def test_no_layouts_means_no_search():
    endings = Endings(CONFIG, 0, 1)
    board = np.full((4, 5), 11, np.int8)
    assert endings.find(board, 0.0) is None
