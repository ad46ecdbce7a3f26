"""Workers on a cluster of Ray (the extra `ray`), by Ray's public functions alone.

Ray has no authentication by default, and its processes unpickle what they are sent. So the cluster that this module
starts itself listens on the loopback interface alone.
"""

import json
import os
import shutil
import socket
import sys
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from baselines.checks import import_extra
from baselines.files import COPIES
from baselines.process import VARIABLES
from baselines.provenance import installation_id
from baselines.workers import AUTO, LOCAL, LOOK_SECONDS, MOST_KILLS, Call, KilledWorkerError, WorkerError, Workers
from minesweeper_env.console import say

CALLS_PER_CPU = 4
"""Number of calls under way or waiting for each processor: none idles, and a new node soon has work."""

Files = Mapping[str, Sequence[Path]]
"""Files that calls open, by the path that names the file or its folder."""


class ClusterError(WorkerError):
    """A cluster cannot be reached, or its nodes have another installation; the message is one line."""


class RayWorkers(Workers):
    """The processors of a cluster. Ray itself repeats a call whose worker or node is lost."""

    def __init__(self, ray: Any) -> None:
        self._ray = ray
        self._remote = ray.remote(num_cpus=1, max_retries=MOST_KILLS - 1)(_carry_out)

    @property
    def count(self) -> int:
        """The number of processors, as nodes come and go."""
        return max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    def run(
        self, work: Callable[..., Any], calls: Iterator[Call], on_look: Callable[[], object] = lambda: None
    ) -> Iterator[tuple[Call, Any]]:
        """Yields each call with its result; see `Workers.run`."""
        identity, flying = installation_id(), dict[Any, Call]()
        while True:
            places = CALLS_PER_CPU * self.count
            while len(flying) < places and (call := next(calls, None)) is not None:
                flying[self._remote.remote(identity, work, call)] = call
            if not flying:
                return
            done, _ = self._ray.wait(list(flying), timeout=LOOK_SECONDS)
            if not done:
                on_look()
            for reference in done:
                call = flying.pop(reference)
                yield call, self._result(reference, call)

    def _result(self, reference: Any, call: Call) -> Any:
        errors = self._ray.exceptions
        try:
            return self._ray.get(reference)
        except (errors.WorkerCrashedError, errors.OutOfMemoryError, errors.NodeDiedError) as error:
            raise KilledWorkerError(call) from error
        except errors.RayTaskError as error:
            raise error.cause from error
        except errors.RayError as error:
            raise ClusterError(f"a call on the cluster failed: {' '.join(str(error).split())}") from error


def _carry_out(identity: dict[str, str], work: Callable[..., Any], call: Call) -> Any:
    """Carries out a call on a node; raises a ClusterError if the installation differs from that of the command."""
    pairs = [(name, there, identity[name]) for name, there in installation_id().items()]
    if differences := "; ".join(f"{name} {there}, not {here}" for name, there, here in pairs if there != here):
        raise ClusterError(f"node {socket.gethostname()} has another installation: {differences}")
    return work(*call)


@contextmanager
def connected(address: str, files: Files) -> Generator[RayWorkers]:
    """Yields the workers of a cluster; a cluster of this machine alone ends with the context.

    Args:
        address: an address that `cluster_address` accepts.
        files: copied to the nodes, where `local_path` finds them.

    Raises:
        ClusterError: there is no such cluster, it has another version of Ray or Python, or it cannot be started.
        MissingExtraError: Ray is not installed.
    """
    # Ray reads these when it is imported: no reports to its makers, and the loopback interface alone.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    if address == LOCAL:
        os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
    # Where this file exists, `ray start` asks for its token, which `ray.init` sends only if it is told to.
    if address != LOCAL and (Path.home() / ".ray" / "auth_token").exists():
        os.environ.setdefault("RAY_AUTH_MODE", "token")
    ray: Any = import_extra("ray", "ray")
    say("Start Ray on this machine" if address == LOCAL else f"Connect to the cluster of Ray at {address}")
    # Ray prints a paragraph on stdout for each lost process, where tables belong.
    with TemporaryDirectory() as folder, redirect_stdout(sys.stderr):
        settings = {"log_to_driver": False, "logging_level": "CRITICAL", "runtime_env": _environment(folder, files)}
        if address == LOCAL:
            settings["include_dashboard"] = False
        try:
            host, _, port = address.rpartition(":")
            if host:  # Where nothing listens, Ray itself would wait for minutes.
                socket.create_connection((host.strip("[]"), int(port)), 2.0).close()
            ray.init(address, **settings)
        except Exception as error:  # Ray raises it where its node does not start in time.
            raise ClusterError(_why(address, error)) from error
        try:
            yield RayWorkers(ray)
        finally:
            ray.shutdown()


def _environment(folder: str, files: Files) -> dict[str, Any]:
    """Returns Ray's description of what workers need: one thread, and copies of files in their working folder."""
    copies: dict[str, str] = {}
    for number, (base, paths) in enumerate(files.items()):
        (Path(folder) / f"{number}").mkdir()
        for path in paths:
            shutil.copy(path, Path(folder) / f"{number}")
        inner = Path(base).name
        copies[base] = f"{number}/{inner}" if inner in [path.name for path in paths] else f"{number}"
    variables = dict.fromkeys(VARIABLES, "1") | {COPIES: json.dumps(copies)}
    return {"env_vars": variables} | ({"working_dir": folder} if files else {})


def _why(address: str, error: Exception) -> str:
    """Returns why a cluster cannot be used, in one line."""
    text = " ".join(str(error).split())
    if "ersion mismatch" in text:
        return f"the cluster at {address} has another version of Ray or Python: {text}"
    if address == LOCAL:
        return f"Ray cannot be started on this machine: {text}"
    remedy = "start one with `ray start --head`, or name its address" if address == AUTO else "is `ray start` running?"
    return f"there is no cluster of Ray at {address}; {remedy}"
