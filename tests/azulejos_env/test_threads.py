"""Batches that threads divide: the same games for every number of threads, copies, and errors."""

from __future__ import annotations

import copy
import pickle
import threading

import gymnasium
import numpy as np
import pytest
from support.equality import assert_same

from azulejos_env import AzulejosVectorEnv, observations
from azulejos_env.engine import batch_kernels, threaded
from azulejos_env.policies import RandomPolicy

GAMES = 11
LEAST_CELLS = threaded.LEAST_CELLS
CONFIGURATIONS = [
    {"size": (4, 5)},
    {"size": 4, "opponent": "random", "seat": "random", "observation": "planes", "reward": "win_loss"},
    {"size": 3, "opponent": None, "colours": 2, "max_steps": 4},
    {"size": (3, 4), "opponent": "minimax:depth=1", "seat": "random", "observation": "planes"},
    {"size": (1, 2), "colours": 1, "opponent": RandomPolicy(), "seat": "second"},
]
IDS = ["codes", "planes", "alone", "minimax", "policy"]


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch):
    """Lets threads divide batches that are too small to gain by it."""
    monkeypatch.setattr(threaded, "LEAST_CELLS", 1)
    monkeypatch.setattr(observations, "_PART", 1)


def play(env, steps=30, seed=5):
    """Plays with given boards, partial resets and illegal actions; returns all that the environment says."""
    rng = np.random.default_rng(seed)
    results = [env.reset(seed=seed)]
    for step in range(steps):
        actions = env.sample_actions()
        actions[step % GAMES] = 0
        over = env._games.over
        if env.autoreset_mode.value == "Disabled" and over.any():
            results.append(env.reset(options={"reset_mask": over}))
        if step == 12:
            results.append(env.reset(options={"reset_mask": rng.random(GAMES) < 0.5}))
        if step == 20:
            boards = np.full((GAMES, env.config.rows, env.config.cols), 1, np.int8)
            results.append(env.reset(options={"board": boards}))
        results.append((actions, env.step(actions)))
    return [*results, env.action_masks(), env.get_state()]


@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
@pytest.mark.parametrize("arguments", CONFIGURATIONS, ids=IDS)
def test_the_games_are_the_same_for_every_number_of_threads(arguments, mode):
    alone = play(AzulejosVectorEnv(GAMES, **arguments, autoreset_mode=mode))
    for threads in (2, 3, 7, 40):
        env = AzulejosVectorEnv(GAMES, **arguments, autoreset_mode=mode, threads=threads)
        assert_same(play(env), alone)
        assert len(env._games._parts) == min(threads, GAMES)
        env.close()


def test_no_thread_writes_into_the_games_of_another():
    # Two colours make large groups, so the room for one group is in use most of the time.
    alone, env = (AzulejosVectorEnv(64, 8, 2, autoreset_mode="SameStep", threads=threads) for threads in (1, 8))
    alone.reset(seed=0)
    env.reset(seed=0)
    for _ in range(200):
        actions = alone.sample_actions()
        assert_same(env.step(actions), alone.step(actions))


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
@pytest.mark.parametrize("opponent", ["greedy", RandomPolicy()], ids=["compiled", "asked"])
def test_a_copy_goes_on_alike_and_apart(copied, opponent):
    env = AzulejosVectorEnv(GAMES, 4, opponent=opponent, threads=3)
    env.reset(seed=1)
    env.step(env.sample_actions())
    other = copied(env)
    before = other.get_state()
    first = [(actions := env.sample_actions(), env.step(actions)) for _ in range(20)]
    assert_same(other.get_state(), before)
    assert_same([(actions := other.sample_actions(), other.step(actions)) for _ in range(20)], first)
    assert_same(other.get_state(), env.get_state())


def test_an_action_out_of_range_in_any_part_changes_no_game():
    env = AzulejosVectorEnv(GAMES, 4, threads=3)
    env.reset(seed=0)
    before, actions = env.get_state(), env.sample_actions()
    for wrong in (-1, 16):
        actions[7] = wrong
        with pytest.raises(ValueError, match=rf"a whole number in 0\.\.15, not {wrong} \(game 7\)"):
            env.step(actions)
    del before["sampler"]
    assert_same({key: env.get_state()[key] for key in before}, before)


@pytest.mark.parametrize("threads", [1, 8])
def test_one_thread_or_a_small_batch_starts_no_thread(monkeypatch, threads):
    monkeypatch.setattr(threaded, "LEAST_CELLS", LEAST_CELLS)
    before = threading.enumerate()
    env = gymnasium.make_vec("azulejos_env:Azulejos-v0", num_envs=16, threads=threads)
    env.reset(seed=0)
    env.step(env.unwrapped.sample_actions())
    assert type(env.unwrapped._games) is threaded.Games
    assert not [thread for thread in threading.enumerate() if thread not in before]


@pytest.mark.parametrize("threads", [0, -1, "2", True, 1.5, None])
def test_a_bad_number_of_threads_is_refused(threads):
    with pytest.raises(ValueError, match="threads must be a whole number of at least 1"):
        AzulejosVectorEnv(4, threads=threads)


@pytest.mark.skipif(not hasattr(batch_kernels.step_batch, "signatures"), reason="kernels are not compiled")
def test_kernels_release_the_lock_and_are_compiled_once():
    kernels = (batch_kernels.reset_batch, batch_kernels.step_batch, batch_kernels.finish_batch)
    before = []
    for threads in (1, 3):
        for opponent in ("greedy", RandomPolicy()):
            play(AzulejosVectorEnv(GAMES, 4, opponent=opponent, threads=threads))
        before.append([kernel.signatures for kernel in kernels])
    assert before[0] == before[1]
    assert all(kernel.targetoptions["nogil"] for kernel in kernels)
