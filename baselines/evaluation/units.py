"""Parallel play: an assignment is a policy on a board, a unit some of its games; a schedule hands units to workers."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import uuid4

from numba.core.event import install_timer

from baselines.evaluation.games import GameRecord, Start, play_games
from baselines.evaluation.seeds import derived_seed
from baselines.policy import Policy, PolicyError
from baselines.workers import KilledWorkerError, WorkerError, Workers
from minesweeper_env.config import BoardConfig

if TYPE_CHECKING:
    from baselines.transcripts import Transcripts

UNIT_SECONDS = 3.0
"""Target time of a unit, which whole batches may exceed; an interruption loses at most the units in play."""

LEAST_SECONDS = 0.2
"""Minimum target time of a unit, towards the end."""


class Part(NamedTuple):
    """Consecutive games of an assignment, from the index `first` on.

    `seconds` is the time spent playing, without the judging of clicks. `counters` is what the policy's counters gained.
    """

    first: int
    records: Sequence[GameRecord]
    seconds: float
    counters: dict[str, int]

    @property
    def games(self) -> range:
        """The indices of the games."""
        return range(self.first, self.first + len(self.records))


@dataclass(frozen=True)
class Assignment:
    """A policy and its games on one board, as workers receive them; for worker processes, what it holds must pickle.

    Attributes:
        name: name of the policy in tables and messages.
        build: makes the policy.
        config: board and rules of the games, with the moves that the policy plays.
        seeds: seed of each game, at least 0.
        policy_seed: at least 0; before each batch the policy is reset with a seed derived from it.
        batch_size: number of games played side by side.
        diagnose: True to judge every click.
        start: returns the start of the game of a seed, in place of the first-click rule.
        record: True to keep the actions of every game.
        precision: number format of the policy's network; None for a policy without such a choice.
        transcripts: the transcripts of a policy that asks a server; None for any other.
        digest: hash of the files of the policy; None for a policy of this package.
        made: the policy, if this process has made it already; workers make their own.
    """

    name: str
    build: Callable[[], Policy]
    config: BoardConfig
    seeds: Sequence[int]
    policy_seed: int = 0
    batch_size: int = 1
    diagnose: bool = False
    start: Callable[[int], Start] | None = None
    record: bool = False
    precision: str | None = None
    transcripts: Transcripts | None = None
    digest: str | None = None
    made: Policy | None = None

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"made": None}

    def player(self) -> Policy:
        """Returns the policy that this process has made, or a new one; its answers go into the transcripts.

        A PolicyError says that the files of a new one are not those that the results name.
        """
        build: Any = self.build
        policy: Any = build() if self.made is None else self.made
        if self.made is None and self.digest is not None and self.digest != build.func.digest():
            raise PolicyError(f"{self.name} has changed since the command began; run it again with a copy of its files")
        if self.transcripts is not None:
            policy.transcripts = self.transcripts
        return policy

    def begin(self, where: str = "") -> None:
        """Begins an evaluation, or resumes one of the same seeds and place that did not end."""
        if self.transcripts is not None:
            self.transcripts.begin(f"seeds-{self.seeds[0]}-{self.seeds[-1]}{where}")

    def end(self) -> None:
        """Ends an evaluation, so that the same one begins anew next time."""
        if self.transcripts is not None:
            self.transcripts.end()

    def play(self, policy: Policy, first: int, games: int) -> Part:
        """Plays consecutive games by batches; `first` is a multiple of the batch size, and `policy` what `build` made.

        The same games have the same records in every process.
        """
        records, seconds, gained = list[GameRecord](), 0.0, Counter[str]()
        for at in range(first, first + games, self.batch_size):
            seeds = self.seeds[at : min(at + self.batch_size, first + games)]
            starts = None if self.start is None else [self.start(seed) for seed in seeds]
            judges: list[Judge] = []
            if self.diagnose:
                from baselines.evaluation.judge import Judge

                judges.append(Judge(self.config, len(seeds)))
            before = dict(getattr(policy, "counters", {}))
            begin, compiling = time.perf_counter(), list[float]()
            with install_timer("numba:compiler_lock", compiling.append):
                policy.reset(derived_seed(self.policy_seed, at // self.batch_size))
                begun = dict(getattr(policy, "counters", {}))
                played = play_games(policy, self.config, seeds, observers=judges, starts=starts, record=self.record)
            seconds += time.perf_counter() - begin - sum(compiling)
            for judge in judges:
                seconds -= judge.seconds
                pairs = zip(played, judge.diagnoses(), strict=True)
                played = [record._replace(diagnosis=diagnosis) for record, diagnosis in pairs]
            records += played
            # `reset` may count, or set a counter back: the gain begins at the lower of both totals.
            for name, total in getattr(policy, "counters", {}).items():
                gained[name] += total - min(before.get(name, 0), begun.get(name, 0))
        return Part(first, records, seconds, dict(gained))


def check_transcripts(assignments: Iterable[Assignment]) -> None:
    """Raises a ValueError where two policies that play together would play by the same answers of a server."""
    folders = [assignment.transcripts.folder.resolve() for assignment in assignments if assignment.transcripts]
    if len(set(folders)) < len(folders):
        raise ValueError(
            "two policies ask one model with the same settings, and would play by the same answers; give each its own "
            "folder, as in chat:model=NAME,transcripts=runs/chat-2"
        )


class Unit(NamedTuple):
    """Consecutive games of assignment number `task` for one worker: whole batches, or its last batch."""

    task: int
    first: int
    games: int


class Schedule:
    """Hands out units, the longest assignment first.

    Each assignment first plays one batch, which shows its pace. After that the one with the most work left is always
    next. Units get shorter towards the end, so that all `workers` finish at about the same time.
    """

    def __init__(
        self,
        tasks: Sequence[Assignment],
        parts: Sequence[Sequence[Part]] | None = None,
        unit_seconds: float = UNIT_SECONDS,
    ) -> None:
        """Schedules the games that the parts lack; assignments known to be quick come first.

        `parts` are the games of each assignment that have been played, in order. `unit_seconds` is the target time of a
        unit, 0 for single batches.
        """
        self.tasks, self.workers = tasks, Workers()
        self.games = sum(len(task.seeds) for task in tasks)
        self._unit_seconds = unit_seconds
        parts = parts or [[] for _ in tasks]
        self._gaps: list[list[range]] = []  # the games of each assignment that no unit holds yet
        for task, done in zip(tasks, parts, strict=True):
            begins = [0, *(part.games.stop for part in done)]
            ends = [*(part.games.start for part in done), len(task.seeds)]
            self._gaps.append([range(begin, end) for begin, end in zip(begins, ends, strict=True) if begin < end])
        played = [sum(len(part.records) for part in done) for done in parts]
        self._left = [len(task.seeds) - games for task, games in zip(tasks, played, strict=True)]
        self._seconds = [sum(part.seconds for part in done) for done in parts]
        # The seconds of a game; 0 while they are unknown.
        self._pace = [seconds / max(1, games) for seconds, games in zip(self._seconds, played, strict=True)]
        self._begun = [bool(done) for done in parts]

    def next(self) -> Unit | None:
        """Returns the next unit and marks it as begun; None if no unit is left."""
        waiting = [task for task, gaps in enumerate(self._gaps) if gaps]
        if not waiting:
            return None
        seconds = [pace * sum(map(len, gaps)) for pace, gaps in zip(self._pace, self._gaps, strict=True)]
        task = max(waiting, key=lambda each: (not self._begun[each], seconds[each], each))
        gap, size, pace = self._gaps[task][0], self.tasks[task].batch_size, self._pace[task]
        self._begun[task] = True
        # Half of a worker's share of the work left, so units get shorter towards the end.
        unit_seconds = min(self._unit_seconds, max(LEAST_SECONDS, sum(seconds) / (2 * self.workers.count)))
        games = min(max(1, int(unit_seconds / (pace * size))) * size if pace else size, len(gap))
        if games > size:
            # The last batch may be short, and a later run with more games would replace it; so it is a unit of its own.
            games -= games % size
        self._gaps[task][:1] = [gap[games:]] if gap[games:] else []
        return Unit(task, gap.start, games)

    def finish(self, unit: Unit, seconds: float) -> bool:
        """Records a played unit and its time; returns True if its assignment is now done."""
        self._left[unit.task] -= unit.games
        self._seconds[unit.task] += seconds
        played = len(self.tasks[unit.task].seeds) - self._left[unit.task]
        self._pace[unit.task] = self._seconds[unit.task] / max(1, played)
        return not self._left[unit.task]

    @property
    def done(self) -> int:
        """The number of games played."""
        return self.games - sum(self._left)

    def seconds_left(self) -> float | None:
        """Returns the remaining time by the pace of each assignment; None while the pace of one is unknown."""
        if any(left == len(task.seeds) for task, left in zip(self.tasks, self._left, strict=True)):
            return None
        return sum(pace * left for pace, left in zip(self._pace, self._left, strict=True)) / self.workers.count

    def fraction_done(self) -> float:
        """Returns the fraction of the work that is done, 0 to 1, over the assignments whose pace is known."""
        every = sum(pace * len(task.seeds) for pace, task in zip(self._pace, self.tasks, strict=True))
        return sum(self._seconds) / every if every else 0.0


_policies: dict[tuple[str, int], Policy] = {}
"""The policies of this process by play and assignment; it keeps them for later units."""


def play_units(
    schedule: Schedule, workers: Workers, on_look: Callable[[], object] = lambda: None
) -> Generator[tuple[Unit, Part]]:
    """Plays the units of a schedule, and yields each with its games when it is done, whatever their order.

    `on_look` is called every second while no unit ends. A PolicyError says that a policy broke the protocol, and a
    WorkerError that a unit killed its workers again and again, or that there are none any more.
    """
    name, schedule.workers = uuid4().hex, workers
    calls = ((schedule.tasks[unit.task], name, unit) for unit in iter(schedule.next, None))
    try:
        for (_, _, unit), part in workers.run(play_unit, calls, on_look):
            yield unit, part
    except KilledWorkerError as error:
        task, _, unit = error.call
        seeds = f"seeds {task.seeds[unit.first]} to {task.seeds[unit.first + unit.games - 1]}"
        board = f"{task.config.name} {task.config.first_click}"
        raise WorkerError(f"{task.name} on {board}, {seeds}: {error}") from error
    finally:
        _policies.clear()


def play_unit(task: Assignment, name: str, unit: Unit) -> Part:
    """Plays a unit in the play of this name."""
    if (name, unit.task) not in _policies:
        _policies[name, unit.task] = task.player()
    return task.play(_policies[name, unit.task], unit.first, unit.games)
