"""Play the units of a schedule in one pool of workers, and store each unit when it is done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from contextlib import contextmanager
from functools import cache
from typing import Any

from baselines.evaluation.games import Player
from baselines.evaluation.workers import worker_pool
from baselines.suites.parts import Part, PartStore
from baselines.suites.schedule import Schedule, Unit
from baselines.suites.tasks import Task
from baselines.terminal.progress import Progress

LOOK_SECONDS = 1.0
"""Time between two updates of the progress while no unit ends."""


def play_tasks(
    tasks: Sequence[Task], stores: Sequence[PartStore], schedule: Schedule, seed: int, workers: int, progress: Progress
) -> None:
    """Plays all units of a schedule, and writes each unit when it is done.

    Args:
        tasks: tasks of the schedule.
        stores: store of the games of each task.
        schedule: hands out the units.
        seed: seed of game 0 of each task.
        workers: number of processes; 1 plays in this process.
        progress: display of the games played so far.

    Raises:
        PolicyError: a policy broke the protocol.
        OSError: a part could not be written.
    """
    with _executor(workers) as (executor, at_once):
        flying: dict[Future[Part], Unit] = {}
        while True:
            while len(flying) < at_once and (unit := schedule.next()) is not None:
                flying[executor.submit(play_unit, tasks[unit.task], seed, unit.first, unit.games)] = unit
            if not flying:
                return
            done, _ = wait(flying, LOOK_SECONDS, FIRST_COMPLETED)
            for future in done:
                unit, part = flying.pop(future), future.result()
                stores[unit.task].write(part)
                if schedule.finish(unit, part.seconds):
                    progress.show(f"{tasks[unit.task]} is done; ")
            progress.show()


def play_unit(task: Task, seed: int, first: int, games: int) -> Part:
    """Plays consecutive games of a task, batch by batch.

    Args:
        task: the task.
        seed: seed of game 0 of the task.
        first: index of the first game to play; a batch begins there.
        games: number of games to play.
    """
    player, size = _player(task, seed), task.batch_size
    records, seconds, counters = [], 0.0, Counter[str]()
    for begin in range(first, first + games, size):
        end = min(begin + size, first + games)
        played = player.play(begin // size, range(seed + begin, seed + end))
        records += played.records
        seconds += played.seconds
        counters.update(played.counters)
    return Part(first, tuple(records), seconds, dict(counters))


@cache
def _player(task: Task, seed: int) -> Player:
    """Returns the player of a task; the process keeps it for later units."""
    return task.make_player(seed)


class _Here(Executor):
    """An executor that runs each call at once, in this process."""

    def submit(self, work: Callable[..., Any], /, *arguments: Any, **settings: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(work(*arguments, **settings))
        return future


@contextmanager
def _executor(workers: int) -> Generator[tuple[Executor, int]]:
    """Yields an executor and its number of units at a time; one unit per worker waits, so that no worker is idle."""
    if workers == 1:
        try:
            yield _Here(), 1
        finally:
            _player.cache_clear()
    else:
        with worker_pool(workers) as pool:
            yield pool, 2 * workers
