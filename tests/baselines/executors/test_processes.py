"""Worker processes: one that is killed is replaced, and machines without shared memory get one line."""

from __future__ import annotations

import errno
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import time

import pytest
from support import ROOT

from baselines.executors.errors import KilledWorkerError, WorkerError
from baselines.executors.process_pool import MOST_KILLS
from baselines.executors.processes import worker_pool


def square_or_die(folder, number):
    """Returns the square of a number; the first process that is given 3 kills itself."""
    marker = folder / "died"
    if number == 3 and not marker.exists():
        marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number * number


@pytest.mark.slow
def test_a_killed_worker_is_replaced_and_its_work_repeated_with_one_line(tmp_path, capsys):
    with worker_pool(2) as pool:
        futures = [pool.submit(square_or_die, tmp_path, number) for number in range(12)]
        assert [future.result() for future in futures] == [number * number for number in range(12)]
    (line,) = capsys.readouterr().err.splitlines()
    assert line == (
        "a worker process was killed, perhaps because memory ran out; its work is repeated (attempt 2 of 4)"
    )
    assert not multiprocessing.active_children()


PROGRAM = """
import multiprocessing
import sys
import baselines
if __name__ == "__main__":
    multiprocessing.set_start_method(sys.argv[1])
    results = baselines.evaluate("straightforward", size=4, mines=2, games=60, workers=int(sys.argv[2]), against=())
    print(results.policies[0].wins)
"""


@pytest.mark.slow
def test_workers_play_the_same_games_however_processes_start(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)

    def wins(method, workers):
        command = [sys.executable, tmp_path / "program.py", method, str(workers)]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        return subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout

    methods = multiprocessing.get_all_start_methods()
    assert {wins(method, 2) for method in methods} == {wins("spawn", 1)}


def die_at(folder, fatal, kills, number):
    """Returns the square of a number; `fatal` kills its process, as often as asked."""
    markers = list(folder.glob(f"{number}-*"))
    if number == fatal and len(markers) < kills:
        (folder / f"{number}-{len(markers)}").touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number * number


@pytest.mark.slow
def test_a_call_that_kills_every_worker_is_the_only_one_that_fails(tmp_path):
    with worker_pool(2) as pool:
        futures = [pool.submit(die_at, tmp_path, 3, MOST_KILLS, number) for number in range(12)]
        assert [future.result() for future in futures if future is not futures[3]] == [
            number * number for number in range(12) if number != 3
        ]
        with pytest.raises(KilledWorkerError, match="killed its worker 4 times, perhaps because memory ran out"):
            futures[3].result()
    assert not multiprocessing.active_children()


@pytest.mark.slow
def test_kills_from_outside_at_random_moments_cost_nothing(capsys):
    moments = random.Random(5)
    with worker_pool(2) as pool:
        futures = [pool.submit(slow_square, number) for number in range(60)]
        for _ in range(6):
            time.sleep(moments.uniform(0.05, 0.6))
            os.kill(moments.choice(multiprocessing.active_children()).pid, signal.SIGKILL)
        assert [future.result(60) for future in futures] == [number * number for number in range(60)]
    assert "(attempt 2 of 4)" in capsys.readouterr().err


def slow_square(number):
    time.sleep(0.1)
    return number * number


def fail(number):
    raise ValueError(f"no {number}")


class Unsendable:
    def __reduce__(self):
        raise TypeError("it stays here")


def test_errors_and_results_that_cannot_travel_reach_the_caller():
    with worker_pool(1) as pool:
        error = pool.submit(fail, 5).exception()
        assert (type(error), str(error)) == (ValueError, "no 5")
        assert "In a worker process" in error.__notes__[0]
        with pytest.raises(TypeError, match="it stays here"):
            pool.submit(Unsendable).result()
        with pytest.raises(TypeError, match="it stays here"):
            pool.submit(abs, Unsendable())
        assert pool.submit(abs, -2).result() == 2


def test_a_call_is_cancelled_only_before_a_worker_begins_it(tmp_path):
    with worker_pool(1) as pool:
        begun, waiting = pool.submit(wait_for, tmp_path / "go"), pool.submit(abs, -1)
        while not begun.running():
            time.sleep(0.01)
        assert not begun.cancel()
        assert waiting.cancel()
        (tmp_path / "go").touch()
        assert begun.result() == "gone"


def wait_for(path):
    while not path.exists():
        time.sleep(0.01)
    return "gone"


def end_at_once():
    os._exit(3)


@pytest.mark.slow
def test_workers_that_end_before_they_are_ready_are_an_error():
    with worker_pool(2, end_at_once) as pool:
        future = pool.submit(abs, -1)
        with pytest.raises(WorkerError, match="4 worker processes in a row ended before they were ready"):
            future.result(60)


def test_a_machine_without_shared_memory_is_told_to_use_one_worker(monkeypatch):
    def no_shared_memory(*_arguments):
        raise OSError(errno.ENOENT, "No such file or directory")

    monkeypatch.setattr(multiprocessing.get_context("spawn"), "Lock", no_shared_memory)
    with (
        pytest.raises(WorkerError, match="no worker processes can be started here: No such file or directory; use 1"),
        worker_pool(2),
    ):
        pass
