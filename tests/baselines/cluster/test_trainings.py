"""Trainings on nodes: checkpoints travel to the run folder, and a lost node costs what came after the last one."""

from __future__ import annotations

import os
import threading
from importlib.util import find_spec
from pathlib import Path

import pytest
from support import ROOT
from support.clusters import nodes_of, wait_until

from baselines.cluster.run_folders import FolderKeeper
from baselines.support.files import read_json

needs_ray = pytest.mark.skipif(
    find_spec("ray") is None or find_spec("torch") is None, reason="needs the extras ray and baselines"
)


def test_a_node_that_was_lost_writes_no_more(tmp_path):
    keeper = FolderKeeper()
    (tmp_path / "run.json").write_text("{}")
    first, files = keeper.begin(str(tmp_path))
    assert files == {"run.json": b"{}"}
    assert keeper.write(str(tmp_path), first, {"tensorboard/events": b"1"}, 100)
    second, files = keeper.begin(str(tmp_path))
    assert files == {"run.json": b"{}", "tensorboard/events": b"1"}
    assert not keeper.write(str(tmp_path), first, {"run.json": b"late"}, 200)
    assert (tmp_path / "run.json").read_bytes() == b"{}"
    assert keeper.write(str(tmp_path), second, {"run.json": b"new"}, 300)
    assert keeper.steps(str(tmp_path)) == 300


@needs_ray
@pytest.mark.slow
@pytest.mark.skipif("MINESWEEPER_FAULT_TESTS" not in os.environ, reason="needs MINESWEEPER_FAULT_TESTS=1")
def test_a_training_goes_on_elsewhere_from_its_last_checkpoint(tmp_path, monkeypatch):
    """The node that trains is lost; the run folder lies on the head node, which has no processor for trainings."""
    from support.tiny_training import tiny

    from baselines.learned.training.on_nodes import RemoteTraining, training_pool, training_work

    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), str(ROOT / "tests")]))
    settings = tiny("dqn", steps=3200)
    folder = tmp_path / "run"
    folder.mkdir()
    outcomes = []

    def train() -> None:
        with training_pool(cluster.address, settings) as pool:
            training = RemoteTraining("tiny", training_work(settings, "tiny", 0.0), folder, None)
            outcomes.extend(pool.run([training]))

    with nodes_of(1) as cluster:
        thread = threading.Thread(target=train, daemon=True)
        thread.start()
        checkpoint = folder / "checkpoint.safetensors"
        wait_until(lambda: checkpoint.exists() or not thread.is_alive())
        cluster.kill_node(0)
        cluster.add_node(1)
        thread.join(240)
        assert not thread.is_alive()
    sessions = read_json(folder / "run.json")["sessions"]
    assert [each["from_step"] > 0 for each in sessions] == [False, True]
    assert outcomes[0].steps == 3200
    assert not list(Path(folder).rglob("*.tmp"))
