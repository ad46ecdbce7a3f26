"""Wrong and odd calls of policies: what each one answers, in one line, or that it works."""

from __future__ import annotations

import re

import gymnasium as gym
import numpy as np
import pytest

from baselines import make_policy
from minesweeper_env import HIDDEN


def covered(size, games=1):
    return np.full((games, size, size), HIDDEN, np.int8), np.ones((games, size * size), np.int8)


def act(name, observations, masks):
    policy = make_policy(name, size=8, mines=14)
    policy.reset(0)
    return policy.act(observations, masks)


WRONG = {
    "sub": (lambda: make_policy("sub"), "path/file.py:NAME; did you mean subset?"),
    "baye": (lambda: make_policy("baye"), "did you mean bayes?"),
    "zzz": (lambda: make_policy("zzz"), "unknown policy 'zzz'; there are random"),
    "an unknown option": (lambda: make_policy("subset", foo=1), "policy 'subset' has no option foo; its options: dedu"),
    "a board of 9x9": (lambda: act("exact", *covered(9)), "8x8"),
    "planes": (lambda: act("exact", np.zeros((1, 13, 8, 8), np.float32), covered(8)[1]), 'observation="codes"'),
}


@pytest.mark.parametrize(("call", "fragment"), WRONG.values(), ids=WRONG)
def test_a_wrong_call_says_what_is_allowed_in_one_line(call, fragment):
    with pytest.raises(ValueError, match=re.escape(fragment)) as raised:
        call()
    assert "\n" not in str(raised.value)


def test_a_mask_with_flags_is_taken():
    observations, masks = covered(8)
    assert 0 <= int(act("straightforward", observations, np.concatenate([masks, masks], axis=1))[0]) < 64


def test_a_single_observation_works():
    env = gym.make("Minesweeper-v0", moves=("click",))
    observation, info = env.reset(seed=0)
    assert 0 <= int(act("exact", observation, info["action_mask"])) < 64
