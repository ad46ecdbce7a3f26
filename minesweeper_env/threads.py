"""Division of one call among threads: parts of a batch, and the pool of threads that work on them."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from itertools import pairwise
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

from minesweeper_env.config import whole_number

Item = TypeVar("Item")
Result = TypeVar("Result")


def split(count: int, parts: int) -> list[slice]:
    """Returns slices of 0..count-1 in order, of nearly equal lengths: `parts` of them, fewer if `count` is smaller.

    There is always one slice, which is empty if `count` is 0.
    """
    parts = max(1, min(parts, count))
    ends = [count * part // parts for part in range(parts + 1)]
    return [slice(begin, end) for begin, end in pairwise(ends)]


class ThreadPool:
    """The calling thread and helpers, which work together on the items of one call.

    The helpers start when a call first needs them. They end with `close`, or with the pool itself. A copy of a pool,
    and a pool in a forked process, start helpers of their own.

    Attributes:
        threads: the number of threads, the calling one included.
    """

    def __init__(self, threads: int = 1) -> None:
        """Prepares a pool that has no helpers yet.

        Raises:
            ValueError: `threads` is not a whole number of at least 1.
        """
        self.threads = whole_number("threads", threads, 1)
        self._stopping = False
        self._process = os.getpid()
        self._executor: ThreadPoolExecutor | None = None

    def run(self, task: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
        """Calls a task for each item, and returns the results in order once no task runs any longer.

        A thread that has finished an item takes the next one, in order.

        Raises:
            Exception: the first error, in the order of the items, of a task. Later items are left out.
        """
        self._stopping = False
        if min(self.threads, len(items)) == 1:
            return [task(item) for item in items]
        shared = _Shared(self, task, items)
        try:
            for _ in range(min(self.threads, len(items)) - 1):
                self._helpers().submit(shared.help)
            shared.work()
        except BaseException:
            shared.stop()
            raise
        finally:
            shared.finish()
        return shared.results()

    def check(self) -> None:
        """Ends a task early that calls this from time to time, once another task of the same call has failed.

        Raises:
            CancelledError: the call is about to fail; `run` raises the other error.
        """
        if self._stopping:
            raise CancelledError

    def stop(self) -> None:
        """Makes `check` end the tasks of the present call."""
        self._stopping = True

    def close(self) -> None:
        """Ends the helpers, if there are any; a later call starts new ones."""
        executor, self._executor = self._executor, None
        # In a forked process the helpers are gone, and a helper that collects garbage cannot wait for itself.
        if executor is not None and self._process == os.getpid():
            executor.shutdown(wait=not getattr(_THREAD, "helps", False))

    def __enter__(self) -> Self:
        """Returns the pool, which ends with the block."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Closes the pool."""
        self.close()

    def __reduce__(self) -> tuple[type[ThreadPool], tuple[int]]:
        """Leaves the helpers out of pickles and copies."""
        return type(self), (self.threads,)

    def _helpers(self) -> ThreadPoolExecutor:
        if self._executor is None or self._process != os.getpid():
            self._process = os.getpid()
            self._executor = ThreadPoolExecutor(self.threads - 1, "minesweeper_env", _mark_as_helper)
        return self._executor


class _Shared(Generic[Item, Result]):
    """Items that several threads take one by one."""

    def __init__(self, pool: ThreadPool, task: Callable[[Item], Result], items: Sequence[Item]) -> None:
        self._pool = pool
        self._task = task
        self._waiting = deque(enumerate(items))
        self._results: dict[int, Result] = {}
        self._errors: dict[int, BaseException] = {}
        self._helping: set[threading.Lock] = set()
        self._finished = False

    def help(self) -> None:
        """Works in a helper, unless the call is over already."""
        working = threading.Lock()
        working.acquire()
        # Either this line comes first and `finish` waits, or `finish` does and nothing is done here.
        self._helping.add(working)
        try:
            if not self._finished:
                self.work()
        finally:
            self._helping.remove(working)
            working.release()

    def work(self) -> None:
        """Works on one item after the other until none is left."""
        while self._waiting:
            try:
                number, item = self._waiting.popleft()
            except IndexError:
                # Another thread was faster.
                return
            try:
                self._results[number] = self._task(item)
            except CancelledError:
                return
            except BaseException as error:
                self._errors[number] = error
                self.stop()

    def stop(self) -> None:
        """Leaves out the items that no thread has taken."""
        self._pool.stop()
        self._waiting.clear()

    def finish(self) -> None:
        """Waits until no helper works; an interrupt meanwhile stops them, and is raised once they have stopped."""
        interrupt: KeyboardInterrupt | None = None
        self._finished = True
        for working in list(self._helping):
            while working in self._helping:
                try:
                    working.acquire()
                except KeyboardInterrupt as error:
                    interrupt = error
                    self.stop()
        # A helper that begins late would keep the arrays of the task in use.
        del self._task
        if interrupt is not None:
            raise interrupt

    def results(self) -> list[Result]:
        """Returns the results in order; raises an interrupt if there is one, otherwise the first error."""
        try:
            if self._errors:
                raise min(self._errors.items(), key=lambda error: (isinstance(error[1], Exception), error[0]))[1]
            return [self._results[number] for number in range(len(self._results))]
        finally:
            # An error refers to the frames that raised it, and so to this object.
            self._errors.clear()


_THREAD: Any = threading.local()
"""Knows of each thread whether it helps."""


def _mark_as_helper() -> None:
    _THREAD.helps = True
