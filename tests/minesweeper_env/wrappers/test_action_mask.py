"""Mask conventions of the learning libraries."""

import copy
import pickle

import gymnasium
import numpy as np
import pytest
from gymnasium.spaces import Box, MultiBinary

from minesweeper_env import ActionMaskObservation
from minesweeper_env.testing import check_minesweeper_env
from minesweeper_env.wrappers import CONVENTIONS

EXPECTED = {
    "pettingzoo": ("observation", "int8", "action_mask", "int8"),
    "torchrl": ("observation", "int8", "action_mask", "bool"),
    "rllib": ("observations", "float32", "action_mask", "float32"),
    "tianshou": ("obs", "int8", "mask", "bool"),
}


def make(**kwargs):
    return gymnasium.make("minesweeper_env:Minesweeper-v0", size=5, mines=3, **kwargs)


@pytest.mark.parametrize("convention", EXPECTED)
def test_keys_dtypes_and_spaces(convention):
    observation_key, observation_dtype, mask_key, mask_dtype = EXPECTED[convention]
    env = ActionMaskObservation(make(), convention)
    check_minesweeper_env(env)
    observation, info = env.reset(seed=4)
    for _ in range(30):
        assert list(observation) == [observation_key, mask_key]
        assert observation[observation_key].dtype == observation_dtype
        assert observation[mask_key].dtype == mask_dtype
        assert env.observation_space.contains(observation)
        assert (observation[mask_key] == info["action_mask"]).all()
        assert (env.action_masks() == info["action_mask"]).all()
        action = np.flatnonzero(observation[mask_key])[0]
        observation, _, terminated, _, info = env.step(action)
        if terminated:
            observation, info = env.reset()


def test_mask_spaces():
    spaces = {name: ActionMaskObservation(make(), name).observation_space for name in CONVENTIONS}
    assert spaces["pettingzoo"]["action_mask"] == MultiBinary(50)
    assert spaces["tianshou"]["mask"] == Box(0, 1, (50,), np.bool_)
    assert spaces["rllib"]["action_mask"] == Box(0.0, 1.0, (50,), np.float32)
    assert spaces["rllib"]["observations"] == Box(0.0, 12.0, (5, 5), np.float32)


def test_copies_and_spec():
    env = ActionMaskObservation(make(), "tianshou")
    env.reset(seed=2)
    for twin in (pickle.loads(pickle.dumps(env)), copy.deepcopy(env)):
        assert twin.observation_space == env.observation_space
    again = gymnasium.make(env.spec)
    assert again.observation_space == env.observation_space


@pytest.mark.parametrize(
    ("env_id", "arguments", "message"),
    [
        ("Minesweeper-v0", {"convention": "sb3"}, "pettingzoo, torchrl, rllib, tianshou"),
        ("Minesweeper-v0", {"convention": ["rllib"]}, "pettingzoo, torchrl, rllib, tianshou"),
        ("MountainCarContinuous-v0", {}, "Discrete action space"),
        ("CartPole-v1", {}, "must have action masks"),
    ],
)
def test_bad_arguments(env_id, arguments, message):
    with pytest.raises(ValueError, match=message):
        ActionMaskObservation(gymnasium.make(env_id), **arguments)
