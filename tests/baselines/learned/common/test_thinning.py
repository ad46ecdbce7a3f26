"""Thinning of the rollouts of PPO."""

import numpy as np
import pytest
from support.tiny_training import make_model, one_thread, tiny  # noqa: F401 - one_thread is a fixture

from baselines.learned.common.replay_buffer import keep_probabilities
from baselines.learned.common.vec_env import MinesweeperVecEnv
from baselines.learned.ppo import ThinnedRolloutBuffer
from minesweeper_env.config import BoardConfig

STEPS, GAMES = 50, 80


@pytest.fixture
def filled():
    """Returns a rollout with values from 0.5 to 1, whose returns are 1 with these probabilities."""
    env = MinesweeperVecEnv(BoardConfig(4, 5, 3, moves=("click",)), 1)
    buffer = ThinnedRolloutBuffer(STEPS, env.observation_space, env.action_space, "cpu", 1.0, 0.0, GAMES)
    generator = np.random.default_rng(7)
    np.random.seed(7)  # noqa: NPY002 - the buffer of Stable-Baselines3 draws from it
    buffer.reset()
    buffer.values = generator.uniform(0.5, 1, (STEPS, GAMES)).astype(np.float32)
    buffer.returns = (generator.random((STEPS, GAMES)) < buffer.values).astype(np.float32)
    buffer.actions[:, :, 0] = np.arange(STEPS * GAMES).reshape(STEPS, GAMES)
    buffer.full = True
    return buffer


def drawn(buffer, batch_size):
    batches = list(buffer.get(batch_size))
    return batches, np.concatenate([batch.actions[:, 0].numpy().astype(int) for batch in batches])


def test_without_thinning_every_step_is_drawn_once(filled):
    batches, steps = drawn(filled, 128)
    assert sorted(steps) == list(range(STEPS * GAMES))
    assert not np.array_equal(steps, np.sort(steps))
    assert {len(batch.actions) for batch in batches} <= {127, 128, 129, 130}
    assert filled.drawn == STEPS * GAMES


def test_the_probability_to_keep_a_step_grows_with_its_expected_loss(filled):
    values, returns = filled.values.ravel().copy(), filled.returns.ravel().copy()
    filled.keep_scale, filled.keep_min = 2.5, 0.25
    batches, steps = drawn(filled, 64)
    assert len(set(steps)) == len(steps) == filled.drawn
    kept = np.zeros(STEPS * GAMES, bool)
    kept[steps] = True
    for low, high in ((0.5, 0.6), (0.6, 0.7), (0.7, 0.8), (0.8, 0.9), (0.9, 1.0)):
        here = (values >= low) & (values < high)
        expected = keep_probabilities(1 - values[here], 2.5, 0.25).mean()
        assert kept[here].mean() == pytest.approx(expected, abs=4 * np.sqrt(0.25 / here.sum()))
        # The kept steps have the returns of all steps: the outcome decides nothing.
        assert returns[here & kept].mean() == pytest.approx(values[here & kept].mean(), abs=0.08)
    for batch in batches:
        np.testing.assert_array_equal(batch.old_values, values[batch.actions[:, 0].numpy().astype(int)])
        np.testing.assert_array_equal(batch.returns, returns[batch.actions[:, 0].numpy().astype(int)])


def test_there_is_a_minibatch_even_if_every_step_was_certain(filled):
    filled.values[:] = 1.0
    filled.values[3, 4] = 0.9999
    filled.keep_scale, filled.keep_min = 1.0, 1e-9
    _, steps = drawn(filled, 64)
    assert list(steps) == [3 * GAMES + 4]


@pytest.mark.parametrize(
    ("settings", "all_kept"), [({}, False), ({"gamma": 0.5}, True), ({"reward": "progress"}, True)]
)
def test_ppo_thins_where_returns_are_probabilities(settings, all_kept):
    few = {"n_steps": 8, "batch_size": 64, "keep_scale": 0.5, "keep_min": 0.01}
    model = make_model(tiny("ppo", envs=64, hyperparameters=few, **settings))
    model.learn(512)
    assert (model.rollout_buffer.drawn == 512) == all_kept
