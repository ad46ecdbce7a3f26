"""The files that are published: an sdist with every tracked file, and a wheel that it builds, also once installed."""

import fcntl
import json
import os
import subprocess
import sys
import tarfile
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest
from support import ROOT
from support.processes import run_python

from minesweeper_env import __version__

pytestmark = pytest.mark.slow


def tool(module: str, *arguments: str) -> str:
    """Runs a tool of the development extra, and returns what it prints; skips where the tool is absent."""
    if find_spec(module) is None:
        pytest.skip(f"{module} is not installed; the extra dev has it")
    done = run_python("-m", module, *arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The sdist of this tree, and the wheel that `build` makes from the unpacked sdist."""
    folder = tmp_path_factory.mktemp("dist")
    with (tmp_path_factory.getbasetemp().parent / "build.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # One worker of xdist at a time, because setuptools writes into the tree.
        tool("build", "--no-isolation", "--outdir", str(folder), str(ROOT))
    (sdist,), (wheel,) = folder.glob("*.tar.gz"), folder.glob("*.whl")
    return sdist, wheel


def test_the_sdist_has_every_tracked_file(built):
    with tarfile.open(built[0]) as archive:
        names = {each.name.partition("/")[2] for each in archive.getmembers() if each.isfile()}
    done = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip("only a clone knows which files are tracked")
    assert set(done.stdout.splitlines()) - names == set()


def test_the_wheel_has_the_packages_alone_and_no_byte_code(built):
    with zipfile.ZipFile(built[1]) as archive:
        names = archive.namelist()
    tops = {name.split("/")[0] for name in names}
    info = f"minesweeper_env-{__version__}.dist-info"
    assert tops == {"azulejos_env", "baselines", "minesweeper_env", "minesweeper_play", "minesweeper_text", info}
    assert not [name for name in names if name.endswith((".pyc", ".nbi", ".nbc"))]
    assert f"{info}/licenses/LICENSE" in names


def test_the_index_would_take_both_files(built):
    assert "WARNING" not in tool("twine", "check", "--strict", *map(str, built))


def run(command: list[str], cwd: Path, **options) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, **options)


@pytest.fixture(scope="module")
def site(built: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the installed wheel; the git repository around it tracks every file of it."""
    root = tmp_path_factory.mktemp("elsewhere")
    target = root / "site"
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "install", "--no-deps", "--no-index"]
    done = run([*pip, "--target", str(target), str(built[1])], root)
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


def test_a_game_is_played_through_a_pipe(program):
    done = program("play", "--seed", "3", input="8\n14\n\n3 3\nquit\n")
    assert done.returncode == 0, done.stderr
    assert "cells opened" in done.stdout
