"""Workers that carry out calls: this process, or worker processes on this machine; `baselines.cluster` has Ray's."""

import multiprocessing
import os
import re
import signal
import threading
from argparse import ArgumentTypeError
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from multiprocessing.connection import Connection
from queue import SimpleQueue
from typing import Any

from baselines.process import use_one_thread
from minesweeper_env.console import say, show_compilations

MOST_KILLS = 4
"""Number of workers that one call may kill."""

LOOK_SECONDS = 1.0
"""Time between two looks while no call ends."""

LOCAL, AUTO = "local", "auto"
"""Addresses: a cluster of this machine alone, started for the command; and the one that Ray finds."""

_ADDRESS = re.compile(r"(\[[0-9A-Fa-f:]+\]|[^\s:/\[\]]+):(\d{1,5})")

Call = tuple[Any, ...]
"""Arguments of a call."""


class WorkerError(RuntimeError):
    """Workers cannot be started, or ended before their work was done; the message is one line."""


class KilledWorkerError(WorkerError):
    """A call killed its worker as often as a call may.

    Attributes:
        call: its arguments.
    """

    def __init__(self, call: Call, kills: int = MOST_KILLS) -> None:
        super().__init__(f"killed its worker {kills} times, perhaps because memory ran out")
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


def cluster_address(text: str) -> str:
    """Returns the address of a cluster: "local", "auto" or HOST:PORT; refuses other texts."""
    match = _ADDRESS.fullmatch(text)
    if text in (LOCAL, AUTO) or (match is not None and 0 < int(match[2]) < 1 << 16):
        return text
    raise ArgumentTypeError(
        f"the address of a cluster is {AUTO}, {LOCAL} or HOST:PORT such as 10.0.0.1:6379, not {text!r}; the command "
        "must run on a node of the cluster"
    )


def local_workers(workers: int) -> AbstractContextManager[Workers]:
    """Returns so many worker processes, which end with the context; 1 works in this process."""
    return nullcontext(Workers()) if workers == 1 else worker_pool(workers)


class ProcessPool(Workers):
    """Worker processes, each an executor of its own: a killed one costs the call that it ran, and no other."""

    def __init__(self, count: int, kills: int = MOST_KILLS) -> None:
        """Prepares the workers, which start with their first calls; raises OSError where that is impossible."""
        self._kills, self._context = kills, multiprocessing.get_context("spawn")
        # Workers end when this process closes one end, by its own end or by a kill too.
        self._theirs, self._ours = self._context.Pipe(duplex=False)
        self._executors = [self._executor(number) for number in range(count)]
        self._free: SimpleQueue[int] = SimpleQueue()
        for number in range(count):
            self._free.put(number)
        self._threads = ThreadPoolExecutor(count)

    @property
    def count(self) -> int:
        """The number of processes."""
        return len(self._executors)

    def run(
        self, work: Callable[..., Any], calls: Iterator[Call], on_look: Callable[[], object] = lambda: None
    ) -> Iterator[tuple[Call, Any]]:
        """Yields each call with its result; see `Workers.run`. As many calls wait as run, so that no worker idles."""
        flying: dict[Future[Any], Call] = {}
        while True:
            while len(flying) < 2 * self.count and (call := next(calls, None)) is not None:
                flying[self._threads.submit(self._carry_out, work, call)] = call
            if not flying:
                return
            done, _ = wait(flying, LOOK_SECONDS, FIRST_COMPLETED)
            if not done:
                on_look()
            for future in done:
                yield flying.pop(future), future.result()

    def _carry_out(self, work: Callable[..., Any], call: Call) -> Any:
        """Returns the result of a call in a free worker, which another one replaces if the call kills it."""
        number = self._free.get()
        try:
            for attempt in range(1, self._kills + 1):
                try:
                    return self._executors[number].submit(work, *call).result()
                except (BrokenProcessPool, MemoryError):
                    if self._ours.closed:
                        raise
                    self._executors[number].shutdown()
                    self._executors[number] = self._executor(number)
                if attempt < self._kills:
                    say(
                        "a worker process was killed, perhaps because memory ran out; "
                        f"its work is repeated (attempt {attempt + 1} of {self._kills})"
                    )
            raise KilledWorkerError(call, self._kills)
        finally:
            self._free.put(number)

    def _executor(self, number: int) -> ProcessPoolExecutor:
        # All workers compile the same, so the first one alone announces it.
        return ProcessPoolExecutor(1, self._context, _start_worker, (self._theirs, number == 0))

    def close(self) -> None:
        """Ends the workers at once."""
        self._ours.close()
        self._threads.shutdown(cancel_futures=True)
        for executor in self._executors:
            executor.shutdown()


@contextmanager
def worker_pool(workers: int, kills: int = MOST_KILLS) -> Generator[ProcessPool]:
    """Yields worker processes, of which one call may kill so many; they end with the context and with this process.

    Raises:
        WorkerError: worker processes cannot be started.
    """
    try:
        pool = ProcessPool(workers, kills)
    except OSError as error:
        # Their locks need shared memory, which some containers lack.
        raise WorkerError(f"no worker processes can be started here: {error.strerror}; use 1 worker") from error
    try:
        yield pool
    finally:
        pool.close()


def _start_worker(alive: Connection, announces: bool) -> None:
    """Ignores Ctrl-C, which the main process handles, and ends this process when the main process closes `alive`."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    use_one_thread()
    if not announces:
        show_compilations(None)
    threading.Thread(target=end_with, args=(alive,), daemon=True).start()


def end_with(alive: Connection) -> None:
    """Ends this process when another one, which holds the other end, ends or closes it."""
    with suppress(EOFError, OSError):
        alive.recv()
    os._exit(1)
