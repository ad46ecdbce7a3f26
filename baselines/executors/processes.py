"""Worker processes on this machine: a pool that leaves no process behind, and announces compilations once."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from functools import partial
from multiprocessing.context import SpawnContext
from typing import Any

from baselines.executors.errors import WorkerError
from baselines.executors.executor import MakeWorkers, here
from baselines.executors.process_pool import ProcessPool
from baselines.support.main_script import check_workers_can_import
from baselines.support.threads import use_one_thread
from minesweeper_env.notices import show_compilations


def local_workers(workers: int) -> MakeWorkers:
    """Returns the maker of an executor with so many processes; 1 runs each call at once in this process."""
    return here if workers == 1 else partial(worker_pool, workers)


@contextmanager
def worker_pool(workers: int, start: Callable[..., object] | None = None, *arguments: Any) -> Generator[ProcessPool]:
    """Yields a pool of worker processes; they end with the pool and with this process.

    Args:
        workers: number of processes.
        start: called once in each process; it must pickle.
        arguments: arguments of `start`; they must pickle.

    Raises:
        WorkerError: worker processes cannot be started.
    """
    try:
        check_workers_can_import()
    except ValueError as error:
        raise WorkerError(str(error)) from error
    # Forked workers would share the locks of threads that torch and numba may have running.
    context = multiprocessing.get_context("spawn")
    with _pool(workers, context, start, arguments) as pool:
        try:
            yield pool
        except BaseException:
            pool.terminate()
            raise


def _pool(workers: int, context: SpawnContext, *settings: Any) -> ProcessPool:
    """Returns the pool, whose workers `_start_worker` starts; the first one that acquires the lock announces."""
    try:
        return ProcessPool(workers, context, partial(_start_worker, context.Lock(), *settings))
    except OSError as error:
        # Their locks need shared memory, which some containers lack.
        raise WorkerError(f"no worker processes can be started here: {error.strerror}; use 1 worker") from error


def _start_worker(speaker: Any, start: Callable[..., object] | None, arguments: Sequence[Any]) -> None:
    """Ignores Ctrl-C, which the main process handles, and ends this process when the main process ends.

    Only the first worker that acquires the lock `speaker` announces compilations, because all of them compile the same.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    use_one_thread()
    if not speaker.acquire(block=False):
        show_compilations(None)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if start is not None:
        start(*arguments)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
