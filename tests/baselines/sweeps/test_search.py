"""A sweep on Ray Tune: bad trials end early, and a killed command loses nothing that was reported."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from importlib.util import find_spec

import pytest
from support import ROOT
from support.clusters import wait_until
from support.processes import started

from baselines.support.files import read_json
from baselines.sweeps.plan import EVALUATIONS_FILE, read_points

CONFIGURATION = """\
algo = "dqn"
boards = ["4x4/2"]
steps = 4000
channels = 8
depth = 2
eval_games = 50
envs = 32
"""
SEARCH = ["learning_rate=1e-7,0.005", "batch_size=32,64"]
TRIALS = 4


@pytest.mark.slow
@pytest.mark.skipif(find_spec("ray") is None or find_spec("torch") is None, reason="needs the extras ray and baselines")
def test_a_killed_sweep_resumes_and_ends_bad_trials_early(tmp_path):
    (tmp_path / "tiny.toml").write_text(CONFIGURATION)
    out = tmp_path / "sweep"
    words = ["--config", tmp_path / "tiny.toml", "--search", *SEARCH, "--trials", TRIALS, "--seed", 3, "--out", out]
    command = [sys.executable, "-m", "baselines", "sweep", *map(str, words)]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    with started(command, env=environment, stderr=subprocess.DEVNULL, start_new_session=True) as driver:
        wait_until(lambda: any(out.glob(f"trials/*/{EVALUATIONS_FILE}")))
        os.killpg(driver.pid, signal.SIGKILL)
    before = {folder.name: read_points(folder) for folder in (out / "trials").iterdir()}
    assert any(before.values())
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    results = read_json(out / "results.json")["trials"]
    assert len(results) == TRIALS
    for name, points in before.items():
        assert read_points(out / "trials" / name)[: len(points)] == points
    by_rate = {each["values"]["learning_rate"]: each for each in reversed(results)}
    assert by_rate[0.005]["curve"][-1]["percent"] == 100
    assert any(each["stopped_early"] for each in results if each["values"]["learning_rate"] == 1e-7)
    assert results[0]["values"]["learning_rate"] == 0.005
    assert (out / "best.toml").is_file()
