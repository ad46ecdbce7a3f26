"""The examples of offline data and of a curriculum learn, and evaluate.py scores them as policies in a file."""

import json
import os
import subprocess
import sys

import pytest
from support import ROOT

import baselines
from baselines.cli import dataset

BOARD = {"size": 5, "mines": 3, "games": 1000, "seed": 1_500_000_000, "against": ()}


def train(example, out, *arguments):
    """Trains for half a minute of processor time, and returns the curve and the win rate on development games."""
    command = [sys.executable, str(ROOT / "examples" / example), "--out", str(out), "--minutes", "0.5", *arguments]
    subprocess.run(command, check=True, env=os.environ | {"PYTHONPATH": str(ROOT)})
    policy = f"{ROOT}/examples/{example}:Agent:file={out}/model.pt"
    return json.loads((out / "curve.json").read_text()), baselines.evaluate(policy, **BOARD).policies[0].win_rate


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Package minesweeper-env is not installed")
def test_a_clone_of_exact_wins_games_that_it_has_not_seen(tmp_path, monkeypatch):
    pytest.importorskip("minari")
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    assert dataset.main(["--policy", "exact", "--size", "5", "--mines", "3", "--games", "2000"]) == 0
    name = "minesweeper/5x5-3-opening/exact-v0"
    curve, win_rate = train("offline.py", tmp_path / "run", "--dataset", name, "--games", "2000")
    assert curve[-1]["held_out_loss"] < curve[0]["held_out_loss"]
    assert win_rate > 0.6  # random clicks win 0.1 of these games, and exact play 0.93


@pytest.mark.slow
def test_a_network_climbs_the_boards_of_a_curriculum(tmp_path):
    curve, win_rate = train("curriculum.py", tmp_path, "--boards", "4x4/2,5x5/3")
    assert curve[-1]["board"] == "5x5/3"
    assert win_rate > 0.8
