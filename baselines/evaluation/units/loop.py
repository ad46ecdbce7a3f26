"""Loop that hands units of a schedule to workers, and yields their games as they are finished."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from typing import NamedTuple

from baselines.evaluation.records import Batch
from baselines.evaluation.units.schedule import Schedule, Unit
from baselines.evaluation.units.unit import Assignment, forget_players, play_unit, prepare_player
from baselines.executors.errors import KilledWorkerError, WorkerError
from baselines.executors.executor import MakeWorkers, Workers

LOOK_SECONDS = 1.0
"""Time between two looks at the workers while no unit ends."""


class Played(NamedTuple):
    """A unit and its games."""

    unit: Unit
    batches: list[Batch]

    @property
    def seconds(self) -> float:
        """Time spent playing, without the judging of clicks."""
        return sum(batch.seconds for batch in self.batches)


def play_units(
    assignments: Sequence[Assignment],
    schedule: Schedule,
    make_workers: MakeWorkers,
    on_look: Callable[[], object] | None = None,
    max_seconds: float | None = None,
) -> Generator[Played]:
    """Plays the units of a schedule, and yields each when it is done, whatever their order.

    Args:
        assignments: the games of each task of the schedule.
        schedule: hands out the units; the caller may stop it.
        make_workers: makes the executor.
        on_look: called every second while no unit ends.
        max_seconds: playing time after which no further unit begins, for a single assignment; its first unit is always
            played. None for no limit.

    Raises:
        PolicyError: a policy broke the protocol.
        WorkerError: a unit killed its workers again and again, or there are no workers any more.
    """
    try:
        with make_workers() as workers:
            loop = _Loop(assignments, schedule, workers)
            if max_seconds is not None:
                loop.set_limit(max_seconds)
            yield from loop.run(on_look)
    finally:
        forget_players()


class _Loop:
    """Units under way, and the queue of those that have ended."""

    def __init__(self, assignments: Sequence[Assignment], schedule: Schedule, workers: Workers) -> None:
        self._assignments, self._schedule, self._workers = assignments, schedule, workers
        self._shared: dict[int, Assignment] = {}
        self._flying: dict[Future[list[Batch]], Unit] = {}
        self._ended: SimpleQueue[Future[list[Batch]]] = SimpleQueue()
        self._deadline = math.inf

    def set_limit(self, seconds: float) -> None:
        """Sets the playing time, which begins when a worker has made the player."""
        self._workers.submit(prepare_player, self._share(0)).result()
        self._deadline = time.monotonic() + seconds

    def run(self, on_look: Callable[[], object] | None) -> Generator[Played]:
        while self._hand_out():
            try:
                future = self._ended.get(timeout=max(0.0, min(LOOK_SECONDS, self._deadline - time.monotonic())))
            except Empty:
                self._look(on_look)
                continue
            if future.cancelled():
                del self._flying[future]
                continue
            yield Played(unit := self._flying.pop(future), self._result(unit, future))

    def _hand_out(self) -> bool:
        """Hands in as many units as the workers take; returns whether any is under way."""
        self._schedule.workers = self._workers.workers
        while len(self._flying) < self._workers.places and (unit := self._schedule.next()) is not None:
            future = self._workers.submit(play_unit, self._share(unit.task), unit.first, unit.games)
            self._flying[future] = unit
            future.add_done_callback(self._ended.put)
            if time.monotonic() >= self._deadline:
                self._schedule.stop()
        return bool(self._flying)

    def _share(self, task: int) -> Assignment:
        if task not in self._shared:
            self._shared[task] = self._workers.share(self._assignments[task])
        return self._shared[task]

    def _look(self, on_look: Callable[[], object] | None) -> None:
        self._workers.check()
        if on_look is not None:
            on_look()
        if time.monotonic() >= self._deadline:
            self._deadline = math.inf
            self._schedule.stop()
            # The last unit comes first, or a worker would begin one beyond a gap meanwhile.
            for future in [future for future, unit in self._flying.items() if unit.first > 0][::-1]:
                future.cancel()

    def _result(self, unit: Unit, future: Future[list[Batch]]) -> list[Batch]:
        try:
            return future.result()
        except KilledWorkerError as error:
            assignment = self._assignments[unit.task]
            seeds = assignment.seeds_of(unit.first, unit.games)
            raise WorkerError(f"{assignment.title}, {seeds}: {error}") from error
