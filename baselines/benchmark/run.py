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
"""Content of a file of games: the fields of its `Part`, and those of `Task.owner`."""

RECORD_BYTES = 128
"""The most bytes of a game in a file, besides its actions; the other fields of a file may take those of 128 games."""


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
        sha256: hash of the files of the policy; see `Specification.digest`.
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
        """Returns the settings that identify the games of this task, as a JSON object."""
        games = self.games
        policy = {"policy": self.entry.policy, "sha256": self.sha256, "precision": games.precision}
        rules = {"board": self.board.name, "first_click": self.board.first_click, "moves": [*games.config.moves]}
        play = {"start": self.entry.start, "batch_size": games.batch_size, "record": games.record}
        return policy | rules | play | {"seed": games.seeds[0]}

    def write(self, out: Path, part: Part) -> None:
        """Writes a part, as MessagePack in a gzip file, and replaces one with the same first game."""
        self.folder(out).mkdir(parents=True, exist_ok=True)
        content = gzip.compress(msgspec.msgpack.encode((*part, self.owner())))
        replace_file(self.folder(out) / f"{part.first:08d}{SUFFIX}", content)

    def read(self, out: Path, actions: bool = False) -> list[Part]:
        """Returns the stored parts in order. A last batch that was cut short, and is now longer, is played again.

        Recorded actions take far more memory, and are dropped without `actions`. Raises an OSError with the remedy for
        a file that is damaged, has games of another task, or does not fit the other files.
        """
        parts: list[Part] = []
        games, batch_size = len(self.games.seeds), self.games.batch_size
        action_bytes = 2 * self.games.config.step_limit * games if self.games.record else 0
        max_bytes = RECORD_BYTES * (games + 128) + action_bytes
        for path in sorted(self.folder(out).glob(f"*{SUFFIX}")):
            fault = "is damaged"
            try:
                stored = msgspec.msgpack.decode(read_bounded(path, max_bytes, gzip.open), type=Stored)
                first, records, seconds, counters, owner = stored
                if differing := [name for name, value in self.owner().items() if owner.get(name) != value]:
                    fault = f"has games of another {' and '.join(differing)} than those of {self}"
                    raise ValueError(fault)
                part = _checked_part(Part(first, records, seconds, counters), path, self.games, actions)
            except Exception as error:  # gzip and msgspec raise errors of many kinds on damaged bytes.
                raise OSError(None, f"{fault}; delete it to play its games again", str(path)) from error
            begin, end = part.games.start, part.games.stop
            if begin % batch_size or end > games or (parts and begin < parts[-1].games.stop):
                raise OSError(None, "holds games that do not fit the other files; delete it to resume", str(path))
            if end % batch_size == 0 or end == games:
                parts.append(part)
        return parts


def policy_folder(policy: str) -> str:
    """Returns the name of a policy's folders; a hash tells apart specifications that differ only in replaced signs."""
    if re.fullmatch(r"[a-z0-9][-_a-z0-9]{,60}", policy):
        return policy
    name = re.sub(r"[^-=,+0-9A-Za-z]", "_", policy)
    return f"{name[-60:]}-{hashlib.sha256(policy.encode()).hexdigest()[:8]}"


def _checked_part(part: Part, path: Path, games: Assignment, actions: bool) -> Part:
    """Returns a stored part, without its actions unless `actions`; raises a ValueError if it does not fit `games`."""
    indices = [record.seed - games.seeds[0] for record in part.records]
    # In a result, a counter named like a figure of `MEASURED` would replace that figure.
    fits = path.name == f"{part.first:08d}{SUFFIX}" and part.counters.keys().isdisjoint(MEASURED)
    if not (fits and indices == [*part.games] and all(_is_possible(record, games.config) for record in part.records)):
        raise ValueError("a file has the name of its first game, and the games that follow it, as they can be")
    if not actions:
        return part._replace(records=tuple(record._replace(actions=b"") for record in part.records))
    if any(len(record.actions) != 2 * record.clicks for record in part.records):  # Each action is a uint16.
        raise ValueError("the number of actions is not the number of clicks")
    return part._replace(records=tuple(part.records))


def _is_possible(record: GameRecord, config: BoardConfig) -> bool:
    """Returns whether a game of a suite can have this record; a suite judges no clicks."""
    safe = config.cells - config.mines
    least_clicks = 0 if record.truncated else 1  # A policy may give a game up before its first click.
    in_range = 0 <= record.opened <= safe and least_clicks <= record.clicks <= config.step_limit
    # A chord may open the last safe cells together with a mine.
    fits = record.won == (record.opened == safe) or (record.opened == safe and "chord" in config.moves)
    return in_range and fits and not (record.won and record.truncated) and record.diagnosis is None


def plan(suite: Suite, seeds: range, earlier: Iterable[Task | Refusal] = ()) -> Iterator[Task | Refusal]:
    """Yields a task for each policy on each board of the suite, or a refusal with the policy's reason.

    Each new task builds its policy; `earlier` tasks and refusals are yielded as they are.
    """
    earlier_tasks = {(task.group, task.entry, task.board): task for task in earlier}
    for group in suite.groups:
        makers = [find_policy(entry.policy) for entry in group.entries]
        digests = [maker.digest() for maker in makers]
        for board in group.boards:
            for entry, maker, digest in zip(group.entries, makers, digests, strict=True):
                if (group.name, entry, board) in earlier_tasks:
                    yield earlier_tasks[group.name, entry, board]
                    continue
                recorded = suite.protocol is not None
                try:
                    games = prepare(maker, board, seeds[: entry.cap], record=recorded, trial=False)
                except ValueError as error:
                    yield Refusal(group.name, entry, board, str(error))
                else:
                    batch_size = entry.batch_size or games.batch_size
                    start = None if entry.start is None else partial(resolve_name(entry.start), games.config)
                    games = replace(games, batch_size=batch_size, start=start, diagnose=False)
                    yield Task(group.name, entry, board, games, digest)


class SuiteRun:
    """A suite that is played into a folder."""

    def __init__(self, suite: Suite, folder: Path, seed: int | None, games: int, command: str) -> None:
        """Checks everything before the first game, and creates the folder.

        `seed` is None for the suite's own. Raises a ValueError or an OSError if the folder or an argument does not fit.
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
        self._read()  # Damaged files of games are refused now.

    def _earlier_policies(self) -> dict[str, str | None]:
        """Returns the digests of added policies in the manifest; raises ValueError if it is damaged or does not fit."""
        digests = earlier_results(self.folder, MANIFEST, self.fixed).get("policies", {})
        return convert(digests, dict[str, str | None], f"{self.folder / MANIFEST}, policies")

    def _open_folder(self) -> None:
        """Creates the folder, or checks that its games are of this suite, this code and these policies."""
        folder = self.folder
        suite_policies = {entry.policy for group in SUITES[self.suite.name].groups for entry in group.entries}
        added_policies = {entry.policy for group in self.suite.groups for entry in group.entries} - suite_policies
        digests = {policy: Specification.of(policy).digest() for policy in sorted(added_policies)}
        folder.mkdir(parents=True, exist_ok=True)
        with hold_folder(folder):
            earlier_digests = self._earlier_policies()
            for policy, digest in digests.items():
                pattern = f"games/*/*/{policy_folder(policy)}"
                if earlier_digests.get(policy, digest) != digest and any(folder.glob(f"{pattern}/*")):
                    raise ValueError(
                        f"{policy} has changed since its games in {folder} were played; choose another --out, restore "
                        f"the policy, or delete {folder / pattern} to play them again"
                    )
            for policy in earlier_digests.keys() - digests.keys():
                say(f"{policy} is not named, so its games stay in {folder} and out of the tables")
            code = {"commit": source_commit(), "identity": installation_id()}
            write_json(folder / MANIFEST, self.fixed | code | {"policies": earlier_digests | digests})

    def _read(self) -> list[list[Part]]:
        """Returns the stored parts of each task, without actions; raises as `Task.read` does."""
        return [task.read(self.folder) for task in self.tasks]

    def play(self, workers: AbstractContextManager[Workers]) -> None:
        """Plays the remaining games, and writes each unit of them as soon as it is played."""
        with hold_folder(self.folder) as remove_temporary_files:
            remove_temporary_files(4)  # Down to the depth of games/GROUP/BOARD/POLICY/.
            parts = self._read()
            schedule = Schedule([task.games for task in self.tasks], parts)
            folder_hash = hashlib.sha256(bytes(self.folder.resolve())).hexdigest()[:8]
            check_transcripts(schedule.tasks)
            for assignment in schedule.tasks:
                assignment.begin(f"-{folder_hash}")

            def facts() -> str:
                seconds = schedule.seconds_left()
                time_left = "time left not known yet" if seconds is None else f"about {format_seconds(seconds)} left"
                return f"{schedule.done} of {schedule.games} games, {time_left}"

            def say_count(verb: str) -> None:
                say(f"{verb} {self.suite.name} in {self.folder}: {schedule.done} of {schedule.games} games are done")

            say_count("going on with" if any(parts) else "playing")
            display = progress_display(lambda width: progress_line("", schedule.fraction_done(), facts(), width), facts)
            try:
                with display as show, workers as pool, closing(play_units(schedule, pool, show)) as units:
                    for unit, part in units:
                        task = self.tasks[unit.task]
                        task.write(self.folder, part)
                        show(f"{task} is done; " if schedule.finish(unit, part.seconds) else "")
            except KeyboardInterrupt:
                say_count("interrupted:")
                raise
            for assignment in schedule.tasks:
                assignment.end_transcripts()

    def results(self) -> list[tuple[Task, PolicyResult]]:
        """Returns the tasks with their games; raises OSError if a file of games is damaged."""
        tasks_and_parts = zip(self.tasks, self._read(), strict=True)
        return [(task, PolicyResult.of(task.games, parts)) for task, parts in tasks_and_parts]
