"""Plays a suite into a folder, resumes it there, and writes its results."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import msgspec

from baselines.benchmark.results import content_of, csv_text, markdown, plot, print_tables
from baselines.benchmark.suites import GAMES, SUITES, Suite
from baselines.benchmark.units import Task, plan, policy_folder, sum_of
from baselines.evaluation.games import Part
from baselines.evaluation.results import PolicyResult
from baselines.evaluation.units import Schedule, play_units
from baselines.registry import policy_digest
from baselines.support.files import hold_folder, replace_file, write_json
from baselines.support.progress import Progress, format_seconds, progress_line
from baselines.support.provenance import earlier_results, own_identity, source_commit
from baselines.support.structs import Games, read_as
from baselines.workers import MakeWorkers
from minesweeper_env.notices import say

MANIFEST = "suite.json"
"""The file that says what a folder holds."""


class Manifest(msgspec.Struct):
    """What the folder of a suite says of its games.

    Attributes:
        policies: digest of each policy that was added to the suite.
        games: number of games of each policy on each board.
        commit: of the code.
    """

    policies: dict[str, str | None]
    games: Games
    commit: str


def read_manifest(folder: Path) -> Manifest:
    """Returns the manifest of the folder of a suite; raises ValueError if there is none, or a damaged one."""
    return read_as(folder / MANIFEST, Manifest)


def open_folder(folder: Path, suite: Suite, seed: int, games: int) -> None:
    """Creates the folder of a suite, or checks that the suite can resume in it.

    Raises:
        ValueError: the folder holds something else, or games of other code or of a policy that has changed since.
        OSError: the folder cannot be written, or another process is writing into it.
    """
    fixed = {"suite": suite.name, "seed": seed, "games": games}
    own = {entry.policy for group in SUITES[suite.name].groups for entry in group.entries}
    added = {entry.policy for group in suite.groups for entry in group.entries} - own
    digests = {policy: policy_digest(policy) for policy in sorted(added)}
    folder.mkdir(parents=True, exist_ok=True)
    with hold_folder(folder):
        before = read_manifest(folder).policies if earlier_results(folder, MANIFEST, fixed) else {}
        for policy, digest in digests.items():
            played = f"games/*/*/{policy_folder(policy)}"
            if before.get(policy, digest) != digest and any(folder.glob(f"{played}/*")):
                raise ValueError(
                    f"{policy} has changed since its games in {folder} were played; choose another --out, restore the "
                    f"policy, or delete {folder / played} to play them again"
                )
        for policy in before.keys() - digests.keys():
            say(f"{policy} is not named, so its games stay in {folder} and out of the tables")
        code = {"commit": source_commit(), "identity": own_identity()._asdict()}
        write_json(folder / MANIFEST, fixed | code | {"policies": before | digests})


class SuiteRun:
    """A suite that is played into a folder."""

    def __init__(self, suite: Suite, folder: Path, seed: int | None, games: int | None, command: str) -> None:
        """Checks the arguments before the first game, and creates the folder.

        Args:
            suite: the suite.
            folder: folder of its games and results.
            seed: seed of game 0; None for that of the suite.
            games: number of games of each policy on each board; None for the usual one.
            command: command line that repeats the suite.

        Raises:
            ValueError: the folder or the games do not fit; the message says what is wrong.
            OSError: the folder cannot be written, or a file of games is damaged.
            PolicyError: the code of a user's policy fails.
            MissingExtraError: a package is not installed.
        """
        self.suite, self.folder, self.games, self.command = suite, folder, games or GAMES, command
        self.seed = suite.seeds_of(seed, self.games).start
        say("Prepare every policy for every board")
        planned = list(plan(suite, self.games))
        open_folder(folder, suite, self.seed, self.games)
        self.tasks = [task for task in planned if not task.refusal]
        self._refused = [task for task in planned if task.refusal]
        self._parts()

    def _parts(self) -> list[list[Part]]:
        return [task.read(self.folder, self.seed) for task in self.tasks]

    def play(self, make_workers: MakeWorkers) -> None:
        """Plays the remaining games; each unit of them is on the disk when it is done.

        Raises:
            OSError: a file cannot be written or is damaged, or another process is playing into the folder.
            PolicyError: a policy broke the protocol.
            WorkerError: a unit killed its workers again and again, or there are no workers any more.
        """
        with hold_folder(self.folder):
            parts = self._parts()
            schedule = Schedule([task.assignment(self.seed) for task in self.tasks], parts)
            self._say("going on with" if any(parts) else "playing", schedule)
            try:
                with (
                    _progress(schedule) as progress,
                    closing(play_units(schedule, make_workers, progress.show)) as all_,
                ):
                    for unit, part in all_:
                        task = self.tasks[unit.task]
                        task.write(self.folder, part)
                        ended = schedule.finish(unit, part.seconds)
                        progress.show(f"{task} is done; " if ended else "")
            except KeyboardInterrupt:
                self._say("interrupted:", schedule)
                raise

    def _say(self, verb: str, schedule: Schedule) -> None:
        say(f"{verb} {self.suite.name} in {self.folder}: {schedule.done} of {schedule.games} games are done")

    def write_results(self, wide: bool = False) -> None:
        """Prints the tables, `wide` ones with all columns, and writes the results as JSON, CSV, Markdown and a plot.

        Raises:
            OSError: a file cannot be written, or a file of games is damaged.
        """
        played = [(task, _add_up(task, parts)) for task, parts in zip(self.tasks, self._parts(), strict=True)]
        content = content_of(self.suite, played, self._refused, self.seed, self.games, self.command)
        print_tables(content, wide)
        files = {"csv": csv_text(content).encode(), "md": markdown(content).encode(), "png": plot(content)}
        write_json(self.folder / "results.json", content)
        for suffix, file in files.items():
            replace_file(self.folder / f"results.{suffix}", file)


def _progress(schedule: Schedule) -> Progress:
    """Returns a display of the games that a schedule has played."""

    def facts() -> str:
        seconds = schedule.seconds_left()
        left = "time left not known yet" if seconds is None else f"about {format_seconds(seconds)} left"
        return f"{schedule.done} of {schedule.games} games, {left}"

    return Progress(lambda width: progress_line("", schedule.fraction_done(), facts(), width), facts)


def _add_up(task: Task, parts: Sequence[Part]) -> PolicyResult:
    counters = sum_of(part.counters for part in parts)
    seconds = sum(part.seconds for part in parts)
    records = tuple(record for part in parts for record in part.records)
    return PolicyResult(task.entry.policy, records, seconds, seconds, counters, task.precision)
