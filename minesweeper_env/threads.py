"""Division of one call among threads, and what threads must not share: scratch arrays that they borrow."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import contextmanager
from itertools import pairwise
from typing import Any, Generic, Self, TypeVar

from minesweeper_env.config import whole_number

Item = TypeVar("Item")
Result = TypeVar("Result")
_NAME = "minesweeper_env"


def split(count: int, parts: int) -> list[slice]:
    """Returns slices of 0..count-1 in order, of nearly equal lengths: `parts` of them, fewer if `count` is smaller.

    There is always one slice, which is empty if `count` is 0.
    """
    parts = max(1, min(parts, count))
    ends = [count * part // parts for part in range(parts + 1)]
    return [slice(begin, end) for begin, end in pairwise(ends)]


class Lender(Generic[Item]):
    """Lends out objects of one kind, so that no two threads use the same one, and keeps the returned ones."""

    def __init__(self, make: Callable[[], Item]) -> None:
        """Keeps the function that makes an object when all others are lent."""
        self._make = make
        self._spare: list[Item] = []

    def borrow(self) -> Item:
        """Returns an object that nobody else holds."""
        try:
            return self._spare.pop()
        except IndexError:
            return self._make()

    def give_back(self, item: Item) -> None:
        """Keeps an object for the next caller."""
        self._spare.append(item)

    @contextmanager
    def lend(self) -> Iterator[Item]:
        """Lends an object for the length of a block."""
        item = self.borrow()
        try:
            yield item
        finally:
            self.give_back(item)

    def __reduce__(self) -> tuple[Any, ...]:
        """Leaves the objects out of pickles and copies, as they can be made again."""
        return type(self), (self._make,)


class ThreadPool:
    """The calling thread and helpers, which work together on the items of one call.

    The helpers start when a call first needs them. They end with `close`, or with the pool itself. A copy of a pool,
    and a pool in a forked process, start helpers of their own.

    Attributes:
        threads: the number of threads, the calling one included.
    """

    def __init__(self, threads: int = 1) -> None:
        """Prepares a pool without helpers; raises ValueError unless `threads` is a whole number of at least 1."""
        self.threads = whole_number("threads", threads, 1)
        self._stopping = False
        self._process = os.getpid()
        self._executor: ThreadPoolExecutor | None = None

    def run(self, task: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
        """Calls a task for each item, and returns the results in order once no task runs any longer.

        Raises:
            Exception: the first error, in the order of the items, of a task. Later items are left out.
        """
        self._stopping = False
        if min(self.threads, len(items)) <= 1:
            return [task(item) for item in items]
        own: dict[int, Result] = {}
        # The first item is the caller's; whatever no helper has begun by then is, too.
        futures: list[Future[Result]] = [Future()]
        number = 0
        try:
            futures += [self._helpers().submit(task, item) for item in items[1:]]
            for number, future in enumerate(futures):
                if future.cancel():
                    own[number] = task(items[number])
            number = len(items)
            return [own[k] if k in own else future.result() for k, future in enumerate(futures)]
        except BaseException as error:
            self._stopping = True
            # Waits for the tasks under way.
            self.close()
            failure = _first(futures[:number], error)
        try:
            raise failure
        finally:
            # An error refers to the frames that raised it, and so to this one.
            del failure, futures

    def check(self) -> None:
        """Ends a task early that calls this from time to time, once another task of the same call has failed.

        Raises:
            CancelledError: the call is about to fail; `run` raises the other error.
        """
        if self._stopping:
            raise CancelledError

    def close(self) -> None:
        """Ends the helpers, if there are any; a later call starts new ones."""
        executor, self._executor = self._executor, None
        # In a forked process the helpers are gone, and a helper that collects garbage cannot wait for itself.
        if executor is not None and self._process == os.getpid():
            executor.shutdown(not threading.current_thread().name.startswith(_NAME), cancel_futures=True)

    def __enter__(self) -> Self:
        """Returns the pool, which ends with the block."""
        return self

    def __exit__(self, *_: object) -> None:
        """Closes the pool."""
        self.close()

    def __reduce__(self) -> tuple[Any, ...]:
        """Leaves the helpers out of pickles and copies."""
        return type(self), (self.threads,)

    def _helpers(self) -> ThreadPoolExecutor:
        if self._executor is None or self._process != os.getpid():
            self._process = os.getpid()
            self._executor = ThreadPoolExecutor(self.threads - 1, _NAME)
        return self._executor


def _first(futures: Sequence[Future[Any]], error: BaseException) -> BaseException:
    """Returns an interrupt as it is, otherwise the first error of some ended calls in their order, if there is one."""
    errors = (future.exception() for future in futures if not future.cancelled() and isinstance(error, Exception))
    return next((each for each in errors if each and not isinstance(each, CancelledError)), error)
