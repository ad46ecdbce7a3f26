"""Run of a suite: play its games into a folder, and resume them there.

The games of a policy on a board are a task. A file per unit of play holds them, written whole or not at all.
"""

import gzip
import hashlib
import re
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, NamedTuple

import msgspec

from baselines.benchmark.suites import MANIFEST, SUITES, Entry, Suite
from baselines.evaluation.evaluate import prepare
from baselines.evaluation.games import GameRecord
from baselines.evaluation.results import PolicyResult
from baselines.evaluation.units import Assignment, Part, Schedule, check_transcripts, play_units
from baselines.files import file_name, hold_folder, read_bounded, replace_file, write_json
from baselines.progress import format_seconds, progress_display, progress_line
from baselines.provenance import earlier_results, installation_id, source_commit
from baselines.registry import Specification, find_policy
from baselines.schemas import Count, Seconds, convert
from baselines.user_policy import MEASURED
from baselines.workers import Workers
from minesweeper_env.config import BoardConfig
from minesweeper_env.console import say

SUFFIX = ".msgpack.gz"

Stored = tuple[Count, list[GameRecord], Seconds, dict[str, Count], dict[str, Any]]
"""Content of a file of games: the fields of its `Part`, and whose they are: `Task.owner`."""

RECORD_BYTES = 128
"""The most bytes of a game in a file, besides its actions."""


class Refusal(NamedTuple):
    """A policy that does not play on a board, and why."""

    group: str
    entry: Entry
    board: BoardConfig
    reason: str


@dataclass(frozen=True)
class Task:
    """The games of one policy on one board of a suite.

    Attributes:
        games: the games as workers receive them, with the moves of the policy.
        sha256: of the files of the policy; see `Specification.digest`.
    """

    group: str
    entry: Entry
    board: BoardConfig
    games: Assignment
    sha256: str | None = None

    def __str__(self) -> str:
        return f"{self.entry.policy} on {self.board.name} {self.board.first_click}"

    def folder(self, out: Path) -> Path:
        """Returns the folder of the games in the folder of the suite."""
        board = f"{file_name(self.board.name)}-{self.board.first_click}"
        return out / "games" / self.group / board / policy_folder(self.entry.policy)

    def owner(self) -> dict[str, Any]:
        """Returns what makes the games those of this task: JSON-able, by name."""
        games = self.games
        policy = {"policy": self.entry.policy, "sha256": self.sha256, "precision": games.precision}
        rules = {"board": self.board.name, "first_click": self.board.first_click, "moves": [*games.config.moves]}
        how = {"start": self.entry.start, "batch_size": games.batch_size, "record": games.record}
        return policy | rules | how | {"seed": games.seeds[0]}

    def write(self, out: Path, part: Part) -> None:
        """Writes a part, as MessagePack in a gzip file, and replaces one with the same first game."""
        self.folder(out).mkdir(parents=True, exist_ok=True)
        content = gzip.compress(msgspec.msgpack.encode((*part, self.owner())))
        replace_file(self.folder(out) / f"{part.first:08d}{SUFFIX}", content)

    def read(self, out: Path, actions: bool = False) -> list[Part]:
        """Returns the stored parts in order, but for one that ends within a batch which must now be longer.

        Recorded actions, which take far more memory, are read if asked for. An OSError names a file that is damaged,
        that has the games of another task, or whose games do not fit those of the other files, and says what to do.
        """
        parts: list[Part] = []
        games, size = len(self.games.seeds), self.games.batch_size
        most = RECORD_BYTES * (games + RECORD_BYTES) + 2 * self.games.config.step_limit * games * self.games.record
        for path in sorted(self.folder(out).glob(f"*{SUFFIX}")):
            fault = "is damaged"
            try:
                stored = msgspec.msgpack.decode(read_bounded(path, most, gzip.open), type=Stored)
                first, records, seconds, counters, owner = stored
                if other := [name for name, own in self.owner().items() if owner.get(name) != own]:
                    fault = f"has games of another {' and '.join(other)} than those of {self}"
                    raise ValueError(fault)
                part = _checked(Part(first, records, seconds, counters), path, self.games, actions)
            except Exception as error:
                # gzip and msgspec raise errors of many kinds on damaged bytes.
                raise OSError(None, f"{fault}; delete it to play its games again", str(path)) from error
            begin, end = part.games.start, part.games.stop
            if begin % size or end > games or (parts and begin < parts[-1].games.stop):
                raise OSError(None, "holds games that do not fit the other files; delete it to resume", str(path))
            if end % size == 0 or end == games:
                parts.append(part)
        return parts


def policy_folder(policy: str) -> str:
    """Returns the name of the folders with the games of a policy; a hash tells apart names that are spelled alike."""
    if re.fullmatch(r"[a-z0-9][-_a-z0-9]{,60}", policy):
        return policy
    name = re.sub(r"[^-=,+0-9A-Za-z]", "_", policy)
    return f"{name[-60:]}-{hashlib.sha256(policy.encode()).hexdigest()[:8]}"


def _checked(part: Part, path: Path, games: Assignment, actions: bool) -> Part:
    seeds = [record.seed - games.seeds[0] for record in part.records]
    # A counter with the name of a figure would replace it.
    is_right = path.name == f"{part.first:08d}{SUFFIX}" and part.counters.keys().isdisjoint(MEASURED)
    if not (is_right and seeds == [*part.games] and all(_is_possible(record, games.config) for record in part.records)):
        raise ValueError("a file has the name of its first game, and the games that follow it, as they can be")
    if not actions:
        return part._replace(records=tuple(record._replace(actions=b"") for record in part.records))
    if any(len(record.actions) != 2 * record.clicks for record in part.records):
        raise ValueError("the number of actions is not the number of clicks")
    return part._replace(records=tuple(part.records))


def _is_possible(record: GameRecord, config: BoardConfig) -> bool:
    """Returns whether the outcome and the numbers of a game may be those of one game."""
    safe = config.cells - config.mines
    in_range = 0 <= record.opened <= safe and 0 <= record.clicks <= config.step_limit
    # A chord may open the last safe cells together with a mine.
    fits = record.won == (record.opened == safe) or (record.opened == safe and "chord" in config.moves)
    return in_range and fits and not (record.won and record.truncated)


def plan(suite: Suite, seeds: range, earlier: Iterable[Task | Refusal] = ()) -> Iterator[Task | Refusal]:
    """Yields the games of each policy on each board of the suite, or why the policy refuses the board.

    A policy is built for its task, but not again for one of the `earlier` tasks.
    """
    known = {(task.group, task.entry, task.board): task for task in earlier}
    for group in suite.groups:
        makers = [find_policy(entry.policy) for entry in group.entries]
        digests = [maker.digest() for maker in makers]
        for board in group.boards:
            for entry, maker, digest in zip(group.entries, makers, digests, strict=True):
                if (group.name, entry, board) in known:
                    yield known[group.name, entry, board]
                    continue
                recorded = suite.protocol is not None
                try:
                    games = prepare(maker, board, seeds[: entry.cap], record=recorded, trial=False)
                except ValueError as error:
                    yield Refusal(group.name, entry, board, str(error))
                else:
                    size = entry.batch_size or games.batch_size
                    start = None if entry.start is None else partial(resolve_name(entry.start), games.config)
                    games = replace(games, batch_size=size, start=start, diagnose=False)
                    yield Task(group.name, entry, board, games, digest)


class SuiteRun:
    """A suite that is played into a folder."""

    def __init__(self, suite: Suite, folder: Path, seed: int | None, games: int, command: str) -> None:
        """Checks everything before the first game, and creates the folder.

        Without a seed, the suite has its own. A ValueError or an OSError says what does not fit.
        """
        self.suite, self.folder, self.command = suite, folder, command
        self.seeds = suite.seeds_of(seed, games)
        self.fixed = {"suite": suite.name, "seed": self.seeds[0], "games": len(self.seeds)}
        self._earlier_policies()  # another suite's folder is refused before minutes of preparation
        say("Prepare every policy for every board")
        self.planned = list(plan(suite, self.seeds))
        self.tasks = [task for task in self.planned if isinstance(task, Task)]
        self.refused = [task for task in self.planned if isinstance(task, Refusal)]
        self._open_folder()
        self._parts()

    def _earlier_policies(self) -> dict[str, str | None]:
        """Returns the digests of added policies in the manifest; raises ValueError if it is damaged or does not fit."""
        found = earlier_results(self.folder, MANIFEST, self.fixed).get("policies", {})
        return convert(found, dict[str, str | None], f"{self.folder / MANIFEST}, policies")

    def _open_folder(self) -> None:
        """Creates the folder, or checks that its games are of this suite, this code and these policies."""
        folder = self.folder
        usual = {entry.policy for group in SUITES[self.suite.name].groups for entry in group.entries}
        added = {entry.policy for group in self.suite.groups for entry in group.entries} - usual
        digests = {policy: Specification.of(policy).digest() for policy in sorted(added)}
        folder.mkdir(parents=True, exist_ok=True)
        with hold_folder(folder):
            before = self._earlier_policies()
            for policy, digest in digests.items():
                files = f"games/*/*/{policy_folder(policy)}"
                if before.get(policy, digest) != digest and any(folder.glob(f"{files}/*")):
                    raise ValueError(
                        f"{policy} has changed since its games in {folder} were played; choose another --out, restore "
                        f"the policy, or delete {folder / files} to play them again"
                    )
            for policy in before.keys() - digests.keys():
                say(f"{policy} is not named, so its games stay in {folder} and out of the tables")
            code = {"commit": source_commit(), "identity": installation_id()}
            write_json(folder / MANIFEST, self.fixed | code | {"policies": before | digests})

    def _parts(self) -> list[list[Part]]:
        return [task.read(self.folder) for task in self.tasks]

    def play(self, workers: AbstractContextManager[Workers]) -> None:
        """Plays the remaining games; each unit of them is on the disk when it is done."""
        with hold_folder(self.folder) as sweep:
            sweep(4)  # In games/GROUP/BOARD/POLICY/, too.
            parts = self._parts()
            schedule = Schedule([task.games for task in self.tasks], parts)
            place = hashlib.sha256(bytes(self.folder.resolve())).hexdigest()[:8]
            check_transcripts(schedule.tasks)
            for each in schedule.tasks:
                each.begin(f"-{place}")

            def facts() -> str:
                seconds = schedule.seconds_left()
                left = "time left not known yet" if seconds is None else f"about {format_seconds(seconds)} left"
                return f"{schedule.done} of {schedule.games} games, {left}"

            def tell(verb: str) -> None:
                say(f"{verb} {self.suite.name} in {self.folder}: {schedule.done} of {schedule.games} games are done")

            tell("going on with" if any(parts) else "playing")
            display = progress_display(lambda width: progress_line("", schedule.fraction_done(), facts(), width), facts)
            try:
                with display as show, workers as there, closing(play_units(schedule, there, show)) as units:
                    for unit, part in units:
                        task = self.tasks[unit.task]
                        task.write(self.folder, part)
                        show(f"{task} is done; " if schedule.finish(unit, part.seconds) else "")
            except KeyboardInterrupt:
                tell("interrupted:")
                raise
            for each in schedule.tasks:
                each.end()

    def results(self) -> list[tuple[Task, PolicyResult]]:
        """Returns the tasks with their games; raises OSError if a file of games is damaged."""
        return [
            (task, PolicyResult.of(task.games, parts)) for task, parts in zip(self.tasks, self._parts(), strict=True)
        ]
