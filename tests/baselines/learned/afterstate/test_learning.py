"""`train.py --algo afterstate`: the heads learn, an agent is left, and a training resumes exactly."""

from collections import defaultdict

import numpy as np
import pytest
import torch
from stable_baselines3.common.logger import Logger
from support.tiny_training import assert_same_end, curves, one_thread, tiny, train_until_cut  # noqa: F401 - fixtures

from baselines.learned.afterstate.learner import AfterstateLearner, cell_losses, worth_loss
from baselines.learned.afterstate.network import COUNTS, AfterstateNetwork
from baselines.learned.afterstate.policy import AfterstatePolicy
from baselines.learned.afterstate.self_play import MINE, UNKNOWN
from baselines.learned.agents import find_agent, save_agent
from baselines.learned.networks import BoardNetwork
from baselines.learned.settings import Budget, NetworkSize
from baselines.learned.training.loop import prepare, run, train
from minesweeper_env.config import BoardConfig

BOARDS = ("5x5/5", "4x6/4")


def settings(**changes):
    small = {"boards": BOARDS, "envs": 8, "steps": 240}
    fast = {"batch_size": 32, "search_starts": 60, "heads_first": 4, "warm_up": 10, "replay_ratio": 16.0}
    return tiny("afterstate", **{**small, "hyperparameters": fast, **changes})


@pytest.mark.usefixtures("curves")
def test_a_training_leaves_an_agent_of_its_kind(tmp_path):
    training = train(settings(), tmp_path)
    assert training.steps >= 240
    assert {*training.progress.kept["win_rates"]} == {*BOARDS}
    policy = find_agent(tmp_path)(BoardConfig(6, 6, 6, moves=("click",)), slack=0.1, depth=3)
    assert isinstance(policy, AfterstatePolicy)
    assert [tower.depth for tower in policy.network.towers] == [3, 3]
    assert (tmp_path / "curves.png").exists()


@pytest.mark.parametrize("teacher", ["none", "exact"])
def test_resuming_goes_on_exactly(tmp_path, teacher):
    straight, broken = tmp_path / "straight", tmp_path / "broken"
    for folder in (straight, broken):
        folder.mkdir()
    train(settings(teacher=teacher, steps=800), straight)
    train_until_cut(settings(teacher=teacher, steps=800), broken, 80)
    resumed = prepare(settings(teacher=teacher, steps=800), broken, resume=True)
    assert 80 <= resumed.learner.num_timesteps < 800
    run(resumed)
    assert_same_end(straight, broken)


def test_a_new_network_learns_safety_before_its_games_show_any_worth(tmp_path):
    quick = {"batch_size": 32, "search_starts": 1000, "heads_first": 0, "warm_up": 10}
    training = train(settings(boards=("8x8/14",), steps=200, hyperparameters=quick), tmp_path)
    assert training.learner.num_timesteps >= 200
    (board,) = training.learner._boards
    assert board.samples.added > 8 * board.afterstates.added


def test_it_takes_no_reward():
    with pytest.raises(ValueError, match="algo afterstate learns win probabilities; it takes no reward"):
        settings(reward="win")


def test_it_starts_from_an_agent_of_clicks_or_of_its_own(tmp_path):
    torch.manual_seed(0)
    for name, made in (("own", AfterstateNetwork), ("clicks", BoardNetwork.of_size)):
        (tmp_path / name).mkdir()
        save_agent(tmp_path / name, made(NetworkSize(4, 1)), NetworkSize(4, 1), {})
        prepare(settings(start=str(tmp_path / name)), tmp_path / name)
    with pytest.raises(ValueError, match="do not fit the network"):
        prepare(settings(start=str(tmp_path / "own"), channels=8), tmp_path)


def test_arrays_turn_with_their_boards():
    learner = AfterstateLearner(tiny("afterstate", boards=("4x6/4",), device="cpu"))
    codes = np.arange(24, dtype=np.int8).reshape(1, 4, 6)
    turns = [learner._turned(codes, codes) for _ in range(60)]
    assert all(torch.equal(*pair) for pair in turns)
    assert len({tuple(board.flatten().tolist()) for board, _ in turns}) == 4


def test_losses_leave_out_what_is_unknown():
    codes, labels = torch.full((1, 1, 3), 11), torch.tensor([[2, MINE, UNKNOWN]])
    losses = cell_losses(torch.zeros(1, 3), torch.zeros(1, COUNTS, 3), codes, labels, 64.0)
    assert [loss.item() for loss in losses] == pytest.approx([2 * np.log(2), np.log(COUNTS)])
    worth = worth_loss(torch.log(torch.tensor([0.5, 0.1])), torch.tensor([1.0, 1.0]), torch.tensor([1.0, 0.0]))
    assert worth.item() == pytest.approx(np.log(2))
    assert torch.isfinite(worth_loss(torch.zeros(1), torch.ones(1), torch.ones(1)))


@pytest.mark.slow
def test_all_heads_learn():
    fast = {"batch_size": 64, "heads_first": 1, "warm_up": 10, "learning_rate": 3e-3}
    fast |= {"search_starts": 4000, "other_rule": 0.0}
    size = {"channels": 16, "depth": 3, "envs": 128}
    learner = AfterstateLearner(tiny("afterstate", boards=("4x4/3",), device="cpu", hyperparameters=fast, **size))
    logger, logged = Logger(None, []), defaultdict(list)
    logger.record_mean = lambda key, value: logged[key].append(value)
    rounds = learner.rounds(Budget(steps=8000), logger)
    while learner.num_timesteps < 8000:
        next(rounds)
    for name, most in (("safety", 0.8), ("count", 0.6)):
        losses = logged[f"train/{name}_loss"]
        assert np.mean(losses[-50:]) < most * np.mean(losses[:5])
    rates = logged["train/win_rate/4x4-3-opening"]
    assert np.mean(rates[-3:]) > rates[0] + 0.2
