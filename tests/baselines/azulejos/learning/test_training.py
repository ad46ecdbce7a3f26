"""Trainings of Azulejos: they repeat, resume exactly, and learn to win."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from support.tiny_azulejos import tiny
from support.tiny_training import PowerCutError, one_thread  # noqa: F401 - one_thread is a fixture

from azulejos_env.config import GameConfig
from baselines.azulejos.learning.agents import load_agent
from baselines.azulejos.learning.observations import legal_moves, observe
from baselines.azulejos.learning.selection import OpponentGames, play
from baselines.azulejos.learning.settings import AzulejosSettings
from baselines.azulejos.learning.training import prepare_training
from baselines.evaluation.seeds import SELECTION_SEEDS, TEST_SEEDS, TRAINING_SEEDS
from baselines.learned.common.tensor_files import read_tensors
from baselines.learned.training.run import run


def train(settings, folder, resume=False, **arguments):
    folder.mkdir(exist_ok=True)
    return run(prepare_training(settings, folder, resume), bar=False, **arguments)


def tensors(folder, file="agent.safetensors"):
    return read_tensors(folder / file)[0]


def same(one, other):
    return one.keys() == other.keys() and all(torch.equal(one[name], other[name]) for name in one)


@pytest.mark.slow
def test_same_seed_and_steps_give_the_same_weights(tmp_path):
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        train(tiny(seed=seed), tmp_path / name)
    assert same(tensors(tmp_path / "a"), tensors(tmp_path / "b"))
    assert not same(tensors(tmp_path / "a"), tensors(tmp_path / "c"))


@pytest.mark.slow
@pytest.mark.parametrize("opponents", [("greedy", "minimax:depth=2", "self"), ("self",)])
def test_resume_equals_an_uninterrupted_training(opponents, tmp_path):
    settings = tiny(opponents=opponents)

    def cut(reached):
        if reached >= 300:
            raise PowerCutError

    train(settings, tmp_path / "straight")
    with pytest.raises(PowerCutError):
        train(settings, tmp_path / "broken", checkpoint_seconds=0, on_checkpoint=cut)
    assert train(settings, tmp_path / "broken", resume=True).steps == 640
    file = "checkpoint.safetensors"
    assert same(tensors(tmp_path / "straight", file), tensors(tmp_path / "broken", file))
    assert same(tensors(tmp_path / "straight"), tensors(tmp_path / "broken"))


def test_past_versions_become_those_of_the_training(tmp_path):
    training = prepare_training(tiny(), tmp_path)
    model = training.learner.model
    assert len(model.versions) == 4
    run(training, bar=False)
    assert model.replaced == 9
    assert not same(model.versions[0].network.state_dict(), model.versions[1].network.state_dict())


def test_a_training_starts_from_an_agent(tmp_path):
    train(tiny(), tmp_path / "first")
    folder = tmp_path / "second"
    folder.mkdir()
    training = prepare_training(tiny(start=str(tmp_path / "first")), folder)
    kept = tensors(tmp_path / "first")
    assert same(training.learner.current_network().state_dict(), kept)
    assert same(training.learner.model.versions[0].network.state_dict(), kept)
    with pytest.raises(ValueError, match="the weights do not fit the network"):
        prepare_training(tiny(start=str(tmp_path / "first"), channels=8), folder)


def test_a_checkpoint_of_other_games_is_refused(tmp_path):
    train(tiny(), tmp_path)
    with pytest.raises(ValueError, match="envs 8, not 9") as caught:
        prepare_training(tiny(envs=9), tmp_path, resume=True)
    assert "\n" not in str(caught.value)


def test_training_selection_and_test_games_are_different_ones():
    settings = AzulejosSettings(seed=5, envs=1 << 14)
    first = settings.first_training_seed
    assert {first, first + settings.games - 1} <= set(TRAINING_SEEDS[5 << 14 : 6 << 14])
    assert not set(SELECTION_SEEDS[:1000]) & set(TEST_SEEDS[:1000])


def test_selection_games_are_those_against_scripted_opponents():
    twice = ("greedy", "self", "random", "greedy")
    assert OpponentGames(tiny(opponents=twice)).opponents == ("greedy", "random")
    assert OpponentGames(tiny(opponents=("self",))).opponents == ("greedy",)


def test_games_against_an_opponent_have_both_seats():
    full = []

    class FirstGroup:
        def act(self, boards, scores):
            full.append((boards > 0).all(axis=(1, 2)).sum())
            return legal_moves(observe(boards, scores, GameConfig(5, 5))).argmax(axis=1)

    leads = play(FirstGroup(), GameConfig(5, 5, 3), "random", 40, 3)
    assert 0 < full[0] < 40
    assert min(leads) < 0 < max(leads)


def test_larger_boards_get_fewer_games():
    large = AzulejosSettings(size="32x32")
    assert (large.games, large.batch_size) == (16, 32)
    assert AzulejosSettings().games == 256


@pytest.mark.slow
def test_a_training_of_seconds_beats_random_and_learns_from_greedy(tmp_path):
    settings = tiny(
        size="5x5",
        opponents=("random", "greedy"),
        steps=40_000,
        envs=128,
        channels=16,
        depth=2,
        hyperparameters={"n_steps": 16, "batch_size": 256},
    )
    before = OpponentGames(replace(settings, eval_games=500))
    folder = tmp_path / "run"
    folder.mkdir()
    training = prepare_training(settings, folder)
    untrained = before.score(lambda config: training.learner.policy(training.learner.current_network(), config))
    run(training, bar=False)
    trained = before.score(lambda _: load_agent(folder))
    assert trained.win_rates["random"] > 0.85 > untrained.win_rates["random"] + 0.1
    assert trained.win_rates["greedy"] > max(0.45, untrained.win_rates["greedy"] + 0.1)
