"""The command `benchmarks/guesses.py`."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from support import ROOT


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "benchmarks/guesses.py", *arguments]
    # The script finds the packages of this checkout, installed or not.
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=600)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["playouts", "--rules", "exact", "nobody"], "unknown policy 'nobody'"),
        (["playouts", "--rules", "exact", "--boards", "8by8"], "a board is written ROWSxCOLS/MINES"),
        (["playouts", "--rules", "exact", "--playout", "exact:depth=3"], "has no option depth"),
        (["gaps", "--rules", "exact", "--boards", "4x4/3:any"], "first_click must be opening or safe, not any"),
        (["regret", "--rules", "exact", "--positions", "missing.json"], "missing.json"),
        (["playouts", "--rules", "exact", "--draws", "0"], "must be a whole number of at least 1, not '0'"),
        (["times", "--rules", "exact", "--at-once", "101"], "--at-once must be at most 100, not 101"),
    ],
)
def test_bad_arguments_end_with_one_line_and_status_2(arguments, complaint):
    done = run(*arguments)
    assert done.returncode == 2
    assert complaint in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_each_command_prints_its_table_and_writes_its_figures(tmp_path):
    positions, figures = tmp_path / "positions.json", tmp_path / "figures.json"
    assert run("collect", str(positions), "--board", "4x5/5:safe", "--policy", "exact", "--positions", "3", "--least",
               "20", "--most", "400").returncode == 0  # fmt: skip
    rules = ["--rules", "exact", "lookahead:clicks=2", "--json", str(figures)]
    done = run("regret", "--positions", str(positions), *rules)
    assert "4x5/5 safe: 3 positions" in done.stdout
    assert [row["rule"] for row in json.loads(figures.read_text())["results"]] == ["exact", "lookahead:clicks=2"]
    done = run("gaps", "--boards", "3x4/3:safe", "--layouts", "1", *rules)
    assert "3x4/3:safe: optimum" in done.stdout
    done = run("times", "--boards", "4x5/5:safe", "--games", "100", *rules)
    assert "4x5/5:safe: 100 games of each policy" in done.stdout
    figures.unlink()
    done = run("playouts", "--boards", "8x8/14", "--games", "20", "--draws", "4", *rules)
    assert "8x8/14: 20 games" in done.stdout
    assert "playing" not in done.stdout
    assert json.loads(figures.read_text())["boards"]["8x8/14"]["games"] == 20
