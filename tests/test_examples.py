"""The examples that newcomers copy: each learns in a short training, and its first line scores it."""

import json
import shlex
import subprocess
import sys

import pytest
from support import ROOT


@pytest.mark.slow
@pytest.mark.parametrize(("name", "minutes", "least"), [("dqn", 0.3, 0.75), ("ppo_sb3", 0.5, 0.6)])
def test_an_example_learns_and_its_first_line_scores_it(name, minutes, least, tmp_path):
    def run(*arguments):
        command = [sys.executable, *arguments]
        return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout

    board = ("--size", "5", "--mines", "3", "--minutes", str(minutes))
    output = run(f"examples/{name}.py", *board, "--out", str(tmp_path))
    python, *line = shlex.split(output.splitlines()[0].partition(": ")[2])
    assert python == "python"
    run(*line, "--games", "500", "--json", str(tmp_path / "test.json"))
    own = json.loads((tmp_path / "test.json").read_bytes())["results"][0]
    # Random clicks win 0.1 of these games, and exact play 0.9.
    assert (own["games"], own["win_rate"] > least) == (500, True)
    curve = json.loads((tmp_path / "curve.json").read_bytes())
    assert curve[-1]["wins"] > least - 0.2
    assert curve[-1]["seconds"] < 60 * minutes + 10


@pytest.mark.slow
def test_a_capped_plane_lifts_dqn_on_a_larger_board(tmp_path):
    board = ("--size", "16x30", "--mines", "99", "--games", "60", "--seed", "1500000000")
    games = (*board, "--json", tmp_path / "test.json")
    policies = ("--policy", "dqn", "examples/capped_dqn.py:capped_dqn")
    subprocess.run([sys.executable, "evaluate.py", *policies, *games], cwd=ROOT, check=True, capture_output=True)
    plain, capped = json.loads((tmp_path / "test.json").read_bytes())["results"]
    assert plain["wins"] < 10 < 15 < capped["wins"]
