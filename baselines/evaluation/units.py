"""Units of play: their schedule, and the loop that hands them to workers and yields their games as they end."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Generator, Hashable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from baselines.evaluation.games import Player
from baselines.evaluation.records import Batch
from baselines.workers import KilledWorkerError, MakeWorkers, WorkerError, Workers

UNIT_SECONDS = 3.0
"""Target time of a unit, which whole batches may exceed; an interruption loses at most the units in play."""

MOST_UNITS = 50
"""Number of units per second above which units get longer, because one process hands them all out."""

LEAST_SECONDS = 0.2
"""Minimum target time of a unit, towards the end of the suite."""


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

    @property
    def games(self) -> int:
        """The number of games."""
        return len(self.seeds)


class Done(Protocol):
    """Games that are played already."""

    @property
    def games(self) -> range:
        """The indices of the games."""

    @property
    def seconds(self) -> float:
        """The time spent playing."""


class Unit(NamedTuple):
    """Consecutive games of a task for one worker: whole batches, or the last batch of the task.

    Attributes:
        task: index of the task.
        first: index of the first game.
        games: number of games.
    """

    task: int
    first: int
    games: int


@dataclass
class _State:
    """State of a task: the games not yet begun, the numbers of those done and in play, and the seconds spent."""

    task: Assignment
    gaps: list[range]
    done: int = 0
    seconds: float = 0.0
    flying: int = 0

    @property
    def unbegun(self) -> int:
        return sum(len(gap) for gap in self.gaps)

    @property
    def pace(self) -> float | None:
        """Seconds per game; None before the first game is done."""
        return self.seconds / self.done if self.done else None

    def take(self, seconds: float) -> tuple[int, int]:
        """Takes about `seconds` of games from the front, one batch for 0; returns the first index and their number."""
        gap, size = self.gaps[0], self.task.batch_size
        batches = 1 if not self.pace else max(1, int(seconds / (self.pace * size)))
        games = min(batches * size, len(gap))
        if games > size:
            # The last batch may be short, and a later run with more games would replace it; so it is a unit of its own.
            games -= games % size
        rest = gap[games:]
        self.gaps[:1] = [rest] if rest else []
        self.flying += games
        return gap.start, games


class Schedule:
    """Hands out units, the longest task first.

    Each task first plays one batch, which shows its pace. After that the task with the most remaining work is always
    next. Units get shorter towards the end, so that all workers finish at about the same time.
    """

    def __init__(
        self,
        tasks: Sequence[Assignment],
        parts: Sequence[Sequence[Done]] | None = None,
        unit_seconds: float | None = None,
    ) -> None:
        """Schedules the games that the parts lack.

        Args:
            tasks: the tasks, quick ones first as far as that is known.
            parts: parts of each task that have been played; None for none.
            unit_seconds: target time of a unit, 0 for single batches; None for the usual one.
        """
        self.workers = 1
        self._unit_seconds = unit_seconds
        self.tasks = tasks
        self._states = [_state(task, done) for task, done in zip(tasks, parts or [[] for _ in tasks], strict=True)]

    def next(self) -> Unit | None:
        """Returns the next unit and marks it as begun; None if no unit is left."""
        begun = [(number, state) for number, state in enumerate(self._states) if state.gaps]
        if not begun:
            return None
        unknown = [number for number, state in begun if state.pace is None and not state.flying]
        number = unknown[-1] if unknown else max(begun, key=lambda each: _work(each[1]))[0]
        left = sum(_work(state) for _, state in begun)
        most = max(UNIT_SECONDS, self.workers / MOST_UNITS) if self._unit_seconds is None else self._unit_seconds
        limit = min(most, max(LEAST_SECONDS, left / (2 * self.workers)))
        return Unit(number, *self._states[number].take(limit))

    def stop(self) -> None:
        """Hands out no more units."""
        for state in self._states:
            state.gaps = []

    def finish(self, unit: Unit, seconds: float) -> bool:
        """Records a played unit and its time; returns True if its task is now done."""
        state = self._states[unit.task]
        state.done += unit.games
        state.flying -= unit.games
        state.seconds += seconds
        return not state.gaps and not state.flying

    def left(self) -> list[tuple[Assignment, int]]:
        """Returns the unfinished tasks, each with its number of games left."""
        return [(state.task, state.task.games - state.done) for state in self._states if state.done < state.task.games]

    @property
    def games(self) -> int:
        """The number of games of all tasks."""
        return sum(state.task.games for state in self._states)

    @property
    def done(self) -> int:
        """The number of games played."""
        return sum(state.done for state in self._states)

    def seconds_left(self) -> float | None:
        """Returns the remaining time by the pace of each task; None while the pace of a task is unknown."""
        if any(state.pace is None and state.task.games for state in self._states):
            return None
        return sum((state.pace or 0.0) * (state.task.games - state.done) for state in self._states) / self.workers

    def fraction_done(self) -> float:
        """Returns the fraction of the work that is done, 0 to 1, over the tasks whose pace is known."""
        done = sum(state.seconds for state in self._states)
        every = sum((state.pace or 0.0) * state.task.games for state in self._states)
        return done / every if every else 0.0


def _work(state: _State) -> float:
    """Returns the seconds of work not yet begun; 0 while the pace is unknown."""
    return (state.pace or 0.0) * state.unbegun


def _state(task: Assignment, parts: Sequence[Done]) -> _State:
    done, seconds = sum(len(part.games) for part in parts), sum(part.seconds for part in parts)
    return _State(task, _gaps(task.games, parts), done, seconds)


def _gaps(games: int, parts: Sequence[Done]) -> list[range]:
    gaps, begin = [], 0
    for part in parts:
        gaps.append(range(begin, part.games.start))
        begin = part.games.stop
    return [gap for gap in (*gaps, range(begin, games)) if gap]


class Played(NamedTuple):
    """A unit and its games."""

    unit: Unit
    batches: list[Batch]

    @property
    def seconds(self) -> float:
        """Time spent playing, without the judging of clicks."""
        return sum(batch.seconds for batch in self.batches)


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
        max_seconds: playing time after which no further unit begins, for a single task; its first unit is always
            played. None for no limit.

    Raises:
        PolicyError: a policy broke the protocol.
        WorkerError: a unit killed its workers again and again, or there are no workers any more.
    """
    try:
        with make_workers() as workers:
            deadline = math.inf if max_seconds is None else _begin_at_once(workers, schedule.tasks[0]) + max_seconds

            def next_call() -> tuple[Assignment, Unit, float] | None:
                schedule.workers = workers.count
                unit = schedule.next()
                # The first unit is handed out even after the deadline.
                if time.time() >= deadline:
                    schedule.stop()
                return None if unit is None else (schedule.tasks[unit.task], unit, deadline)

            for (_, unit, _), batches in workers.run(play_unit, next_call, on_look):
                if batches:
                    yield Played(unit, batches)
    except KilledWorkerError as error:
        assignment, unit, _ = error.call
        seeds = f"seeds {assignment.seeds[unit.first]} to {assignment.seeds[unit.first + unit.games - 1]}"
        raise WorkerError(f"{assignment.title}, {seeds}: {error}") from error
    finally:
        _players.clear()


def _begin_at_once(workers: Workers, assignment: Assignment) -> float:
    """Makes the player of an assignment ahead; returns the time at which a worker had it."""
    calls = iter([(assignment,)])
    for _ in workers.run(_prepare, lambda: next(calls, None)):
        pass
    return time.time()


def play_unit(assignment: Assignment, unit: Unit, deadline: float = math.inf) -> list[Batch]:
    """Plays consecutive games of an assignment, batch by batch.

    Args:
        assignment: the games.
        unit: says which; a batch begins with its first game.
        deadline: the time, as `time.time` returns it, after which only the first unit of an assignment is played; any
            other then has no games.
    """
    if unit.first > 0 and time.time() >= deadline:
        return []
    player, size, end = _player_of(assignment), assignment.batch_size, unit.first + unit.games
    return [
        player.play(begin // size, assignment.seeds[begin : min(begin + size, end)])
        for begin in range(unit.first, end, size)
    ]


def _prepare(assignment: Assignment) -> None:
    _player_of(assignment)


def _player_of(assignment: Assignment) -> Player:
    """Returns the player of an assignment; the process keeps it."""
    if assignment.key not in _players:
        _players[assignment.key] = assignment.make_player()
    return _players[assignment.key]
