"""Games of a training: their opponents, masks, rewards, infos and state."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from azulejos_env import AzulejosVectorEnv
from azulejos_env.config import GameConfig
from azulejos_env.policies import make_policy
from azulejos_env.position import Position, random_board
from baselines.azulejos.learning.network import AzulejosNetwork
from baselines.azulejos.learning.observations import legal_moves
from baselines.azulejos.learning.opponents import check_opponents, games_of, opponent_of
from baselines.azulejos.learning.policy import AzulejosPolicy
from baselines.azulejos.learning.vec_env import AzulejosVecEnv
from baselines.learned.networks.size import NetworkSize

CONFIG = GameConfig(4, 5, 3)
BATCHES = [("random", 3), ("greedy", 4), (opponent_of("minimax:depth=2"), 2)]


def seeded(reward="win_loss", seed=7):
    env = AzulejosVecEnv(CONFIG, BATCHES, reward)
    env.seed(seed)
    return env, env.reset()


def any_actions(env):
    """Returns the last legal action of each game."""
    masks = env.action_masks()
    return masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)


def test_each_batch_is_that_of_the_vector_env_against_its_opponent():
    env, seen = seeded()
    alone = AzulejosVectorEnv(4, (4, 5), 3, "greedy", seat="random", reward="win_loss", autoreset_mode="SameStep")
    boards, info = alone.reset(seed=7 + 3)
    for _ in range(20):
        assert (env.action_masks()[3:7] == info["action_mask"]).all()
        assert ((seen[3:7, 0] == 0) == (boards == 0)).all()
        assert (seen[3:7, 2, 0, 0] == info["scores"][:, 0]).all()
        assert (seen[3:7, 3, 0, 0] == info["scores"][:, 1]).all()
        actions = any_actions(env)
        seen, rewards, dones, infos = env.step(actions)
        boards, earned, terminations, _, info = alone.step(actions[3:7])
        assert (rewards[3:7] == earned).all()
        assert (dones[3:7] == terminations).all()
        for i in np.flatnonzero(terminations):
            assert infos[3 + i]["is_success"] == info["final_info"]["is_success"][i]


def test_masks_are_the_groups_of_the_observation():
    env, seen = seeded()
    for _ in range(10):
        assert (env.action_masks() == legal_moves(seen)).all()
        seen = env.step(any_actions(env))[0]


@pytest.mark.parametrize("reward", ["win_loss", "difference", "lead"])
def test_the_rewards_of_a_game_add_up_to_its_result(reward):
    env, _ = seeded(reward)
    results = []
    for _ in range(40):
        _, _, dones, infos = env.step(any_actions(env))
        for i in np.flatnonzero(dones):
            own, other = infos[i]["terminal_observation"][2:4, 0, 0]
            lead = int(own) - int(other)
            expected = {"win_loss": np.sign(lead), "difference": lead, "lead": np.tanh(lead / 8)}[reward]
            assert infos[i]["episode"]["r"] == pytest.approx(expected)
            assert infos[i]["TimeLimit.truncated"] is False
            results.append(lead)
    assert min(results) < 0 < max(results)


@pytest.mark.parametrize("reward", ["win_loss", "lead"])
def test_a_saved_state_continues_exactly(reward):
    env, _ = seeded(reward)
    for _ in range(5):
        env.step(any_actions(env))
    other, _ = seeded(reward, seed=99)
    seen = other.set_state(env.get_state())
    assert (other.action_masks() == env.action_masks()).all()
    for _ in range(15):
        actions = any_actions(env)
        expected, found = env.step(actions), other.step(actions)
        for one, two in zip(expected[:3], found[:3], strict=True):
            assert (one == two).all()
    assert seen.shape == (9, 6, 4, 5)


def test_the_state_of_other_games_is_refused():
    state = seeded()[0].get_state()
    fewer = AzulejosVecEnv(CONFIG, [("random", 2)], "win_loss")
    with pytest.raises(ValueError, match="the state holds 9 games, not 2"):
        fewer.set_state(state)


def test_the_policy_never_leaves_the_mask():
    env, seen = seeded()
    arguments = {"channels": 4, "depth": 1, "colours": 3}
    policy = AzulejosPolicy(
        env.observation_space, env.action_space, lambda _: 1e-3, features_extractor_kwargs=arguments
    )
    torch.manual_seed(0)
    for _ in range(10):
        masks = env.action_masks()
        actions, values, logs = policy(torch.as_tensor(seen), action_masks=masks)
        assert masks[np.arange(9), actions.numpy()].all()
        assert values.shape == (9, 1)
        probabilities = policy.get_distribution(torch.as_tensor(seen), masks).distribution.probs
        assert probabilities.detach().numpy()[~masks].max() == 0
        again = policy.evaluate_actions(torch.as_tensor(seen), actions, action_masks=masks)
        assert torch.allclose(again[1], logs, atol=1e-6)
        seen = env.step(actions.numpy())[0]


def test_the_policy_and_the_agent_rate_groups_alike():
    env, seen = seeded()
    arguments = {"channels": 4, "depth": 2, "colours": 3}
    policy = AzulejosPolicy(
        env.observation_space, env.action_space, lambda _: 1e-3, features_extractor_kwargs=arguments
    )
    torch.nn.init.normal_(policy.action_net.layer.weight)
    network = AzulejosNetwork.of_size(NetworkSize(4, 2), 3)
    network.load_state_dict(policy.network().state_dict())
    masks = env.action_masks()
    best = policy.get_distribution(torch.as_tensor(seen), masks).mode().numpy()
    rated = network(torch.as_tensor(seen)).detach().numpy()
    assert (np.where(masks, rated, -np.inf).argmax(axis=1) == best).all()


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_many_searches_choose_a_best_move(depth):
    fast, policy = opponent_of(f"minimax:depth={depth}"), make_policy("minimax", depth=depth)
    for seed in range(30):
        position = Position(CONFIG, random_board(CONFIG, seed), (seed, 2 * seed), seed % 2)
        assert fast.choose(position) == policy.choose(position)


def test_opponents_share_the_games_equally():
    assert games_of(("random", "greedy", "self"), 32) == [
        ("random", 11),
        ("greedy", 11),
        ("self", 3),
        ("self", 3),
        ("self", 2),
        ("self", 2),
    ]
    assert games_of(("greedy", "self"), 1) == [("greedy", 1)]
    assert games_of(("greedy", "greedy", "self"), 4) == [("greedy", 2), ("greedy", 1), ("self", 1)]


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ((), "opponents must be 1 to 32 names"),
        (("greedly",), "opponents must be self, one of random, greedy, minimax"),
        (("minimax:speed=2",), "unknown option"),
        (("minimax:depth=deep",), "NAME=NUMBER"),
        ((3,), "an opponent is a text"),
    ],
)
def test_wrong_opponents_are_refused(names, message):
    with pytest.raises(ValueError, match=message):
        check_opponents(names)
