import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3 import DQN
from stable_baselines3.dqn.policies import QNetwork
from support.policies import click_config
from support.tiny_training import ALL, learn, make_model, one_thread, tiny  # noqa: F401 - one_thread is a fixture

from baselines.learned.agents import LearnedPolicy
from baselines.learned.common.replay_buffer import Transitions
from baselines.learned.common.vec_env import MinesweeperVecEnv
from baselines.learned.dqn import MaskedDQN, MinesweeperQPolicy
from baselines.learned.networks import BoardNetwork, click_masks, new_cells, random_clicks, symmetries, transform
from baselines.learned.ppo import MinesweeperPolicy, MinesweeperPPO, PlainPolicy, fitted_return
from baselines.learned.settings import Budget, DQNHyperparameters, NetworkSize, PPOHyperparameters
from baselines.scripted.oracle_play.exact import first_cell
from minesweeper_env import BoardConfig, MinesweeperEnv


def tiny_model(algo, **changes):
    return make_model(tiny(algo, **changes))


def random_boards(count=300, rows=4, cols=5):
    """Codes with few covered cells, so that an unmasked choice is nearly always illegal."""
    generator = np.random.default_rng(0)
    boards = generator.integers(0, 9, (count, rows, cols)).astype(np.int8)
    cells = generator.integers(0, rows * cols, count)
    boards.reshape(count, -1)[np.arange(count), cells] = generator.choice([10, 11], count)
    boards.reshape(count, -1)[np.arange(count), (cells + 1) % (rows * cols)] = 9
    return boards, cells


def test_dqn_clicks_legal_cells_alone_and_explores_in_each_game_on_its_own():
    (boards, cells), model = random_boards(), tiny_model("dqn")
    assert model.predict(boards[0], deterministic=True)[0] == cells[0]
    model.learning_starts = 1
    for clicks in (random_clicks(boards), model.predict(boards, deterministic=True)[0], model.choose_clicks(boards)[0]):
        np.testing.assert_array_equal(clicks, cells)
    boards = np.full((400, 4, 5), 11, np.int8)
    boards[:, 0, 0] = 1
    greedy = model.predict(boards, deterministic=True)[0]
    model.learning_starts, model.exploration_rate = 0, 0.5
    assert 0.35 < (model.choose_clicks(boards)[0] != greedy).mean() < 0.6


def test_dqn_draws_all_legal_clicks_equally_often():
    board = np.full((1, 2, 5), 3, np.int8)
    board[0, 0, :4] = 11
    torch.manual_seed(0)
    counts = np.bincount(random_clicks(board.repeat(40_000, axis=0)), minlength=10)
    assert counts[4:].sum() == 0
    np.testing.assert_allclose(counts[:4], 10_000, atol=5 * np.sqrt(10_000 * 0.75))


def test_dqn_target_takes_the_best_legal_next_click():
    boards, cells = random_boards()
    model = tiny_model("dqn", reward="win", gamma=0.5)
    with torch.no_grad():
        for head in (model.q_net.q_net, model.q_net_target.q_net):
            head.layer.weight.normal_()
        raw = torch.sigmoid(QNetwork.forward(model.q_net_target, torch.as_tensor(boards)))
    rewards, dones = torch.full((300, 1), 0.25), torch.zeros(300, 1)
    dones[:10] = 1
    sample = Transitions(None, torch.as_tensor(boards), None, rewards, dones, None)
    targets = model._targets(sample)
    expected = 0.25 + 0.5 * raw[np.arange(300), cells][:, None] * (1 - dones)
    torch.testing.assert_close(targets, expected)
    assert (targets[:10] == 0.25).all()


def test_ppo_value_is_the_mean_of_its_action_values():
    model = tiny_model("ppo")
    boards = torch.full((6, 4, 5), 11, dtype=torch.int8)
    boards[:, 0, :] = torch.arange(6)[:, None]
    masks, policy = click_masks(boards), model.policy
    assert not policy.bootstraps
    assert tiny_model("ppo", gamma=0.9).policy.bootstraps
    policy.bootstraps = True
    probabilities = policy.get_distribution(boards, masks).distribution.probs
    actions = torch.arange(20).repeat(6, 1)
    values = torch.stack([policy.evaluate_actions(boards, actions[:, a], masks)[0][:, 0] for a in range(20)], dim=1)
    torch.testing.assert_close(policy.predict_values(boards)[:, 0], (probabilities * values).sum(1))


def test_with_discount_0_ppo_learns_the_same_whether_or_not_it_asks_what_follows():
    weights = []
    for asks in (False, True):
        model = tiny_model("ppo")
        model.policy.bootstraps = asks
        weights.append(learn(model, 400).policy.state_dict())
    torch.testing.assert_close(*weights, rtol=0, atol=0)


@pytest.mark.parametrize("weight", [0.0, 0.25])
def test_the_weight_of_the_policy_gradient_scales_its_loss_alone(weight):
    losses = []
    for policy_coef in (1.0, weight):
        model = tiny_model("ppo", hyperparameters={"batch_size": 32, "hindsight": 0.0, "policy_coef": policy_coef})
        model.budget = Budget(steps=64)
        callback = model._setup_learn(0, None)[1]
        model.collect_rollouts(model.slot.env, callback, model.rollout_buffer, model.n_steps)
        model.policy.optimizer = torch.optim.SGD(model.policy.parameters(), lr=0.0)
        model._update_current_progress_remaining(0, 1)
        np.random.seed(0)  # noqa: NPY002 - the generator of the minibatches
        model.train()
        losses.append({name: model.logger.name_to_value[f"train/{name}_loss"] for name in ("policy_gradient", "value")})
    assert losses[0]["policy_gradient"] != 0
    assert losses[1]["policy_gradient"] == pytest.approx(weight * losses[0]["policy_gradient"])
    assert losses[1]["value"] == losses[0]["value"]


def test_normalised_advantages_allow_no_weight():
    (slot,) = tiny_model("ppo").slots
    with pytest.raises(ValueError, match=r"policy_coef must be 1 with normalize_advantage, not 0\.5"):
        MinesweeperPPO(MinesweeperPolicy, slot.env, PPOHyperparameters(policy_coef=0.5), normalize_advantage=True)


@ALL
def test_the_network_that_plays_prefers_what_the_algorithm_prefers(algo):
    model = learn(tiny_model(algo), 400)
    env = model.slot.env
    codes = env.reset()
    for _ in range(20):
        codes, *_ = env.step(env.games.sample_actions())
        masks = env.action_masks()
        arguments = {"action_masks": masks} if algo != "dqn" else {}
        expected = model.predict(codes, deterministic=True, **arguments)[0]
        started = (codes < 9).any(axis=(1, 2))
        actions = LearnedPolicy(model.current_network(), env.config).act(codes, masks.astype(np.int8))
        np.testing.assert_array_equal(actions[started], expected[started])
        assert (actions[~started] == 2 * 5 + 2).all()


def test_squared_loss_descends_as_cross_entropy():
    outputs = torch.tensor([-3.0, 0.5, 8.0], requires_grad=True)
    targets = torch.tensor([1.0, 0.0, 0.0])
    fitted = fitted_return(outputs, probability=True)
    torch.testing.assert_close(fitted, torch.sigmoid(outputs))
    ((fitted - targets) ** 2).sum().backward()
    torch.testing.assert_close(outputs.grad, 2 * (torch.sigmoid(outputs) - targets).detach())


def test_which_returns_are_probabilities():
    expected = {("safe_click", 0): True, ("win", 0.99): True, ("safe_click", 0.5): False, ("win_loss", 0): False}
    for (reward, gamma), is_probability in expected.items():
        assert tiny_model("dqn", reward=reward, gamma=gamma).policy.probability == is_probability


@pytest.mark.parametrize(("rows", "cols", "count"), [(4, 4, 8), (3, 5, 4)])
def test_symmetries_take_cells_where_they_take_boards(rows, cols, count):
    cells, images = torch.arange(rows * cols), set()
    for symmetry in symmetries(rows, cols):
        turned = transform(cells.reshape(1, rows, cols), symmetry)
        assert turned.shape == (1, rows, cols)
        assert torch.equal(turned.flatten()[new_cells(rows, cols, symmetry, torch.device("cpu"))], cells)
        images.add(tuple(turned.flatten().tolist()))
    assert len(images) == count


def test_the_first_click_of_a_network_of_clicks_can_be_chosen():
    game, network = click_config(5, 7, 6), BoardNetwork.of_size(NetworkSize(4, 1))
    covered, everything = np.full((2, 5, 7), 11, np.int8), np.ones((2, 35), np.int8)
    begun = covered.copy()
    begun[:, 2, 3] = 1
    for choice, cell in (({}, 17), ({"first": "exact"}, first_cell(game)), ({"first": 34}, 34)):
        policy = LearnedPolicy(network, game, **choice)
        assert policy.act(covered, everything).tolist() == [cell, cell]
        assert policy.act(begun, everything).tolist() == [policy.values(begun)[0].argmax()] * 2
    assert first_cell(game) != 17
    for refused in ("learned", 35):
        with pytest.raises(ValueError, match="first must be exact, middle or a cell of 0 to 34, not "):
            LearnedPolicy(network, game, first=refused)


SIZE = {"policy_kwargs": {"features_extractor_kwargs": {"channels": 4, "depth": 1}}, "device": "cpu"}


def test_plain_stable_baselines3_takes_the_policies():
    env = MinesweeperVecEnv(click_config(4, 4, 2), 4, "win")
    MaskablePPO(MinesweeperPolicy, env, n_steps=8, batch_size=32, **SIZE).learn(64)
    DQN(MinesweeperQPolicy, env, learning_starts=20, buffer_size=100, **SIZE).learn(64)


def test_a_callback_of_stable_baselines3_ends_the_loop_of_dqn():
    env = MinesweeperVecEnv(click_config(4, 4, 2), 4)
    model = MaskedDQN(MinesweeperQPolicy, env, DQNHyperparameters(), **SIZE)
    assert model.gamma > 0 == model.hyperparameters.hindsight == model.hyperparameters.keep_scale
    model.learn(64, callback=lambda step, _: len(step["dones"]) == 4 and model.num_timesteps < 40)
    assert (model.num_timesteps, model.replay_buffer.added) == (40, 36)


@ALL
@pytest.mark.parametrize(("reward", "gamma"), [("win_loss", 0.9), ("win", 1.0), ("progress", 0.5)])
def test_every_reward_and_gamma_trains(algo, reward, gamma):
    model = learn(tiny_model(algo, reward=reward, gamma=gamma), 400)
    assert model._n_updates > 0
    assert all(torch.isfinite(parameter).all() for parameter in model.policy.parameters())


@pytest.mark.parametrize("policy", [MinesweeperPolicy, PlainPolicy])
def test_networks_of_clicks_refuse_environments_with_more_moves(policy):
    complaint = r'rates the 25 clicks of 5x5, but the environment has 50 actions; make it with moves=\("click",\)'
    with pytest.raises(ValueError, match=complaint):
        MaskablePPO(policy, MinesweeperEnv(size=5, mines=3))
    assert MaskablePPO(policy, MinesweeperEnv(size=5, mines=3, moves=("click",)), n_steps=8, batch_size=8)
    with pytest.raises(ValueError, match=complaint):
        MaskedDQN(MinesweeperQPolicy, MinesweeperVecEnv(BoardConfig(5, 5, 3), 2), DQNHyperparameters())
