"""Thread pool that divides one call, and pools that lend objects, such as scratch arrays, to one thread at a time."""

import os
import weakref
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from itertools import pairwise
from queue import SimpleQueue
from threading import Thread
from typing import Any, Generic, TypeVar

from minesweeper_env.config import whole_number

Item = TypeVar("Item")
Result = TypeVar("Result")


def split(count: int, parts: int) -> list[slice]:
    """Returns slices that divide range(count) in order and nearly equally: min(parts, count) of them, at least 1."""
    parts = max(1, min(parts, count))
    ends = [count * part // parts for part in range(parts + 1)]
    return [slice(begin, end) for begin, end in pairwise(ends)]


class ObjectPool(Generic[Item]):
    """Lends out objects of one kind, so that no two threads use the same one, and keeps the returned ones."""

    def __init__(self, make: Callable[[], Item]) -> None:
        """Starts an empty pool; `make` makes an object when all others are lent."""
        self._make = make
        self._spare: list[Item] = []

    @contextmanager
    def lend(self) -> Iterator[Item]:
        """Lends an object for the length of a `with` block, in which nobody else holds it."""
        try:
            item = self._spare.pop()
        except IndexError:
            item = self._make()
        try:
            yield item
        finally:
            self._spare.append(item)

    def __reduce__(self) -> tuple[Any, ...]:
        """Leaves the objects out of pickles and copies, as they can be made again."""
        return type(self), (self._make,)


Work = Callable[[], None]


class ThreadPool:
    """Threads that work together on the items of one call: the calling thread, and others that help it.

    The others start when a call first needs them, and end with `close`, or with the pool itself. A copy of a pool, and
    a pool in a forked process, start threads of their own.

    A `ThreadPoolExecutor` needs some 100 us to hand a call over and to wake the caller, as long as a step itself may
    take. A `SimpleQueue` needs some 20 us.

    Attributes:
        threads: the number of threads, the calling one included.
    """

    def __init__(self, threads: int = 1) -> None:
        """Prepares a pool; raises ValueError unless `threads` is a whole number of at least 1."""
        self.threads = whole_number("threads", threads, 1)
        self._stopping = False
        self._process = os.getpid()
        self._calls: SimpleQueue[Work | None] | None = None

    def run(self, task: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
        """Calls a task for each item in the threads; returns the results in the order of the items.

        Raises:
            Exception: of the tasks that failed, the error of the first item. No thread then runs a task any longer.
        """
        if min(self.threads, len(items)) <= 1:
            return [task(item) for item in items]
        self._stopping = False
        pending, results, errors = iter(range(len(items))), dict[int, Result](), dict[int, Exception]()

        def work() -> None:
            # Each thread takes the next item. So the items begin in order, and an error leaves out only later ones.
            while not errors and (index := next(pending, None)) is not None:
                try:
                    results[index] = task(items[index])
                except Exception as error:
                    errors[index] = error
                    self._stopping = results.keys() >= {*range(index)}  # no earlier item can still fail

        self._work_together(work, min(self.threads, len(items)) - 1)
        if errors:
            raise errors[min(errors)]
        return [results[index] for index in range(len(items))]

    def _work_together(self, work: Work, helpers: int) -> None:
        """Calls `work` in the calling thread and in `helpers` others at once; returns when all calls have ended."""
        calls, started = self._queue(), 0
        ended, wake_up = list[None](), SimpleQueue[None]()  # each gets one None from every helper that ends

        def help_out() -> None:
            try:
                work()
            finally:
                ended.append(None)
                wake_up.put(None)

        try:
            while started < helpers:
                calls.put(help_out)
                started += 1
            work()
            while len(ended) < started:
                wake_up.get()
        except BaseException:
            # The calling thread was interrupted. Its caller takes the arrays back, so the helpers must end first. An
            # interrupt right after a `get` loses what it returned, so `ended` counts the helpers, and not `wake_up`.
            self._stopping = True
            while len(ended) < started:
                wake_up.get()
            raise

    def check(self) -> None:
        """Raises a CancelledError if the present `run` is to stop; long tasks call this now and then."""
        if self._stopping:
            raise CancelledError

    def close(self) -> None:
        """Ends the threads, if there are any; a later call starts new ones."""
        if self._calls is not None:
            _end(self._calls, self.threads - 1)
            self._calls = None

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.threads,)

    def _queue(self) -> SimpleQueue[Work | None]:
        """Returns the queue from which the other threads take their work; starts these threads if there are none."""
        if self._calls is None or self._process != os.getpid():
            self._process, self._calls = os.getpid(), SimpleQueue()
            for _ in range(self.threads - 1):
                Thread(target=_serve, args=(self._calls,), daemon=True).start()
            weakref.finalize(self, _end, self._calls, self.threads - 1)
        return self._calls


# A function outside the class, because a thread that knew its pool would keep it alive.
def _serve(calls: SimpleQueue[Work | None]) -> None:
    while (work := calls.get()) is not None:
        work()
        # The arrays that the work refers to must not live until the next call.
        del work


def _end(calls: SimpleQueue[Work | None], threads: int) -> None:
    for _ in range(threads):
        calls.put(None)
