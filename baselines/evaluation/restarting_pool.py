"""A process pool that starts again when a worker is killed, and repeats the calls that this cut short."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future
from functools import partial
from typing import Any

RESTARTS = 3
"""Number of times that a pool starts again: a call that kills every worker must end."""


class _Repeated(Future[Any]):
    """The result of a call that may run several times; it is cancelled only while no worker runs the call."""

    inner: Future[Any] | None = None

    def cancel(self) -> bool:
        """Cancels the call unless a worker has begun it."""
        return (self.inner is None or self.inner.cancel()) and super().cancel()


class RestartingPool(Executor):
    """Passes calls on to a process pool; each call must give the same result when it is repeated."""

    def __init__(self, make_pool: Callable[[], Executor]) -> None:
        """Starts the first pool; `make_pool` starts each one."""
        self._make_pool = make_pool
        self._pool = make_pool()
        self._left = RESTARTS
        self._lock = threading.Lock()

    def submit(self, work: Callable[..., Any], /, *arguments: Any, **settings: Any) -> Future[Any]:
        """Calls `work` in a worker."""
        future = _Repeated()
        self._begin(future, partial(work, *arguments, **settings))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Ends the pool; it does not start again."""
        with self._lock:
            self._left = 0
        self._pool.shutdown(wait, cancel_futures=cancel_futures)

    def _begin(self, future: _Repeated, call: Callable[[], Any]) -> None:
        pool = self._pool
        try:
            future.inner = pool.submit(call)
        except BrokenExecutor as error:
            self._repeat(future, call, pool, error)
        else:
            future.inner.add_done_callback(partial(self._end, future, call, pool))

    def _end(self, future: _Repeated, call: Callable[[], Any], pool: Executor, inner: Future[Any]) -> None:
        if inner.cancelled():
            future.cancel()
            return
        error = inner.exception()
        if isinstance(error, BrokenExecutor):
            self._repeat(future, call, pool, error)
        elif error is not None:
            future.set_exception(error)
        else:
            future.set_result(inner.result())

    def _repeat(self, future: _Repeated, call: Callable[[], Any], broken: Executor, error: BrokenExecutor) -> None:
        with self._lock:
            if broken is self._pool and self._left > 0:
                self._left -= 1
                line = "a worker process was killed, perhaps because memory ran out; its games are played again"
                print(f"{line} (restart {RESTARTS - self._left} of {RESTARTS})", file=sys.stderr, flush=True)
                self._pool = self._make_pool()
            renewed = broken is not self._pool
        if renewed:
            self._begin(future, call)
        else:
            future.set_exception(error)
