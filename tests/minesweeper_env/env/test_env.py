"""`MinesweeperEnv` as a Gymnasium environment."""

from __future__ import annotations

import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded

import minesweeper_env
from minesweeper_env import MinesweeperEnv
from minesweeper_env.registration import ENV_SPECIFICATIONS

IDS = sorted(ENV_SPECIFICATIONS)


def test_registering_twice_is_harmless():
    before = gymnasium.spec("Minesweeper-v0")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        minesweeper_env.register_envs()
    assert gymnasium.spec("Minesweeper-v0") is before


@pytest.mark.parametrize("action", [-1, 128, 10**6, 10**30, -(2**63)])
def test_an_action_out_of_range_is_refused(action):
    env = MinesweeperEnv()
    env.reset(seed=0)
    with pytest.raises(ValueError, match=r"0\.\.127"):
        env.step(action)
    assert env.get_state()["steps"] == 0


@pytest.mark.parametrize("action", [1.0, 0.5, np.float64(3), "3", None, [1], np.array([3]), (1, 2), np.nan, True])
def test_an_action_of_another_type_is_refused(action):
    env = MinesweeperEnv()
    env.reset(seed=0)
    with pytest.raises(ValueError, match=r"whole number in 0\.\.127"):
        env.step(action)


@pytest.mark.parametrize("action", [9, np.int8(9), np.int64(9), np.uint8(9), np.array(9)])
def test_an_action_of_any_integer_type_is_taken(action):
    env = MinesweeperEnv()
    env.reset(seed=0)
    assert (env.step(action)[0] < 9).any()


@pytest.mark.parametrize("call", [lambda env: env.step(0), MinesweeperEnv.render, MinesweeperEnv.action_masks])
def test_reset_comes_first(call):
    with pytest.raises(ResetNeeded, match="reset"):
        call(MinesweeperEnv(render_mode="ansi"))
    with pytest.raises(ResetNeeded, match="reset"):
        call(gymnasium.make("Minesweeper-v0", render_mode="ansi", disable_env_checker=True).unwrapped)


def layout(rows, cols, mines, dtype=np.bool_):
    return (np.arange(rows * cols) < mines).reshape(rows, cols).astype(dtype)


@pytest.mark.parametrize(
    ("options", "allowed"),
    [
        ({"board": layout(8, 8, 14)}, r"unknown reset options \['board'\]; allowed: layout"),
        ({"layout": layout(8, 8, 14), "seed": 1}, r"unknown reset options \['seed'\]; allowed: layout"),
        ({"layout": layout(8, 8, 13)}, "layout must have 14 mines, not 13"),
        ({"layout": layout(8, 8, 64)}, "layout must have 14 mines, not 64"),
        ({"layout": layout(8, 8, 0)}, "layout must have 14 mines, not 0"),
        ({"layout": layout(8, 8, 14, np.int64)}, r"bool array of shape \(8, 8\), not int64"),
        ({"layout": layout(8, 8, 14, np.float32)}, r"bool array of shape \(8, 8\), not float32"),
        ({"layout": layout(7, 8, 14)}, r"bool array of shape \(8, 8\)"),
        ({"layout": layout(8, 8, 14).ravel()}, r"bool array of shape \(8, 8\)"),
        ({"layout": layout(8, 8, 14)[None, None]}, r"bool array of shape \(8, 8\)"),
        ({"layout": None}, r"bool array of shape \(8, 8\)"),
        ({"layout": "mines"}, r"bool array of shape \(8, 8\)"),
        ({"layout": [[True], [True, False]]}, r"bool array of shape \(8, 8\)"),
        ("layout", "options"),
        ([1], "options"),
        (5, "options"),
    ],
)
def test_wrong_reset_options_are_refused(options, allowed):
    env = MinesweeperEnv()
    with pytest.raises(ValueError, match=allowed):
        env.reset(options=options)


@pytest.mark.parametrize("first_click", ["any", "safe", "opening", "corners"])
def test_a_given_layout_is_played_whatever_the_first_click_rule(first_click):
    given = layout(8, 8, 14)
    env = MinesweeperEnv(first_click=first_click)
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


def play(env, games, **reset):
    """Returns all observations and rewards of some games of fixed clicks."""
    seen = [env.reset(**reset)[0]]
    for game in range(games):
        if game:
            seen.append(env.reset()[0])
        for action in np.random.default_rng(9).permutation(64):
            observation, reward, terminated, _, _ = env.step(int(action))
            seen += [observation, np.array(reward)]
            if terminated:
                break
    return b"".join(part.tobytes() for part in seen)


def test_unseeded_games_differ():
    assert len({play(MinesweeperEnv(), 2) for _ in range(4)}) == 4


def test_illegal_actions_draw_no_randomness():
    layouts = []
    for illegal in (0, 3):
        env = MinesweeperEnv(moves=("click", "flag", "unflag"))
        env.reset(seed=5)
        for _ in range(illegal):
            assert env.step(2 * 64)[4]["invalid_action"]
        env.step(0)
        layouts.append(env.get_state()["mines"])
    assert np.array_equal(*layouts)


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


def test_the_spec_makes_the_same_environment_again():
    env = gymnasium.make("Minesweeper-v0", size=(3, 9), mines=4, first_click="safe", moves=("click",))
    again = gymnasium.make(gymnasium.envs.registration.EnvSpec.from_json(env.spec.to_json()))
    assert again.unwrapped.config == env.unwrapped.config
