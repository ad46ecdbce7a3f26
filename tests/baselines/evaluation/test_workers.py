"""Worker processes: one that is killed is replaced, and machines without shared memory get one line."""

from __future__ import annotations

import errno
import multiprocessing
import os
import signal
import subprocess
import sys
from concurrent.futures import BrokenExecutor, Executor, Future
from functools import partial

import pytest
from support import ROOT

from baselines.evaluation.restarting_pool import RESTARTS, RestartingPool
from baselines.evaluation.workers import WorkerError, worker_pool


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
    assert line.startswith("a worker process was killed, perhaps because memory ran out; its games are played again")
    assert line.endswith("(restart 1 of 3)")
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


class FakePool(Executor):
    """A pool whose calls wait until the test ends them."""

    def __init__(self) -> None:
        self.waiting: list[tuple[Future, partial]] = []
        self.is_broken = False

    def submit(self, work, /, *arguments, **settings):
        if self.is_broken:
            raise BrokenExecutor("broken")
        self.waiting.append((Future(), partial(work, *arguments, **settings)))
        return self.waiting[-1][0]

    def end(self):
        for future, call in self.waiting:
            if future.set_running_or_notify_cancel():
                future.set_result(call())

    def kill(self):
        self.is_broken = True
        for future, _ in self.waiting:
            future.set_exception(BrokenExecutor("broken"))


@pytest.fixture
def pools():
    return []


@pytest.fixture
def restarting(pools):
    def make():
        pools.append(FakePool())
        return pools[-1]

    return RestartingPool(make)


def test_every_call_under_way_is_repeated_once_per_restart(restarting, pools):
    futures = [restarting.submit(abs, -number) for number in range(4)]
    pools[0].kill()
    assert len(pools) == 2
    assert len(pools[1].waiting) == 4
    assert restarting.submit(abs, -9) is not None
    pools[1].end()
    assert [future.result(0) for future in futures] == [0, 1, 2, 3]


def test_a_call_after_the_kill_starts_the_pool_again(restarting, pools):
    pools[0].is_broken = True
    future = restarting.submit(abs, -2)
    pools[1].end()
    assert future.result(0) == 2


def test_restarts_are_bounded_and_end_with_the_pool(restarting, pools):
    future = restarting.submit(abs, -2)
    for _ in range(RESTARTS + 1):
        assert not future.done()
        pools[-1].kill()
    assert len(pools) == RESTARTS + 1
    assert isinstance(future.exception(0), BrokenExecutor)


def test_a_pool_that_was_shut_down_does_not_start_again(restarting, pools):
    future = restarting.submit(abs, -2)
    restarting.shutdown(wait=False)
    pools[0].kill()
    assert len(pools) == 1
    assert isinstance(future.exception(0), BrokenExecutor)


def test_a_call_is_cancelled_only_before_a_worker_begins_it(restarting, pools):
    begun, waiting = restarting.submit(abs, -1), restarting.submit(abs, -2)
    pools[0].waiting[0][0].set_running_or_notify_cancel()
    assert not begun.cancel()
    assert waiting.cancel()
    assert waiting.cancelled()
    pools[0].waiting[0][0].set_result(1)
    assert begun.result(0) == 1


def test_an_error_of_the_call_is_passed_on(restarting, pools):
    future = restarting.submit(abs, "text")
    with pytest.raises(TypeError):
        pools[0].end()
    pools[0].waiting[0][0].set_exception(TypeError("no number"))
    assert isinstance(future.exception(0), TypeError)


def test_a_machine_without_shared_memory_is_told_to_use_one_worker(monkeypatch):
    def no_shared_memory(*_arguments):
        raise OSError(errno.ENOENT, "No such file or directory")

    monkeypatch.setattr(multiprocessing.get_context("spawn"), "Lock", no_shared_memory)
    with (
        pytest.raises(WorkerError, match="no worker processes can be started here: No such file or directory; use 1"),
        worker_pool(2),
    ):
        pass
