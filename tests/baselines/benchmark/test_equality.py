"""The same games and results from one process and from two; test_cluster.py has two nodes of Ray."""

from dataclasses import replace
from pathlib import Path

import pytest
from support.tiny_suites import content, records

from baselines.benchmark.suites import SUITES, Group
from baselines.cli.suite import main

pytestmark = pytest.mark.slow


def shortened(group: Group) -> Group:
    """Returns a group with two policies that play quickly, in small batches, on its first and last board."""
    quick = ("random", "straightforward", "subset", "exact")
    entries = [replace(entry, batch_size=5) for entry in group.entries if entry.policy in quick]
    boards = dict.fromkeys((group.boards[0], group.boards[-1]))
    return replace(group, entries=tuple(entries[:2]), boards=tuple(boards))


# These differ in how their games start or are stored: given starts, boards without guesses, recorded.
@pytest.fixture(scope="module", params=["sources", "logic", "benchmark"])
def alone(request, tmp_path_factory):
    """The folder of a shortened suite as one process plays it; its name is that of the suite."""
    whole = SUITES[request.param]
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(SUITES, request.param, replace(whole, groups=tuple(map(shortened, whole.groups))))
        yield play(request.param, tmp_path_factory.mktemp("alone") / request.param)


def play(name: str, folder: Path, *options: str) -> Path:
    """Plays a suite into a folder, which it returns."""
    assert main([name, "--games", "24", "--out", str(folder), *options]) == 0
    return folder


def test_processes_change_nothing(alone, tmp_path):
    """Two processes end with the games and the results of one, times apart."""
    folder = play(alone.name, tmp_path / "two", "--workers", "2")
    assert records(alone)
    assert records(folder) == records(alone)
    assert content(folder) == content(alone)
