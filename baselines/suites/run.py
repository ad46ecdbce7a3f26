"""Play a suite into a folder, or resume it there, and write its results."""

from __future__ import annotations

import sys
from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from baselines.evaluation.units import Played, Schedule, play_units
from baselines.suites.analysis import analyse
from baselines.suites.folder import open_folder
from baselines.suites.parts import Part, PartStore
from baselines.suites.suite import Suite
from baselines.suites.tables import csv_text, markdown, plot, print_tables
from baselines.suites.tasks import LeftOut, Task, plan
from baselines.support.files import hold_folder, replace_file, write_json
from baselines.terminal.live_area import progress_line
from baselines.terminal.progress import Progress, format_seconds
from baselines.workers import MakeWorkers
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
    """

    suite: Suite
    folder: Path
    seed: int
    games: int
    command: str
    tasks: list[Task]
    left_out: list[LeftOut]

    @classmethod
    def of(cls, suite: Suite, folder: Path, seed: int | None, games: int | None, command: str) -> SuiteRun:
        """Checks the arguments before the first game, and creates the folder.

        Args:
            suite: the suite.
            folder: folder of its games and results.
            seed: seed of game 0; None for that of the suite.
            games: number of games of each policy on each board; None for that of the suite.
            command: command line that repeats the suite.

        Raises:
            ValueError: the folder or the games do not fit; the message says what is wrong.
            PolicyError: the code of a user's policy fails.
            MissingExtraError: a package is not installed.
        """
        games = games or suite.games
        seed = suite.seeds_of(seed, games).start
        for policy in open_folder(folder, suite, seed, games):
            say(f"{policy} is not named, so its games stay in {folder} and out of the tables")
        planned = list(plan(suite, games))
        tasks = [each for each in planned if isinstance(each, Task)]
        left_out = [each for each in planned if isinstance(each, LeftOut)]
        run = cls(suite, folder, seed, games, command, tasks, left_out)
        run.read_parts()
        return run

    def play(self, make_workers: MakeWorkers) -> None:
        """Plays the remaining games; each unit of them is on the disk when it is done.

        Args:
            make_workers: makes the workers.

        Raises:
            OSError: a file cannot be written, or another process is playing into the folder.
            DamagedPartError: a file of games is damaged.
            PolicyError: a policy broke the protocol.
            WorkerError: a unit killed its workers again and again, or there are no workers any more.
        """
        with hold_folder(self.folder):
            parts = self.read_parts()
            schedule = Schedule([task.assignment(self.seed) for task in self.tasks], parts)
            self._tell_what_is_left(schedule, "going on with" if any(parts) else "playing")
            try:
                with _progress(schedule) as progress:
                    self._play_units(schedule, make_workers, progress)
            except KeyboardInterrupt:
                self._tell_what_is_left(schedule, "interrupted:")
                raise

    def _play_units(self, schedule: Schedule, make_workers: MakeWorkers, progress: Progress) -> None:
        stores = self._stores()
        with closing(play_units(schedule, make_workers, progress.show)) as played:
            for each in played:
                stores[each.unit.task].write(_part_of(each))
                if schedule.finish(each.unit, each.seconds):
                    progress.show(f"{self.tasks[each.unit.task]} is done; ")
                progress.show()

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
            say(f"  {task.title}: {games} games")
        if len(left) > MOST_LINES:
            rest = sum(games for _, games in left[MOST_LINES:])
            say(f"  and {rest} games of {len(left) - MOST_LINES} more")
        sys.stderr.flush()

    def write_results(self, wide: bool = False) -> None:
        """Prints the tables, and writes the results as JSON, CSV, Markdown and a plot.

        Args:
            wide: whether to print all columns of the tables, whatever the width of the terminal.

        Raises:
            OSError: a file cannot be written.
            DamagedPartError: a file of games is damaged.
        """
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
            "results.png": plot(content),
        }
        write_json(self.folder / "results.json", content)
        for name, file in files.items():
            replace_file(self.folder / name, file)


def _progress(schedule: Schedule) -> Progress:
    """Returns a display of the games that a schedule has played."""

    def facts() -> str:
        seconds = schedule.seconds_left()
        left = "time left not known yet" if seconds is None else f"about {format_seconds(seconds)} left"
        return f"{schedule.done} of {schedule.games} games, {left}"

    return Progress(lambda width: progress_line("", schedule.fraction_done(), facts(), width), facts)


def _part_of(played: Played) -> Part:
    counters = Counter[str]()
    for batch in played.batches:
        counters.update(batch.counters)
    records = tuple(record for batch in played.batches for record in batch.records)
    return Part(played.unit.first, records, played.seconds, dict(counters))
