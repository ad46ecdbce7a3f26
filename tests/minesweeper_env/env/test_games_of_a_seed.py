"""Game k of seed s depends on s and k alone: not on earlier clicks, batches, autoresets, threads or copies."""

from __future__ import annotations

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from hypothesis import given, settings
from hypothesis import strategies as st

from minesweeper_env import MinesweeperEnv, MinesweeperVectorEnv

LAYOUT = np.arange(20).reshape(4, 5) < 3
KINDS = {
    "opening": ({"size": (4, 5), "mines": 3}, {"layout": LAYOUT}),
    "crowded": ({"size": (4, 5), "mines": 12, "first_click": "safe"}, None),
    "corners": ({"size": (4, 5), "mines": 4, "first_click": "corners"}, None),
    "no_guess": ({"size": 4, "mines": 3, "no_guess": "subset"}, None),
}
every_kind = pytest.mark.parametrize("kind", KINDS)


def mines_of(env):
    """Returns the board of the present game, or those of a batch, which the first click places."""
    return env.get_state()["mines"]


def game(kind, seed, number):
    """Returns the board of game `number` of a seed whose earlier games nobody played; the first click is on cell 5."""
    env = MinesweeperEnv(**KINDS[kind][0])
    env.reset(seed=seed)
    for _ in range(number - 1):
        env.reset()
    env.step(5)
    return mines_of(env)


@every_kind
@settings(max_examples=40, deadline=None)
@given(earlier=st.lists(st.lists(st.integers(0, 11), max_size=6), min_size=1, max_size=4), given_board=st.booleans())
def test_earlier_clicks_change_no_later_game(kind, earlier, given_board):
    arguments, options = KINDS[kind]
    env = MinesweeperEnv(**arguments)
    for number, clicks in enumerate(earlier):
        env.reset(seed=None if number else 3, options=options if given_board else None)
        for click in clicks:
            env.step(click)
    env.reset()
    env.step(5)
    assert np.array_equal(mines_of(env), game(kind, 3, len(earlier) + 1))


@every_kind
@pytest.mark.parametrize("mode", AutoresetMode)
def test_a_batch_counts_autoresets_and_masked_resets(kind, mode):
    env = MinesweeperVectorEnv(4, **KINDS[kind][0], autoreset_mode=mode)
    env.reset(seed=[8, 9, 10, 11])
    numbers, over = np.ones(4, int), np.zeros(4, bool)
    for _ in range(40):
        if mode is AutoresetMode.DISABLED and over.any():
            env.reset(options={"reset_mask": over})
        numbers += over
        _, _, terminations, truncations, _ = env.step(env.sample_actions())
        over = terminations | truncations
    numbers += over & (mode is AutoresetMode.SAME_STEP)
    assert numbers.min() > 1
    env.reset()
    env.step(np.full(4, 5))
    for i in range(4):
        assert np.array_equal(mines_of(env)[i], game(kind, 8 + i, numbers[i] + 1))


@every_kind
def test_a_seed_under_a_mask_begins_with_game_1(kind):
    env = MinesweeperVectorEnv(2, **KINDS[kind][0])
    env.reset(seed=[1, 2])
    env.reset(seed=[7, 7], options={"reset_mask": np.array([False, True])})
    env.step(np.full(2, 5))
    assert np.array_equal(mines_of(env)[0], game(kind, 1, 1))
    assert np.array_equal(mines_of(env)[1], game(kind, 7, 1))


@every_kind
def test_the_games_of_a_seed_differ(kind):
    assert len({game(kind, 0, number).tobytes() for number in range(1, 9)}) > 4
