"""One algorithm on several boards, at either precision, and agents that average over symmetries."""

import numpy as np
import pytest
import torch
from stable_baselines3.dqn.policies import QNetwork
from support.tiny_training import ALL, BOTH, learn, make_model, one_thread, tiny  # noqa: F401 - one_thread is a fixture

from baselines.evaluation.seeds import TRAINING_SEEDS
from baselines.learned import networks
from baselines.learned.agents import LearnedPolicy, find_agent, load_network, save_agent
from baselines.learned.common.vec_env import MinesweeperVecEnv
from baselines.learned.configurations import configuration_names, read_configuration
from baselines.learned.networks import FEW, BoardNetwork, Tower, board_planes, click_masks, symmetries, transform
from baselines.learned.ppo import SHARPNESS
from baselines.learned.settings import MAX_ENVS, MAX_SEED, NetworkSize, TrainingSettings, scaled
from minesweeper_env.config import BoardConfig

BOARDS = ("3x4/2", "4x6/3", "8x9/10")


@BOTH
def test_every_board_gets_the_same_amount_of_work(algo):
    model = learn(make_model(tiny(algo, boards=BOARDS)), 1_600)
    work = np.array([slot.work for slot in model.slots])
    assert work.min() > 0.6 * work.max()
    assert model.num_timesteps >= 1_600
    for slot, text in zip(model.slots, BOARDS, strict=True):
        config = BoardConfig.of_name(text, "opening")
        assert slot.env.config == config
        assert slot.observations.shape == (8, config.rows, config.cols)


@ALL
def test_clicks_are_legal_on_every_board(algo, monkeypatch):
    checked, step = set(), MinesweeperVecEnv.step_async

    def checking(env, actions):
        assert env.action_masks()[np.arange(env.num_envs), actions].all()
        checked.add(env.config.cells)
        step(env, actions)

    monkeypatch.setattr(MinesweeperVecEnv, "step_async", checking)
    learn(make_model(tiny(algo, boards=BOARDS)), 700)
    assert len(checked) == 3


def test_games_on_large_boards_are_fewer():
    games = {(100, 25): 100, (100, 64): 100, (400, 256): 100, (100, 480): 32, (10, 480): 10}
    assert {given: scaled(*given) for given in games} == games


def test_seeds_of_games_meet_in_no_two_trainings_or_boards():
    trainings = [TrainingSettings(seed=seed, boards=("5x5/3", "6x6/4")) for seed in (0, 1)]
    starts = [each.first_training_seed(board) for each in trainings for board in (0, 1)]
    assert np.diff(starts).min() >= MAX_ENVS
    assert starts[0] >= TRAINING_SEEDS.start
    assert TrainingSettings(seed=MAX_SEED - 1).first_training_seed(31) + MAX_ENVS <= TRAINING_SEEDS.stop


def test_convolutions_follow_the_precision():
    network = BoardNetwork.of_size(NetworkSize(8, 1))
    codes = torch.randint(0, 12, (4, 5, 5))
    exact = network(codes, 5)
    networks.set_precision(network, "bfloat16")
    rounded = network(codes, 5)
    assert rounded.dtype == torch.float32
    assert not torch.equal(exact, rounded)
    torch.testing.assert_close(exact, rounded, atol=0.1, rtol=0.1)
    assert all(module.dtype == torch.bfloat16 for module in network.modules() if isinstance(module, Tower))
    assert all(parameter.dtype == torch.float32 for parameter in network.parameters())


def test_agents_play_in_float32_unless_told_otherwise(tmp_path):
    save_agent(tmp_path, BoardNetwork.of_size(NetworkSize(4, 1)), NetworkSize(4, 1), {})
    board = BoardConfig(5, 5, 4, moves=("click",))
    make = find_agent(tmp_path)
    assert make(board).network.trunk["tower"].dtype == torch.float32
    assert make(board, precision="bfloat16").network.trunk["tower"].dtype == torch.bfloat16
    with pytest.raises(ValueError, match="precision must be one of float32, bfloat16"):
        make(board, precision="auto")


@pytest.mark.parametrize("shape", [(5, 5), (3, 6)])
def test_averaging_over_symmetries_makes_values_symmetric(shape):
    torch.manual_seed(0)
    network = BoardNetwork.of_size(NetworkSize(8, 1))
    boards = torch.randint(0, 12, (6, *shape), dtype=torch.int8)
    policy = LearnedPolicy(network, BoardConfig(*shape, 5, moves=("click",)), symmetries=True)
    values = torch.as_tensor(policy.values(boards.numpy())).reshape(6, *shape)
    for symmetry in symmetries(*shape):
        turned = torch.as_tensor(policy.values(transform(boards, symmetry).numpy())).reshape(6, *shape)
        torch.testing.assert_close(turned, transform(values, symmetry), atol=1e-5, rtol=1e-5)
    plain = LearnedPolicy(network, policy.config).values(boards.numpy())
    np.testing.assert_array_equal(plain, network(boards, 5).detach().numpy())
    actions = policy.act(boards.numpy(), click_masks(boards).numpy().astype(np.int8))
    assert click_masks(boards).numpy()[np.arange(6), actions].all()


@pytest.mark.parametrize("name", configuration_names())
def test_every_configuration_can_be_trained(name):
    settings = TrainingSettings.of(read_configuration(name))
    assert settings.steps
    assert settings.minutes is None
    assert TrainingSettings.of(settings.to_json()).to_json() == settings.to_json()


@ALL
def test_a_training_begins_with_the_weights_of_another_agent_of_any_depth(algo, tmp_path):
    settings = tiny(algo)
    torch.manual_seed(7)
    size = NetworkSize(settings.channels, settings.depth + 2)
    given = BoardNetwork.of_size(size)
    save_agent(tmp_path, given, size, {})
    learner = make_model(settings)
    learner.begin_with(load_network(tmp_path))
    given.trunk["tower"].depth = settings.depth
    codes = torch.randint(0, 12, (5, 4, 5))
    values = learner.current_network()(codes, 2)
    torch.testing.assert_close(values, given(codes, 2) * (SHARPNESS if algo == "ppo" else 1))
    if algo == "dqn":
        torch.testing.assert_close(QNetwork.forward(learner.q_net_target, codes), values)
    with pytest.raises(ValueError, match="do not fit"):
        learner.begin_with(BoardNetwork.of_size(NetworkSize(5, 1)))


def test_the_number_of_mines_reaches_the_network():
    codes = torch.full((2, 3, 4), 11)
    codes[0, :, :3] = 1
    codes[1, 0, 0] = 2
    told = board_planes(codes, 2)[:, -FEW - 2 :]
    assert (told == told[:, :, :1, :1]).all()
    torch.testing.assert_close(told[:, :3, 0, 0], torch.tensor([[2 / 3, 1 / 64, 1], [2 / 11, 9 / 64, 0]]))
    assert (told[:, 3:] == 0).all()
    assert torch.equal(board_planes(codes, torch.tensor([2, 2])), board_planes(codes, 2))
    assert (board_planes(codes, None)[:, -FEW - 2 :] == 0).all()
    assert torch.equal(board_planes(codes, None)[:, : -FEW - 2], board_planes(codes, 2)[:, : -FEW - 2])


def test_algorithms_tell_their_networks_the_mines_of_the_board():
    model = make_model(tiny("dqn", boards=BOARDS))
    for slot in model.slots:
        model.activate(slot)
        assert model.q_net.features_extractor.mines == slot.env.config.mines
