"""Games of a seed: game k of seed s depends on s and k alone, whatever happened in the games before it."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from hypothesis import given, settings
from hypothesis import strategies as st

from azulejos_env import AzulejosEnv
from minesweeper_env import MinesweeperEnv, MinesweeperVectorEnv

BOARDS = [
    {"size": 8, "mines": 14},
    {"size": (3, 4), "mines": 2},
    {"size": 5, "mines": 14, "first_click": "safe"},
    {"size": 5, "mines": 20, "first_click": "any"},
    {"size": 5, "mines": 6, "first_click": "corners"},
    {"size": 6, "mines": 5, "no_guess": "subset"},
]
GAMES = 4
CLICKS = st.lists(st.lists(st.integers(0, 11), max_size=3), min_size=GAMES - 1, max_size=GAMES - 1)
"""Clicks in each of the games before the last one."""


def last_layout(env, clicks, begin):
    """Returns the mines of the game after those in which these clicks are made, for a first click in the corner."""
    begin()
    for of_game in clicks:
        for cell in of_game:
            env.step(cell)
        env.reset()
    env.step(0)
    return env.get_state()["mines"].tolist()


@pytest.mark.parametrize("board", BOARDS, ids=str)
def test_no_earlier_click_changes_a_later_game(board):
    env = MinesweeperEnv(**board)
    expected = last_layout(env, [[]] * (GAMES - 1), lambda: env.reset(seed=7))

    @settings(max_examples=15, deadline=None)
    @given(CLICKS)
    def check(clicks):
        assert last_layout(env, clicks, lambda: env.reset(seed=7)) == expected

    check()


def test_the_games_of_a_seed_differ_though_nobody_clicks():
    env = MinesweeperEnv()
    layouts = [last_layout(env, [[]] * number, lambda: env.reset(seed=0)) for number in range(6)]
    assert len({str(layout) for layout in layouts}) == 6


@pytest.mark.parametrize("mode", AutoresetMode)
@pytest.mark.parametrize("board", [{"size": 8, "mines": 14}, {"size": 8, "mines": 10, "no_guess": "subset"}], ids=str)
def test_no_first_click_changes_a_later_game_of_a_batch(mode, board):
    batch = MinesweeperVectorEnv(3, autoreset_mode=mode, **board)
    batch.reset(seed=3)
    for cells in ([5, 60, 9], [63, 0, 33]):
        batch.step(np.array(cells))
        batch.reset()
    batch.step(np.zeros(3, int))
    for i, layout in enumerate(batch.get_state()["mines"]):
        env = MinesweeperEnv(**board)
        env.reset(seed=3 + i)
        assert layout.tolist() == last_layout(env, [[]], env.reset)


def test_a_given_layout_counts_as_a_game():
    layout = np.zeros((8, 8), np.bool_)
    layout[3, 1::2] = layout[5, 1::2] = layout[7, 1:7] = True
    env = MinesweeperEnv()
    expected = last_layout(env, [[]] * 2, lambda: env.reset(seed=1))
    env.reset(seed=1)
    assert last_layout(env, [[9]], lambda: env.reset(options={"layout": layout})) == expected


def restored(env):
    """Returns another environment with the state of this one."""
    other = MinesweeperEnv(size=6, mines=9)
    other.reset(seed=99)
    other.set_state(env.get_state())
    return other


@pytest.mark.parametrize("copied", [restored, copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_play_the_same_later_games(copied):
    env = MinesweeperEnv(size=6, mines=9)
    env.reset(seed=4)
    env.step(10)
    other = copied(env)
    for each in (env, other):
        each.reset()
    env.step(35)
    env.reset()
    other.reset()
    assert last_layout(env, [[1]], env.reset) == last_layout(other, [[]], other.reset)


@pytest.mark.parametrize("opponent", ["random", "greedy", None])
def test_no_move_changes_a_later_board_of_azulejos(opponent):
    def boards(moves):
        env = AzulejosEnv(size=5, opponent=opponent)
        observation, info = env.reset(seed=2)
        found = [observation]
        for _ in range(4):
            for _ in range(moves):
                _, _, _, _, info = env.step(int(np.flatnonzero(info["action_mask"])[-1]))
            observation, info = env.reset()
            found.append(observation)
        return found

    assert np.array_equal(boards(0), boards(1))
    assert np.array_equal(boards(0), boards(3))
