"""Suite of many small units, for tests that kill processes; as a script, the command `suite` with it."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from baselines.benchmark import suites
from baselines.benchmark.suites import Entry, Group, Suite
from baselines.cli import command, suite
from baselines.evaluation import units
from baselines.workers import ProcessPool
from support import ROOT
from support.clusters import wait_until
from support.tiny_suites import BOARDS

FAULTS = Suite("faults", "Many small units", (Group("faults", BOARDS, (Entry("straightforward", batch_size=5),)),))

SLOW = f"{ROOT / 'tests' / 'support' / 'slow_policy.py'}:SlowPolicy"
SEED = 7

Driver = subprocess.Popen[bytes]


def arguments(folder: Path, games: int, *options: str) -> list[str]:
    """Returns the arguments of the command that plays the suite into a folder."""
    words = ["faults", "--seed", f"{SEED}", "--games", f"{games}", "--out", f"{folder}", "--policy", SLOW]
    return [*words, *options]


@contextmanager
def driver(folder: Path, games: int, *options: str) -> Iterator[Driver]:
    """Starts a command that plays into a folder; a file next to the folder takes all output.

    Workers of Ray search the current folder for modules first, so it is not the root of the project.
    """
    command = [sys.executable, __file__, *arguments(folder, games, *options)]
    with (
        printed_file(folder).open("ab") as printed,
        subprocess.Popen(command, stdout=printed, stderr=printed, cwd=folder.parent, env=environment()) as process,
    ):
        try:
            yield process
        finally:
            process.kill()


def environment() -> dict[str, str]:
    """Returns the environment in which processes find this package and the tests."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "tests")])}


def printed_file(folder: Path) -> Path:
    """Returns the file with the output of the commands that play into a folder."""
    return folder.with_suffix(".txt")


def finish(process: Driver, folder: Path) -> None:
    """Waits until a driver has ended, and checks that its exit status is 0."""
    assert process.wait(400) == 0, printed_file(folder).read_text()


def units_of(folder: Path) -> int:
    """Returns the number of stored units."""
    return len(list(folder.rglob("*.msgpack.gz")))


def wait_for_units(folder: Path, process: Driver, number: int) -> bool:
    """Waits until a driver has stored more units than a number; returns whether it still runs."""
    wait_until(lambda: process.poll() is not None or units_of(folder) > number)
    return process.poll() is None


def children(process: int, title: str) -> list[int]:
    """Returns the child processes of a process with a title, as Linux lists them; none if it has ended."""
    found = []
    # Each thread lists the processes that it has started.
    for listed in Path(f"/proc/{process}/task").glob("*/children"):
        with suppress(OSError):
            commands = {int(child): Path(f"/proc/{child}/cmdline").read_text() for child in listed.read_text().split()}
            found += [child for child, command in commands.items() if title in command.replace("\0", " ")]
    return found


def kill(process: int) -> bool:
    """Kills a process without notice; returns False if it has ended before."""
    try:
        os.kill(process, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


if __name__ == "__main__":
    # A shell that starts the tests in the background makes all their processes ignore Ctrl-C.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    suites.SUITES["faults"] = FAULTS
    # Each unit is one batch. One worker process is enough, since each takes seconds of imports.
    units.UNIT_SECONDS = units.LEAST_SECONDS = 1e-9
    command.local_workers = lambda _: closing(ProcessPool(1))
    sys.exit(suite.main())
