"""Trainings on the nodes of a cluster, whose checkpoints go to the run folder on the machine of the command."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

from baselines.cluster.nodes import UNIT_DEMAND, Demand
from baselines.cluster.pool import RayPool, ray_pool
from baselines.cluster.run_folders import RemoteFolder, copy_of, start_keeper
from baselines.executors.errors import KilledWorkerError, WorkerError
from baselines.learned.settings.files import RUN_FILE
from baselines.learned.settings.training import TrainingSettings
from baselines.learned.training.resources import memory_needed
from baselines.learned.training.run import Outcome, train
from baselines.support.run_folders import AGENT_FILE, AGENT_WEIGHTS_FILE, AGENTS_FOLDER, agent_folder

Result = TypeVar("Result")

LOOK_SECONDS = 1.0
"""Time between two looks at the cluster while no training ends."""

Work = Callable[[Path, Callable[[int], None]], Result]
"""A training: called with a run folder and the function to call with the number of steps after each checkpoint."""


@dataclass(eq=False)
class StartingPoint:
    """The agent that trainings start from, whose files travel to the nodes.

    Attributes:
        agent: its run folder or name; None for none.
    """

    agent: str | None

    def files(self) -> dict[str, list[Path]]:
        """Returns the files of an agent that does not come with the package, by the path that names them."""
        folder = None if self.agent is None else agent_folder(self.agent)
        if self.agent is None or folder is None or folder.parent == AGENTS_FOLDER:
            return {}
        return {self.agent: [folder / AGENT_FILE, folder / AGENT_WEIGHTS_FILE]}


class RemoteTraining(NamedTuple, Generic[Result]):
    """A training to carry out on some node.

    Attributes:
        name: names it in messages.
        work: the training.
        folder: its run folder on this machine, which exists.
        start: the agent that it starts from.
    """

    name: str
    work: Work[Result]
    folder: Path
    start: str | None


class TrainingPool:
    """Carries out trainings on a cluster."""

    def __init__(self, pool: RayPool, ray: Any) -> None:
        """Starts the actor that reads and writes the run folders."""
        self._pool, self._ray = pool, ray
        self._name, self._keeper = start_keeper(ray)

    def run(
        self, trainings: Sequence[RemoteTraining[Result]], on_look: Callable[[], object] | None = None
    ) -> Generator[Result]:
        """Yields the result of each training when it is done, whatever their order.

        Args:
            trainings: the trainings; all of them are handed in at once.
            on_look: called every second.

        Raises:
            WorkerError: a training killed its workers again and again, or the cluster is lost.
        """
        starts = {each.start: self._pool.share(StartingPoint(each.start)) for each in trainings}
        under_way: dict[Future[Result], RemoteTraining[Result]] = {}
        for each in trainings:
            folder = RemoteFolder(self._name, str(each.folder.absolute()))
            under_way[self._pool.submit(_carry_out, each.work, folder, starts[each.start])] = each
        while under_way:
            done, _ = wait(under_way, LOOK_SECONDS, FIRST_COMPLETED)
            for future in done:
                yield _result(under_way.pop(future), future)
            self._pool.check()
            if on_look is not None:
                on_look()

    def steps(self, folder: Path) -> int | None:
        """Returns the number of steps at the last checkpoint of a training; None if the actor does not answer."""
        try:
            steps: int = self._ray.get(self._keeper.steps.remote(str(folder.absolute())), timeout=LOOK_SECONDS)
        except self._ray.exceptions.RayError:
            return None
        return steps


@contextmanager
def training_pool(address: str, settings: TrainingSettings) -> Generator[TrainingPool]:
    """Yields what carries out trainings with such settings on the cluster at an address."""
    with ray_pool(address, demand_of(settings)) as pool:
        yield TrainingPool(pool, pool.ray)


def demand_of(settings: TrainingSettings) -> Demand:
    """Returns what a training declares: its threads, and its memory beside that of the libraries."""
    return Demand(settings.threads, UNIT_DEMAND.memory + memory_needed(settings))


def training_work(settings: TrainingSettings, command: str, checkpoint_seconds: float | None = None) -> Work[Outcome]:
    """Returns a training that resumes from the checkpoint in its run folder, if there is one; see `train`."""
    return partial(_train, settings, command, checkpoint_seconds)


def _train(
    settings: TrainingSettings,
    command: str,
    checkpoint_seconds: float | None,
    folder: Path,
    on_checkpoint: Callable[[int], None],
) -> Outcome:
    outcome = train(
        settings,
        folder,
        command,
        resume=(folder / RUN_FILE).is_file(),
        bar=False,
        checkpoint_seconds=checkpoint_seconds,
        on_checkpoint=on_checkpoint,
    )
    on_checkpoint(outcome.steps)
    return outcome


def _carry_out(work: Work[Result], folder: RemoteFolder, _start: StartingPoint) -> Result:
    """Trains on a node, in a copy of the run folder; the starting point is an argument so that its files travel."""
    with copy_of(folder) as (copy, send):
        return work(copy, send)


def _result(training: RemoteTraining[Result], future: Future[Result]) -> Result:
    try:
        return future.result()
    except KilledWorkerError as error:
        raise WorkerError(f"{training.name}: {error}") from error
