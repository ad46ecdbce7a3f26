"""Units of play: their schedule, and the loop that hands them to workers and yields their games as they end."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Generator, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from baselines.evaluation.games import GameRecord, Player
from baselines.workers import KilledWorkerError, MakeWorkers, WorkerError

UNIT_SECONDS = 3.0
"""Target time of a unit, which whole batches may exceed; an interruption loses at most the units in play."""

LEAST_SECONDS = 0.2
"""Minimum target time of a unit, towards the end."""


@dataclass(frozen=True)
class Assignment:
    """Games of one policy on one board, as workers receive them.

    Attributes:
        key: tells assignments apart; a worker keeps one player for each key.
        title: names the policy and the board in messages.
        make_player: makes the player; for worker processes it must pickle.
        seeds: seed of each game.
        batch_size: number of games played side by side; the policy is reset before each batch.
    """

    key: Hashable
    title: str
    make_player: Callable[[], Player] = field(compare=False)
    seeds: Sequence[int]
    batch_size: int


class Unit(NamedTuple):
    """Consecutive games of an assignment for one worker: whole batches, or the last batch of the assignment.

    Attributes:
        task: index of the assignment.
        first: index of the first game.
        games: number of games.
    """

    task: int
    first: int
    games: int


class Played(NamedTuple):
    """A unit and its games.

    Attributes:
        unit: the unit.
        records: one record per game.
        seconds: time spent playing, without the judging of clicks.
        counters: increase of the policy's counters; see `baselines.policy.Policy`.
    """

    unit: Unit
    records: list[GameRecord]
    seconds: float
    counters: dict[str, int]


class Schedule:
    """Hands out units, the longest assignment first.

    Each assignment first plays one batch, which shows its pace. After that the one with the most work left is always
    next. Units get shorter towards the end, so that all workers finish at about the same time.
    """

    def __init__(
        self,
        tasks: Sequence[Assignment],
        parts: Sequence[Sequence[Any]] | None = None,
        unit_seconds: float | None = None,
    ) -> None:
        """Schedules the games that the parts lack.

        Args:
            tasks: the assignments, quick ones first as far as that is known.
            parts: games of each assignment that have been played, with the attributes `games`, a range, and `seconds`.
            unit_seconds: target time of a unit, 0 for single batches; None for the usual one.
        """
        self.tasks = tasks
        self._unit_seconds = UNIT_SECONDS if unit_seconds is None else unit_seconds
        self.workers = 1
        done = parts or [[] for _ in tasks]
        self._gaps = [_gaps(len(task.seeds), each) for task, each in zip(tasks, done, strict=True)]
        self._left = [sum(map(len, gaps)) for gaps in self._gaps]
        self._seconds = [sum(part.seconds for part in each) for each in done]
        self._begun = [bool(each) for each in done]

    def next(self) -> Unit | None:
        """Returns the next unit and marks it as begun; None if no unit is left."""
        waiting = [task for task, gaps in enumerate(self._gaps) if gaps]
        if not waiting:
            return None
        work = [self._pace(task) * sum(map(len, gaps)) for task, gaps in enumerate(self._gaps)]
        task = max(waiting, key=lambda each: (not self._begun[each], work[each], each))
        limit = min(self._unit_seconds, max(LEAST_SECONDS, sum(work) / (2 * self.workers)))
        self._begun[task] = True
        gap, size = self._gaps[task][0], self.tasks[task].batch_size
        batches = max(1, int(limit / (self._pace(task) * size))) if self._pace(task) else 1
        games = min(batches * size, len(gap))
        if games > size:
            # The last batch may be short, and a later run with more games would replace it; so it is a unit of its own.
            games -= games % size
        self._gaps[task][:1] = [gap[games:]] if gap[games:] else []
        return Unit(task, gap.start, games)

    def stop(self) -> None:
        """Hands out no more units."""
        self._gaps = [[] for _ in self.tasks]

    def finish(self, unit: Unit, seconds: float) -> bool:
        """Records a played unit and its time; returns True if its assignment is now done."""
        self._left[unit.task] -= unit.games
        self._seconds[unit.task] += seconds
        return not self._left[unit.task]

    @property
    def games(self) -> int:
        """The number of games of all assignments."""
        return sum(len(task.seeds) for task in self.tasks)

    @property
    def done(self) -> int:
        """The number of games played."""
        return self.games - sum(self._left)

    def left(self) -> list[tuple[Assignment, int]]:
        """Returns the unfinished assignments, each with its number of games left."""
        return [(task, left) for task, left in zip(self.tasks, self._left, strict=True) if left]

    def seconds_left(self) -> float | None:
        """Returns the remaining time by the pace of each assignment; None while the pace of one is unknown."""
        if any(left == len(task.seeds) for task, left in self.left()):
            return None
        return sum(self._pace(task) * left for task, left in enumerate(self._left)) / self.workers

    def fraction_done(self) -> float:
        """Returns the fraction of the work that is done, 0 to 1, over the assignments whose pace is known."""
        every = sum(self._pace(number) * len(task.seeds) for number, task in enumerate(self.tasks))
        return sum(self._seconds) / every if every else 0.0

    def _pace(self, task: int) -> float:
        """Returns the seconds of a game; 0 while they are unknown."""
        return self._seconds[task] / max(1, len(self.tasks[task].seeds) - self._left[task])


def _gaps(games: int, parts: Sequence[Any]) -> list[range]:
    begins, ends = [0, *(part.games.stop for part in parts)], [*(part.games.start for part in parts), games]
    return [range(begin, end) for begin, end in zip(begins, ends, strict=True) if begin < end]


_players: dict[Hashable, Player] = {}
"""The players of this process, which it keeps for later units."""


def play_units(
    schedule: Schedule,
    make_workers: MakeWorkers,
    on_look: Callable[[], object] = lambda: None,
    max_seconds: float | None = None,
) -> Generator[Played]:
    """Plays the units of a schedule, and yields each when it is done, whatever their order.

    Args:
        schedule: hands out the units; the caller may stop it.
        make_workers: makes the workers.
        on_look: called every second while no unit ends.
        max_seconds: time after which no further unit begins, or None; the first unit of an assignment is always played.

    Raises:
        PolicyError: a policy broke the protocol.
        WorkerError: a unit killed its workers again and again, or there are no workers any more.
    """
    try:
        with make_workers() as workers:
            deadline = math.inf
            if max_seconds is not None:
                # The player is made ahead, so that the time is one of play.
                calls = iter([(schedule.tasks[0],)])
                list(workers.run(_prepare, lambda: next(calls, None)))
                deadline = time.time() + max_seconds

            def next_call() -> tuple[Assignment, Unit, float] | None:
                schedule.workers = workers.count
                unit = schedule.next()
                if time.time() >= deadline:
                    schedule.stop()
                return None if unit is None else (schedule.tasks[unit.task], unit, deadline)

            for _, played in workers.run(play_unit, next_call, on_look):
                if played is not None:
                    yield played
    except KilledWorkerError as error:
        assignment, unit, _ = error.call
        seeds = f"seeds {assignment.seeds[unit.first]} to {assignment.seeds[unit.first + unit.games - 1]}"
        raise WorkerError(f"{assignment.title}, {seeds}: {error}") from error
    finally:
        _players.clear()


def play_unit(assignment: Assignment, unit: Unit, deadline: float = math.inf) -> Played | None:
    """Plays consecutive games of an assignment, batch by batch.

    Args:
        assignment: the games.
        unit: says which; a batch begins with its first game.
        deadline: the time, as `time.time` returns it, after which only the first unit of an assignment is played; any
            other then returns None.
    """
    if unit.first > 0 and time.time() >= deadline:
        return None
    player, size, end = _player_of(assignment), assignment.batch_size, unit.first + unit.games
    batches = [
        player.play(begin // size, assignment.seeds[begin : min(begin + size, end)])
        for begin in range(unit.first, end, size)
    ]
    counters = Counter[str]()
    for batch in batches:
        counters.update(batch.counters)
    records = [record for batch in batches for record in batch.records]
    return Played(unit, records, sum(batch.seconds for batch in batches), dict(counters))


def _prepare(assignment: Assignment) -> None:
    _player_of(assignment)


def _player_of(assignment: Assignment) -> Player:
    """Returns the player of an assignment; the process keeps it."""
    if assignment.key not in _players:
        _players[assignment.key] = assignment.make_player()
    return _players[assignment.key]
