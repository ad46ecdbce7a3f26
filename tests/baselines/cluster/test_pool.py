"""Calls on a cluster of Ray that is started for the test: results, errors, files, threads, lost workers."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from importlib.util import find_spec

import pytest
from support import ROOT

pytestmark = pytest.mark.skipif(find_spec("ray") is None, reason="needs the extra ray")

POLICY = """
class Mine:
    def __init__(self, **settings):
        pass

    def act(self, observations, action_masks):
        return action_masks.argmax(1)
"""


def command(*arguments, **environment):
    return subprocess.run(
        [sys.executable, "evaluate.py", *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, **environment},
        timeout=300,
    )


def results(path):
    return [
        {key: value for key, value in each.items() if "seconds" not in key and "ms" not in key}
        for each in json.loads(path.read_text())["results"]
    ]


def test_a_small_evaluation_gives_the_same_records_on_a_cluster(tmp_path):
    (tmp_path / "mine.py").write_text(POLICY)
    games = ["--policy", f"{tmp_path}/mine.py:Mine", "straightforward", "--size", "5", "--mines", "4", "--games", "60"]
    assert command(*games, "--json", tmp_path / "here.json").returncode == 0
    done = command(*games, "--json", tmp_path / "there.json", "--ray", "local")
    assert done.returncode == 0, done.stderr
    assert results(tmp_path / "there.json") == results(tmp_path / "here.json")


def threads_and_process():
    return os.environ["OMP_NUM_THREADS"], os.getpid()


def fail(number):
    raise ValueError(f"no {number}")


def die(folder, kills):
    """Kills its process as often as asked; then returns the number of kills."""
    markers = len(list(folder.iterdir()))
    if markers < kills:
        (folder / str(markers)).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return markers


@pytest.mark.slow
def test_calls_return_raise_and_are_repeated(tmp_path, capsys, monkeypatch):
    from baselines.cluster.connection import connected
    from baselines.cluster.pool import RayPool
    from baselines.executors.errors import KilledWorkerError

    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), str(ROOT / "tests")]))
    with connected("local", cpus=2) as connection:
        pool = RayPool(connection)
        assert (pool.workers, pool.places) == (2, 8)
        threads, process = pool.submit(threads_and_process).result()
        assert threads == "1"
        assert process != os.getpid()
        with pytest.raises(ValueError, match="no 7"):
            pool.submit(fail, 7).result()
        for name, kills in (("some", 3), ("many", 4)):
            (tmp_path / name).mkdir()
            future = pool.submit(die, tmp_path / name, kills)
            if kills < 4:
                assert future.result() == 3
            else:
                with pytest.raises(KilledWorkerError, match="killed its worker 4 times"):
                    future.result()
        pool.shutdown()
    lines = capsys.readouterr().err.splitlines()
    assert lines[1:] == [
        f"a worker process of the cluster was lost; its work is repeated (attempt {attempt} of 4)"
        for attempt in (2, 3, 4, 2, 3, 4)
    ]
