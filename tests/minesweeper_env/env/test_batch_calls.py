"""`call`, `get_attr` and `set_attr` of the batched environment, compared with `SyncVectorEnv`."""

from __future__ import annotations

import numpy as np
import pytest
from gymnasium.vector import SyncVectorEnv
from support.equality import assert_same

from minesweeper_env import MinesweeperEnv, MinesweeperVectorEnv
from minesweeper_env.vector_env import CALLS

ARGUMENTS = {"size": 5, "mines": 3, "render_mode": "ansi", "reward": "progress"}


def make_both():
    batch = MinesweeperVectorEnv(3, **ARGUMENTS)
    sync = SyncVectorEnv([lambda: MinesweeperEnv(**ARGUMENTS)] * 3)
    for env in (batch, sync):
        env.reset(seed=5)
        env.step(np.array([3, 12, 30]))
    return batch, sync


def test_calls_and_attributes_are_those_of_the_single_environments():
    batch, sync = make_both()
    for name in (*CALLS, "config", "render_mode", "reward", "observation", "spec", "observation_space", "action_space"):
        results = batch.call(name)
        assert isinstance(results, tuple)
        assert_same(list(results), list(sync.call(name)), name)
        assert_same(batch.get_attr(name), results, name)
    assert len(batch.get_attr("metadata")) == 3


def test_rendering_without_a_mode_returns_none_for_each_game():
    env = MinesweeperVectorEnv(2)
    env.reset(seed=0)
    with pytest.warns(UserWarning, match="no render mode"):
        assert env.call("render") == (None, None)


def test_other_names_are_attribute_errors():
    batch, _ = make_both()
    for call in (batch.call, batch.get_attr):
        with pytest.raises(AttributeError, match="difficulty"):
            call("difficulty")
    with pytest.raises(AttributeError):
        batch.set_attr("reward", "win")
