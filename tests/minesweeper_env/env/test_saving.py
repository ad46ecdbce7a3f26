"""Saving, restoring, copying and pickling of games in progress; all continue identically."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from support.equality import assert_same

from minesweeper_env import MinesweeperEnv, MinesweeperVectorEnv

ALL_MOVES = ("click", "flag", "unflag", "question", "chord")
CONFIGURATIONS = [
    {"size": 6, "mines": 6},
    {"size": 5, "mines": 6, "moves": ALL_MOVES, "first_click": "any"},
    {"size": (4, 9), "mines": 5, "first_click": "corners", "reward": "shaped", "max_steps": 9},
    {"size": 7, "mines": 8, "first_click": "safe", "radius": 2, "observation": "planes", "moves": ("click",)},
]


def by_pickled_state(env, arguments):
    other = type(env)(**arguments)
    other.reset(seed=12345)
    other.set_state(pickle.loads(pickle.dumps(env.get_state())))
    return other


def by_deepcopy(env, arguments):
    return copy.deepcopy(env)


def by_pickle(env, arguments):
    return pickle.loads(pickle.dumps(env))


COPIES = [by_pickled_state, by_deepcopy, by_pickle]


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
@pytest.mark.parametrize("steps_before", [0, 1, 2, 7, 23])
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
@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
@pytest.mark.parametrize("steps_before", [0, 5, 40])
def test_a_copied_batch_goes_on_alike(arguments, copied, mode, steps_before):
    arguments = {**arguments, "num_envs": 6, "autoreset_mode": mode}
    env = MinesweeperVectorEnv(**arguments)
    env.reset(seed=3)
    play_batch(env, steps_before)
    other = copied(env, arguments)
    assert_same(env.get_state(), other.get_state())
    expected = play_batch(other, 40)
    assert_same(play_batch(env, 40), expected)


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


def without(state, key):
    return {name: value for name, value in state.items() if name != key}


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda _: None, "dict"),
        (lambda _: [1], "dict"),
        (lambda _: {}, "have the keys"),
        (lambda state: without(state, "codes"), "have the keys"),
        (lambda state: {**state, "more": 1}, "have the keys"),
        (lambda state: {**state, "codes": state["codes"][:4]}, r"state\['codes'\] must be int8 of shape"),
        (lambda state: {**state, "codes": state["codes"] * 1.0}, r"state\['codes'\] must be int8 of shape"),
        (lambda state: {**state, "codes": state["codes"] - 20}, r"state\['codes'\] must be 0 to 12"),
        (lambda state: {**state, "codes": state["codes"] * 0 + 13}, r"state\['codes'\] must be 0 to 12"),
        (lambda state: {**state, "mines": state["mines"].astype(int)}, r"state\['mines'\] must be bool"),
        (lambda state: {**state, "mines": ~state["mines"]}, r"state\['mines'\] must have 4 mines"),
        (lambda state: {**state, "mines": state["mines"] & False}, r"state\['mines'\] must have 4 mines"),
        (lambda state: {**state, "status": np.int64(5)}, r"state\['status'\] must be 0 to 4"),
        (lambda state: {**state, "status": np.int64(-1)}, r"state\['status'\] must be 0 to 4"),
        (lambda state: {**state, "status": "won"}, r"state\['status'\] must be"),
        (lambda state: {**state, "steps": None}, r"state\['steps'\] must be"),
        (lambda state: {**state, "steps": np.int64(-7)}, r"state\['steps'\]"),
        (lambda state: {**state, "codes": np.roll(state["codes"], 1)}, r"state\['codes'\]"),
    ],
)
def test_a_damaged_state_is_refused_and_changes_nothing(damage, message):
    env, state = saved()
    with pytest.raises(ValueError, match=message):
        env.set_state(damage(dict(state)))
    assert_same(env.get_state(), state)


def test_a_state_of_another_configuration_is_refused():
    _, state = saved()
    for other in ({"mines": 5}, {"size": 6}, {"size": (1, 25)}):
        env = MinesweeperEnv(**{"size": 5, "mines": 4, "first_click": "any", **other})
        with pytest.raises(ValueError, match="state"):
            env.set_state(state)


def test_a_state_of_another_number_of_games_is_refused():
    _, state = saved(MinesweeperVectorEnv, num_envs=3)
    env, _ = saved(MinesweeperVectorEnv, num_envs=4)
    with pytest.raises(ValueError, match="state"):
        env.set_state(state)
    with pytest.raises(ValueError, match="have the keys"):
        env.set_state(saved()[1])


@pytest.mark.parametrize("copied", COPIES)
def test_a_game_saved_before_its_first_click_can_be_won(copied):
    env = MinesweeperEnv((1, 2), 1, "safe")
    env.reset(seed=0)
    assert copied(env, {"size": (1, 2), "mines": 1, "first_click": "safe"}).step(0)[4]["is_success"]
