"""The same games and results from every executor: one process, two, Ray, and two nodes of Ray.

Suites of each kind play a few games of their quick policies. MINESWEEPER_EQUALITY_GAMES=100 plays 100 games of all
policies of all suites, and one of `sources` by variable elimination.
"""

from __future__ import annotations

import os
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest
from support import ROOT
from support.clusters import nodes_of
from support.tiny_suites import content, records

from baselines.benchmark.suites import SUITES, Group
from baselines.cli.suite import main

pytestmark = pytest.mark.slow

ALL_GAMES = int(os.environ.get("MINESWEEPER_EQUALITY_GAMES", "0"))
FEW_GAMES, BATCH = 24, 5
QUICK = ("random", "straightforward", "subset", "exact")
"""Policies that play a few games within a second."""

DIFFERENT = ("sources", "logic", "benchmark")
"""Suites that differ in how their games start or are stored: given starts, boards without guesses, recorded."""

SLOW, SLOW_GAMES = "bayes:inference=pgmpy", 1
"""A policy whose 100 games would take hours, and its number of games."""


def complete(group: Group) -> Group:
    """Returns a group with all its policies, and few games of the slow one."""
    entries = (replace(entry, cap=SLOW_GAMES) if entry.policy == SLOW else entry for entry in group.entries)
    return replace(group, entries=tuple(entries))


def shortened(group: Group) -> Group:
    """Returns a group with its quick policies, in small batches, on its first and last board."""
    entries = [replace(entry, batch_size=BATCH) for entry in group.entries if entry.policy in QUICK]
    boards = dict.fromkeys((group.boards[0], group.boards[-1]))
    return replace(group, entries=tuple(entries[:2]), boards=tuple(boards))


@pytest.fixture(scope="module", params=SUITES if ALL_GAMES else DIFFERENT)
def suite(request):
    """The name of a suite, which has few policies unless all games are played."""
    changed, whole = complete if ALL_GAMES else shortened, SUITES[request.param]
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(SUITES, request.param, replace(whole, groups=tuple(map(changed, whole.groups))))
        yield request.param


@pytest.fixture(scope="module")
def alone(suite, tmp_path_factory):
    """The folder of the suite as one process plays it."""
    return play(suite, tmp_path_factory.mktemp("alone") / suite)


@pytest.fixture(scope="module")
def clusters():
    """Addresses of a cluster of one node with 2 processors, and of one of two nodes with 1 processor each."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ROOT))
        with nodes_of(2) as one, nodes_of(1, 1) as two:
            yield one.address, two.address


def play(name: str, folder: Path, *options: str) -> Path:
    """Plays a suite into a folder, which it returns."""
    games = str(ALL_GAMES or FEW_GAMES)
    assert main([name, "--games", games, "--out", str(folder), *options]) == 0
    return folder


def check_same(folder: Path, other: Path) -> None:
    """Checks that two folders hold the same games and the same results, times apart."""
    games = records(folder)
    assert sum(map(len, games.values())) > 0
    assert records(other) == games
    assert content(other) == content(folder)


def test_processes_change_nothing(suite, alone, tmp_path):
    check_same(alone, play(suite, tmp_path / "two", "--workers", "2"))


@pytest.mark.skipif(find_spec("ray") is None, reason="needs the extra ray")
def test_clusters_change_nothing(suite, alone, clusters, tmp_path):
    for number, address in enumerate(clusters):
        check_same(alone, play(suite, tmp_path / f"ray-{number}", "--ray", address))
