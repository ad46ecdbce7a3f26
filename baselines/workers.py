"""Workers that carry out calls: this process, worker processes on this machine, or a cluster of Ray.

Ray (the extra `ray`) is used by its public functions alone. It has no authentication by default, and its processes
unpickle what they are sent. So the cluster that this module starts itself listens on the loopback interface alone.
"""

import json
import multiprocessing
import os
import re
import shutil
import signal
import socket
import sys
import threading
from argparse import ArgumentTypeError
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext, redirect_stdout, suppress
from multiprocessing.connection import Connection
from pathlib import Path
from queue import SimpleQueue
from tempfile import TemporaryDirectory
from typing import Any

from baselines import checks, process, provenance
from baselines.files import COPIES
from minesweeper_env.console import say, show_compilations

MOST_KILLS = 4
"""Number of attempts after which a call that kills its workers is given up."""

LOOK_SECONDS = 1.0
"""Seconds between two calls of `on_look` while no call ends."""

LOCAL, AUTO = "local", "auto"
"""Addresses of Ray: a cluster started on this machine for the command, and the running cluster that Ray finds."""

CALLS_PER_CPU = 4
"""Number of calls that are submitted for each processor: none idles, and a new node soon has work."""

Files = Mapping[str, Sequence[Path]]
"""Files that calls open, by the path of the file, or of the folder with them, that the user typed."""

_ADDRESS = re.compile(r"(\[[0-9A-Fa-f:]+\]|[^\s:/\[\]]+):(\d{1,5})")

_NO_START = (
    "a worker process ended before its first call; it imports the script, so the script must be a file that starts its "
    'work below `if __name__ == "__main__":`; if it does so, memory ran out'
)

Call = tuple[Any, ...]


class WorkerError(RuntimeError):
    """Workers cannot be started, or ended before their work was done; the message is one line."""


class KilledWorkerError(WorkerError):
    """A call killed its worker `kills` times; `call` holds its arguments."""

    def __init__(self, call: Call, kills: int = MOST_KILLS) -> None:
        super().__init__(f"killed its worker {kills} times, perhaps because memory ran out")
        self.call = call


class Workers:
    """Carries out calls one after the other in this process; subclasses carry out several at a time, elsewhere."""

    count = 1
    """The number of calls that can be carried out at a time; on a cluster it may change."""

    def run(
        self,
        work: Callable[..., Any],
        calls: Iterator[Call],
        on_look: Callable[[], object] = lambda: None,  # noqa: ARG002
    ) -> Iterator[tuple[Call, Any]]:
        """Yields (call, work(*call)) as each call ends, in any order; a call whose worker is lost is repeated.

        `calls` is read lazily. Subclasses pickle the work and the calls, and call `on_look` every second while no call
        ends. Raises KilledWorkerError if a call kills its worker too often, and WorkerError if no worker is left.
        """
        for call in calls:
            yield call, work(*call)


def cluster_address(text: str) -> str:
    """Returns `text` if it is "local", "auto" or HOST:PORT; raises ArgumentTypeError for any other text."""
    match = _ADDRESS.fullmatch(text)
    if text in (LOCAL, AUTO) or (match is not None and 0 < int(match[2]) < 1 << 16):
        return text
    raise ArgumentTypeError(
        f"the address of a cluster is {AUTO}, {LOCAL} or HOST:PORT such as 10.0.0.1:6379, not {text!r}; the command "
        "must run on a node of the cluster"
    )


def local_workers(workers: int) -> AbstractContextManager[Workers]:
    """Returns a context of `workers` processes, which end with the block; for 1, this process works itself."""
    return nullcontext(Workers()) if workers == 1 else closing(ProcessPool(workers))


class ProcessPool(Workers):
    """Worker processes. Each has its own executor, so that a killed worker loses the call it ran, and no other."""

    def __init__(self, count: int, kills: int = MOST_KILLS) -> None:
        """Prepares `count` workers, which start with their first calls; one call may kill `kills` of them.

        Raises WorkerError if worker processes cannot be started.
        """
        self.count, self._kills, self._context = count, kills, multiprocessing.get_context("spawn")
        try:
            # Workers end when this process closes its end of the pipe, as it does even if it is killed.
            self._child_end, self._parent_end = self._context.Pipe(duplex=False)
            self._executors = [self._new_executor(number) for number in range(count)]
        except OSError as error:
            # The executors' locks need shared memory, which some containers lack.
            raise WorkerError(f"no worker processes can be started here: {error.strerror}; use 1 worker") from error
        self._free: SimpleQueue[int] = SimpleQueue()
        for number in range(count):
            self._free.put(number)
        self._threads, self._has_started = ThreadPoolExecutor(count), False

    def run(
        self, work: Callable[..., Any], calls: Iterator[Call], on_look: Callable[[], object] = lambda: None
    ) -> Iterator[tuple[Call, Any]]:
        """Yields each call with its result; see `Workers.run`. For each worker one call waits, so that none idles."""
        pending: dict[Future[Any], Call] = {}
        while True:
            while len(pending) < 2 * self.count and (call := next(calls, None)) is not None:
                pending[self._threads.submit(self._carry_out, work, call)] = call
            if not pending:
                return
            done, _ = wait(pending, LOOK_SECONDS, FIRST_COMPLETED)
            if not done:
                on_look()
            for future in done:
                yield pending.pop(future), future.result()

    def _carry_out(self, work: Callable[..., Any], call: Call) -> Any:
        """Returns the result of a call in a free worker; if the call kills the worker, tries again in a new one."""
        number = self._free.get()
        try:
            for attempt in range(1, self._kills + 1):
                try:
                    if not self._has_started:  # An empty call: its failure means that workers cannot start at all.
                        self._executors[number].submit(int).result()
                        self._has_started = True
                    return self._executors[number].submit(work, *call).result()
                except (BrokenProcessPool, MemoryError) as error:
                    if self._parent_end.closed:
                        raise
                    if not self._has_started:
                        raise WorkerError(_NO_START) from error
                    self._executors[number].shutdown()
                    self._executors[number] = self._new_executor(number)
                if attempt < self._kills:
                    say(
                        "a worker process was killed, perhaps because memory ran out; "
                        f"its work is repeated (attempt {attempt + 1} of {self._kills})"
                    )
            raise KilledWorkerError(call, self._kills)
        finally:
            self._free.put(number)

    def _new_executor(self, number: int) -> ProcessPoolExecutor:
        # All workers compile the same kernels, so the first worker alone announces them.
        return ProcessPoolExecutor(1, self._context, _start_worker, (self._child_end, number == 0))

    def close(self) -> None:
        """Ends the workers at once."""
        self._parent_end.close()
        self._threads.shutdown(cancel_futures=True)
        for executor in self._executors:
            executor.shutdown()


def _start_worker(pipe: Connection, announces: bool) -> None:
    """Prepares a worker: it ignores Ctrl-C, which the main process handles, and ends when that closes the pipe."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    process.use_one_thread()
    if not announces:
        show_compilations(None)
    threading.Thread(target=end_with, args=(pipe,), daemon=True).start()


def end_with(alive: Connection) -> None:
    """Ends this process when the process with the pipe's other end ends, or closes that end."""
    with suppress(EOFError, OSError):
        alive.recv()
    os._exit(1)


class RayWorkers(Workers):
    """The processors of a Ray cluster. Ray itself repeats a call whose worker or node is lost."""

    def __init__(self, ray: Any) -> None:
        self._ray = ray
        self._remote = ray.remote(num_cpus=1, max_retries=MOST_KILLS - 1)(_carry_out)

    def run(
        self, work: Callable[..., Any], calls: Iterator[Call], on_look: Callable[[], object] = lambda: None
    ) -> Iterator[tuple[Call, Any]]:
        """Yields each call with its result; see `Workers.run`."""
        identity, pending = provenance.installation_id(), dict[Any, Call]()
        while True:
            # Nodes may join or leave at any time.
            self.count = max(1, int(self._ray.cluster_resources().get("CPU", 1)))
            while len(pending) < CALLS_PER_CPU * self.count and (call := next(calls, None)) is not None:
                pending[self._remote.remote(identity, work, call)] = call
            if not pending:
                return
            done, _ = self._ray.wait(list(pending), timeout=LOOK_SECONDS)
            if not done:
                on_look()
            for reference in done:
                call = pending.pop(reference)
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
            raise WorkerError(f"a call on the cluster failed: {' '.join(str(error).split())}") from error


def _carry_out(identity: dict[str, str], work: Callable[..., Any], call: Call) -> Any:
    """Carries out a call on a node; raises WorkerError unless the node has the command's installation, `identity`."""
    values = [(name, here, identity[name]) for name, here in provenance.installation_id().items()]
    if differences := "; ".join(f"{name} {here}, not {wanted}" for name, here, wanted in values if here != wanted):
        raise WorkerError(f"node {socket.gethostname()} has another installation: {differences}")
    return work(*call)


@contextmanager
def connected(address: str, files: Files) -> Generator[RayWorkers]:
    """Yields the workers of the cluster at an address from `cluster_address`; a local cluster ends with the block.

    The files are copied to the nodes, where `local_path` finds them. Raises WorkerError if there is no such cluster, if
    it has another version of Ray or Python, or if it cannot be started.
    """
    # Ray reads these variables at import: no usage reports, and a local cluster on the loopback interface alone.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    if address == LOCAL:
        os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
    # If this file exists, `ray start` demands its token, which `ray.init` sends only in the mode "token".
    if address != LOCAL and (Path.home() / ".ray" / "auth_token").exists():
        os.environ.setdefault("RAY_AUTH_MODE", "token")
    ray: Any = checks.import_extra("ray", "ray")
    say("Start Ray on this machine" if address == LOCAL else f"Connect to the cluster of Ray at {address}")
    # Ray prints a paragraph on stdout for each lost process; stdout is for tables.
    with TemporaryDirectory() as folder, redirect_stdout(sys.stderr):
        settings = {"log_to_driver": False, "logging_level": "CRITICAL", "runtime_env": _environment(folder, files)}
        if address == LOCAL:
            settings["include_dashboard"] = False
        try:
            host, _, port = address.rpartition(":")
            if host:  # If nothing listens there, this raises at once; Ray itself would wait for minutes.
                socket.create_connection((host.strip("[]"), int(port)), 2.0).close()
            ray.init(address, **settings)
        except Exception as error:  # Ray raises a bare Exception if its node does not start in time.
            raise WorkerError(_connection_problem(address, error)) from error
        try:
            yield RayWorkers(ray)
        finally:
            ray.shutdown()


def _environment(folder: str, files: Files) -> dict[str, Any]:
    """Returns Ray's `runtime_env`: one thread per worker, and copies of the files, put into `folder`."""
    copies: dict[str, str] = {}
    for number, (base, paths) in enumerate(files.items()):
        (Path(folder) / f"{number}").mkdir()
        for path in paths:
            shutil.copy(path, Path(folder) / f"{number}")
        # `base` is one of the files, or the folder with them.
        name = Path(base).name
        copies[base] = f"{number}/{name}" if name in [path.name for path in paths] else f"{number}"
    variables = dict.fromkeys(process.VARIABLES, "1") | {COPIES: json.dumps(copies)}
    return {"env_vars": variables} | ({"working_dir": folder} if files else {})


def _connection_problem(address: str, error: Exception) -> str:
    """Returns the reason why a cluster cannot be used, in one line."""
    text = " ".join(str(error).split())
    if "ersion mismatch" in text:
        return f"the cluster at {address} has another version of Ray or Python: {text}"
    if address == LOCAL:
        return f"Ray cannot be started on this machine: {text}"
    remedy = "start one with `ray start --head`, or name its address" if address == AUTO else "is `ray start` running?"
    return f"there is no cluster of Ray at {address}; {remedy}"
