"""Nodes of a cluster: which of them take part, and how many processors they have at this moment."""

from __future__ import annotations

import threading
from types import ModuleType

from baselines.cluster.connection import ClusterError
from minesweeper_env.compilation.live_line import say

LOOK_SECONDS = 1.0
"""Time between two looks at the nodes."""


class Nodes:
    """Nodes that come and go; those whose installation differs are refused.

    A thread looks at them, because the call blocks when the head node is gone.
    """

    def __init__(self, ray: ModuleType) -> None:
        """Looks for the first time."""
        self.processors = 0
        self._ray = ray
        self._refused: dict[str, str] = {}
        self._alive: dict[str, tuple[str, int]] = {}
        self._over = threading.Event()
        self._look()
        threading.Thread(target=self._watch, daemon=True).start()

    def refuse(self, node: str, differences: str) -> None:
        """Sends no more calls to a node, and says why, once."""
        if node not in self._refused:
            name = self._alive.get(node, (node, 0))[0]
            self._refused[node] = f"node {name} is refused: {differences}"
            say(self._refused[node])
            self._count()

    def selector(self) -> dict[str, str]:
        """Returns the labels of the nodes that may run a call, as Ray takes them."""
        return {"ray.io/node-id": f"!in({','.join(self._refused)})"} if self._refused else {}

    def check(self) -> None:
        """Raises a ClusterError if there are nodes, and all of them are refused."""
        if self._alive and all(node in self._refused for node, (_, count) in self._alive.items() if count):
            reasons = "; ".join(self._refused[node] for node in self._alive if node in self._refused)
            raise ClusterError(f"no node of the cluster can play these games: {reasons}")

    def close(self) -> None:
        """Looks no more."""
        self._over.set()

    def _watch(self) -> None:
        while not self._over.wait(LOOK_SECONDS):
            self._look()

    def _look(self) -> None:
        self._alive = {
            node["NodeID"]: (node["NodeManagerHostname"], int(node["Resources"].get("CPU", 0)))
            for node in self._ray.nodes()
            if node["Alive"]
        }
        self._count()

    def _count(self) -> None:
        self.processors = sum(count for node, (_, count) in self._alive.items() if node not in self._refused)
