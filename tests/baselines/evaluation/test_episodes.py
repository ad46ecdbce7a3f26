"""Episodes of recorded games."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from support.policies import click_config

from baselines.evaluation.datasets import replay
from baselines.evaluation.evaluate import evaluate_policy
from baselines.registry import build_policy

pytest.importorskip("minari")

CONFIG = click_config(4, 5, 3)


def make_env(**arguments):
    return gymnasium.make("Minesweeper-v0", **{"size": (4, 5), "mines": 3, "moves": ("click",)} | arguments)


def test_an_episode_holds_the_game_that_was_played():
    env = make_env(observation="planes", reward="win")
    records = evaluate_policy(lambda: build_policy("straightforward", CONFIG), CONFIG, range(30), record=True).records
    for record in records:
        episode, count = replay(env, record), record.clicks
        assert episode.seed == record.seed
        assert episode.observations.shape == (count + 1, 13, 4, 5)
        masks = episode.infos["action_mask"]
        assert masks.shape == (count + 1, 20)
        assert masks[np.arange(count), episode.actions].all()
        assert episode.terminations == [False] * (count - 1) + [True]
        assert episode.truncations == [False] * count
        assert episode.rewards == [0.0] * (count - 1) + [float(record.won)]
    with pytest.raises(ValueError, match="the game of seed 0 ends otherwise"):
        replay(make_env(mines=4), records[0]._replace(won=True, seed=0, actions=b"\0\0"))
