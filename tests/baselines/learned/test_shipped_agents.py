"""Agents in the package: the files next to their weights, and their playing strength."""

import json

import numpy as np
import pytest
from support.tiny_training import one_thread  # noqa: F401 - a fixture

from baselines.evaluation.games import play_games
from baselines.evaluation.seeds import SELECTION_SEEDS
from baselines.learned.configurations import configuration_names
from baselines.registry import AGENTS_FOLDER, agent_names, find_policy
from minesweeper_env.config import BoardConfig

NAMES = ["afterstate", "afterstate-any-size", "any-size", "dqn", "plain-dqn", "plain-ppo", "ppo"]
ALGORITHMS = {"afterstate-any-size": "afterstate", "any-size": "dqn", "plain-dqn": "dqn"}
EVERY = pytest.mark.parametrize("name", NAMES)
MOST_BYTES = 5_000_000
FILES = {"agent.json", "agent.safetensors", "run.json", "curves.png"}


def read(name, file):
    return json.loads((AGENTS_FOLDER / name / file).read_bytes())


def win_rate(policy, board, seeds):
    return np.mean([record.won for record in play_games(policy, board, seeds)])


def test_the_agents_are_these_and_small():
    assert agent_names() == NAMES
    files = [path for path in AGENTS_FOLDER.glob("*/*") if path.is_file()]
    assert {(path.parent.name, path.name) for path in files} == {(name, file) for name in NAMES for file in FILES}
    assert sum(path.stat().st_size for path in files) < MOST_BYTES


@EVERY
def test_an_agent_tells_how_it_was_trained(name):
    record, agent = read(name, "run.json"), read(name, "agent.json")
    settings = record["settings"]
    assert settings["teacher"] == "none"
    assert agent["algo"] == settings["algo"] == ALGORITHMS.get(name, name)
    assert agent["trained_on"]["boards"] == settings["boards"]
    assert (agent["channels"], agent["depth"]) == (settings["channels"], settings["depth"])
    assert agent["selected_by"]["first_seed"] in SELECTION_SEEDS
    first, *resumed = record["sessions"]
    assert first["command"].startswith("python train.py --config ")
    assert first["command"].split()[3] in configuration_names()
    assert all(session["command"].startswith("python train.py --resume ") for session in resumed)
    assert not any(session["commit"].endswith("-dirty") for session in record["sessions"])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "games", "least"),
    [
        *(("afterstate", 400, 0.6), ("afterstate-any-size", 400, 0.58)),
        *(("dqn", 1000, 0.6), ("ppo", 1000, 0.6), ("any-size", 1000, 0.55)),
        *(("plain-dqn", 1000, 0.53), ("plain-ppo", 1000, 0.5)),
    ],
)
def test_an_agent_plays_as_well_as_it_is_said_to(name, games, least):
    """The bounds lie about four standard errors of these games below the published figures."""
    board = BoardConfig(8, 8, 14, moves=("click",))
    assert win_rate(find_policy(name)(board), board, range(20_000, 20_000 + games)) >= least


@pytest.mark.slow
def test_one_network_plays_boards_of_any_size():
    for rows, cols, mines, least in ((5, 5, 5, 0.68), (9, 9, 10, 0.88), (16, 16, 40, 0.68)):
        board = BoardConfig(rows, cols, mines, moves=("click",))
        assert win_rate(find_policy("any-size")(board), board, range(20_000, 20_200)) >= least
