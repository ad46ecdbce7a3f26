"""Conformance suite: it accepts correct environments and wrappers, and detects a breach of each convention."""

import gymnasium
import numpy as np
import pytest
from gymnasium import wrappers

from minesweeper_env import ENV_SPECIFICATIONS, MinesweeperEnv
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
        {"size": 8, "mines": 14, "reward": "safe_click", "render_mode": "rgb_array"},
        {"size": 8, "mines": 14, "luck": False},
        {"size": (4, 6), "mines": 5, "first_click": "any", "moves": ("click", "flag", "chord"), "luck": False},
    ],
)
def test_every_kind_of_configuration_conforms(arguments):
    check_minesweeper_env("Minesweeper-v0", **arguments)


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
    """Breaks one convention by a statement about a step, its info, and the mines."""

    def __init__(self, env, breach):
        super().__init__(env)
        self.breach, self.buffer = compile(breach, "a breach", "exec"), np.zeros((6, 6), np.int8)

    def changed(self, *step):
        step, mines = list(step), self.unwrapped.get_state()["mines"]
        exec(self.breach, {"np": np, "env": self, "step": step, "info": step[4], "mines": mines})
        return tuple(step)

    def reset(self, *, seed=None, options=None):
        observation, info = super().reset(seed=seed, options=options)
        return self.changed(observation, 0.0, False, False, info)[::4]

    def step(self, action):
        return self.changed(*super().step(action))


@pytest.mark.parametrize(
    ("breach", "message"),
    [
        # Leaks: in the mask, the observation, the reward and the info.
        ('info["action_mask"] &= ~np.tile(mines.ravel(), 2)', "must agree"),
        ("step[0] = step[0].copy(); step[0][0, 0] = 10 + mines[0, 0]", "hidden mines"),
        ("step[1] -= float(mines[0, 0])", "hidden mines"),
        ('info["first"] = int(mines[0, 0])', "hidden mines"),
        # Types, keys and arrays.
        ('if step[2]: info["action_mask"] = np.zeros_like(info["action_mask"])', "all 0"),
        ('info["action_mask"] = info["action_mask"].astype(bool)', "int8"),
        ("step[1] = np.float64(step[1])", "float"),
        ("step[2] = np.bool_(step[2])", "terminated must be a bool"),
        ('if step[2]: info["won"] = True', "same keys"),
        ("env.buffer[:] = step[0]; step[0] = env.buffer", "earlier observation"),
        ("step[4] = {}", "^masks: KeyError: 'action_mask'"),
        # Rewards and generators.
        ('step[1] += 0.1 * info["invalid_action"]', "earn"),
        ("step[1] -= 1e-6 * float(np.random.default_rng().random())", "same games"),
        ("np.random.random()", "global generator"),
        ('info["invalid_action"] = False', "invalid_action"),
    ],
)
def test_each_broken_convention_is_caught(breach, message):
    with pytest.raises(AssertionError, match=message):
        check_minesweeper_env(Changed(MinesweeperEnv(size=6, mines=5), breach))


def test_the_given_environment_is_not_played():
    env = MinesweeperEnv()
    check_minesweeper_env(env)
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(0)


def test_other_environments_and_arguments_beside_one_are_refused():
    with pytest.raises(TypeError, match="MinesweeperEnv"):
        check_minesweeper_env("CartPole-v1")
    with pytest.raises(TypeError, match=r"only an id takes arguments .*: size"):
        check_minesweeper_env(MinesweeperEnv(), size=9)
