"""Conformance suite: it accepts correct environments and wrappers, and detects a breach of each convention."""

import gymnasium
import numpy as np
import pytest
from gymnasium import wrappers

from minesweeper_env import MinesweeperEnv
from minesweeper_env.registration import ENV_SPECIFICATIONS
from minesweeper_env.testing import check_minesweeper_env


@pytest.mark.parametrize("env_id", ENV_SPECIFICATIONS)
def test_every_id_conforms(env_id):
    check_minesweeper_env(env_id)


@pytest.mark.parametrize(
    "arguments",
    [
        {"size": (3, 5), "mines": 4, "first_click": "any", "moves": ("click", "flag", "unflag", "question", "chord")},
        {"size": 6, "mines": 20, "first_click": "safe", "observation": "planes", "reward": "progress"},
        {"size": (4, 9), "mines": 8, "first_click": "corners", "observation": "flat", "reward": "shaped"},
        {"size": 9, "mines": 9, "radius": 2, "max_steps": 12, "render_mode": "ansi"},
        {"size": 6, "mines": 5, "reward": "safe_click", "render_mode": "rgb_array"},
    ],
)
def test_every_kind_of_configuration_conforms(arguments):
    check_minesweeper_env("Minesweeper-v0", **arguments)
    check_minesweeper_env(MinesweeperEnv(**arguments))


@pytest.mark.parametrize(
    "wrap",
    [
        wrappers.PassiveEnvChecker,
        wrappers.FlattenObservation,
        wrappers.NormalizeObservation,
        lambda env: wrappers.TransformReward(env, lambda reward: reward / 2),
        lambda env: wrappers.DtypeObservation(env, np.float32),
        lambda env: wrappers.TimeLimit(wrappers.FrameStackObservation(env, 2), 9),
    ],
)
def test_wrappers_of_gymnasium_conform(wrap):
    check_minesweeper_env(wrap(gymnasium.make("Minesweeper-v0", size=5, mines=3)))


class Changed(gymnasium.Wrapper):
    """Breaks one convention by changing what a step returns."""

    def __init__(self, env, change):
        super().__init__(env)
        self.change = change

    def reset(self, *, seed=None, options=None):
        observation, info = super().reset(seed=seed, options=options)
        step = [observation, 0.0, False, False, info]
        self.change(self, step)
        return step[::4]

    def step(self, action):
        step = list(super().step(action))
        self.change(self, step)
        return tuple(step)


def first_mine(env):
    return int(env.unwrapped.get_state()["mines"][0, 0])


def leak_in_the_mask(env, step):
    step[4]["action_mask"] &= ~np.tile(env.unwrapped.get_state()["mines"].ravel(), 2)


def leak_in_the_observation(env, step):
    step[0] = step[0].copy()
    step[0][0, 0] = 10 + first_mine(env)


def leak_in_the_reward(env, step):
    step[1] -= float(first_mine(env))


def leak_in_info(env, step):
    step[4]["first"] = first_mine(env)


def empty_mask_at_the_end(env, step):
    if step[2]:
        step[4]["action_mask"] = np.zeros_like(step[4]["action_mask"])


def bool_mask(env, step):
    step[4]["action_mask"] = step[4]["action_mask"].astype(bool)


def numpy_reward(env, step):
    step[1] = np.float64(step[1])


def numpy_terminated(env, step):
    step[2] = np.bool_(step[2])


def extra_key_at_the_end(env, step):
    if step[2]:
        step[4]["won"] = True


def one_array_for_all_observations(env, step):
    if not hasattr(env, "buffer"):
        env.buffer = np.empty_like(step[0])
    env.buffer[:] = step[0]
    step[0] = env.buffer


def paid_for_illegal_actions(env, step):
    step[1] += 0.1 * step[4]["invalid_action"]


def dice_in_the_reward(env, step):
    step[1] -= 1e-6 * float(np.random.default_rng().random())


def global_generator(env, step):
    np.random.random()  # noqa: NPY002


def hidden_illegal_actions(env, step):
    step[4]["invalid_action"] = False


def no_info(env, step):
    step[4] = {}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (leak_in_the_mask, "must agree"),
        (leak_in_the_observation, "hidden mines"),
        (leak_in_the_reward, "hidden mines"),
        (leak_in_info, "hidden mines"),
        (empty_mask_at_the_end, "all 0"),
        (bool_mask, "int8"),
        (numpy_reward, "float"),
        (numpy_terminated, "terminated must be a bool"),
        (extra_key_at_the_end, "same keys"),
        (one_array_for_all_observations, "earlier observation"),
        (paid_for_illegal_actions, "earn"),
        (dice_in_the_reward, "same games"),
        (global_generator, "global generator"),
        (hidden_illegal_actions, "invalid_action"),
        (no_info, "^masks: KeyError: 'action_mask'"),
    ],
)
def test_each_broken_convention_is_caught(change, message):
    with pytest.raises(AssertionError, match=message):
        check_minesweeper_env(Changed(MinesweeperEnv(size=6, mines=5), change))


def test_the_given_environment_is_not_played():
    env = MinesweeperEnv()
    check_minesweeper_env(env)
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(0)


def test_other_environments_are_refused():
    with pytest.raises(TypeError, match="MinesweeperEnv"):
        check_minesweeper_env("CartPole-v1")
