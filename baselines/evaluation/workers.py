"""Worker processes: a pool that leaves no process behind, and batches of games played in it."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeoutError
from contextlib import contextmanager, suppress
from functools import partial
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnContext
from typing import Any

from baselines.evaluation.games import Player
from baselines.evaluation.records import Batch
from baselines.evaluation.restarting_pool import RestartingPool
from baselines.executors.errors import WorkerError as WorkerError
from baselines.support.main_script import check_workers_can_import
from minesweeper_env.compilation.cold_start import COLD_START
from minesweeper_env.compilation.live_line import say

NOTICE_SECONDS = 1.0
"""Time that the last notices of the workers have to arrive."""


_make_player: Callable[[], Player] | None = None
_player: Player | None = None
"""The player of this process if it is a worker; the first batch makes it, so that its errors reach the main process."""


@contextmanager
def worker_pool(workers: int, start: Callable[..., object] | None = None, *arguments: Any) -> Generator[Executor]:
    """Yields a pool of worker processes; they end with the pool and with this process.

    After a worker is killed, the pool starts again and repeats what was under way, a few times at most.

    Args:
        workers: number of processes.
        start: called once in each process; it must pickle.
        arguments: arguments of `start`; they must pickle.

    Raises:
        WorkerError: worker processes cannot be started, or were killed too often.
    """
    try:
        check_workers_can_import()
    except ValueError as error:
        raise WorkerError(str(error)) from error
    strangers = set(multiprocessing.active_children())
    # Forked workers would share the locks of threads that torch and numba may have running.
    context = multiprocessing.get_context("spawn")
    with _notices(context) as notices, _pool(workers, context, notices, start, arguments) as pool:
        try:
            yield pool
        except BaseException as error:
            pool.shutdown(wait=False, cancel_futures=True)
            for process in set(multiprocessing.active_children()) - strangers:
                process.terminate()
            if isinstance(error, BrokenExecutor):
                message = "worker processes were killed again and again, perhaps because memory ran out"
                raise WorkerError(message) from error
            raise


def _pool(workers: int, context: SpawnContext, *settings: Any) -> RestartingPool:
    """Returns the pool, whose workers `_start_worker` starts; the first one that acquires the lock announces."""
    try:
        lock = context.Lock()
        return RestartingPool(partial(ProcessPoolExecutor, workers, context, _start_worker, (lock, *settings)))
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


def play_in_pool(
    make_player: Callable[[], Player], batches: Sequence[Sequence[int]], workers: int, max_seconds: float | None
) -> Generator[Batch]:
    """Plays batches of games in worker processes, and yields the batches in order.

    Args:
        make_player: makes the player of a worker; it must pickle.
        batches: seeds of the games of each batch.
        workers: number of processes.
        max_seconds: time after which no further batch begins; None for no limit. The first batch is always played.
    """
    with worker_pool(min(workers, len(batches)), _set_player, make_player) as pool:
        futures = [pool.submit(_play, index, seeds) for index, seeds in enumerate(batches)]
        yield from _collect(futures, None if max_seconds is None else time.perf_counter() + max_seconds)


def _collect(futures: list[Future[Batch]], deadline: float | None) -> Generator[Batch]:
    for index, future in enumerate(futures):
        if deadline is not None and index > 0:
            try:
                future.exception(max(0.0, deadline - time.perf_counter()))
            except FutureTimeoutError:
                deadline = None
                _cancel(futures[index:])
        if future.cancelled():
            return
        yield future.result()


def _cancel(futures: Sequence[Future[Batch]]) -> None:
    """Cancels the batches that no worker has begun, last first, so that none begins meanwhile."""
    for future in reversed(futures):
        future.cancel()


def _start_worker(
    speaker: Any, notices: Connection | None, start: Callable[..., object] | None, arguments: Sequence[Any]
) -> None:
    """Ignores Ctrl-C, which the main process handles, and ends this process when the main process ends.

    Only the first worker that acquires the lock `speaker` announces compilations, because all of them compile the same.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    COLD_START.report_to(notices.send if notices is not None and speaker.acquire(block=False) else None)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if start is not None:
        start(*arguments)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _set_player(make_player: Callable[[], Player]) -> None:
    global _make_player
    _make_player = make_player


def _play(index: int, seeds: Sequence[int]) -> Batch:
    global _player
    if _make_player is None:
        raise RuntimeError("a worker must be started before it plays")
    if _player is None:
        _player = _make_player()
    return _player.play(index, seeds)
