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
"""Target seconds of a unit, which whole batches may exceed; an interruption loses at most the units in play."""

LEAST_SECONDS = 0.2
"""Least target seconds of a unit, towards the end."""


class Part(NamedTuple):
    """Consecutive games of an assignment, from the index `first` on.

    `seconds` is wall-clock time, without compiling and judging. `counters` is the increase of the policy's counters.
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
    """A policy and its games on one board, as workers receive them; all fields but `built_policy` must pickle.

    Attributes:
        name: name of the policy in tables and messages.
        build: makes the policy.
        config: board and rules of the games, with the moves that the policy plays.
        seeds: seed of each game, at least 0.
        policy_seed: at least 0; before each batch the policy is reset with a seed derived from it.
        batch_size: number of games played side by side.
        diagnose: True to judge every click.
        start: returns the layout and the first click of the game of a seed; None for the first-click rule.
        record: True to keep the actions of every game.
        precision: number format of the policy's network; None for a policy without such a choice.
        transcripts: the transcripts of a policy that asks a server; None for any other.
        digest: hash of the files of the policy; None for a policy of this package.
        built_policy: the policy, if this process has built it already; workers build their own.
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
    built_policy: Policy | None = None

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"built_policy": None}

    def player(self) -> Policy:
        """Returns the policy that this process has built, or builds it; a language model's answers go to `transcripts`.

        Raises a PolicyError if the policy's files have changed since the digest that the results name.
        """
        build: Any = self.build
        policy: Any = build() if self.built_policy is None else self.built_policy
        if self.built_policy is None and self.digest is not None and self.digest != build.func.digest():
            raise PolicyError(f"{self.name} has changed since the command began; run it again with a copy of its files")
        if self.transcripts is not None:
            policy.transcripts = self.transcripts
        return policy

    def begin(self, where: str = "") -> None:
        """Begins the transcripts of these seeds, or resumes unfinished ones; `where` tells apart such runs."""
        if self.transcripts is not None:
            self.transcripts.begin(f"seeds-{self.seeds[0]}-{self.seeds[-1]}{where}")

    def end_transcripts(self) -> None:
        """Ends the transcripts, so that the next evaluation of the same seeds asks for new answers."""
        if self.transcripts is not None:
            self.transcripts.end()

    def play(self, policy: Policy, first: int, games: int) -> Part:
        """Plays consecutive games in batches and returns their part; `policy` comes from `player`.

        `first` is a multiple of the batch size, so batches and records are the same in every process.
        """
        records, seconds, counter_gains = list[GameRecord](), 0.0, Counter[str]()
        for batch_start in range(first, first + games, self.batch_size):
            seeds = self.seeds[batch_start : min(batch_start + self.batch_size, first + games)]
            starts = None if self.start is None else [self.start(seed) for seed in seeds]
            judges: list[Judge] = []
            if self.diagnose:
                from baselines.evaluation.judge import Judge

                judges.append(Judge(self.config, len(seeds)))
            counters_before = dict(getattr(policy, "counters", {}))
            start_time, compile_seconds = time.perf_counter(), list[float]()
            with install_timer("numba:compiler_lock", compile_seconds.append):
                policy.reset(derived_seed(self.policy_seed, batch_start // self.batch_size))
                counters_after_reset = dict(getattr(policy, "counters", {}))
                batch = play_games(policy, self.config, seeds, observers=judges, starts=starts, record=self.record)
            seconds += time.perf_counter() - start_time - sum(compile_seconds)
            for judge in judges:
                seconds -= judge.seconds
                pairs = zip(batch, judge.diagnoses(), strict=True)
                batch = [record._replace(diagnosis=diagnosis) for record, diagnosis in pairs]
            records += batch
            # `reset` may raise a counter or set it back, so its gain starts from the lower of both totals.
            for name, total in getattr(policy, "counters", {}).items():
                counter_gains[name] += total - min(counters_before.get(name, 0), counters_after_reset.get(name, 0))
        return Part(first, records, seconds, dict(counter_gains))


def check_transcripts(assignments: Iterable[Assignment]) -> None:
    """Raises a ValueError if two policies share a folder of transcripts, and so would play by the same answers."""
    folders = [assignment.transcripts.folder.resolve() for assignment in assignments if assignment.transcripts]
    if len(set(folders)) < len(folders):
        raise ValueError(
            "two policies ask one model with the same settings, and would play by the same answers; give each its own "
            "folder, as in chat:model=NAME,transcripts=runs/chat-2"
        )


class Unit(NamedTuple):
    """`games` games from index `first` of assignment number `task`, for one worker: whole batches, or the last."""

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
        """Schedules the games that `parts` lack; of the assignments not yet begun, the last one begins first.

        `parts` has the played parts of each assignment, in order. A unit takes some `unit_seconds`; 0 means one batch.
        """
        self.tasks, self.workers = tasks, Workers()
        self.games = sum(len(task.seeds) for task in tasks)
        self._unit_seconds = unit_seconds
        parts = parts or [[] for _ in tasks]
        self._gaps: list[list[range]] = []  # per assignment, the indices of games in no unit yet
        for task, done_parts in zip(tasks, parts, strict=True):
            begins = [0, *(part.games.stop for part in done_parts)]
            ends = [*(part.games.start for part in done_parts), len(task.seeds)]
            self._gaps.append([range(begin, end) for begin, end in zip(begins, ends, strict=True) if begin < end])
        games_played = [sum(len(part.records) for part in done_parts) for done_parts in parts]
        self._games_left = [len(task.seeds) - games for task, games in zip(tasks, games_played, strict=True)]
        self._seconds_played = [sum(part.seconds for part in done_parts) for done_parts in parts]
        totals = zip(self._seconds_played, games_played, strict=True)
        self._pace = [seconds / max(1, games) for seconds, games in totals]  # mean seconds of a game; 0 if unknown
        self._begun = [bool(done_parts) for done_parts in parts]

    def next(self) -> Unit | None:
        """Returns the next unit and marks it as begun; None if no unit is left."""
        open_tasks = [task for task, gaps in enumerate(self._gaps) if gaps]
        if not open_tasks:
            return None
        games_to_begin = [sum(map(len, gaps)) for gaps in self._gaps]
        seconds_left = [pace * games for pace, games in zip(self._pace, games_to_begin, strict=True)]
        task = max(open_tasks, key=lambda index: (not self._begun[index], seconds_left[index], index))
        gap, batch_size, pace = self._gaps[task][0], self.tasks[task].batch_size, self._pace[task]
        self._begun[task] = True
        # Half of a worker's share of the work left, so units get shorter towards the end.
        unit_seconds = min(self._unit_seconds, max(LEAST_SECONDS, sum(seconds_left) / (2 * self.workers.count)))
        batches = max(1, int(unit_seconds / (pace * batch_size))) if pace else 1
        games = min(batches * batch_size, len(gap))
        if games > batch_size:
            # The last batch may be short, and a later run with more games would replace it; so it is a unit of its own.
            games -= games % batch_size
        self._gaps[task][:1] = [gap[games:]] if gap[games:] else []
        return Unit(task, gap.start, games)

    def finish(self, unit: Unit, seconds: float) -> bool:
        """Records a played unit and its seconds; returns whether its assignment is now finished."""
        self._games_left[unit.task] -= unit.games
        self._seconds_played[unit.task] += seconds
        played = len(self.tasks[unit.task].seeds) - self._games_left[unit.task]
        self._pace[unit.task] = self._seconds_played[unit.task] / max(1, played)
        return not self._games_left[unit.task]

    @property
    def done(self) -> int:
        """The number of games played."""
        return self.games - sum(self._games_left)

    def seconds_left(self) -> float | None:
        """Returns the expected wall-clock seconds left; None until each assignment has played a game."""
        if any(left == len(task.seeds) for task, left in zip(self.tasks, self._games_left, strict=True)):
            return None
        work_left = sum(pace * left for pace, left in zip(self._pace, self._games_left, strict=True))
        return work_left / self.workers.count

    def fraction_done(self) -> float:
        """Returns the fraction, 0 to 1, of the expected playing time of the assignments that have begun."""
        expected_seconds = sum(pace * len(task.seeds) for pace, task in zip(self._pace, self.tasks, strict=True))
        return sum(self._seconds_played) / expected_seconds if expected_seconds else 0.0


_policies: dict[tuple[str, int], Policy] = {}
"""Policies of this process for later units, by the id of the call of `play_units` and the number of the assignment."""


def play_units(
    schedule: Schedule, workers: Workers, on_look: Callable[[], object] = lambda: None
) -> Generator[tuple[Unit, Part]]:
    """Plays the units of a schedule, and yields each unit with its part as soon as it is played, in any order.

    `on_look` is called every second while no unit ends. Raises a PolicyError if a policy broke the protocol, and a
    WorkerError if a unit killed its workers repeatedly or no worker is left.
    """
    play_id, schedule.workers = uuid4().hex, workers
    calls = ((schedule.tasks[unit.task], play_id, unit) for unit in iter(schedule.next, None))
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


def play_unit(task: Assignment, play_id: str, unit: Unit) -> Part:
    """Plays a unit; the first one of an assignment builds the policy for all its units in this process."""
    if (play_id, unit.task) not in _policies:
        _policies[play_id, unit.task] = task.player()
    return task.play(_policies[play_id, unit.task], unit.first, unit.games)
