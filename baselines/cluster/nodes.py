"""Nodes of a cluster: which of them take part, and how many calls they carry out at a time."""

from __future__ import annotations

import threading
from contextlib import suppress
from types import ModuleType
from typing import Any, NamedTuple

from baselines.cluster.connection import ClusterError
from minesweeper_env.notices import say

LOOK_SECONDS = 1.0
"""Time between two looks at the nodes."""


class Demand(NamedTuple):
    """Processors and memory that a call needs on its node.

    Attributes:
        cpus: number of processors.
        memory: in bytes.
    """

    cpus: int
    memory: int

    def room(self, resources: dict[str, float]) -> int:
        """Returns the number of such calls that a node with some resources, as Ray names them, takes at a time."""
        return int(min(resources.get("CPU", 0) // self.cpus, resources.get("memory", 0) // self.memory))


UNIT_DEMAND = Demand(1, 1 << 30)
"""What a unit of games declares; an agent with PyTorch and the compiled kernels takes some 600 MB."""


class _Node(NamedTuple):
    name: str
    room: int


class Nodes:
    """Nodes that come and go; those whose installation differs are refused.

    A thread looks at them, because the call blocks when the head node is gone.

    Attributes:
        room: number of calls that the nodes carry out at a time.
    """

    def __init__(self, ray: ModuleType, demand: Demand) -> None:
        """Looks for the first time."""
        self.room = 0
        self._ray, self._demand = ray, demand
        self._refused: dict[str, str] = {}
        self._alive: dict[str, _Node] = {}
        self._is_told = False
        self._over = threading.Event()
        self._look()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def refuse(self, node: str, differences: str) -> None:
        """Sends no more calls to a node, and says why, once."""
        if node not in self._refused:
            name = self._alive[node].name if node in self._alive else node
            self._refused[node] = f"node {name} is refused: {differences}"
            say(self._refused[node])
            self._count()

    def selector(self) -> dict[str, str]:
        """Returns the labels of the nodes that may run a call, as Ray takes them."""
        return {"ray.io/node-id": f"!in({','.join(self._refused)})"} if self._refused else {}

    def check(self) -> None:
        """Says once that no node has room for a call.

        Raises:
            ClusterError: the reason is that all nodes are refused.
        """
        if self.room > 0 or not self._alive:
            return
        reasons = "; ".join(reason for node, reason in self._refused.items() if node in self._alive)
        if reasons:
            raise ClusterError(f"no node of the cluster can play these games: {reasons}")
        if not self._is_told:
            self._is_told = True
            cpus, memory = self._demand.cpus, self._demand.memory / (1 << 30)
            say(f"waiting for a node: none has {cpus} CPU and {memory:.1f} GiB of memory for a call")

    def close(self) -> None:
        """Looks no more."""
        self._over.set()
        # Where the head node is gone, the thread never ends.
        self._thread.join(LOOK_SECONDS)

    def _watch(self) -> None:
        while not self._over.wait(LOOK_SECONDS):
            # The connection itself watches the head node.
            with suppress(Exception):
                self._look()

    def _look(self) -> None:
        nodes: list[dict[str, Any]] = self._ray.nodes()
        self._alive = {
            node["NodeID"]: _Node(node["NodeManagerHostname"], self._demand.room(node["Resources"]))
            for node in nodes
            if node["Alive"]
        }
        self._count()

    def _count(self) -> None:
        self.room = sum(node.room for key, node in self._alive.items() if key not in self._refused)
