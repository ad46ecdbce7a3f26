"""PettingZoo environment: PettingZoo's own tests, and agreement with positions and the Gymnasium environment."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from support.equality import assert_same

from azulejos_env import AzulejosEnv
from azulejos_env.position import Position

pettingzoo_test = pytest.importorskip("pettingzoo.test")
from azulejos_env import aec  # noqa: E402 - needs PettingZoo

CONFIGURATIONS = [{}, {"size": (3, 5), "reward": "win_loss", "observation": "planes"}, {"size": 1, "colours": 1}]


@pytest.mark.parametrize("arguments", CONFIGURATIONS, ids=str)
@pytest.mark.parametrize("make", [aec.env, aec.AzulejosAECEnv])
def test_pettingzoo_accepts_the_environment(arguments, make, capsys):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # Random moves may clear the board, whose observation is then all zeros.
        warnings.filterwarnings("ignore", message="Observation numpy array is all zeros")
        # PettingZoo expects dicts of its own games alone.
        warnings.filterwarnings("ignore", message="Observation is not a NumPy array")
        warnings.filterwarnings("ignore", message="Observation space for each agent probably should be")
        pettingzoo_test.api_test(make(**arguments), num_cycles=200)
        pettingzoo_test.seed_test(lambda: make(**arguments), num_cycles=100)
    assert "Passed" in capsys.readouterr().out


@pytest.mark.parametrize("seed", range(10))
def test_a_game_is_that_of_positions(seed):
    env = aec.env(size=(4, 5))
    env.reset(seed=seed)
    generator = np.random.default_rng(seed)
    single = AzulejosEnv(size=(4, 5))
    board, _ = single.reset(seed=seed)
    position, totals = Position(single.config, board), {"player_0": 0.0, "player_1": 0.0}
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, info = env.last()
        totals[agent] += reward
        player = int(agent[-1])
        assert_same(observation["observation"], position.board)
        assert info["scores"].tolist() == [position.scores[player], position.scores[1 - player]]
        if terminated or truncated:
            assert position.over
            assert info["is_success"] == (position.scores[player] > position.scores[1 - player])
            env.step(None)
            continue
        assert player == position.player
        cells = [5 * group.row + group.col for group in position.groups]
        assert np.flatnonzero(observation["action_mask"]).tolist() == cells
        action = int(generator.choice(cells))
        env.step(action)
        position = position.play(*divmod(action, 5))
    difference = position.scores[0] - position.scores[1]
    assert totals == {"player_0": difference, "player_1": -difference}


def test_an_illegal_action_changes_nothing_and_the_agent_moves_again():
    env = aec.AzulejosAECEnv(size=(1, 4), colours=2)
    env.reset(seed=0, options={"board": np.array([[1, 1, 2, 2]])})
    env.step(1)
    observation, reward, terminated, _, info = env.last()
    assert env.agent_selection == "player_0"
    assert (observation["observation"].tolist(), reward, terminated) == ([[1, 1, 2, 2]], 0.0, False)
    assert info["invalid_action"]
    env.step(2)
    assert env.agent_selection == "player_1"
    assert not env.infos["player_0"]["invalid_action"]


@pytest.mark.parametrize(("board", "rewards"), [([1, 1, 1, 2, 2, 3], (1.0, -1.0)), ([1, 1, 2, 2, 3, 1], (0.0, 0.0))])
def test_win_loss_pays_both_at_the_end(board, rewards):
    env = aec.AzulejosAECEnv(size=(1, 6), reward="win_loss")
    env.reset(options={"board": np.array([board])})
    while not any(env.terminations.values()):
        assert set(env.rewards.values()) == {0.0}
        env.step(int(env.observe("player_0")["action_mask"].argmax()))
    assert tuple(env.rewards.values()) == rewards


def test_the_step_limit_truncates_both():
    env = aec.AzulejosAECEnv(size=3, max_steps=1)
    env.reset(seed=0)
    env.step(int(env.observe("player_0")["action_mask"].argmin()))
    assert all(env.truncations.values())
