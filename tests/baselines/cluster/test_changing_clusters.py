"""Clusters that change during a suite: nodes that join late, nodes with another installation, a lost head node."""

from __future__ import annotations

import os
import re
import shutil
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest
from support import ROOT, fault_suites
from support.clusters import nodes_of, wait_until
from support.fault_processes import busy_workers
from support.fault_suites import arguments, driver, finish, printed_file, units_of, wait_for_units
from support.slow_policy import PAUSE
from support.suite_folders import Games, records

from baselines.cli import evaluate
from baselines.evaluation.units import schedule
from baselines.suites import definitions

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("ray") is None, reason="needs the extra ray"),
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc"),
]

GAMES, MANY_GAMES = 20, 150
MOST_JOIN_SECONDS, MOST_LOSS_SECONDS = 10.0, 60.0
"""Time in which a new node has work, and in which a command ends that has lost the head node."""


@pytest.fixture(autouse=True)
def suite(monkeypatch):
    monkeypatch.setitem(definitions.SUITES, "faults", fault_suites.FAULTS)
    monkeypatch.setattr(schedule, "UNIT_SECONDS", 1e-9)
    monkeypatch.setattr(schedule, "LEAST_SECONDS", 1e-9)
    monkeypatch.setenv("PYTHONPATH", fault_suites.environment()["PYTHONPATH"])


def play_here(folder: Path, games: int) -> Games:
    """Plays what a folder lacks in this process; returns its games."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(PAUSE, "0")
        assert evaluate.main(arguments(folder, games)) == 0
    return records(folder)


def test_a_new_node_soon_has_work_and_a_lost_head_node_ends_the_command(tmp_path, monkeypatch):
    folder = tmp_path / "suite"
    monkeypatch.setenv(PAUSE, "0.5")
    with nodes_of(1) as cluster, driver(folder, MANY_GAMES, "--ray", cluster.address) as process:
        assert wait_for_units(folder, process, 0)
        cluster.add_node(1)
        assert seconds_until(lambda: busy_workers(cluster.raylet(1))) < MOST_JOIN_SECONDS
        assert process.poll() is None
        said = len(printed_file(folder).read_text())
        cluster.kill_head()
        assert seconds_until(lambda: process.poll() is not None) < MOST_LOSS_SECONDS
    *progress, last = printed_file(folder).read_text()[said:].splitlines()
    assert process.returncode == 1
    assert last == (
        f"evaluate.py: the head node of the cluster at {cluster.address} does not answer any more; the games finished "
        f"before are in {folder}"
    )
    assert [line for line in progress if " games, " not in line] == []
    assert units_of(folder) > 0
    assert play_here(folder, MANY_GAMES) == play_here(tmp_path / "undisturbed", MANY_GAMES)


def test_sigterm_ends_the_command_as_ctrl_c_does(tmp_path, monkeypatch):
    folder = tmp_path / "suite"
    monkeypatch.setenv(PAUSE, "0.5")
    with nodes_of(1) as cluster, driver(folder, MANY_GAMES, "--ray", cluster.address) as process:
        assert wait_for_units(folder, process, 0)
        process.terminate()
        assert process.wait(60) == 130
    text = printed_file(folder).read_text()
    assert text.splitlines()[-1].startswith("interrupted; the games are in ")
    assert "SIGTERM" not in text


def seconds_until(is_so: Callable[[], object]) -> float:
    """Waits until a condition holds; returns the seconds."""
    begin = time.monotonic()
    wait_until(is_so)
    return time.monotonic() - begin


def foreign_package(folder: Path) -> dict[str, str]:
    """Returns the environment of a node with a changed file of the package."""
    for name in ("baselines", "minesweeper_env"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    with (folder / "baselines" / "policy.py").open("a") as file:
        file.write("# another line\n")
    return {"PYTHONPATH": f"{folder}"}


def foreign_numpy(folder: Path) -> dict[str, str]:
    """Returns the environment of a node that has another version of NumPy, as its metadata say."""
    (folder / "numpy-1.99.0.dist-info").mkdir(parents=True)
    (folder / "numpy-1.99.0.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: numpy\nVersion: 1.99.0\n")
    return {"PYTHONPATH": os.pathsep.join([f"{folder}", fault_suites.environment()["PYTHONPATH"]])}


def foreign_precision(_folder: Path) -> dict[str, str]:
    """Returns the environment of a node that computes networks in bfloat16."""
    return {"ONEDNN_DEFAULT_FPMATH_MODE": "BF16"}


DIFFERENCES = {
    foreign_package: r"package [0-9a-f]{12}, not [0-9a-f]{12}",
    foreign_numpy: r"numpy 1\.99\.0, not \d+\.\d+\.\d+",
    foreign_precision: "precision bf16, not float32",
}
"""Environments of nodes, and what the command prints about each."""


def test_nodes_with_another_installation_are_refused(tmp_path):
    """Alone, they end the command. A node of the same installation joins before the resumption, and plays all."""
    folder = tmp_path / "suite"
    with nodes_of() as cluster:
        for environment in DIFFERENCES:
            cluster.add_node(1, environment(tmp_path / environment.__name__))
        with driver(folder, GAMES, "--ray", cluster.address) as process:
            assert process.wait(240) == 1
        last = printed_file(folder).read_text().splitlines()[-1]
        assert last.startswith("evaluate.py: no node of the cluster can play these games: node ")
        for difference in DIFFERENCES.values():
            assert len(re.findall(rf"node \S+ is refused: {difference}; ", last)) == 1, last
        assert units_of(folder) == 0
        cluster.add_node(1)
        with driver(folder, GAMES, "--ray", cluster.address) as process:
            finish(process, folder)
    assert records(folder) == play_here(tmp_path / "undisturbed", GAMES)
