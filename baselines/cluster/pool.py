"""Executor on a cluster of Ray: calls go to the nodes that have the same installation, as many as their processors."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from queue import SimpleQueue
from types import ModuleType
from typing import Any

from baselines.cluster.connection import ClusterError, Connection, connected
from baselines.cluster.nodes import UNIT_DEMAND, Demand, Nodes
from baselines.cluster.parcels import pack
from baselines.cluster.remote import DONE, FOREIGN, Slot, make_remote
from baselines.executors.errors import KilledWorkerError
from baselines.executors.executor import MakeWorkers, Value, Workers
from baselines.executors.process_pool import MOST_KILLS
from baselines.support.reuse import own_identity
from minesweeper_env.notices import say

CALLS_PER_CPU = 4
"""Number of calls under way or waiting for each processor: none idles, and a new node soon has work."""


@dataclass(eq=False)
class _Call:
    """A call, the shared values that it takes, and the number of workers that it has killed."""

    content: bytes
    parcels: list[Any]
    future: Future[Any] = field(default_factory=Future)
    kills: int = 0


class RayPool(Workers):
    """Passes calls on to a cluster. A call whose worker or node is killed runs again, on any node."""

    def __init__(self, connection: Connection, demand: Demand = UNIT_DEMAND) -> None:
        """Reads the nodes of the cluster.

        Args:
            connection: to the cluster.
            demand: what each call declares.
        """
        self._ray, self._connection = connection.ray, connection
        self._nodes = Nodes(connection.ray, demand)
        # Workers that were killed are counted here, because Ray repeats a call without end where memory runs out.
        options = {"num_cpus": demand.cpus, "memory": demand.memory, "max_retries": 0}
        self._remote = connection.ray.remote(**options)(make_remote())
        self._identity = tuple(own_identity())
        self._shared: dict[int, tuple[Any, Any]] = {}
        self._under_way: set[_Call] = set()
        self._answers: SimpleQueue[tuple[_Call, Future[Any]] | None] = SimpleQueue()
        threading.Thread(target=self._settle_all, daemon=True).start()

    @property
    def ray(self) -> ModuleType:
        """The module `ray`, connected."""
        return self._ray

    @property
    def workers(self) -> int:
        """The number of calls that the nodes carry out at a time, as nodes come and go."""
        return max(1, self._nodes.room)

    @property
    def places(self) -> int:
        """Some calls for each one that is carried out."""
        return CALLS_PER_CPU * self.workers

    def share(self, value: Value) -> Value:
        """Puts a value, and the files that its use opens, into the object store; see `parcels`."""
        self._shared[id(value)] = value, self._ray.put(pack(value))
        return value

    def submit(self, work: Callable[..., Any], /, *arguments: Any, **settings: Any) -> Future[Any]:
        """Calls `work` on a node. The future raises what `work` raises, or a `KilledWorkerError`."""
        parcels: list[Any] = []
        placed = [self._place(each, parcels) for each in arguments]
        content = self._ray.cloudpickle.dumps((partial(work, **settings) if settings else work, placed))
        call = _Call(content, parcels)
        self._under_way.add(call)
        self._begin(call)
        return call.future

    def check(self) -> None:
        """Raises a ClusterError if the head node is gone, or all nodes are refused."""
        self._connection.check()
        self._nodes.check()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Ends the threads; see `concurrent.futures.Executor.shutdown`."""
        for call in list(self._under_way):
            if cancel_futures:
                call.future.cancel()
            elif wait:
                with suppress(Exception):
                    call.future.exception()
        self._nodes.close()
        self._answers.put(None)

    def _place(self, value: Any, parcels: list[Any]) -> Any:
        """Returns a value, or the slot of a shared one, whose reference is added to the parcels."""
        kept = self._shared.get(id(value))
        if kept is None:
            return value
        parcels.append(kept[1])
        return Slot(len(parcels) - 1)

    def _begin(self, call: _Call) -> None:
        remote = self._remote.options(label_selector=self._nodes.selector())
        future = remote.remote(self._identity, call.content, call.parcels).future()
        # Ray calls back on a thread of its own, on which no call may begin.
        future.add_done_callback(lambda ended: self._answers.put((call, ended)))

    def _settle_all(self) -> None:
        while (answer := self._answers.get()) is not None:
            call, ended = answer
            error = ended.exception()
            if call.future.cancelled():
                self._under_way.discard(call)
            elif error is None:
                self._settle(call, *ended.result())
            else:
                self._repeat(call, error)

    def _settle(self, call: _Call, kind: str, node: str, value: Any) -> None:
        if kind == FOREIGN:
            self._nodes.refuse(node, value)
            self._begin(call)
        else:
            self._end(call, value, kind == DONE)

    def _repeat(self, call: _Call, error: BaseException) -> None:
        """Repeats a call whose worker or node was lost; only what the call itself may have caused is counted."""
        errors = self._ray.exceptions
        what, attempt = "a node", ""
        if isinstance(error, (errors.WorkerCrashedError, errors.OutOfMemoryError)):
            call.kills += 1
            what, attempt = "a worker process", f" (attempt {call.kills + 1} of {MOST_KILLS})"
        elif not isinstance(error, (errors.NodeDiedError, errors.ObjectLostError, errors.LocalRayletDiedError)):
            self._end(call, ClusterError(f"a call on the cluster failed: {' '.join(str(error).split())}"), False)
            return
        if call.kills == MOST_KILLS:
            self._end(call, KilledWorkerError(call.kills), False)
        else:
            say(f"{what} of the cluster was lost; its work is repeated{attempt}")
            self._begin(call)

    def _end(self, call: _Call, value: Any, is_done: bool) -> None:
        self._under_way.discard(call)
        if call.future.set_running_or_notify_cancel():
            (call.future.set_result if is_done else call.future.set_exception)(value)


@contextmanager
def ray_pool(address: str, demand: Demand = UNIT_DEMAND) -> Generator[RayPool]:
    """Yields an executor on the cluster at an address; see `baselines.cluster.connection.connected`."""
    with connected(address) as connection:
        pool = RayPool(connection, demand)
        try:
            yield pool
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def ray_workers(address: str) -> MakeWorkers:
    """Returns the maker of an executor on the cluster at an address."""
    return partial(ray_pool, address)
