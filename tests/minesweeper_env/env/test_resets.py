"""Resets: game k of seed s depends on s and k alone, and a mask starts some games of a batch anew."""

import re

import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from hypothesis import given, settings
from hypothesis import strategies as st
from support.equality import assert_same

from minesweeper_env import MinesweeperEnv, MinesweeperVectorEnv, VectorMineProbabilities

LAYOUT = np.arange(20).reshape(4, 5) < 3
KINDS = {
    "opening": ({"size": (4, 5), "mines": 3}, {"layout": LAYOUT}),
    "crowded": ({"size": (4, 5), "mines": 12, "first_click": "safe"}, None),
    "corners": ({"size": (4, 5), "mines": 4, "first_click": "corners"}, None),
    "no_guess": ({"size": 4, "mines": 3, "no_guess": "subset"}, None),
}
every_kind = pytest.mark.parametrize("kind", KINDS)


def game(kind, seed, number):
    """Returns the board of game `number` of a seed whose earlier games nobody played; the first click is on cell 5."""
    env = MinesweeperEnv(**KINDS[kind][0])
    env.reset(seed=seed)
    for _ in range(number - 1):
        env.reset()
    env.step(5)
    return env.get_state()["mines"]


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
    assert np.array_equal(env.get_state()["mines"], game(kind, 3, len(earlier) + 1))


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
    assert_same(env.get_state()["mines"], np.array([game(kind, 8 + i, numbers[i] + 1) for i in range(4)]))


@every_kind
def test_the_games_of_a_seed_differ(kind):
    assert len({game(kind, 0, number).tobytes() for number in range(1, 9)}) > 4


# Partial resets and disabled autoreset of the batched environment, compared with `SyncVectorEnv`

DISABLED = AutoresetMode.DISABLED
SMALL = {"size": 5, "mines": 3, "first_click": "safe", "moves": ("click",)}


def masked(games):
    return {"reset_mask": np.array(games)}


def assert_info_holds(infos, expected):
    """Compares the values of the games that an info holds for, and which games these are."""
    assert infos.keys() == expected.keys()
    for key in (key for key in expected if not key.startswith("_")):
        assert_same(infos[f"_{key}"], expected[f"_{key}"], key)
        assert_same(infos[key][infos[f"_{key}"]], expected[key][infos[f"_{key}"]], key)


@pytest.mark.parametrize("mask", [[True], [True] * 4, [[True] * 3], [False] * 3, [1, 1, 0], [1.0, 1.0, 0.0]])
def test_a_wrong_mask_is_refused_and_changes_nothing(mask):
    env = MinesweeperVectorEnv(3, autoreset_mode=DISABLED)
    with pytest.raises(ResetNeeded):
        env.reset(options=masked([True, True, False]))
    env.reset(options=masked([True] * 3))
    before = env.get_state()
    with pytest.raises(ValueError, match=r"reset_mask must be a bool array of shape \(3,\)"):
        env.reset(options=masked(mask))
    assert_same(env.get_state(), before)


@pytest.mark.parametrize("mode", AutoresetMode)
@pytest.mark.parametrize("seeded", [False, True])
def test_partial_resets_equal_gymnasiums_own(mode, seeded):
    batch = MinesweeperVectorEnv(5, autoreset_mode=mode, **SMALL)
    sync = SyncVectorEnv([lambda: MinesweeperEnv(**SMALL)] * 5, autoreset_mode=mode)
    assert_same(batch.reset(seed=11), sync.reset(seed=11))
    rng = np.random.default_rng(0)
    over = np.zeros(5, np.bool_)
    for step in range(200):
        chosen = over | (rng.random(5) < 0.2)
        if chosen.any():
            seed = [int(s) if s % 2 else None for s in rng.integers(1000, size=5)] if seeded else None
            observations, infos = batch.reset(seed=seed, options={"reset_mask": chosen})
            expected, expected_infos = sync.reset(seed=seed, options={"reset_mask": chosen})
            assert_same(observations, expected, f"reset {step}")
            assert_info_holds(infos, expected_infos)
        actions = batch.sample_actions()
        results = batch.step(actions)
        assert_same(results, sync.step(actions), f"step {step}")
        over = (results[2] | results[3]) & (mode is DISABLED)


def test_layouts_go_to_the_games_of_the_mask():
    layouts = np.zeros((3, 4, 4), np.bool_)
    layouts[1, 2, 2] = True
    env = MinesweeperVectorEnv(3, 4, 1, "any", autoreset_mode=DISABLED)
    env.reset(seed=0)
    before = env.get_state()
    options = {"layout": layouts, **masked([False, True, False])}
    env.reset(options=options)
    assert options.keys() == {"layout", "reset_mask"}
    assert env.get_state()["mines"][1].nonzero()[0].tolist() == [2]
    assert_same(env.get_state()["mines"][[0, 2]], before["mines"][[0, 2]])
    env.reset(options={"layout": layouts[1], **masked([False, True, True])})
    assert env.get_state()["mines"].sum(axis=(1, 2)).tolist() == [0, 1, 1]
    with pytest.raises(ValueError, match="layout must have 1 mines, not 0"):
        env.reset(options={"layout": layouts, **masked([True, True, False])})


@pytest.mark.parametrize("over", [[0], [1], [2], [0, 2], [0, 1, 2]])
def test_a_game_that_is_over_refuses_steps_until_its_reset(over):
    env = MinesweeperVectorEnv(3, 4, 1, "any", autoreset_mode=DISABLED)
    env.reset(options={"layout": np.arange(16).reshape(4, 4) == 5})
    # Cell 5 is the mine, and cell 0 opens alone.
    _, _, terminations, _, _ = env.step(np.where(np.isin(range(3), over), 5, 0))
    before = env.get_state()
    with pytest.raises(ResetNeeded, match=re.escape(f"games {over} are over")):
        env.step(np.zeros(3, int))
    assert_same(env.get_state(), before)
    env.reset(options={"reset_mask": terminations})
    env.step(np.zeros(3, int))


def test_probabilities_of_a_partial_reset():
    env = VectorMineProbabilities(MinesweeperVectorEnv(3, autoreset_mode=DISABLED, **SMALL), "dict")
    env.reset(seed=0)
    env.step(env.sample_actions())
    mask = np.array([True, False, True])
    observations, infos = env.reset(options={"reset_mask": mask})
    assert (infos["_mine_probability"] == mask).all()
    assert observations["mine_probability"][0] == pytest.approx(np.full((5, 5), 3 / 25))
    assert (observations["mine_probability"][1] == infos["mine_probability"][1].astype(np.float32)).all()
