"""Stable-Baselines3's own checker finds no error in any registered environment."""

import warnings

import gymnasium
import pytest
from stable_baselines3.common.env_checker import check_env

from minesweeper_env.registration import ENV_SPECIFICATIONS


@pytest.mark.parametrize("env_id", ENV_SPECIFICATIONS)
@pytest.mark.parametrize("observation", ["codes", "planes", "flat"])
def test_no_error(env_id, observation):
    with warnings.catch_warnings():
        # It warns that boards are not images; only its errors count here.
        warnings.simplefilter("ignore")
        check_env(gymnasium.make(env_id, observation=observation).unwrapped)
