"""`call`, `get_attr` and `set_attr` of the batched environment, compared with `SyncVectorEnv`."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import SyncVectorEnv
from support.equality import assert_same

from minesweeper_env import MinesweeperEnv, MinesweeperVectorEnv
from minesweeper_env.vector_env import CALLS, SHARED_ATTRIBUTES

ARGUMENTS = {"size": 5, "mines": 3, "render_mode": "ansi", "reward": "progress"}


def make_both():
    batch = MinesweeperVectorEnv(3, **ARGUMENTS)
    sync = SyncVectorEnv([lambda: MinesweeperEnv(**ARGUMENTS)] * 3)
    for env in (batch, sync):
        env.reset(seed=5)
        env.step(np.array([3, 12, 30]))
    return batch, sync


@pytest.mark.parametrize("name", CALLS)
def test_calls_return_one_result_per_game(name):
    batch, sync = make_both()
    results = batch.call(name)
    assert isinstance(results, tuple)
    assert_same(list(results), list(sync.call(name)))


@pytest.mark.parametrize(
    "name", ["config", "render_mode", "reward", "observation", "spec", "observation_space", "action_space"]
)
def test_attributes_are_those_of_the_single_environment(name):
    batch, sync = make_both()
    assert batch.get_attr(name) == sync.get_attr(name)
    assert batch.call(name) == sync.call(name)


def test_get_attr_takes_every_listed_name():
    batch, _ = make_both()
    for name in (*CALLS, *SHARED_ATTRIBUTES):
        assert len(batch.get_attr(name)) == 3


def test_rendering_without_a_mode_returns_none_per_game():
    env = MinesweeperVectorEnv(2)
    env.reset(seed=0)
    with pytest.warns(UserWarning, match="no render mode"):
        assert env.call("render") == (None, None)


def test_wrong_names_and_arguments_are_answered():
    batch, _ = make_both()
    with pytest.raises(AttributeError, match="games in a batch have no 'step'; call and get_attr take action_masks"):
        batch.call("step", 3)
    with pytest.raises(AttributeError, match="games in a batch have no 'difficulty'"):
        batch.get_attr("difficulty")
    with pytest.raises(TypeError, match="render takes no arguments"):
        batch.call("render", "human")
    with pytest.raises(AttributeError, match="all games share one 'reward'; make another environment"):
        batch.set_attr("reward", "win")


def test_vector_wrappers_pass_calls_on():
    env = gymnasium.make_vec("Minesweeper-v0", num_envs=2, moves=("click",))
    wrapped = gymnasium.wrappers.vector.RecordEpisodeStatistics(env)
    wrapped.reset(seed=0)
    assert len(wrapped.unwrapped.call("action_masks")) == 2
