"""Batches of games: each game is the one of the single environment, in every autoreset mode."""

from __future__ import annotations

import pickle

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from support.equality import assert_same

from azulejos_env import AzulejosEnv, AzulejosVectorEnv
from azulejos_env.policies import RandomPolicy

GAMES = 6
CONFIGURATIONS = [
    {"size": (4, 5)},
    {"size": 4, "opponent": "random", "seat": "random", "observation": "planes", "reward": "win_loss"},
    {"size": 3, "opponent": None, "colours": 2, "max_steps": 4},
    {"size": (3, 4), "opponent": "minimax:depth=1", "seat": "random"},
    {"size": (1, 2), "colours": 1, "opponent": RandomPolicy(), "seat": "second"},
]
IDS = ["codes", "planes", "alone", "minimax", "policy"]


def pairs(arguments, mode, seed=3):
    """Returns a batch, its singles, and their first results."""
    batch = AzulejosVectorEnv(GAMES, **arguments, autoreset_mode=mode)
    singles = [AzulejosEnv(**arguments) for _ in range(GAMES)]
    observations, infos = batch.reset(seed=seed)
    for i, single in enumerate(singles):
        observation, info = single.reset(seed=seed + i)
        assert_game(observations, infos, i, observation, info)
    return batch, singles, infos


def assert_game(observations, infos, i, observation, info):
    assert_same(observations[i], observation)
    for key, value in info.items():
        assert_same(np.asarray(infos[key][i]).tolist(), np.asarray(value).tolist())
        assert infos[f"_{key}"][i]


def actions_of(batch, step):
    """Returns legal actions, and illegal ones now and then."""
    actions = batch.sample_actions()
    actions[step % GAMES] = 0
    return actions


@pytest.mark.parametrize("arguments", CONFIGURATIONS, ids=IDS)
def test_each_game_is_that_of_the_single_environment_with_next_step(arguments):
    batch, singles, _ = pairs(arguments, AutoresetMode.NEXT_STEP)
    over = [False] * GAMES
    for step in range(60):
        actions = actions_of(batch, step)
        observations, rewards, terminations, truncations, infos = batch.step(actions)
        for i, single in enumerate(singles):
            if over[i]:
                observation, info = single.reset()
                expected = observation, 0.0, False, False, info
            else:
                expected = single.step(actions[i])
            assert_game(observations, infos, i, expected[0], expected[4])
            assert (rewards[i], terminations[i], truncations[i]) == expected[1:4]
            over[i] = expected[2] or expected[3]


@pytest.mark.parametrize("arguments", CONFIGURATIONS, ids=IDS)
def test_each_game_is_that_of_the_single_environment_with_same_step(arguments):
    batch, singles, _ = pairs(arguments, "SameStep")
    for step in range(60):
        actions = actions_of(batch, step)
        observations, rewards, terminations, truncations, infos = batch.step(actions)
        for i, single in enumerate(singles):
            observation, reward, terminated, truncated, info = single.step(actions[i])
            assert (rewards[i], terminations[i], truncations[i]) == (reward, terminated, truncated)
            if terminated or truncated:
                assert_same(infos["final_obs"][i], observation)
                assert_game([None] * i + [observation], infos["final_info"], i, observation, info)
                observation, info = single.reset()
            assert_game(observations, infos, i, observation, info)


@pytest.mark.parametrize("arguments", CONFIGURATIONS, ids=IDS)
def test_a_mask_resets_some_games(arguments):
    batch, singles, _ = pairs(arguments, AutoresetMode.DISABLED)
    for step in range(40):
        actions = actions_of(batch, step)
        observations, rewards, terminations, truncations, infos = batch.step(actions)
        for i, single in enumerate(singles):
            expected = single.step(actions[i])
            assert_game(observations, infos, i, expected[0], expected[4])
            assert (rewards[i], terminations[i], truncations[i]) == expected[1:4]
        ended = terminations | truncations
        if ended.any():
            with pytest.raises(gymnasium.error.ResetNeeded):
                batch.step(actions)
            observations, infos = batch.reset(options={"reset_mask": ended})
            assert (infos["_scores"] == ended).all()
            for i in np.flatnonzero(ended):
                assert_game(observations, infos, i, *singles[i].reset())


def test_seeds_of_a_sequence_and_under_a_mask():
    batch = AzulejosVectorEnv(3, size=4)
    first, _ = batch.reset(seed=[7, 8, 9])
    mask = np.array([True, False, True])
    again, _ = batch.reset(seed=[9, 1, None], options={"reset_mask": mask})
    assert_same(again[0], first[2])
    assert_same(again[1], first[1])
    assert (again[2] != first[2]).any()


def test_given_boards():
    batch = AzulejosVectorEnv(2, size=(1, 4), colours=2)
    boards = np.array([[[1, 1, 2, 2]], [[2, 2, 2, 1]]])
    assert_same(batch.reset(seed=0, options={"board": boards})[0], boards.astype(np.int8))
    assert_same(batch.reset(options={"board": boards[0]})[0], boards[[0, 0]].astype(np.int8))


def test_sampled_actions_are_legal_and_reach_every_group():
    batch = AzulejosVectorEnv(500, size=(1, 8), colours=2)
    _, infos = batch.reset(seed=0, options={"board": np.array([[1, 1, 2, 2, 1, 1, 2, 2]])})
    actions = batch.sample_actions()
    assert infos["action_mask"][np.arange(500), actions].all()
    assert (np.bincount(actions, minlength=8)[[0, 2, 4, 6]] > 80).all()


def test_a_saved_batch_continues():
    batch, other = (AzulejosVectorEnv(4, size=4, opponent="random") for _ in range(2))
    batch.reset(seed=1)
    batch.step(batch.sample_actions())
    other.set_state(batch.get_state())
    copied = pickle.loads(pickle.dumps(batch))
    for _ in range(20):
        actions = batch.sample_actions()
        assert_same(other.sample_actions(), actions)
        step = batch.step(actions)
        assert_same(other.step(actions), step)
        assert_same(copied.step(actions), step)


def test_calls_and_attributes_of_the_games():
    batch = AzulejosVectorEnv(2, size=4, render_mode="ansi")
    batch.reset(seed=0)
    single = AzulejosEnv(size=4, render_mode="ansi")
    single.reset(seed=1)
    assert batch.call("render")[1] == single.render()
    assert_same(batch.call("get_state")[1], single.get_state())
    assert_same(batch.call("action_masks")[1], single.action_masks())
    assert batch.get_attr("config") == (single.config,) * 2


def test_make_vec_makes_the_batch_with_its_step_limit():
    envs = gymnasium.make_vec("azulejos_env:Azulejos-v0", num_envs=3, size=5)
    assert isinstance(envs.unwrapped, AzulejosVectorEnv)
    assert AzulejosVectorEnv(1, max_steps=9, max_episode_steps=5)._terms.max_steps == 5


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_envs": 0}, "num_envs must be a whole number of at least 1"),
        ({"autoreset_mode": "never"}, "autoreset_mode must be one of"),
        ({"max_steps": 0}, "max_steps must be a whole number of at least 1"),
    ],
)
def test_wrong_arguments_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        AzulejosVectorEnv(**arguments)


def test_wrong_calls_are_refused():
    batch = AzulejosVectorEnv(2, size=3)
    with pytest.raises(gymnasium.error.ResetNeeded):
        batch.step([0, 0])
    batch.reset(seed=0)
    with pytest.raises(ValueError, match=r"must be a whole number in 0..8, not 9 \(game 1\)"):
        batch.step([0, 9])
    with pytest.raises(ValueError, match="unknown reset options"):
        batch.reset(options={"layout": 0})
