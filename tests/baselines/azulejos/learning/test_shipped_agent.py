"""The agent of Azulejos in the package: the files next to its weights, and its playing strength."""

from __future__ import annotations

import numpy as np
import pytest
from support import ROOT
from support.tiny_training import one_thread  # noqa: F401 - a fixture

from azulejos_env.config import GameConfig
from baselines.azulejos.agent_folders import AGENTS_FOLDER, agent_folder, agent_names
from baselines.azulejos.learning.agents import load_agent
from baselines.azulejos.learning.selection import play
from baselines.azulejos.learning.settings import AzulejosSettings
from baselines.evaluation.seeds import SELECTION_SEEDS, TEST_SEEDS
from baselines.support.files import read_json

FOLDER = AGENTS_FOLDER / "ppo"
MOST_BYTES = 500_000
OPPONENTS = ["random", "greedy", "minimax:depth=2", "minimax:depth=4"]


def test_the_agents_are_these_and_small():
    assert agent_names() == ["ppo"]
    assert agent_folder("ppo") == FOLDER
    files = {path.name: path.stat().st_size for path in FOLDER.iterdir()}
    assert set(files) == {"agent.json", "agent.safetensors", "run.json", "curves.png", "results.json"}
    assert sum(files.values()) < MOST_BYTES


def test_the_agent_tells_how_it_was_trained():
    record, agent = read_json(FOLDER / "run.json"), read_json(FOLDER / "agent.json")
    settings = AzulejosSettings.from_json(record["settings"])
    assert agent["trained_on"] == {"size": settings.size, "opponents": list(settings.opponents)}
    described = [agent[name] for name in ("channels", "depth", "colours")]
    assert described == [settings.channels, settings.depth, settings.colours]
    assert agent["selected_by"]["first_seed"] in SELECTION_SEEDS
    assert record["sessions"][0]["command"].startswith("python train.py --env Azulejos-v0 ")


def test_the_results_beside_the_agent_are_of_test_games():
    matches = read_json(FOLDER / "results.json")["matches"]
    assert [match["policies"] for match in matches] == [["ppo", opponent] for opponent in OPPONENTS]
    for match in matches:
        assert match["complete_boards"] == match["boards"] >= 1000
        assert {match["seed"], match["seed"] + match["boards"] - 1} <= set(TEST_SEEDS[:10_000])
        assert match["command"].startswith("python evaluate.py --env Azulejos-v0 --policy ppo ")
        assert match["pairs"][0]["games"] == 2 * match["boards"]


def test_the_published_results_are_on_the_page():
    page = (ROOT / "docs" / "azulejos.md").read_text()
    for match in read_json(FOLDER / "results.json")["matches"]:
        (pair,) = match["pairs"]
        low, high = pair["ci95"]
        rates = [f"{100 * rate:.1f}" for rate in (pair["win_rate"], low, high)]
        assert f"| `{pair['against']}` | {rates[0]} % | {rates[1]} to {rates[2]} % |" in page


@pytest.mark.parametrize(
    ("opponent", "games", "least"), [("random", 200, 0.95), pytest.param("greedy", 1000, 0.52, marks=pytest.mark.slow)]
)
def test_the_agent_wins(opponent, games, least):
    # 2^29 on: games of the test seeds that no published figure has.
    leads = play(load_agent(FOLDER), GameConfig(), opponent, games, 1 << 29)
    assert np.mean(leads > 0) >= least
