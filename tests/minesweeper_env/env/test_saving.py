"""Saving, restoring, copying and pickling of games in progress; all continue identically."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from hypothesis import example, given
from hypothesis import strategies as st
from support.equality import assert_same
from support.naive_game import ALL_MOVES

from minesweeper_env import MinesweeperEnv, MinesweeperVectorEnv
from minesweeper_env.engine.state import TRUNCATED

CONFIGURATIONS = [
    {"size": 5, "mines": 6, "moves": ALL_MOVES, "first_click": "any"},
    {"size": (4, 9), "mines": 5, "first_click": "corners", "reward": "shaped", "max_steps": 9},
    {"size": 7, "mines": 8, "first_click": "safe", "radius": 2, "observation": "planes", "moves": ("click",)},
    {"size": (1, 2), "mines": 1, "first_click": "safe"},
]


def by_pickled_state(env, arguments):
    other = type(env)(**arguments)
    other.reset(seed=12345)
    other.set_state(pickle.loads(pickle.dumps(env.get_state())))
    return other


COPIES = [by_pickled_state, lambda env, _: copy.deepcopy(env), lambda env, _: pickle.loads(pickle.dumps(env))]


def play_single(env, actions):
    """Takes actions, with a new game after each end; returns all returned values."""
    results = []
    for action in actions:
        results.append(env.step(int(action)))
        if results[-1][2] or results[-1][3]:
            results.append(env.reset())
    return results


def play_batch(env, steps):
    """Takes sampled actions, which depend on the sampler too; returns all returned values."""
    return [(actions := env.sample_actions(), env.step(actions)) for _ in range(steps)]


@pytest.mark.parametrize("copied", COPIES)
@pytest.mark.parametrize("arguments", CONFIGURATIONS)
@pytest.mark.parametrize("steps_before", [0, 1, 7, 23])
def test_a_copied_game_goes_on_alike(arguments, copied, steps_before):
    env = MinesweeperEnv(**arguments)
    env.reset(seed=3)
    actions = np.random.default_rng(steps_before).integers(int(env.action_space.n), size=80)
    play_single(env, actions[:steps_before])
    other = copied(env, arguments)
    assert_same(env.get_state(), other.get_state())
    assert np.array_equal(env.action_masks(), other.action_masks())
    # The copy goes first: if the two shared anything, the original would notice.
    expected = play_single(other, actions)
    assert_same(play_single(env, actions), expected)
    assert any(result[2] for result in expected if len(result) == 5)


@pytest.mark.parametrize("copied", COPIES)
@pytest.mark.parametrize("arguments", CONFIGURATIONS)
@pytest.mark.parametrize(("mode", "steps_before"), [(AutoresetMode.NEXT_STEP, 0), (AutoresetMode.SAME_STEP, 40)])
def test_a_copied_batch_goes_on_alike(arguments, copied, mode, steps_before):
    arguments = {**arguments, "num_envs": 6, "autoreset_mode": mode}
    env = MinesweeperVectorEnv(**arguments)
    env.reset(seed=3)
    play_batch(env, steps_before)
    other = copied(env, arguments)
    assert_same(env.get_state(), other.get_state())
    expected = play_batch(other, 40)
    assert_same(play_batch(env, 40), expected)


@given(
    moves=st.sampled_from([("click",), ("click", "flag"), ("click", "question"), ALL_MOVES]),
    max_steps=st.sampled_from([1, 2, 3, 7, None]),
    seed=st.integers(0, 1000),
    laid=st.booleans(),
    actions=st.lists(st.integers(0, 5 * 16 - 1), max_size=30),
)
@example(moves=("click", "flag"), max_steps=2, seed=0, laid=False, actions=[0, 5, 16, 17])
def test_every_state_that_a_game_reaches_is_restored(moves, max_steps, seed, laid, actions):
    env, other = (MinesweeperEnv(4, 3, "any", moves, max_steps=max_steps) for _ in range(2))
    env.reset(seed=seed, options={"layout": np.arange(16).reshape(4, 4) % 5 == 4} if laid else None)
    other.reset(seed=seed + 1)
    for action in actions:
        _, _, terminated, truncated, _ = env.step(action % int(env.action_space.n))
        state = env.get_state()
        other.set_state(state)
        assert_same(other.get_state(), state)
        assert np.array_equal(other.action_masks(), env.action_masks())
        assert_same(other.step(0), env.step(0))
        env.set_state(state)
        if terminated or truncated:
            env.reset()


def test_a_game_without_mines_yet_has_none_in_its_state_whatever_game_went_before():
    env = MinesweeperEnv(4, 3, "any", max_steps=2)
    env.reset(seed=0)
    env.step(0)
    env.reset()
    assert not env.get_state()["mines"].any()
    env.step(16)
    env.step(17)
    state = env.get_state()
    assert state["status"] == TRUNCATED
    assert not state["mines"].any()


def test_a_state_is_a_copy():
    env = MinesweeperEnv(6, 6)
    env.reset(seed=9)
    env.step(7)
    state = env.get_state()
    kept = copy.deepcopy(state)
    play_single(env, range(36))
    assert_same(state, kept)
    env.set_state(state)
    for value in state.values():
        np.asarray(value)[...] = 0
    assert_same(env.get_state(), kept)


def test_an_environment_that_has_not_begun_pickles():
    other = pickle.loads(pickle.dumps(MinesweeperEnv(5, 3)))
    assert_same(other.reset(seed=2), MinesweeperEnv(5, 3).reset(seed=2))


def saved(kind=MinesweeperEnv, **arguments):
    env = kind(**{"size": 5, "mines": 4, "first_click": "any", **arguments})
    env.reset(seed=0)
    env.step(np.full(env.num_envs, 12) if kind is MinesweeperVectorEnv else 12)
    return env, env.get_state()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"more": lambda _: 1}, "have the keys"),
        ({"codes": lambda codes: codes[:4]}, r"state\['codes'\] must be int8 of shape"),
        ({"codes": lambda codes: codes * 1.0}, r"state\['codes'\] must be int8 of shape"),
        ({"codes": lambda codes: codes - 20}, r"state\['codes'\] must be 0 to 12"),
        ({"codes": lambda codes: codes + np.int64(256)}, r"state\['codes'\] must be 0 to 12"),
        ({"mines": lambda mines: mines.astype(int)}, r"state\['mines'\] must be bool"),
        ({"mines": lambda mines: ~mines}, r"state\['mines'\] must have 4 mines"),
        ({"status": lambda _: np.int64(0)}, r"state\['mines'\] must have 4 mines, or none before"),
        ({"status": lambda _: np.int64(5)}, r"state\['status'\] must be 0 to 4"),
        ({"status": lambda _: "won"}, r"state\['status'\] must be"),
        ({"steps": lambda _: np.int64(251)}, r"state\['steps'\] must be 0 to 250"),
    ],
)
def test_a_damaged_state_is_refused_and_changes_nothing(change, message):
    env, state = saved()
    with pytest.raises(ValueError, match=message):
        env.set_state({**state, **{key: damage(state.get(key)) for key, damage in change.items()}})
    assert_same(env.get_state(), state)


def test_a_state_of_other_games_is_refused():
    _, state = saved()
    for other in ({"mines": 5}, {"size": 6}, {"size": (1, 25)}):
        with pytest.raises(ValueError, match="state"):
            saved(**other)[0].set_state(state)
    env, _ = saved(MinesweeperVectorEnv, num_envs=4)
    for wrong in (state, saved(MinesweeperVectorEnv, num_envs=3)[1]):
        with pytest.raises(ValueError, match="state"):
            env.set_state(wrong)
