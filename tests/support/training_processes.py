"""Trainings in processes of their own, for the tests of signals and of killed processes."""

import subprocess
import sys
import time

from support.processes import started

TINY = ["--size", "4", "--mines", "2", "--envs", "4", "--channels", "4", "--depth", "1", "--eval-games", "5"]

ENDLESS = str(10**9)
"""A number of steps that no test waits for."""


def start(out, *arguments, before="", **streams):
    """Starts train.py in a run folder, on one thread, for a block; `before` is code that the process runs first."""
    code = f"{before}\nimport sys\nfrom baselines.cli.train import main\nsys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", code, "--out", str(out), "--threads", "1", *arguments]
    streams = streams or {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return started(command, text=True, **streams)


def complete(out, *arguments):
    """Runs train.py in a run folder to its end, which must be a success."""
    with start(out, *arguments) as process:
        _, told = process.communicate(timeout=300)
    assert process.returncode == 0, told


def wait_for(path, seconds=120):
    """Waits until a file has content."""
    end = time.monotonic() + seconds
    while not (path.exists() and path.stat().st_size):
        assert time.monotonic() < end, f"{path} did not appear, or stayed empty"
        time.sleep(0.05)


def wait_for_change(path, written, seconds=120):
    """Waits until a file has another time of writing, in ns; 0 stands for no file."""
    end = time.monotonic() + seconds
    while not path.exists() or path.stat().st_mtime_ns == written:
        assert time.monotonic() < end, f"{path} did not change"
        time.sleep(0.05)
