"""`python evaluate.py --suite`: play a suite into a folder, or resume it there."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from baselines.cli.arguments import FAILED, INTERRUPTED
from baselines.cli.failures import explain, play_errors
from baselines.evaluation.units.schedule import Schedule
from baselines.executors.executor import MakeWorkers
from baselines.suites.analysis import analyse
from baselines.suites.definitions import find_suite
from baselines.suites.display import print_tables
from baselines.suites.folder import open_folder
from baselines.suites.parts import Part, PartStore
from baselines.suites.plots import draw
from baselines.suites.progress import suite_progress
from baselines.suites.runner import play_tasks
from baselines.suites.suite import Suite
from baselines.suites.tables import csv_text, markdown
from baselines.suites.tasks import LeftOut, Task, plan
from baselines.support.files import hold_folder, replace_file, write_json
from minesweeper_env.notices import say

MOST_LINES = 12
"""Maximum number of unfinished tasks that are listed."""


@dataclass
class SuiteRun:
    """A suite that is being played into a folder.

    Attributes:
        suite: the suite.
        folder: folder of its games and results.
        seed: seed of game 0.
        games: number of games of each policy on each board.
        command: command line that repeats the suite.
        tasks: tasks to play.
        left_out: policies that do not play on a board.
        program: name of the command, for error messages.
    """

    suite: Suite
    folder: Path
    seed: int
    games: int
    command: str
    tasks: list[Task]
    left_out: list[LeftOut]
    program: str = "evaluate.py"

    @classmethod
    def prepare(
        cls,
        name: str,
        folder: Path,
        seed: int | None,
        games: int | None,
        command: str,
        program: str = "evaluate.py",
        policies: Sequence[str] = (),
    ) -> SuiteRun:
        """Checks the arguments before the first game, and creates the folder.

        Args:
            name: name of the suite.
            folder: folder of its games and results.
            seed: seed of game 0; None for that of the suite.
            games: number of games of each policy on each board; None for that of the suite.
            command: command line that repeats the suite.
            program: name of the command, for error messages.
            policies: policies to add to those of the suite.

        Raises:
            ValueError: the suite is unknown, or the folder or the games do not fit; the message says what is wrong.
            PolicyError: the code of a user's policy fails.
            MissingExtraError: a package is not installed.
        """
        return cls.of(find_suite(name).with_policies(policies), folder, seed, games, command, program)

    @classmethod
    def of(
        cls,
        suite: Suite,
        folder: Path,
        seed: int | None,
        games: int | None,
        command: str,
        program: str = "evaluate.py",
    ) -> SuiteRun:
        """Prepares a suite that is given as an object; see `prepare`."""
        games = games or suite.games
        seed = suite.seeds_of(seed, games).start
        for policy in open_folder(folder, suite, seed, games):
            say(f"{policy} is not named, so its games stay in {folder} and out of the tables")
        planned = list(plan(suite, games))
        tasks = [each for each in planned if isinstance(each, Task)]
        left_out = [each for each in planned if isinstance(each, LeftOut)]
        run = cls(suite, folder, seed, games, command, tasks, left_out, program)
        run.read_parts()
        return run

    def play(self, make_workers: MakeWorkers, report: bool = True, wide: bool = False) -> int:
        """Plays the remaining games and then writes the results; returns the exit status.

        Args:
            make_workers: makes the executor.
            report: False to leave the results to the caller.
            wide: whether to print all columns of the tables, whatever the width of the terminal.

        Raises:
            OSError: the results cannot be written, or another process is playing into the folder.
            DamagedPartError: a file of games is damaged.
        """
        try:
            with hold_folder(self.folder):
                return self._play(make_workers, report, wide)
        except KeyboardInterrupt:
            say(f"interrupted; the games are in {self.folder}: the same command goes on from here")
            return INTERRUPTED

    def _play(self, make_workers: MakeWorkers, report: bool, wide: bool) -> int:
        parts = self.read_parts()
        schedule = Schedule(self.tasks, parts)
        self._tell_what_is_left(schedule, "going on with" if any(parts) else "playing")
        try:
            with suite_progress(schedule) as progress:
                play_tasks(self.tasks, self._stores(), schedule, self.seed, make_workers, progress)
        except KeyboardInterrupt:
            self._tell_what_is_left(schedule, "interrupted:")
            raise
        except play_errors() as error:
            say(f"{self.program}: {explain(error)}; the games finished before are in {self.folder}")
            return FAILED
        if report:
            self.write_results(wide)
        return 0

    def read_parts(self) -> list[list[Part]]:
        """Returns the stored games of each task.

        Raises:
            DamagedPartError: a file of games is damaged.
        """
        return [store.read() for store in self._stores()]

    def _stores(self) -> list[PartStore]:
        return [PartStore(self.folder, task, self.seed) for task in self.tasks]

    def _tell_what_is_left(self, schedule: Schedule, verb: str) -> None:
        left = schedule.left()
        line = f"{verb} {self.suite.name} in {self.folder}: {schedule.done} of {schedule.games} games are done"
        say(f"{line}{'; left:' if left else ''}")
        for task, games in left[:MOST_LINES]:
            say(f"  {task}: {games} games")
        if len(left) > MOST_LINES:
            rest = sum(games for _, games in left[MOST_LINES:])
            say(f"  and {rest} games of {len(left) - MOST_LINES} more")
        sys.stderr.flush()

    def write_results(self, wide: bool) -> None:
        """Prints the tables, and writes the results as JSON, CSV, Markdown and a plot."""
        content = analyse(
            self.suite,
            self.tasks,
            self.read_parts(),
            self.left_out,
            seed=self.seed,
            games=self.games,
            command=self.command,
        )
        print_tables(self.suite, content, wide)
        files = {
            "results.csv": csv_text(content).encode(),
            "results.md": markdown(self.suite, content).encode(),
            "results.png": draw(self.suite, content),
        }
        write_json(self.folder / "results.json", content)
        for name, file in files.items():
            replace_file(self.folder / name, file)
