"""Worker processes: a killed one costs its call alone, and machines without shared memory get one line."""

import errno
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import time
from contextlib import closing
from unittest.mock import Mock

import pytest
from support import ROOT

from baselines.workers import KilledWorkerError, ProcessPool, WorkerError

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="sends SIGKILL")


def run(pool, work, calls):
    """Returns the results of calls in their order."""
    left = iter(calls)
    results = dict(pool.run(work, left))
    return [results[call] for call in calls]


def square(folder, kills, number):
    """Returns the square of a number; 3 kills its process, as often as asked."""
    markers = list(folder.glob("*"))
    if number == 3 and len(markers) < kills:
        (folder / f"{len(markers)}").touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number * number


@pytest.mark.slow
def test_the_work_of_a_killed_worker_is_repeated_with_one_line_until_it_has_killed_as_many_as_it_may(tmp_path, capsys):
    with closing(ProcessPool(2, kills=2)) as pool:
        calls = [(tmp_path, 1, number) for number in range(12)]
        assert run(pool, square, calls) == [number * number for number in range(12)]
        (line,) = capsys.readouterr().err.splitlines()
        assert line.endswith("(attempt 2 of 2)")
        (tmp_path / "again").mkdir()
        with pytest.raises(KilledWorkerError, match="killed its worker 2 times") as error:
            run(pool, square, [(tmp_path / "again", 2, number) for number in range(12)])
    assert error.value.call[2] == 3
    assert not multiprocessing.active_children()


def slow_square(number):
    time.sleep(0.1)
    return number * number


@pytest.mark.slow
def test_kills_from_outside_at_random_moments_cost_nothing():
    chosen, results = random.Random(5), {}
    with closing(ProcessPool(2)) as pool:
        for call, result in pool.run(slow_square, iter([(number,) for number in range(40)])):
            results[call] = result
            if len(results) in (3, 17, 18, 30):
                os.kill(chosen.choice(multiprocessing.active_children()).pid, signal.SIGKILL)
    assert results == {(number,): number * number for number in range(40)}


def fail(number):
    raise ValueError(f"no {number}")


def fill_memory(marker):
    if not marker.exists():
        marker.touch()
        raise MemoryError
    return "enough"


def test_errors_reach_the_caller_too_little_memory_loses_a_worker_and_the_end_of_the_pool_ends_calls_at_once(tmp_path):
    with closing(ProcessPool(1)) as pool:
        with pytest.raises(ValueError, match="no 5"):
            run(pool, fail, [(5,)])
        assert run(pool, fill_memory, [(tmp_path / "marker",)]) == ["enough"]
        next(iter(pool.run(time.sleep, iter([(0,), (60,)]))))
        begin = time.monotonic()
    assert time.monotonic() - begin < 30
    assert not multiprocessing.active_children()


def test_a_machine_without_shared_memory_is_told_to_use_one_worker(monkeypatch):
    error = OSError(errno.ENOENT, "No such file or directory")
    monkeypatch.setattr("baselines.workers.ProcessPoolExecutor", Mock(side_effect=error))
    with pytest.raises(WorkerError, match="No such file or directory; use 1 worker"), closing(ProcessPool(2)):
        pass


@pytest.mark.parametrize("as_file", [True, False], ids=["no main guard", "a script on stdin"])
def test_workers_that_cannot_start_are_told_from_killed_ones(tmp_path, as_file):
    text = "from baselines import evaluate\nevaluate('random', 4, 3, 9, workers=2, against=())"
    (tmp_path / "script.py").write_text(text)
    words = [sys.executable, str(tmp_path / "script.py") if as_file else "-"]
    done = subprocess.run(words, input=text, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False)
    assert "before its first call; it imports the script" in done.stderr.splitlines()[-1]
