"""Worker processes on this machine: a pool that leaves no process behind, and announces compilations once."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnContext
from typing import Any

from baselines.executors.errors import WorkerError
from baselines.executors.executor import MakeWorkers, here
from baselines.executors.process_pool import ProcessPool
from baselines.support.main_script import check_workers_can_import
from baselines.support.threads import use_one_thread
from minesweeper_env.compilation.cold_start import COLD_START
from minesweeper_env.compilation.live_line import say

NOTICE_SECONDS = 1.0
"""Time that the last notices of the workers have to arrive."""


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
    with _notices(context) as notices, _pool(workers, context, notices, start, arguments) as pool:
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


@contextmanager
def _notices(context: SpawnContext) -> Generator[Connection | None]:
    """Yields a connection whose lines this process prints; None if it announces no compilations."""
    if not COLD_START.is_wanted():
        yield None
        return
    receiver, sender = context.Pipe(duplex=False)
    thread = threading.Thread(target=_print_lines, args=(receiver,), daemon=True)
    thread.start()
    try:
        yield sender
    finally:
        # The thread ends when the workers, too, have closed their ends.
        sender.close()
        thread.join(NOTICE_SECONDS)


def _print_lines(receiver: Connection) -> None:
    with suppress(EOFError, OSError):
        while True:
            say(receiver.recv())


def _start_worker(
    speaker: Any, notices: Connection | None, start: Callable[..., object] | None, arguments: Sequence[Any]
) -> None:
    """Ignores Ctrl-C, which the main process handles, and ends this process when the main process ends.

    Only the first worker that acquires the lock `speaker` announces compilations, because all of them compile the same.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    use_one_thread()
    COLD_START.report_to(notices.send if notices is not None and speaker.acquire(block=False) else None)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if start is not None:
        start(*arguments)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
