"""The wheel, installed outside this tree and inside a repository of somebody else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from support import ROOT

pytestmark = pytest.mark.slow


def run(command: list[str], cwd: Path, **options) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, **options)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the installed wheel; the git repository around it tracks every file of it."""
    root = tmp_path_factory.mktemp("elsewhere")
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    target = root / "site"
    isolation = ["--no-deps", "--no-build-isolation"]
    built = run([*pip, "wheel", *isolation, "--wheel-dir", str(root / "wheels"), str(ROOT)], root)
    assert built.returncode == 0, built.stderr
    (wheel,) = (root / "wheels").iterdir()
    done = run([*pip, "install", "--no-deps", "--no-index", "--target", str(target), str(wheel)], root)
    assert done.returncode == 0, done.stderr
    for command in (["init", "-q"], ["add", "-A", "-f"], ["commit", "-q", "-m", "Track everything"]):
        assert run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *command], root).returncode == 0
    return target


@pytest.fixture
def program(site: Path, tmp_path: Path):
    """Runs a command of the installed program in an empty folder, with the installed packages alone on the path."""

    def start(*arguments: str, **options) -> subprocess.CompletedProcess[str]:
        # A package at a new place would compile its kernels again; games this small need none.
        environment = os.environ | {"PYTHONPATH": str(site), "NUMBA_DISABLE_JIT": "1"}
        command = [sys.executable, str(site / "bin" / "minesweeper"), *arguments]
        return run(command, tmp_path, env=environment, **options)

    return start


def test_a_training_records_no_commit_of_the_repository_around_it(program, tmp_path):
    typed = ["--config", "quick", "--size", "4", "--mines", "2", "--steps", "64", "--eval-games", "2", "--out", "run"]
    done = program("train", *typed)
    assert done.returncode == 0, done.stderr
    (session,) = json.loads((tmp_path / "run" / "run.json").read_text())["sessions"]
    assert session["commit"] == "unknown"
    assert session["command"] == " ".join(["minesweeper train", *typed])
    assert ".py" not in done.stdout + done.stderr
    assert "minesweeper evaluate --policy run" in done.stdout + done.stderr


def test_an_evaluation_records_the_command_that_exists_there(program, tmp_path):
    typed = ["--policy", "random", "--size", "4", "--mines", "2", "--games", "2", "--json", "results.json"]
    done = program("evaluate", *typed)
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "results.json").read_text())["command"] == " ".join(["minesweeper evaluate", *typed])


def test_a_game_is_played_through_a_pipe(program):
    done = program("play", "--seed", "3", input="8\n14\n\n3 3\nquit\n")
    assert done.returncode == 0, done.stderr
    assert "cells opened" in done.stdout
