"""Plays what a schedule hands out, in one pool of workers over all tasks, and keeps every unit as it is done."""

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
from baselines.suites.progress import Progress
from baselines.suites.schedule import Schedule, Unit
from baselines.suites.tasks import Task

LOOK_SECONDS = 1.0
"""How often the progress is shown while no unit ends."""


def play_tasks(
    tasks: Sequence[Task], stores: Sequence[PartStore], schedule: Schedule, seed: int, workers: int, progress: Progress
) -> None:
    """Plays all that the schedule hands out, and writes each unit when it is done.

    Args:
        tasks: those of the schedule.
        stores: where the games of each of them are kept.
        schedule: hands out the units.
        seed: that of the first game of each task.
        workers: the processes that play; 1 plays in this one.
        progress: is told what is done.

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
                    progress.finished(f"{tasks[unit.task]} is done")
            progress.show()


def play_unit(task: Task, seed: int, first: int, games: int) -> Part:
    """Plays consecutive games of a task, batch by batch.

    Args:
        task: the task.
        seed: that of its first game.
        first: the number of the first game to play, that of the first one of a batch.
        games: how many to play.
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
    """Returns the player of a task, which its process keeps."""
    return task.make_player(seed)


class _Here(Executor):
    """Does at once, in this process, what it is given."""

    def submit(self, work: Callable[..., Any], /, *arguments: Any, **settings: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(work(*arguments, **settings))
        return future


@contextmanager
def _executor(workers: int) -> Generator[tuple[Executor, int]]:
    """Yields what plays, and how many units it takes at once: one waits for each worker, so that none is idle."""
    if workers == 1:
        try:
            yield _Here(), 1
        finally:
            _player.cache_clear()
    else:
        with worker_pool(workers) as pool:
            yield pool, 2 * workers
