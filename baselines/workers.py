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
"""Number of workers that one call may kill."""

LOOK_SECONDS = 1.0
"""Time between two looks while no call ends."""

LOCAL, AUTO = "local", "auto"
"""Addresses: a cluster of this machine alone, started for the command; and the one that Ray finds."""

CALLS_PER_CPU = 4
"""Number of calls under way or waiting for each processor: none idles, and a new node soon has work."""

Files = Mapping[str, Sequence[Path]]
"""Files that calls open, by the path that names the file or its folder."""

_ADDRESS = re.compile(r"(\[[0-9A-Fa-f:]+\]|[^\s:/\[\]]+):(\d{1,5})")

_NO_START = (
    "a worker process ended before its first call; it imports the script, so the script must be a file that starts its "
    'work below `if __name__ == "__main__":`; if it does so, memory ran out'
)

Call = tuple[Any, ...]


class WorkerError(RuntimeError):
    """Workers cannot be started, or ended before their work was done; the message is one line."""


class KilledWorkerError(WorkerError):
    """A call, of these arguments, killed its worker as often as a call may."""

    def __init__(self, call: Call, kills: int = MOST_KILLS) -> None:
        super().__init__(f"killed its worker {kills} times, perhaps because memory ran out")
        self.call = call


class Workers:
    """Carries out calls one after the other in this process. Its heirs carry out several at a time, elsewhere."""

    count = 1
    """The number of calls that are carried out at a time, at this moment."""

    def run(
        self,
        work: Callable[..., Any],
        calls: Iterator[Call],
        on_look: Callable[[], object] = lambda: None,  # noqa: ARG002
    ) -> Iterator[tuple[Call, Any]]:
        """Yields each call with its result when it has ended, whatever their order; a lost call is carried out again.

        Elsewhere the work and the arguments of its calls must pickle. A call is taken when it can begin. `on_look` is
        called every second while no call ends. A KilledWorkerError says that a call killed its worker again and again,
        and another WorkerError that there are no workers any more.
        """
        for call in calls:
            yield call, work(*call)


def cluster_address(text: str) -> str:
    """Returns the address of a cluster: "local", "auto" or HOST:PORT; refuses other texts."""
    match = _ADDRESS.fullmatch(text)
    if text in (LOCAL, AUTO) or (match is not None and 0 < int(match[2]) < 1 << 16):
        return text
    raise ArgumentTypeError(
        f"the address of a cluster is {AUTO}, {LOCAL} or HOST:PORT such as 10.0.0.1:6379, not {text!r}; the command "
        "must run on a node of the cluster"
    )


def local_workers(workers: int) -> AbstractContextManager[Workers]:
    """Returns so many worker processes, which end with the context; 1 works in this process."""
    return nullcontext(Workers()) if workers == 1 else closing(ProcessPool(workers))


class ProcessPool(Workers):
    """Worker processes, each an executor of its own: a killed one costs the call that it ran, and no other."""

    def __init__(self, count: int, kills: int = MOST_KILLS) -> None:
        """Prepares the workers, which start with their first calls; one call may kill so many of them.

        A WorkerError says that worker processes cannot be started.
        """
        self.count, self._kills, self._context = count, kills, multiprocessing.get_context("spawn")
        try:
            # Workers end when this process closes its end of the pipe, as it does even if it is killed.
            self._child_end, self._parent_end = self._context.Pipe(duplex=False)
            self._executors = [self._executor(number) for number in range(count)]
        except OSError as error:
            # Their locks need shared memory, which some containers lack.
            raise WorkerError(f"no worker processes can be started here: {error.strerror}; use 1 worker") from error
        self._free: SimpleQueue[int] = SimpleQueue()
        for number in range(count):
            self._free.put(number)
        self._threads, self._begun = ThreadPoolExecutor(count), False

    def run(
        self, work: Callable[..., Any], calls: Iterator[Call], on_look: Callable[[], object] = lambda: None
    ) -> Iterator[tuple[Call, Any]]:
        """Yields each call with its result; see `Workers.run`. As many calls wait as run, so that no worker idles."""
        flying: dict[Future[Any], Call] = {}
        while True:
            while len(flying) < 2 * self.count and (call := next(calls, None)) is not None:
                flying[self._threads.submit(self._carry_out, work, call)] = call
            if not flying:
                return
            done, _ = wait(flying, LOOK_SECONDS, FIRST_COMPLETED)
            if not done:
                on_look()
            for future in done:
                yield flying.pop(future), future.result()

    def _carry_out(self, work: Callable[..., Any], call: Call) -> Any:
        """Returns the result of a call in a free worker, which another one replaces if the call kills it."""
        number = self._free.get()
        try:
            for attempt in range(1, self._kills + 1):
                try:
                    if not self._begun:  # A first call without work tells a worker that cannot start from a killed one.
                        self._executors[number].submit(int).result()
                        self._begun = True
                    return self._executors[number].submit(work, *call).result()
                except (BrokenProcessPool, MemoryError) as error:
                    if self._parent_end.closed:
                        raise
                    if not self._begun:
                        raise WorkerError(_NO_START) from error
                    self._executors[number].shutdown()
                    self._executors[number] = self._executor(number)
                if attempt < self._kills:
                    say(
                        "a worker process was killed, perhaps because memory ran out; "
                        f"its work is repeated (attempt {attempt + 1} of {self._kills})"
                    )
            raise KilledWorkerError(call, self._kills)
        finally:
            self._free.put(number)

    def _executor(self, number: int) -> ProcessPoolExecutor:
        # All workers compile the same kernels, so the first worker alone announces them.
        return ProcessPoolExecutor(1, self._context, _start_worker, (self._child_end, number == 0))

    def close(self) -> None:
        """Ends the workers at once."""
        self._parent_end.close()
        self._threads.shutdown(cancel_futures=True)
        for executor in self._executors:
            executor.shutdown()


def _start_worker(alive: Connection, announces: bool) -> None:
    """Ignores Ctrl-C, which the main process handles, and ends this process when the main process closes `alive`."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    process.use_one_thread()
    if not announces:
        show_compilations(None)
    threading.Thread(target=end_with, args=(alive,), daemon=True).start()


def end_with(alive: Connection) -> None:
    """Ends this process when another one, which holds the other end, ends or closes it."""
    with suppress(EOFError, OSError):
        alive.recv()
    os._exit(1)


class RayWorkers(Workers):
    """The processors of a cluster. Ray itself repeats a call whose worker or node is lost."""

    def __init__(self, ray: Any) -> None:
        self._ray = ray
        self._remote = ray.remote(num_cpus=1, max_retries=MOST_KILLS - 1)(_carry_out)

    def run(
        self, work: Callable[..., Any], calls: Iterator[Call], on_look: Callable[[], object] = lambda: None
    ) -> Iterator[tuple[Call, Any]]:
        """Yields each call with its result; see `Workers.run`."""
        identity, flying = provenance.installation_id(), dict[Any, Call]()
        while True:
            # Nodes come and go.
            self.count = max(1, int(self._ray.cluster_resources().get("CPU", 1)))
            while len(flying) < CALLS_PER_CPU * self.count and (call := next(calls, None)) is not None:
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
            raise WorkerError(f"a call on the cluster failed: {' '.join(str(error).split())}") from error


def _carry_out(identity: dict[str, str], work: Callable[..., Any], call: Call) -> Any:
    """Carries out a call on a node; raises a WorkerError if the installation differs from that of the command."""
    pairs = [(name, there, identity[name]) for name, there in provenance.installation_id().items()]
    if differences := "; ".join(f"{name} {there}, not {here}" for name, there, here in pairs if there != here):
        raise WorkerError(f"node {socket.gethostname()} has another installation: {differences}")
    return work(*call)


@contextmanager
def connected(address: str, files: Files) -> Generator[RayWorkers]:
    """Yields the workers of a cluster, whose address `cluster_address` accepts; a cluster of this machine ends with it.

    The files are copied to the nodes, where `local_path` finds them. A WorkerError says that there is no such cluster,
    that it has another version of Ray or Python, or why it cannot be started.
    """
    # Ray reads these when it is imported: no reports to its makers, and the loopback interface alone.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    if address == LOCAL:
        os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
    # Where this file exists, `ray start` asks for its token, which `ray.init` sends only if it is told to.
    if address != LOCAL and (Path.home() / ".ray" / "auth_token").exists():
        os.environ.setdefault("RAY_AUTH_MODE", "token")
    ray: Any = checks.import_extra("ray", "ray")
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
            raise WorkerError(_why(address, error)) from error
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
    variables = dict.fromkeys(process.VARIABLES, "1") | {COPIES: json.dumps(copies)}
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
