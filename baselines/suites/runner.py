"""Play the units of a schedule, and store each unit when it is done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import closing

from baselines.evaluation.units.loop import Played, play_units
from baselines.evaluation.units.schedule import Schedule
from baselines.executors.executor import MakeWorkers
from baselines.suites.parts import Part, PartStore
from baselines.suites.tasks import Task
from baselines.terminal.progress import Progress


def play_tasks(
    tasks: Sequence[Task],
    stores: Sequence[PartStore],
    schedule: Schedule,
    seed: int,
    make_workers: MakeWorkers,
    progress: Progress,
) -> None:
    """Plays all units of a schedule, and writes each unit when it is done.

    Args:
        tasks: tasks of the schedule.
        stores: store of the games of each task.
        schedule: hands out the units.
        seed: seed of game 0 of each task.
        make_workers: makes the executor.
        progress: display of the games played so far.

    Raises:
        PolicyError: a policy broke the protocol.
        WorkerError: a unit killed its workers again and again, or there are no workers any more.
        OSError: a part could not be written.
    """
    assignments = [task.assignment(seed) for task in tasks]
    with closing(play_units(assignments, schedule, make_workers, progress.show)) as played:
        for each in played:
            stores[each.unit.task].write(_part_of(each))
            if schedule.finish(each.unit, each.seconds):
                progress.show(f"{tasks[each.unit.task]} is done; ")
            progress.show()


def _part_of(played: Played) -> Part:
    counters = Counter[str]()
    for batch in played.batches:
        counters.update(batch.counters)
    records = tuple(record for batch in played.batches for record in batch.records)
    return Part(played.unit.first, records, played.seconds, dict(counters))
