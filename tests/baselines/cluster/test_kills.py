"""Suites whose processes are killed at random moments: the games are those of an undisturbed run.

MINESWEEPER_FAULT_TESTS=1 kills 20 processes of each kind, in place of 2.
"""

from __future__ import annotations

import os
import random
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest
from support import fault_suites
from support.clusters import Nodes, nodes_of
from support.fault_processes import busy_workers, kill, pool_workers
from support.fault_suites import Driver, arguments, driver, finish, units_of, wait_for_units
from support.slow_policy import PAUSE
from support.suite_folders import content, records

from baselines.cli import evaluate
from baselines.evaluation.units import schedule
from baselines.suites import definitions

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc"),
]
needs_ray = pytest.mark.skipif(find_spec("ray") is None, reason="needs the extra ray")

LONG = "MINESWEEPER_FAULT_TESTS" in os.environ
MOMENTS, GAMES = (20, 200) if LONG else (2, 50)
MOST_SECONDS = 1.0
"""Maximum time from the storage of a unit to the next kill."""

Disturb = Callable[[Driver], bool]


@pytest.fixture(autouse=True)
def suite(monkeypatch):
    monkeypatch.setitem(definitions.SUITES, "faults", fault_suites.FAULTS)
    monkeypatch.setattr(schedule, "UNIT_SECONDS", 1e-9)
    monkeypatch.setattr(schedule, "LEAST_SECONDS", 1e-9)
    monkeypatch.setenv("PYTHONPATH", fault_suites.environment()["PYTHONPATH"])


def play_disturbed(folder: Path, options: list[str], seed: int, disturb: Disturb) -> int:
    """Plays a suite that is disturbed at random moments, and extends it until all are over; returns its games."""
    moments, kills, games = random.Random(seed), 0, 0
    while kills < MOMENTS:
        games += GAMES
        with driver(folder, games, *options) as process:
            while kills < MOMENTS and wait_for_units(folder, process, units_of(folder)):
                time.sleep(moments.uniform(0, MOST_SECONDS))
                kills += disturb(process)
            finish(process, folder)
    return games


def check_games(tmp_path: Path, games: int) -> None:
    """Checks that the folder "disturbed" holds the games of a run in this process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(PAUSE, "0")
        assert evaluate.main(arguments(tmp_path / "undisturbed", games)) == 0
    undisturbed = records(tmp_path / "undisturbed")
    assert [len(each) for each in undisturbed.values()] == [games] * 4
    assert records(tmp_path / "disturbed") == undisturbed
    assert content(tmp_path / "disturbed") == content(tmp_path / "undisturbed")
    assert not list(tmp_path.rglob("*.tmp"))


def test_killed_workers_of_a_local_pool_cost_nothing(tmp_path):
    chosen = random.Random(1)

    def disturb(process: Driver) -> bool:
        workers = pool_workers(process.pid)
        return bool(workers) and kill(chosen.choice(workers))

    check_games(tmp_path, play_disturbed(tmp_path / "disturbed", ["--workers", "2"], 2, disturb))


@needs_ray
def test_killed_workers_of_a_cluster_cost_nothing(tmp_path):
    chosen = random.Random(3)
    with nodes_of(2) as cluster:

        def disturb(_process: Driver) -> bool:
            workers = busy_workers(cluster.raylet(0))
            return bool(workers) and kill(chosen.choice(workers))

        games = play_disturbed(tmp_path / "disturbed", ["--ray", cluster.address], 4, disturb)
    check_games(tmp_path, games)


@needs_ray
def test_killed_nodes_cost_nothing(tmp_path):
    with nodes_of(1, 1) as cluster:
        disturb = killer_of_nodes(cluster, random.Random(5))
        games = play_disturbed(tmp_path / "disturbed", ["--ray", cluster.address], 6, disturb)
    check_games(tmp_path, games)


def killer_of_nodes(cluster: Nodes, chosen: random.Random) -> Disturb:
    """Returns what kills the raylet of one of two nodes, and adds another node."""
    alive = [0, 1]

    def disturb(_process: Driver) -> bool:
        place = chosen.randrange(len(alive))
        cluster.kill_node(alive[place])
        cluster.add_node(1)
        alive[place] = max(alive) + 1
        return True

    return disturb


@needs_ray
def test_a_killed_driver_goes_on_where_it_was(tmp_path):
    folder, moments, games, kills = tmp_path / "disturbed", random.Random(8), GAMES, 0
    with nodes_of(2) as cluster:
        options = ["--ray", cluster.address]
        while kills < MOMENTS:
            with driver(folder, games, *options) as process:
                if wait_for_units(folder, process, units_of(folder)):
                    time.sleep(moments.uniform(0, MOST_SECONDS))
                kills += process.poll() is None and kill(process.pid)
                # A suite that was over has more games from now on.
                games += GAMES * (process.wait() == 0)
        with driver(folder, games, *options) as process:
            finish(process, folder)
    check_games(tmp_path, games)
