"""Uniformity of `sample_actions` over the legal actions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chisquare
from support.naive_game import ALL_MOVES

from minesweeper_env import MinesweeperVectorEnv

ALPHA = 1e-3


def sampled_counts(env, draws):
    """Returns the number of draws of each action on identical boards, and their common mask."""
    mask = env.action_masks()
    assert (mask == mask[0]).all()
    drawn = np.concatenate([env.sample_actions() for _ in range(draws)])
    return np.bincount(drawn, minlength=mask.shape[1]), mask[0]


def boards(size, mines, clicks, moves):
    """Returns 100 unfinished games with mines on the given cells, after clicks on the given cells."""
    layout = np.zeros(size[0] * size[1], np.bool_)
    layout[mines] = True
    env = MinesweeperVectorEnv(100, size, len(mines), "any", moves)
    env.reset(seed=1, options={"layout": layout.reshape(size)})
    for cell in clicks:
        assert not env.step(np.full(100, cell))[2].any()
    return env


# Mines that close off the last corner of a board of 30 x 30, so that a flood leaves four cells covered.
CORNER = [28 * 30 + 28, 28 * 30 + 29, 29 * 30 + 28]


@pytest.mark.parametrize(
    ("size", "mines", "clicks", "moves", "legal"),
    [
        ((5, 5), [20, 21, 22, 23], [], ("click",), 25),
        ((5, 5), list(range(13, 25)), [12, 11], ("click",), 23),
        ((4, 4), list(range(6, 16)), [0, 5], ALL_MOVES, 36),
        ((30, 30), CORNER, [0], ("click", "flag"), 8),
        ((30, 30), CORNER, [0], ("click",), 4),
    ],
)
def test_each_legal_action_is_drawn_equally_often(size, mines, clicks, moves, legal):
    counts, mask = sampled_counts(boards(size, mines, clicks, moves), draws=60)
    assert mask.sum() == legal
    assert not counts[~mask].any()
    assert counts.sum() == 6000
    assert ALPHA < chisquare(counts[mask]).pvalue < 1 - ALPHA


def test_the_seed_decides_what_is_drawn():
    drawn = []
    for seed in (3, 3, 4):
        env = MinesweeperVectorEnv(50, moves=("click",))
        env.reset(seed=seed)
        drawn.append([env.sample_actions().tolist() for _ in range(3)])
    assert drawn[0] == drawn[1] != drawn[2]


def test_drawing_actions_changes_no_game():
    layouts = []
    for draws in (0, 5):
        env = MinesweeperVectorEnv(20, moves=("click",))
        env.reset(seed=6)
        for _ in range(draws):
            env.sample_actions()
        env.step(np.zeros(20, int))
        layouts.append(env.get_state()["mines"])
    assert np.array_equal(*layouts)


def test_a_finished_game_has_actions_to_draw():
    env = boards((3, 3), [8], [], ("click",))
    env.step(np.full(100, 8))
    assert env.action_masks().all()
    assert set(env.sample_actions()) == set(range(9))


@pytest.mark.parametrize("size", [(2, 3), (30, 40)])
def test_sampled_actions_are_in_the_space_even_on_a_board_without_a_legal_one(size):
    env = MinesweeperVectorEnv(20, size, 1, "any", ("click",))
    env.reset(seed=0)
    env._games.boards.shown[:, :-1] = 9
    assert not env.action_masks().any()
    assert env.sample_actions() in env.action_space
