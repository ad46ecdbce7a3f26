"""A pool of processes in which a killed worker costs the call that it ran, and no other."""

from __future__ import annotations

import pickle
import threading
import traceback
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnContext
from multiprocessing.process import BaseProcess
from typing import Any

from baselines.executors.errors import KilledWorkerError, WorkerError
from baselines.executors.executor import Workers
from minesweeper_env.notices import say

MOST_KILLS = 4
"""Number of workers that one call may kill, and of workers that may end in a row before they are ready."""

_READY = b""
_GONE = (EOFError, OSError)
"""What the connection to a worker that has ended raises."""


@dataclass(eq=False)
class _Call:
    """A call, pickled, and the number of workers that it has killed."""

    content: bytes
    future: Future[Any] = field(default_factory=Future)
    kills: int = 0


@dataclass(eq=False)
class _Worker:
    """A process, the connection to it, and the call that it runs."""

    process: BaseProcess
    connection: Connection
    is_ready: bool = False
    call: _Call | None = None


class ProcessPool(Workers):
    """Passes calls on to worker processes; a call whose worker is killed runs again, so it must give the same result.

    One thread talks to the workers. It starts a new worker in place of one that ended.
    """

    def __init__(self, workers: int, context: SpawnContext, start: Callable[[], object]) -> None:
        """Starts the workers.

        Args:
            workers: number of processes.
            context: starts them.
            start: called once in each process; it must pickle.

        Raises:
            OSError: a process cannot be started.
        """
        self._count, self._context, self._start = workers, context, start
        self._waiting: deque[_Call] = deque()
        self._failed_starts = 0
        self._is_closing, self._is_over = False, False
        self._lock = threading.Lock()
        self._bell, self._rope = context.Pipe(duplex=False)
        self._workers: list[_Worker] = []
        try:
            while len(self._workers) < workers:
                self._workers.append(self._new_worker())
        except BaseException:
            self.terminate()
            raise
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    @property
    def workers(self) -> int:
        """The number of processes."""
        return self._count

    @property
    def places(self) -> int:
        """Twice the number of processes."""
        return 2 * self._count

    def submit(self, work: Callable[..., Any], /, *arguments: Any, **settings: Any) -> Future[Any]:
        """Calls `work` in a worker. The future raises what `work` raises, or a `KilledWorkerError`."""
        call = _Call(pickle.dumps(partial(work, *arguments, **settings)))
        with self._lock:
            if self._is_closing:
                raise RuntimeError("the pool was shut down and takes no more calls")
            self._waiting.append(call)
        self._ring()
        return call.future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Ends the workers when all calls are done; see `concurrent.futures.Executor.shutdown`."""
        with self._lock:
            self._is_closing = True
            waiting = list(self._waiting) if cancel_futures else []
        for call in waiting:
            call.future.cancel()
        self._ring()
        if wait:
            self._thread.join()

    def terminate(self) -> None:
        """Ends the workers at once; calls under way get no result."""
        self._is_closing = self._is_over = True
        for worker in list(self._workers):
            worker.process.terminate()
        self._ring()

    def _ring(self) -> None:
        with suppress(OSError):
            self._rope.send_bytes(_READY)

    def _new_worker(self) -> _Worker:
        own, theirs = self._context.Pipe()
        process = self._context.Process(target=_serve, args=(theirs, self._start), daemon=False)
        process.start()
        # Without this copy, the connection ends with the process.
        theirs.close()
        return _Worker(process, own)

    def _run(self) -> None:
        while not self._is_over and (self._waiting or not self._is_closing or any(each.call for each in self._workers)):
            self._assign()
            by_connection = {worker.connection: worker for worker in self._workers}
            for connection in wait([self._bell, *by_connection]):
                if connection is self._bell:
                    self._bell.recv_bytes()
                else:
                    self._hear(by_connection[connection])  # type: ignore[index]
        for worker in self._workers:
            worker.connection.close()
        for worker in self._workers:
            worker.process.join()

    def _assign(self) -> None:
        """Gives waiting calls to idle workers."""
        for worker in self._workers:
            while worker.is_ready and worker.call is None and self._waiting:
                call = self._waiting.popleft()
                if call.future.running() or call.future.set_running_or_notify_cancel():
                    worker.call = call
                    # A worker that has just ended is heard of later.
                    with suppress(OSError):
                        worker.connection.send_bytes(call.content)

    def _hear(self, worker: _Worker) -> None:
        """Receives the answer of a worker, or its end."""
        try:
            answer = worker.connection.recv_bytes()
        except _GONE:
            self._replace(worker)
            return
        if not worker.is_ready:
            worker.is_ready, self._failed_starts = True, 0
        elif worker.call is not None:
            call, worker.call = worker.call, None
            _settle(call.future, answer)

    def _replace(self, worker: _Worker) -> None:
        """Starts a worker in place of one that ended, and puts its call first."""
        self._workers.remove(worker)
        worker.process.join()
        worker.connection.close()
        if self._is_over:
            return
        self._failed_starts += not worker.is_ready
        if self._failed_starts == MOST_KILLS:
            self._give_up(WorkerError(f"{MOST_KILLS} worker processes in a row ended before they were ready"))
            return
        if worker.call is not None:
            self._repeat(worker.call)
        try:
            self._workers.append(self._new_worker())
        except OSError as error:
            self._give_up(WorkerError(f"no worker process can be started in place of a killed one: {error.strerror}"))

    def _repeat(self, call: _Call) -> None:
        call.kills += 1
        if call.kills == MOST_KILLS:
            call.future.set_exception(KilledWorkerError(call.kills))
            return
        say(
            "a worker process was killed, perhaps because memory ran out; "
            f"its work is repeated (attempt {call.kills + 1} of {MOST_KILLS})"
        )
        self._waiting.appendleft(call)

    def _give_up(self, error: WorkerError) -> None:
        """Ends every call with an error."""
        with self._lock:
            self._is_closing = True
            calls = [*self._waiting, *(worker.call for worker in self._workers if worker.call is not None)]
            self._waiting.clear()
        for call in calls:
            if call.future.running() or call.future.set_running_or_notify_cancel():
                call.future.set_exception(error)
        self.terminate()


def _settle(future: Future[Any], answer: bytes) -> None:
    try:
        succeeded, value = pickle.loads(answer)
    except Exception as error:
        succeeded, value = False, error
    if succeeded:
        future.set_result(value)
    else:
        future.set_exception(value)


def _serve(connection: Connection, start: Callable[[], object]) -> None:
    """Answers calls in a worker process until the connection ends."""
    start()
    with suppress(*_GONE):
        connection.send_bytes(_READY)
        while True:
            connection.send_bytes(_answer(connection.recv_bytes()))


def _answer(content: bytes) -> bytes:
    """Makes a call, and returns its pickled result or exception."""
    try:
        return pickle.dumps((True, pickle.loads(content)()))
    except BaseException as error:
        error.add_note(f"In a worker process:\n{traceback.format_exc()}")
        try:
            content = pickle.dumps((False, error))
            pickle.loads(content)
        except Exception:
            return pickle.dumps((False, WorkerError(f"{type(error).__name__}: {error}")))
        return content
