"""Suites and policies on a cluster of Ray: the games of one machine, whatever is lost meanwhile."""

import json
import random
import shutil
import signal
import socket
import sys
import time
from argparse import ArgumentTypeError
from importlib.util import find_spec
from unittest.mock import Mock

import pytest
from support import ROOT, fault_suites
from support.clusters import Nodes
from support.fault_suites import arguments, children, driver, finish, kill, printed_file, units_of, wait_for_units
from support.processes import run_python
from support.slow_policy import PAUSE
from support.tiny_suites import content, records

from baselines.benchmark import suites
from baselines.cli import evaluate as evaluate_command
from baselines.cli import suite as suite_command
from baselines.evaluation import units
from baselines.workers import WorkerError, cluster_address, connected

needs_ray = pytest.mark.skipif(
    find_spec("ray") is None or not sys.platform.startswith("linux"), reason="needs the extra ray, and reads /proc"
)
GAMES = 60


@pytest.mark.parametrize("text", ["auto", "local", "10.0.0.1:6379", "head.cluster:1", "[::1]:65535"])
def test_addresses(text):
    assert cluster_address(text) == text


@pytest.mark.parametrize("text", ["", "here", "ray://head:10001", "head", "head:0", "head:65536", "a b:1", ":6379"])
def test_other_texts_are_refused(text):
    with pytest.raises(ArgumentTypeError, match="the address of a cluster is auto, local or HOST:PORT such as"):
        cluster_address(text)


@needs_ray
def test_a_cluster_that_is_not_there_is_named_at_once():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(WorkerError, match=f"no cluster of Ray at {address}"), connected(address, {}):
        pass


def test_whatever_ray_raises_at_its_start_is_one_line(monkeypatch):
    ray = Mock(**{"init.side_effect": Exception("The current node timed out\nduring startup.")})
    monkeypatch.setattr("baselines.checks.import_extra", lambda *_: ray)
    line = "this machine: The current node timed out during startup"
    with pytest.raises(WorkerError, match=line), connected("local", {}):
        pass


POLICY = """
import os
import signal

class Mine:
    def __init__(self, **settings):
        pass

    def act(self, observations, action_masks):
        return action_masks.argmax(1)

class Killer(Mine):
    batch_size = 10

    def act(self, observations, action_masks):
        # The command tries the policy on one empty board before it hands out games.
        if len(observations) > 1:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().act(observations, action_masks)
"""


@pytest.fixture
def evaluate(tmp_path, monkeypatch):
    """Returns what evaluates policies in a folder that holds POLICY."""
    (tmp_path / "mine.py").write_text(POLICY)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    return lambda *words: evaluate_command.main(["--size", "5", "--mines", "4", *words])


@needs_ray
@pytest.mark.slow
def test_an_evaluation_on_ray_has_the_results_of_one_machine_byte_for_byte(tmp_path, evaluate):
    shutil.copytree(ROOT / "baselines/learned/weights/dqn", tmp_path / "run")
    words = ["--policy", "mine.py:Mine", str(tmp_path / "run"), "straightforward", "--games", "60"]
    assert evaluate(*words, "--json", "here.json") == 0
    command = (ROOT / "evaluate.py", "--size", 5, "--mines", 4, *words, "--json", "there.json", "--ray", "local")
    # Each worker takes seconds of imports, so there is one; and on a busy machine Ray may start late.
    variables = {"RAY_OVERRIDE_RESOURCES": '{"CPU": 1}', "RAY_raylet_start_wait_time_s": "300"}
    done = run_python(*command, cwd=tmp_path, timeout=400, env=variables)
    assert done.returncode == 0, done.stderr
    assert json.dumps(content(tmp_path, "there.json")) == json.dumps(content(tmp_path, "here.json"))


@pytest.fixture
def fault_suite(monkeypatch):
    monkeypatch.setitem(suites.SUITES, "faults", fault_suites.FAULTS)
    monkeypatch.setattr(units, "UNIT_SECONDS", 1e-9)
    monkeypatch.setattr(units, "LEAST_SECONDS", 1e-9)
    monkeypatch.setenv("PYTHONPATH", fault_suites.environment()["PYTHONPATH"])


def check_games(tmp_path):
    """Checks that the folder "disturbed" holds the games and results of a run in this process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(PAUSE, "0")
        assert suite_command.main(arguments(tmp_path / "undisturbed", GAMES)) == 0
    undisturbed = records(tmp_path / "undisturbed")
    assert [len(each) for each in undisturbed.values()] == [GAMES] * 4
    assert records(tmp_path / "disturbed") == undisturbed
    assert json.dumps(content(tmp_path / "disturbed")) == json.dumps(content(tmp_path / "undisturbed"))


def disturb(folder, process, kill_one):
    """Disturbs a command at a random moment after it has stored units."""
    assert wait_for_units(folder, process, units_of(folder))
    time.sleep(random.uniform(0, 1))
    assert kill_one()


@needs_ray
@pytest.mark.slow
@pytest.mark.cluster
@pytest.mark.usefixtures("fault_suite")
def test_an_interrupt_and_killed_workers_and_nodes_of_a_cluster_cost_nothing(tmp_path):
    folder = tmp_path / "disturbed"
    with Nodes(1, 1) as cluster:
        with driver(folder, GAMES, "--ray", cluster.address) as process:
            assert wait_for_units(folder, process, 0)
            process.send_signal(signal.SIGINT)
            assert process.wait(60) == 130
        assert units_of(folder) > 0
        with driver(folder, GAMES, "--ray", cluster.address) as process:
            disturb(folder, process, lambda: [*map(kill, children(cluster.raylet(1), "ray::_carry_out"))] or True)
            disturb(folder, process, lambda: cluster.kill_node(0) is None)
            finish(process, folder)
    check_games(tmp_path)


@needs_ray
@pytest.mark.slow
@pytest.mark.cluster
@pytest.mark.usefixtures("fault_suite")
def test_a_unit_that_kills_four_workers_and_a_node_with_another_installation_are_named(tmp_path, evaluate, capsys):
    folder = tmp_path / "disturbed"
    with Nodes(1) as cluster:
        killer = ["--policy", "mine.py:Killer", "--seed", "20", "--games", "10"]
        assert evaluate(*killer, "--ray", cluster.address) == 1
        printed, told = capsys.readouterr()
        line = "mine.py:Killer on 5x5/4 opening, seeds 20 to 29: killed its worker 4 times"
        assert (printed, line in told.splitlines()[-1]) == ("", True)
        cluster.add_node(1, {"ONEDNN_DEFAULT_FPMATH_MODE": "BF16"})
        with driver(folder, GAMES, "--ray", cluster.address) as process:
            assert process.wait(240) == 1
    assert "has another installation: precision bf16, not float32" in printed_file(folder).read_text().splitlines()[-1]
