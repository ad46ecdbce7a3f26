"""Workers that carry out calls: this process, or worker processes on this machine; `baselines.cluster` has Ray's."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from functools import partial
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from baselines.support.processes import use_one_thread
from minesweeper_env.notices import say, show_compilations

MOST_KILLS = 4
"""Number of workers that one call may kill."""

LOOK_SECONDS = 1.0
"""Time between two looks while no call ends."""

Call = tuple[Any, ...]
"""Arguments of a call."""


class WorkerError(RuntimeError):
    """Workers cannot be started, or ended before their work was done; the message is one line."""


class KilledWorkerError(WorkerError):
    """A call killed its worker as often as a call may.

    Attributes:
        call: its arguments.
    """

    def __init__(self, call: Call) -> None:
        """Stores the call."""
        super().__init__(f"killed its worker {MOST_KILLS} times, perhaps because memory ran out")
        self.call = call


class Workers:
    """Carries out calls one after the other in this process. Its heirs carry out several at a time, elsewhere."""

    @property
    def count(self) -> int:
        """The number of calls that are carried out at a time, at this moment."""
        return 1

    def run(
        self,
        work: Callable[..., Any],
        calls: Iterator[Call],
        on_look: Callable[[], object] = lambda: None,  # noqa: ARG002
    ) -> Iterator[tuple[Call, Any]]:
        """Yields each call with its result when it has ended, whatever their order; a lost call is carried out again.

        Args:
            work: what to call; elsewhere it must pickle, and so must the arguments.
            calls: the arguments of each call, taken when the call can begin.
            on_look: called every second while no call ends.

        Raises:
            KilledWorkerError: a call killed its worker again and again.
            WorkerError: there are no workers any more.
        """
        for call in calls:
            yield call, work(*call)


MakeWorkers = Callable[[], AbstractContextManager[Workers]]
"""A maker of workers, which end with the context."""


def local_workers(workers: int) -> MakeWorkers:
    """Returns the maker of so many worker processes; 1 works in this process."""
    return (lambda: nullcontext(Workers())) if workers == 1 else partial(worker_pool, workers)


class _Place(NamedTuple):
    """A call, the number of the worker that has it, and the number of workers that it has killed."""

    worker: int
    call: Call
    kills: int


class ProcessPool(Workers):
    """Worker processes, each an executor of its own: a killed one costs the call that it ran, and no other."""

    def __init__(self, count: int) -> None:
        """Prepares the workers, which start with their first calls; raises OSError where that is impossible."""
        self._context = multiprocessing.get_context("spawn")
        # Workers end when this process closes one end, by its own end or by a kill too.
        self._theirs, self._ours = self._context.Pipe(duplex=False)
        self._executors = [self._executor(number) for number in range(count)]

    @property
    def count(self) -> int:
        """The number of processes."""
        return len(self._executors)

    def run(
        self,
        work: Callable[..., Any],
        calls: Iterator[Call],
        on_look: Callable[[], object] = lambda: None,
    ) -> Iterator[tuple[Call, Any]]:
        """Yields each call with its result; see `Workers.run`. One call waits in each worker, so that none idles."""
        free = [*range(self.count), *range(self.count)]
        flying: dict[Future[Any], _Place] = {}
        while True:
            while free and (call := next(calls, None)) is not None:
                self._begin(flying, work, _Place(free.pop(0), call, 0))
            if not flying:
                return
            done, _ = wait(flying, LOOK_SECONDS, FIRST_COMPLETED)
            if not done:
                on_look()
            for future in [each for each in flying if each in done and not _is_lost(each)]:
                place = flying.pop(future)
                free.append(place.worker)
                yield place.call, future.result()
            for future in done:
                if future in flying:
                    self._repeat(flying, work, flying[future].worker)

    def _begin(self, flying: dict[Future[Any], _Place], work: Callable[..., Any], place: _Place) -> None:
        try:
            future = self._executors[place.worker].submit(work, *place.call)
        except BrokenProcessPool:
            self._executors[place.worker] = self._executor(place.worker)
            future = self._executors[place.worker].submit(work, *place.call)
        flying[future] = place

    def _repeat(self, flying: dict[Future[Any], _Place], work: Callable[..., Any], worker: int) -> None:
        """Begins the calls of a lost worker again; the first of them had run."""
        lost = [future for future, place in flying.items() if place.worker == worker]
        wait(lost)
        places = [flying.pop(future) for future in lost]
        if places[0].kills + 1 == MOST_KILLS:
            raise KilledWorkerError(places[0].call)
        say(
            "a worker process was killed, perhaps because memory ran out; "
            f"its work is repeated (attempt {places[0].kills + 2} of {MOST_KILLS})"
        )
        self._executors[worker].shutdown()
        self._executors[worker] = self._executor(worker)
        for number, place in enumerate(places):
            self._begin(flying, work, place._replace(kills=place.kills + (number == 0)))

    def _executor(self, number: int) -> ProcessPoolExecutor:
        # All workers compile the same, so the first one alone announces it.
        return ProcessPoolExecutor(1, self._context, _start_worker, (self._theirs, number == 0))

    def close(self) -> None:
        """Ends the workers at once."""
        self._ours.close()
        for executor in self._executors:
            executor.shutdown(cancel_futures=True)


@contextmanager
def worker_pool(workers: int) -> Generator[ProcessPool]:
    """Yields worker processes; they end with the context and with this process.

    Raises:
        WorkerError: worker processes cannot be started.
    """
    try:
        pool = ProcessPool(workers)
    except OSError as error:
        # Their locks need shared memory, which some containers lack.
        raise WorkerError(f"no worker processes can be started here: {error.strerror}; use 1 worker") from error
    try:
        yield pool
    finally:
        pool.close()


def _is_lost(future: Future[Any]) -> bool:
    """Returns whether a call that ended lost its worker, or found too little memory."""
    return isinstance(future.exception(), (BrokenProcessPool, MemoryError))


def _start_worker(alive: Connection, announces: bool) -> None:
    """Ignores Ctrl-C, which the main process handles, and ends this process when the main process closes `alive`."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    use_one_thread()
    if not announces:
        show_compilations(None)
    threading.Thread(target=_end_with, args=(alive,), daemon=True).start()


def _end_with(alive: Connection) -> None:
    with suppress(EOFError, OSError):
        alive.recv()
    os._exit(1)
