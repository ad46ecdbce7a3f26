"""Gymnasium's AsyncVectorEnv around the environment, under every way to start a process."""

from __future__ import annotations

import multiprocessing
from functools import partial

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv, VectorEnv

MAKERS = [partial(gym.make, "minesweeper_env:Minesweeper-v0", moves=("click",))] * 2


def play(envs: VectorEnv) -> np.ndarray:
    """Returns the boards of a few steps: a fixed choice among the legal actions, from a fixed seed."""
    observations, infos = envs.reset(seed=5)
    boards = [observations.copy()]
    for step in range(4):
        actions = np.array([np.flatnonzero(mask)[step] for mask in infos["action_mask"]])
        observations, _, _, _, infos = envs.step(actions)
        boards.append(observations.copy())
    envs.close()
    return np.stack(boards)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # from Python 3.12 on, a fork beside threads
@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_the_games_do_not_depend_on_how_processes_start(method):
    np.testing.assert_array_equal(play(AsyncVectorEnv(MAKERS, context=method)), play(SyncVectorEnv(MAKERS)))
