"""`MinesweeperEnv` as a Gymnasium environment."""

import warnings
from functools import partial

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded

import minesweeper_env
from minesweeper_env import MinesweeperEnv, MinesweeperVectorEnv


def test_registering_twice_is_harmless():
    before = gymnasium.spec("Minesweeper-v0")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        minesweeper_env.register_envs()
    assert gymnasium.spec("Minesweeper-v0") is before


@pytest.mark.parametrize("action", [-1, 128, 10**30, 1.0, np.float64(3), "3", None, [1], np.array([3]), np.nan, True])
def test_a_wrong_action_is_refused(action):
    env = MinesweeperEnv()
    env.reset(seed=0)
    with pytest.raises(ValueError, match=r"whole number in 0\.\.127"):
        env.step(action)
    assert env.get_state()["steps"] == 0


def test_numbers_of_any_integer_type_are_actions():
    env = MinesweeperEnv()
    for action in (9, np.int8(9), np.uint8(9), np.array(9)):
        env.reset(seed=0)
        assert (env.step(action)[0] < 9).any()


def test_tensors_are_actions_if_they_are_numbers():
    torch = pytest.importorskip("torch")
    env, batch = MinesweeperEnv(), MinesweeperVectorEnv(3)
    env.reset(seed=0)
    batch.reset(seed=0)
    assert env.step(torch.tensor(3))[1] == 0.0
    assert batch.step(torch.zeros(3, dtype=torch.int64))[1].tolist() == [0.0] * 3
    with pytest.raises(ValueError, match=r"whole number in 0\.\.127"):
        env.step(torch.tensor([3]))


@pytest.mark.parametrize("make", [MinesweeperEnv, MinesweeperVectorEnv])
def test_reset_comes_first(make):
    env = make(render_mode="ansi")
    for name in ("render", "action_masks", "get_state"):
        with pytest.raises(ResetNeeded, match="reset"):
            getattr(env, name)()
    with pytest.raises(ResetNeeded, match="reset"):
        env.step(0 if make is MinesweeperEnv else [0])


@pytest.mark.parametrize("env", [gymnasium.make("Minesweeper-v0"), gymnasium.make_vec("Minesweeper-v0", num_envs=2)])
def test_render_without_a_mode_warns_how_to_choose_one(env):
    env.reset(seed=0)
    with pytest.warns(UserWarning, match=r'gym\.make\("Minesweeper-v0", render_mode="ansi"\)'):
        env.render()


def layout(rows, cols, mines, dtype=np.bool_):
    return (np.arange(rows * cols) < mines).reshape(rows, cols).astype(dtype)


@pytest.mark.parametrize(
    ("options", "allowed"),
    [
        ({"layout": layout(8, 8, 14), "seed": 1}, r"unknown reset options \['seed'\]; allowed: layout"),
        ({"layout": layout(8, 8, 13)}, "layout must have 14 mines, not 13"),
        ({"layout": layout(8, 8, 14, np.int64)}, r"bool array of shape \(8, 8\), not int64"),
        ({"layout": layout(7, 8, 14)}, r"bool array of shape \(8, 8\)"),
        ({"layout": None}, r"bool array of shape \(8, 8\)"),
    ],
)
@pytest.mark.parametrize("make", [MinesweeperEnv, MinesweeperVectorEnv])
def test_wrong_reset_options_are_refused(make, options, allowed):
    with pytest.raises(ValueError, match=allowed):
        make().reset(options=options)


@pytest.mark.parametrize("no_guess", [False, "exact"])
@pytest.mark.parametrize("first_click", ["any", "safe", "opening", "corners"])
def test_a_given_layout_is_played_whatever_the_first_click_rule(first_click, no_guess):
    given = layout(8, 8, 14)
    env = MinesweeperEnv(first_click=first_click, no_guess=no_guess)
    env.reset(seed=0, options={"layout": given})
    assert np.array_equal(env.get_state()["mines"], given)
    assert env.step(0)[2]
    assert np.array_equal(env.get_state()["mines"], given)
    env.reset()
    env.step(0)
    assert not np.array_equal(env.get_state()["mines"], given)


def test_a_layout_may_be_given_as_lists_and_is_copied():
    given = layout(8, 8, 14)
    env = MinesweeperEnv(first_click="any")
    env.reset(options={"layout": given.tolist()})
    assert np.array_equal(env.get_state()["mines"], given)
    env.reset(options={"layout": given})
    given[:] = False
    assert env.get_state()["mines"].sum() == 14


@pytest.mark.parametrize("make", [MinesweeperEnv, partial(MinesweeperVectorEnv, 3)])
def test_unseeded_games_differ(make):
    layouts = set()
    for _ in range(4):
        env = make(moves=("click",))
        env.reset()
        env.step(0 if make is MinesweeperEnv else [0] * 3)
        layouts |= {each.tobytes() for each in env.get_state()["mines"].reshape(-1, 64)}
    assert len(layouts) == (4 if make is MinesweeperEnv else 12)


def test_a_replaced_generator_is_followed():
    """Gymnasium lets users set `np_random`; later games take their randomness from it."""
    games = []
    for _ in range(2):
        env = MinesweeperEnv(first_click="any")
        env.reset(seed=1)
        env.np_random = np.random.default_rng(5)
        env.reset()
        env.step(0)
        games.append(env.get_state()["mines"])
    assert np.array_equal(*games)
