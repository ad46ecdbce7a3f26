"""Run folders of trainings on nodes: their files travel as bytes, so that no file system needs to be shared.

An actor on the machine of the command reads and writes the run folders. A node works in a copy, and sends what changed
after each checkpoint. When a node is lost, the next one begins with the files of the last checkpoint.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any, NamedTuple
from uuid import uuid4

from baselines.cluster.private_folder import private_folder
from baselines.executors.errors import WorkerError
from baselines.support.files import replace_file

OLD_SECONDS = 24 * 3600.0
"""Age of a copy that a killed process left behind, after which it is removed."""

Files = dict[str, bytes]
"""The content of files by their paths in a folder."""


class FolderKeeper:
    """Reads and writes run folders for nodes, on the machine of the command."""

    def __init__(self) -> None:
        """No training has begun."""
        self._attempts: dict[str, int] = {}
        self._steps: dict[str, int] = {}

    def begin(self, folder: str) -> tuple[int, Files]:
        """Returns the number of a new attempt at a training, and the files of its run folder."""
        self._attempts[folder] = self._attempts.get(folder, 0) + 1
        return self._attempts[folder], {name: Path(folder, name).read_bytes() for name in _times(Path(folder))}

    def write(self, folder: str, attempt: int, files: Mapping[str, bytes], steps: int) -> bool:
        """Writes files; returns False if a later attempt has begun, because a lost node may still be at work."""
        if attempt != self._attempts[folder]:
            return False
        _write(Path(folder), files)
        self._steps[folder] = steps
        return True

    def steps(self, folder: str) -> int:
        """Returns the number of steps at the last checkpoint; 0 before the first one."""
        return self._steps.get(folder, 0)


class RemoteFolder(NamedTuple):
    """A run folder on a node of the cluster.

    Attributes:
        keeper: name of the actor that reads and writes it.
        path: path on the machine of the command.
    """

    keeper: str
    path: str


def start_keeper(ray: ModuleType) -> tuple[str, Any]:
    """Starts the actor on this node; returns its name and its handle."""
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    name = f"minesweeper-env-{uuid4().hex}"
    here = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=False)
    return name, ray.remote(num_cpus=0)(FolderKeeper).options(name=name, scheduling_strategy=here).remote()


@contextmanager
def copy_of(folder: RemoteFolder) -> Generator[tuple[Path, Callable[[int], None]]]:
    """Yields a copy of a run folder on this node, and the function that sends what changed, given the number of steps.

    Raises:
        WorkerError: another node has taken over.
    """
    import ray

    keeper: Any = ray.get_actor(folder.keeper)
    begun: Any = ray.get(keeper.begin.remote(folder.path))
    attempt: int = begun[0]
    files: Files = begun[1]
    with TemporaryDirectory(dir=_scratch()) as name:
        copy = Path(name)
        _write(copy, files)
        sent = _times(copy)

        def send(steps: int) -> None:
            times = _times(copy)
            changed = {each: (copy / each).read_bytes() for each in times if times[each] != sent.get(each)}
            if not ray.get(keeper.write.remote(folder.path, attempt, changed, steps)):
                raise WorkerError(f"another node has taken over the training in {folder.path}")
            sent.update(times)

        yield copy, send


def _times(folder: Path) -> dict[str, tuple[int, int]]:
    """Returns the time of change and the size of each file, without temporary files, by its path in the folder."""
    paths = (path for path in folder.rglob("*") if path.is_file() and path.suffix != ".tmp")
    stats = ((path.relative_to(folder).as_posix(), path.stat()) for path in paths)
    return {name: (found.st_mtime_ns, found.st_size) for name, found in stats}


def _write(folder: Path, files: Mapping[str, bytes]) -> None:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        replace_file(folder / name, content)


def _scratch() -> Path:
    """Returns the folder for copies, without those that killed processes left."""
    folder = private_folder() / "trainings"
    folder.mkdir(exist_ok=True)
    for copy in folder.iterdir():
        if copy.stat().st_mtime < time.time() - OLD_SECONDS:
            rmtree(copy, ignore_errors=True)
    return folder
