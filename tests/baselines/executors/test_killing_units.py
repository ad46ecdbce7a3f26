"""Units that kill their worker again and again: the command ends, and one line names policy, board and seeds."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec

import pytest
from support import ROOT

POLICY = """
import os
import signal

class Killer:
    batch_size = 10

    def __init__(self, **settings):
        pass

    def act(self, observations, action_masks):
        os.kill(os.getpid(), signal.SIGKILL)
"""

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform == "win32", reason="sends SIGKILL")]
EXECUTORS = [
    pytest.param(("--workers", "2"), id="local"),
    pytest.param(
        ("--ray", "local"),
        id="ray",
        marks=pytest.mark.skipif(find_spec("ray") is None, reason="needs the extra ray"),
    ),
]


def play(folder, *arguments) -> list[str]:
    """Returns the lines on stderr of an evaluation that exits with status 1."""
    (folder / "killer.py").write_text(POLICY)
    command = [sys.executable, str(ROOT / "evaluate.py"), "--policy", "killer.py:Killer", "--seed", "20", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, env=environment, timeout=900
    )
    assert done.returncode == 1, done.stderr
    assert done.stdout == ""
    return done.stderr.splitlines()


@pytest.mark.parametrize("executor", EXECUTORS)
def test_a_unit_that_kills_four_workers_is_named(tmp_path, executor):
    lines = play(tmp_path, "--size", "4x5", "--mines", "2", "--games", "10", *executor)
    assert lines[-1] == (
        "evaluate.py: killer.py:Killer on 4x5/2, seeds 20 to 29: killed its worker 4 times, perhaps because memory ran "
        "out"
    )
    repeated = [line.partition(" repeated ")[2] for line in lines if " repeated " in line]
    assert repeated == [f"(attempt {each} of 4)" for each in (2, 3, 4)]
