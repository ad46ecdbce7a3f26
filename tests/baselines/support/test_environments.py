"""Policies for the board of an environment: single, wrapped, batched, and wrong."""

from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.wrappers import RecordEpisodeStatistics, TimeLimit

import baselines
import minesweeper_env  # noqa: F401 - registers the ids
from baselines.support.act_inputs import config_of
from minesweeper_env import MinesweeperEnv, MinesweeperVectorEnv

BOARD = {"size": (5, 6), "mines": 4, "first_click": "safe", "moves": ("click",)}


def vector_envs():
    return {
        "native": lambda: gym.make_vec("Minesweeper-v0", num_envs=3, **BOARD),
        "class": lambda: MinesweeperVectorEnv(3, **BOARD),
        "sync": lambda: gym.make_vec("Minesweeper-v0", num_envs=3, vectorization_mode="sync", **BOARD),
        "async": lambda: gym.make_vec("Minesweeper-v0", num_envs=2, vectorization_mode="async", **BOARD),
    }


@pytest.mark.parametrize(
    "env",
    [
        MinesweeperEnv(**BOARD),
        gym.make("Minesweeper-v0", **BOARD),
        TimeLimit(RecordEpisodeStatistics(MinesweeperEnv(**BOARD)), 5),
    ],
    ids=["plain", "made", "wrapped"],
)
def test_a_policy_plays_in_a_single_environment(env):
    policy = baselines.make_policy("exact", env=env)
    config = policy.config
    assert (config.rows, config.cols, config.mines, config.first_click, config.moves) == (5, 6, 4, "safe", ("click",))
    observation, info = env.reset(seed=0)
    for _ in range(3):
        observation, *_, info = env.step(policy.act(observation, info["action_mask"]))


@pytest.mark.parametrize("name", vector_envs())
def test_a_policy_plays_in_a_vector_environment(name):
    envs = vector_envs()[name]()
    policy = baselines.make_policy("subset", env=envs, seed=3)
    observations, infos = envs.reset(seed=0)
    masks = np.stack(list(infos["action_mask"]))
    assert envs.step(policy.act(observations, masks))[0].shape == observations.shape
    assert (policy.config.rows, policy.config.mines) == (5, 4)
    envs.close()


def test_environments_of_stable_baselines_work():
    pytest.importorskip("torch")
    from stable_baselines3.common.vec_env import DummyVecEnv, VecMonitor

    from baselines.learned import MinesweeperVecEnv

    config = MinesweeperEnv(**BOARD).config
    for envs in (MinesweeperVecEnv(config, 2), DummyVecEnv([lambda: MinesweeperEnv(**BOARD)] * 2)):
        assert config_of(envs) == config_of(VecMonitor(envs)) == config


def test_the_moves_of_the_environment_must_begin_with_those_of_the_policy():
    clicks, flags = MinesweeperEnv(size=8, mines=14, moves=("click",)), MinesweeperEnv(size=8, mines=14)
    assert baselines.make_policy("exact", env=flags).config.moves == ("click",)
    assert baselines.make_policy("bayes_source", env=flags).config.moves == ("click", "flag")
    with pytest.raises(ValueError, match=r"moves click, flag, and the environment offers click; make it with moves="):
        baselines.make_policy("bayes_source", env=clicks)


@pytest.mark.parametrize("given", [{"size": 8}, {"mines": 4}, {"first_click": "safe"}])
def test_the_board_comes_from_one_place(given):
    (name,) = given
    with pytest.raises(ValueError, match=f"env already defines {name}; give env or {name}, not both"):
        baselines.make_policy("random", env=MinesweeperEnv(**BOARD), **given)


def test_the_radius_comes_from_the_environment_too():
    env = MinesweeperEnv(size=9, mines=5, first_click="safe", radius=2)
    assert baselines.make_policy("subset", env=env).config.radius == 2


@pytest.mark.parametrize("env", ["Minesweeper-v0", 3, MinesweeperEnv, gym.make("CartPole-v1")])
def test_other_things_are_refused(env):
    with pytest.raises(ValueError, match="env must be a Minesweeper environment, wrapped or not, or a vector env"):
        baselines.make_policy("random", env=env)


def test_batches_of_other_games_are_refused():
    other = gym.make_vec("CartPole-v1", num_envs=2, vectorization_mode="sync")
    with pytest.raises(ValueError, match="env must be a Minesweeper environment"):
        config_of(other)
    mixed = gym.vector.SyncVectorEnv(
        [lambda mines=mines: MinesweeperEnv(size=8, mines=mines) for mines in (10, 14)]
    )  # fmt: skip
    with pytest.raises(ValueError, match="the environments of env have different boards"):
        config_of(mixed)


def test_the_defaults_are_as_before():
    policy = baselines.make_policy("random")
    assert (policy.config.rows, policy.config.mines, policy.config.first_click) == (8, 14, "opening")
