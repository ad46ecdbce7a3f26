"""Connection to a cluster of Ray: its address, its start and end, and the watch over its head node.

Ray has no authentication by default, and its processes unpickle what they are sent. So the cluster that this module
starts itself listens on the loopback interface alone.
"""

from __future__ import annotations

import atexit
import os
import re
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from importlib import import_module
from types import ModuleType

from baselines.executors.errors import WorkerError
from baselines.support.extras import import_extra
from minesweeper_env.notices import say

LOCAL, AUTO = "local", "auto"
"""Addresses: a cluster of this machine alone, started for the command; and the one that Ray finds."""

PROBE_SECONDS, GONE_SECONDS = 2.0, 20.0
"""Time between two looks at the head node, and time without an answer after which it counts as gone. Ray itself ends
the process after 60 seconds."""

STORE_BYTES = 200_000_000
"""Size of the object store of a cluster that is started here; calls and results are small."""

_ADDRESS = re.compile(r"(\[[0-9A-Fa-f:]+\]|[^\s:/\[\]]+):(\d{1,5})")
_ENVIRONMENT = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0"}
"""Settings that Ray reads when it is imported: no reports to its makers, no warning about machines without a GPU."""


class ClusterError(WorkerError):
    """A cluster cannot be reached, refuses its work, or is lost; the message is one line."""


class Connection:
    """A connection to a cluster.

    Attributes:
        ray: the module `ray`, connected.
        address: host and port of the head node.
    """

    def __init__(self, ray: ModuleType, address: str) -> None:
        """Begins to watch the head node."""
        self.ray = ray
        self.address = address
        self._seen_at = time.monotonic()
        self._over = threading.Event()
        threading.Thread(target=self._watch, daemon=True).start()

    def check(self) -> None:
        """Raises a ClusterError if the head node has not answered for `GONE_SECONDS`."""
        if self.is_lost():
            raise ClusterError(f"the head node of the cluster at {self.address} does not answer any more")

    def is_lost(self) -> bool:
        """Returns whether the head node has not answered for `GONE_SECONDS`."""
        return time.monotonic() - self._seen_at > GONE_SECONDS

    def close(self) -> None:
        """Ends the connection, and the cluster if it was started here."""
        self._over.set()
        _on_sigterm(signal.SIG_DFL)
        if self.is_lost():
            leave_at_exit(self.ray)
        else:
            self.ray.shutdown()

    def _watch(self) -> None:
        while not self._over.wait(PROBE_SECONDS):
            with suppress(OSError):
                _probe(self.address)
                self._seen_at = time.monotonic()


def _on_sigterm(handler: Callable[..., object] | signal.Handlers) -> None:
    """Sets the handler of SIGTERM, unless the program has one of its own or another thread connects.

    Ray's handler ends the process without a message, so it is replaced.
    """
    before = signal.getsignal(signal.SIGTERM)
    is_free = before in (signal.SIG_DFL, signal.default_int_handler)
    is_rays = str(getattr(before, "__module__", "")).startswith("ray.")
    if threading.current_thread() is threading.main_thread() and (is_free or is_rays):
        signal.signal(signal.SIGTERM, handler)


def leave_at_exit(ray: ModuleType) -> None:
    """Lets this process end at once, with exit status 1, when Python ends.

    Ray would wait for an answer of the lost head node for a minute, and then print a paragraph and end the process.
    """
    atexit.unregister(ray.shutdown)
    atexit.register(_leave)


def _leave() -> None:
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    # Ray's threads crash in an interpreter that ends step by step.
    os._exit(1)


def parse_address(text: str) -> str:
    """Returns the address of a cluster: "local", "auto" or HOST:PORT.

    Raises:
        ValueError: it is none of these.
    """
    match = _ADDRESS.fullmatch(text)
    if text in (LOCAL, AUTO) or (match is not None and 0 < int(match[2]) < 1 << 16):
        return text
    raise ValueError(
        f"the address of a cluster is {AUTO}, {LOCAL} or HOST:PORT such as 10.0.0.1:6379, not {text!r}; the command "
        "must run on a node of the cluster"
    )


@contextmanager
def connected(address: str, cpus: int | None = None) -> Generator[Connection]:
    """Yields a connection to a cluster; a cluster of this machine alone ends with it.

    Args:
        address: an address that `parse_address` accepts.
        cpus: number of processors of the cluster "local"; None for those of the machine.

    Raises:
        ClusterError: there is no such cluster, it has another version of Ray or Python, or it cannot be started.
        MissingExtraError: Ray is not installed.
        ValueError: the address is none.
    """
    connection = connect(address, cpus)
    try:
        yield connection
    finally:
        connection.close()


def connect(address: str, cpus: int | None = None) -> Connection:
    """Returns a connection that the caller closes; see `connected`."""
    parse_address(address)
    os.environ |= {**_ENVIRONMENT, **os.environ}
    ray = import_extra("ray", "ray")
    # Ray prints a paragraph on stdout for each lost process, in the midst of the tables.
    vars(import_module("ray._private.worker"))["print_to_stdstream"] = _print_nothing
    own = {"num_cpus": cpus, "include_dashboard": False, "object_store_memory": STORE_BYTES} if address == LOCAL else {}
    say("Start Ray on this machine" if address == LOCAL else f"Connect to the cluster of Ray at {address}")
    try:
        head = address if address == LOCAL else _reachable(address)
        with _clusters_enabled(address != LOCAL):
            context = ray.init(head, log_to_driver=False, logging_level="CRITICAL", **own)
    except (ConnectionError, OSError, RuntimeError, ValueError) as error:
        raise ClusterError(_why(address, error)) from error
    # SIGTERM then ends the command as Ctrl-C does.
    _on_sigterm(signal.default_int_handler)
    return Connection(ray, context.address_info["gcs_address"])


@contextmanager
def _clusters_enabled(enabled: bool) -> Generator[None]:
    """Sets whether Ray may listen on other interfaces than the loopback one, which it does not by default on macOS.

    The end of the block restores what was set: a cluster that this process starts later must be reachable.
    """
    constants = vars(import_module("ray._private.ray_constants"))
    before = constants["ENABLE_RAY_CLUSTER"]
    constants["ENABLE_RAY_CLUSTER"] = enabled
    try:
        yield
    finally:
        constants["ENABLE_RAY_CLUSTER"] = before


def _print_nothing(*_arguments: object, **_settings: object) -> None:
    """Takes the place of the function with which Ray prints messages of its nodes."""


def _reachable(address: str) -> str:
    """Returns the host and port of a head node that answers; Ray would wait for minutes for one that does not.

    Raises:
        OSError: there is none.
    """
    services = import_module("ray._private.services")
    head: str = services.canonicalize_bootstrap_address_or_die(address)
    _probe(head)
    return head


def _probe(address: str) -> None:
    """Raises an OSError unless something listens at an address."""
    host, _, port = address.rpartition(":")
    socket.create_connection((host.strip("[]"), int(port)), PROBE_SECONDS).close()


def _why(address: str, error: Exception) -> str:
    """Returns why a cluster cannot be used, in one line."""
    text = " ".join(str(error).split())
    if "ersion mismatch" in text:
        return f"the cluster at {address} has another version of Ray or Python: {text}"
    if address == LOCAL:
        return f"Ray cannot be started on this machine: {text}"
    remedy = "start one with `ray start --head`, or name its address" if address == AUTO else "is `ray start` running?"
    return f"there is no cluster of Ray at {address}; {remedy}"
