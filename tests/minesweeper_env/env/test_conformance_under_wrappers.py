"""Conformance suite under Gymnasium's own wrappers: named failures, and checks that are said to be skipped."""

from __future__ import annotations

import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium import wrappers

from minesweeper_env import MinesweeperEnv
from minesweeper_env.testing import _OBSERVERS as OBSERVERS
from minesweeper_env.testing import _UNSUITABLE as UNSUITABLE
from minesweeper_env.testing import check_minesweeper_env

SMALL = {"size": 5, "mines": 3}


def make(**arguments):
    return gymnasium.make("Minesweeper-v0", **SMALL, **arguments)


def half(reward):
    return reward / 2


def checked(env):
    """Runs the checks; returns the texts of their warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        check_minesweeper_env(env)
    return [str(warning.message).removeprefix("check_minesweeper_env ") for warning in caught]


@pytest.mark.parametrize(
    "wrap",
    [wrappers.PassiveEnvChecker, wrappers.OrderEnforcing, lambda env: wrappers.TransformReward(env, half)],
)
def test_wrappers_that_keep_every_convention_pass_silently(wrap):
    assert checked(wrap(make())) == []


STACKED = {"illegal actions": "FrameStackObservation", "saving": "FrameStackObservation"}


@pytest.mark.parametrize(
    ("wrap", "skipped"),
    [
        (lambda env: wrappers.TimeLimit(env, 12), {"saving": "TimeLimit"}),
        (wrappers.FlattenObservation, {"pickling": "FlattenObservation"}),
        (lambda env: wrappers.ReshapeObservation(env, (25,)), {"pickling": "ReshapeObservation"}),
        (lambda env: wrappers.DtypeObservation(env, np.float32), {"pickling": "DtypeObservation"}),
        (lambda env: wrappers.FrameStackObservation(env, 3), STACKED),
        (lambda env: wrappers.TimeLimit(wrappers.FrameStackObservation(env, 2), 9), {**STACKED, "saving": "TimeLimit"}),
    ],
)
def test_checks_that_do_not_apply_are_said_to_be_skipped(wrap, skipped):
    expected = [f"skips the check {name!r}, which does not apply under {cause}" for name, cause in skipped.items()]
    assert sorted(checked(wrap(make()))) == sorted(expected)


def test_wrappers_that_draw_or_record_are_left_out(tmp_path):
    env = wrappers.HumanRendering(make(render_mode="rgb_array"))
    assert checked(env) == ["checks the environment without HumanRendering"]
    assert env.window is None
    env = wrappers.TimeLimit(wrappers.RecordEpisodeStatistics(make()), 200)
    assert checked(env) == [
        "checks the environment without RecordEpisodeStatistics",
        "skips the check 'saving', which does not apply under TimeLimit",
    ]


def test_a_function_that_pickle_cannot_save_fails_by_name():
    env = wrappers.TransformReward(make(), lambda reward: reward / 2)
    with pytest.raises(AssertionError, match=r"^pickling: .*pickle"):
        check_minesweeper_env(env)


class Locked(gymnasium.Wrapper):
    """Cannot be copied, since a generator cannot."""

    def __init__(self, env):
        super().__init__(env)
        self.lines = (line for line in ())


def test_an_environment_without_copies_fails_by_name():
    with pytest.raises(AssertionError, match=r"^copying: TypeError: cannot pickle 'generator' object"):
        check_minesweeper_env(Locked(MinesweeperEnv(**SMALL)))


class WithoutMasks(gymnasium.Wrapper):
    """Drops the info, as careless wrappers do."""

    def reset(self, *, seed=None, options=None):
        return super().reset(seed=seed, options=options)[0], {}


def test_any_error_of_a_check_becomes_an_assertion_with_its_name():
    with pytest.raises(AssertionError, match=r"^masks: KeyError: 'action_mask'"):
        check_minesweeper_env(WithoutMasks(MinesweeperEnv(**SMALL)))


def test_the_tables_name_wrappers_of_gymnasium():
    missing = [name for name in (*OBSERVERS, *UNSUITABLE) if not hasattr(wrappers, name)]
    # Gymnasium 1.2 has no RepeatAction yet.
    assert missing in ([], ["RepeatAction"])
