"""Clusters of Ray on this machine, for tests: nodes that are killed, and nodes that join late."""

import os
import signal
import time
from collections.abc import Callable
from typing import Any

GIB = 1 << 30
STORE_BYTES = 100_000_000


class Nodes:
    """A head node without processors, whose address is `address`, and nodes that have so many; a block ends them."""

    def __init__(self, *cpus: int) -> None:
        from ray.cluster_utils import Cluster

        # By default the workers yield to all other programs, and starve beside busy ones.
        os.environ |= {"RAY_ENABLE_AUTO_CONNECT": "0", "RAY_worker_niceness": "0"}
        head = {"num_cpus": 0, "include_dashboard": False, "object_store_memory": STORE_BYTES}
        self._cluster = Cluster(initialize_head=True, head_node_args=head, shutdown_at_exit=False)
        self._nodes: list[Any] = []
        self.address: str = self._cluster.address
        for each in cpus:
            self.add_node(each)

    def add_node(self, cpus: int, environment: dict[str, str] | None = None) -> None:
        """Starts one more node, whose workers have some environment variables more."""
        options: dict[str, Any] = {"num_cpus": cpus, "object_store_memory": STORE_BYTES, "memory": 4 * cpus * GIB}
        if environment:
            options["env_vars"] = environment
        self._nodes.append(self._cluster.add_node(**options))

    def kill_node(self, number: int) -> None:
        """Kills the raylet of a node, whose workers end with it."""
        os.kill(self.raylet(number), signal.SIGKILL)

    def raylet(self, number: int) -> int:
        """Returns the process of the raylet of a node."""
        return int(self._nodes[number].all_processes["raylet"][0].process.pid)

    def __enter__(self) -> "Nodes":
        return self

    def __exit__(self, *_: object) -> None:
        """Ends all processes, and reaps them: one that stays would warn in a later test, which then fails."""
        nodes = [self._cluster.head_node, *self._nodes]
        started = [each.process for node in nodes for group in node.all_processes.values() for each in group]
        self._cluster.shutdown()
        for process in started:
            process.kill()
            process.wait()


def wait_until(is_so: Callable[[], object], seconds: float = 180.0) -> None:
    """Waits until a condition holds."""
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.05)
