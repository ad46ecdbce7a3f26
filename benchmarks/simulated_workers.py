"""Executor without processes: each call takes a fixed time, and its hand-over costs processor time of the driver."""

from __future__ import annotations

import heapq
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from baselines.cluster.pool import CALLS_PER_CPU
from baselines.executors.executor import Workers


class SimulatedWorkers(Workers):
    """Many workers, simulated by one thread that ends their calls in time."""

    def __init__(self, count: int, seconds: float, cost: float, result: Any) -> None:
        """Starts the thread.

        Args:
            count: number of workers.
            seconds: duration of each call.
            cost: seconds of processor time that the driver spends on each call.
            result: what each call returns.
        """
        self._count, self._seconds, self._cost, self._result = count, seconds, cost, result
        self._waiting: deque[Future[Any]] = deque()
        self._ends: list[tuple[float, int, Future[Any]]] = []
        self._change = threading.Condition()
        self._number, self._is_over = 0, False
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    @property
    def workers(self) -> int:
        """The number of workers."""
        return self._count

    @property
    def places(self) -> int:
        """As many calls for each worker as on a cluster."""
        return CALLS_PER_CPU * self._count

    def submit(self, _work: Callable[..., Any], /, *_arguments: Any, **_settings: Any) -> Future[Any]:
        """Takes a call, which is not carried out."""
        _spend(self._cost)
        future: Future[Any] = Future()
        with self._change:
            self._waiting.append(future)
            self._change.notify()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: ARG002
        """Ends the thread."""
        with self._change:
            self._is_over = True
            self._change.notify()
        if wait:
            self._thread.join()

    def _run(self) -> None:
        while True:
            with self._change:
                if self._is_over:
                    return
                ended = self._advance(time.monotonic())
                if not ended:
                    self._change.wait(self._ends[0][0] - time.monotonic() if self._ends else None)
            for future in ended:
                future.set_result(self._result)

    def _advance(self, now: float) -> list[Future[Any]]:
        """Returns the calls that have ended, and begins waiting ones in their place."""
        ended = []
        while self._ends and self._ends[0][0] <= now:
            ended.append(heapq.heappop(self._ends)[2])
        while self._waiting and len(self._ends) < self._count:
            self._number += 1
            heapq.heappush(self._ends, (now + self._seconds, self._number, self._waiting.popleft()))
        return ended


def _spend(seconds: float) -> None:
    """Uses the processor for some time."""
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass
