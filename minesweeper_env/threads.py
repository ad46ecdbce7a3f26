"""Division of one call among threads, and what threads must not share: scratch arrays that they borrow."""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor, wait
from contextlib import contextmanager
from itertools import pairwise
from typing import Any, Generic, TypeVar

from minesweeper_env.config import whole_number

Item = TypeVar("Item")
Result = TypeVar("Result")


def split(count: int, parts: int) -> list[slice]:
    """Returns slices of 0..count-1 in order, nearly equally long: `parts` of them, or `count` if fewer, or one."""
    parts = max(1, min(parts, count))
    ends = [count * part // parts for part in range(parts + 1)]
    return [slice(begin, end) for begin, end in pairwise(ends)]


class ObjectPool(Generic[Item]):
    """Lends out objects of one kind, so that no two threads use the same one, and keeps the returned ones."""

    def __init__(self, make: Callable[[], Item]) -> None:
        """Keeps the function that makes an object when all others are lent."""
        self._make = make
        self._spare: list[Item] = []

    @contextmanager
    def lend(self) -> Iterator[Item]:
        """Lends an object, which nobody else holds for the length of a block."""
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


class ThreadPool:
    """Threads that work together on the items of one call.

    They start when a call first needs them, and end with `close`, or with the pool itself. A copy of a pool, and a pool
    in a forked process, start threads of their own.

    Attributes:
        threads: the number of threads; with one, the calling thread works alone.
    """

    def __init__(self, threads: int = 1) -> None:
        """Prepares a pool; raises ValueError unless `threads` is a whole number of at least 1."""
        self.threads = whole_number("threads", threads, 1)
        self._stopping = False
        self._process = os.getpid()
        self._executor: ThreadPoolExecutor | None = None

    def run(self, task: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
        """Calls a task for each item, and returns the results in order once no task runs any longer.

        Raises:
            Exception: the first error, in the order of the items, of a task. Items that have not begun are left out.
        """
        if min(self.threads, len(items)) <= 1:
            return [task(item) for item in items]
        self._stopping = False
        futures = [self._threads().submit(task, item) for item in items]
        try:
            return [future.result() for future in futures]
        except BaseException:
            self._stopping = True
            for future in futures:
                future.cancel()
            wait(futures)
            raise

    def check(self) -> None:
        """Raises a CancelledError in a task that calls this now and then, once the call has failed."""
        if self._stopping:
            raise CancelledError

    def close(self) -> None:
        """Ends the threads, if there are any; a later call starts new ones."""
        # They end with the executor; in a forked process they are gone already.
        self._executor = None

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.threads,)

    def _threads(self) -> ThreadPoolExecutor:
        if self._executor is None or self._process != os.getpid():
            self._process = os.getpid()
            self._executor = ThreadPoolExecutor(self.threads)
        return self._executor
