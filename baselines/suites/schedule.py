"""In which order the games of a suite are played, and how much of it is left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from baselines.suites.parts import Part
from baselines.suites.tasks import Task

UNIT_SECONDS = 3.0
"""About how long a unit takes, as far as the batches of a policy allow; so much is lost by an interruption."""


LEAST_SECONDS = 0.2
"""The shortest that units get towards the end, as far as the pace of a policy is known."""


class Unit(NamedTuple):
    """Consecutive games of a task that a worker plays at once: whole batches, or the last batch of the task.

    Attributes:
        task: the number of the task.
        first: the number of the first game.
        games: how many there are.
    """

    task: int
    first: int
    games: int


@dataclass
class _State:
    """What is known of a task: the games that nobody has begun, those done, and the time that they took."""

    task: Task
    gaps: list[range]
    done: int = 0
    seconds: float = 0.0
    flying: int = 0

    @property
    def unbegun(self) -> int:
        return sum(len(gap) for gap in self.gaps)

    @property
    def pace(self) -> float | None:
        """Seconds a game."""
        return self.seconds / self.done if self.done else None

    def take(self, seconds: float) -> tuple[int, int]:
        """Takes the first games that nobody has begun, for about so long a time; returns the first and their number."""
        gap, size = self.gaps[0], self.task.batch_size
        batches = 1 if not self.pace else max(1, int(seconds / (self.pace * size)))
        games = min(batches * size, len(gap))
        if games > size:
            # The last batch of a task may be a short one, which more games would replace; so it stands alone.
            games -= games % size
        rest = gap[games:]
        self.gaps[:1] = [rest] if rest else []
        self.flying += games
        return gap.start, games


class Schedule:
    """Hands out units, the longest task first.

    What a policy costs shows in its first batch; so each task plays one, and then the task with the most work
    left is always the next. Towards the end units get shorter, so that all workers end at about the same time.
    """

    def __init__(self, tasks: Sequence[Task], parts: Sequence[Sequence[Part]], workers: int) -> None:
        """Prepares to play what is not among the parts of each task.

        Args:
            tasks: the tasks, quick ones first as far as that is known.
            parts: what of each of them has been played.
            workers: how many play at once.
        """
        self._workers = workers
        self._states = [
            _State(task, _gaps(task, done), sum(len(part.games) for part in done), sum(part.seconds for part in done))
            for task, done in zip(tasks, parts, strict=True)
        ]

    def next(self) -> Unit | None:
        """Returns the next unit and marks it as begun; None if there is none left."""
        begun = [(number, state) for number, state in enumerate(self._states) if state.gaps]
        if not begun:
            return None
        unknown = [number for number, state in begun if state.pace is None and not state.flying]
        number = unknown[-1] if unknown else max(begun, key=lambda each: _work(each[1]))[0]
        left = sum(_work(state) for _, state in begun)
        limit = min(UNIT_SECONDS, max(LEAST_SECONDS, left / (2 * self._workers)))
        return Unit(number, *self._states[number].take(limit))

    def finish(self, unit: Unit, seconds: float) -> bool:
        """Takes down that a unit has been played in that time; returns whether its task is now done."""
        state = self._states[unit.task]
        state.done += unit.games
        state.flying -= unit.games
        state.seconds += seconds
        return not state.gaps and not state.flying

    def left(self) -> list[tuple[Task, int]]:
        """Returns the tasks that are not done, and how many games each has left."""
        return [(state.task, state.task.games - state.done) for state in self._states if state.done < state.task.games]

    @property
    def games(self) -> int:
        """The games of all tasks."""
        return sum(state.task.games for state in self._states)

    @property
    def done(self) -> int:
        """Those that have been played."""
        return sum(state.done for state in self._states)

    def seconds_left(self) -> float | None:
        """Returns how long the workers still need, by the pace of each task so far; None as long as one has none."""
        if any(state.pace is None for state in self._states):
            return None
        return sum((state.pace or 0.0) * (state.task.games - state.done) for state in self._states) / self._workers

    def share(self) -> float:
        """Returns the share of the work that is done, 0 to 1; tasks without a pace do not count."""
        done = sum(state.seconds for state in self._states)
        every = sum((state.pace or 0.0) * state.task.games for state in self._states)
        return done / every if every else 0.0


def _work(state: _State) -> float:
    """Returns the seconds of work that nobody has begun; a task that has no pace yet comes last."""
    return (state.pace or 0.0) * state.unbegun


def _gaps(task: Task, parts: Sequence[Part]) -> list[range]:
    gaps, begin = [], 0
    for part in parts:
        gaps.append(range(begin, part.games.start))
        begin = part.games.stop
    return [gap for gap in (*gaps, range(begin, task.games)) if gap]
