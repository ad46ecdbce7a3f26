"""docs/examples/slurm_array.sh, run with the variables that SLURM sets."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from support import ROOT, tiny_suites
from support.processes import started

from baselines.__main__ import main as run_baselines
from baselines.suites import definitions

SCRIPT = ROOT / "docs" / "examples" / "slurm_array.sh"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="SLURM runs shell scripts"),
]


@pytest.fixture
def environment(tmp_path, monkeypatch):
    """The variables of an array of two tasks; `python` knows the suite tiny, and `scontrol` notes what it is given."""
    monkeypatch.setitem(definitions.SUITES, "tiny", tiny_suites.TINY)
    programs = tmp_path / "bin"
    programs.mkdir()
    player = f'exec {sys.executable} {tiny_suites.__file__} "${{@:4}}"'
    for name, line in {"python": player, "scontrol": f'echo "$@" >> {tmp_path}/requeued'}.items():
        (programs / name).write_text(f"#!/bin/bash\n{line}\n")
        (programs / name).chmod(0o755)
    python_path = os.pathsep.join([str(ROOT), str(ROOT / "tests")])
    slurm = {"SLURM_ARRAY_JOB_ID": "77", "SLURM_ARRAY_TASK_COUNT": "2", "SLURM_CPUS_PER_TASK": "1"}
    return {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "PYTHONPATH": python_path, **slurm}


def command(tmp_path: Path, games: int = 50) -> list[str]:
    return ["bash", str(SCRIPT), "tiny", str(tmp_path / "tiny"), "--games", str(games)]


def test_the_tasks_of_an_array_make_a_whole_suite(tmp_path, environment):
    for task in ("1", "2"):
        subprocess.run(command(tmp_path), env={**environment, "SLURM_ARRAY_TASK_ID": task}, check=True)
    # A task that is submitted again by itself is an array of one, and names the number of shards.
    again = {**environment, "SLURM_ARRAY_TASK_ID": "2", "SLURM_ARRAY_TASK_COUNT": "1", "SHARDS": "2"}
    subprocess.run(command(tmp_path), env=again, check=True)
    shards = [str(tmp_path / f"tiny-{task}-of-2") for task in (1, 2)]
    assert run_baselines(["merge", str(tmp_path / "merged"), *shards]) == 0
    assert run_baselines(["evaluate", "--suite", "tiny", "--games", "50", "--out", str(tmp_path / "whole")]) == 0
    merged, whole = (json.loads((tmp_path / name / "results.json").read_text()) for name in ("merged", "whole"))
    for ours, theirs in zip(merged["boards"], whole["boards"], strict=True):
        assert [row["wins"] for row in ours["results"]] == [row["wins"] for row in theirs["results"]]


def test_a_task_out_of_time_requeues_itself_and_resumes(tmp_path, environment):
    task = {**environment, "SLURM_ARRAY_TASK_ID": "1"}
    folder = tmp_path / "tiny-1-of-2"
    with started(command(tmp_path, 2000), env=task, stderr=subprocess.PIPE, text=True) as process:
        end = time.monotonic() + 120
        while not any(folder.rglob("*.npz")):
            assert time.monotonic() < end
            time.sleep(0.01)
        process.send_signal(signal.SIGUSR1)
        process.communicate(timeout=60)
    assert process.returncode == 0
    assert (tmp_path / "requeued").read_text() == "requeue 77_1\n"
    requeued = subprocess.run(command(tmp_path, 2000), env=task, stderr=subprocess.PIPE, text=True, check=True)
    assert f"going on with tiny in {folder}: " in requeued.stderr
    assert f"shard 1/2 of tiny is done: 4032 games in {folder}" in requeued.stderr


def test_a_task_beyond_the_array_is_refused(tmp_path, environment):
    task = {**environment, "SLURM_ARRAY_TASK_ID": "0"}
    refused = subprocess.run(command(tmp_path), env=task, stderr=subprocess.PIPE, text=True, check=False)
    assert refused.returncode == 2
    assert refused.stderr.splitlines()[-1].endswith("not '0/2'")
