"""Agents in the package: their files and strength; and new ones, which learn within a minute on one core."""

import json
from itertools import product

import numpy as np
import pytest
import torch
from support.tiny_training import one_thread  # noqa: F401 - a fixture

from baselines.evaluation.games import play_games
from baselines.evaluation.seeds import SELECTION_SEEDS, TEST_SEEDS
from baselines.learned.agents import find_agent
from baselines.learned.configurations import configuration_names, lineage, read_configuration, training_of
from baselines.learned.settings import TrainingSettings
from baselines.learned.training.loop import train
from baselines.registry import AGENTS, AGENTS_FOLDER, find_policy
from minesweeper_env.config import BoardConfig

ALGORITHMS = dict.fromkeys(("any-size", "clues-any-size", "plain-dqn"), "dqn")
ALGORITHMS |= dict.fromkeys(("afterstate-any-size", "taught"), "afterstate")
NAMES = sorted([*ALGORITHMS, "afterstate", "dqn", "plain-ppo", "ppo"])


def read(name, file):
    return json.loads((AGENTS_FOLDER / name / file).read_bytes())


def win_rate(policy, board, seeds=TEST_SEEDS[:1000]):
    policy.reset(0)
    return np.mean([record.won for record in play_games(policy, board, seeds)])


def test_the_agents_are_these_and_small():
    assert sorted(AGENTS) == NAMES
    files = [path for path in AGENTS_FOLDER.glob("*/*") if path.is_file()]
    each = ("agent.json", "agent.safetensors", "run.json", "curves.png")
    assert {(path.parent.name, path.name) for path in files} == {*product(NAMES, each)}
    assert sum(path.stat().st_size for path in files) < 5_000_000


@pytest.mark.parametrize("name", NAMES)
def test_an_agent_tells_how_it_was_trained(name):
    record, agent = read(name, "run.json"), read(name, "agent.json")
    settings = record["settings"]
    assert settings["teacher"] == ("exact" if name == "taught" else "none")
    assert agent["algo"] == settings["algo"] == ALGORITHMS.get(name, name)
    assert agent["trained_on"]["boards"] == settings["boards"]
    assert (agent["channels"], agent["depth"]) == (settings["channels"], settings["depth"])
    assert agent["selected_by"]["first_seed"] in SELECTION_SEEDS
    first, *resumed = record["sessions"]
    assert first["command"].startswith("python train.py --config ")
    assert first["command"].split()[3] in configuration_names()
    assert all(session["command"].startswith("python train.py --resume ") for session in resumed)
    assert not any(session["commit"].endswith("-dirty") for session in record["sessions"])
    trainings = list(lineage(training_of(AGENTS_FOLDER / name)))
    starts = [each["run"]["settings"]["start"] for each in trainings]
    assert (starts[-1], None in starts[:-1]) == (None, False)
    assert all(each["steps"] > 0 for each in trainings)
    assert "/tmp" not in json.dumps(trainings)


@pytest.mark.slow
@pytest.mark.figures
@pytest.mark.parametrize(
    ("name", "board", "games", "least"),
    [
        ("afterstate", "8x8/14", 400, 0.6),
        ("afterstate-any-size", "8x8/14", 400, 0.58),
        ("taught", "8x8/14", 400, 0.6),
        ("dqn", "8x8/14", 1000, 0.6),
        ("ppo", "8x8/14", 1000, 0.6),
        ("any-size", "8x8/14", 1000, 0.55),
        ("any-size", "5x5/5", 200, 0.68),
        ("any-size", "9x9/10", 200, 0.88),
        ("any-size", "16x16/40", 200, 0.68),
        ("clues-any-size", "8x8/14", 400, 0.56),
        ("clues-any-size", "16x16/40", 100, 0.7),
        ("plain-dqn", "8x8/14", 1000, 0.53),
        ("plain-ppo", "8x8/14", 1000, 0.5),
    ],
)
def test_an_agent_plays_as_well_as_it_is_said_to(name, board, games, least):
    """The bounds on 8x8 lie about four standard errors of their games below the published figures."""
    config = BoardConfig.of_name(board, "opening")
    assert win_rate(find_policy(name)(config), config, range(20_000, 20_000 + games)) >= least


@pytest.mark.slow
@pytest.mark.parametrize("algo", ["ppo", "dqn"])
def test_learns_5x5_with_3_mines(algo, tmp_path):
    length = {"minutes": None, "steps": 6000, "eval_games": 20}
    settings = TrainingSettings(algo=algo, boards=("5x5/3",), envs=128, depth=3, threads=1, **length)
    train(settings, tmp_path)
    (board,) = settings.configs
    # Random clicks win a ninth of these games, and `bayes` nine tenths.
    assert win_rate(find_policy("random")(board), board, TEST_SEEDS[:500]) < 0.2
    assert win_rate(find_agent(tmp_path)(board), board, TEST_SEEDS[:500]) > 0.8


@pytest.mark.slow
@pytest.mark.figures
def test_make_run_trains_an_agent_that_wins_half_of_its_games(tmp_path):
    settings = TrainingSettings.of({**read_configuration("quick"), "threads": 1})
    assert (settings.minutes, settings.boards) == (None, ("8x8/14",))
    train(settings, tmp_path)
    assert win_rate(find_agent(tmp_path)(*settings.configs), *settings.configs) > 0.5


def test_on_a_cpu_an_agent_leaves_the_settings_of_a_gpu_alone(monkeypatch):
    monkeypatch.setattr(torch.backends.cudnn, "flags", None)
    policy = find_policy("plain-dqn")(BoardConfig.of_name("5x5/5", "opening"))
    assert policy.values(np.full((1, 5, 5), 11, np.int8)).shape == (1, 25)
