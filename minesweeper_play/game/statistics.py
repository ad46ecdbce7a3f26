"""Statistics in the user's data folder: one line of JSON per finished game, so that no two programs lose a game."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from baselines.support.extras import MissingExtraError
from baselines.support.files import replace_file
from minesweeper_play.folders import NoHomeError, data_folder, hold, set_aside
from minesweeper_play.game.moves import Report
from minesweeper_play.game.records import GameRecord

if TYPE_CHECKING:
    from minesweeper_play.game.session import Session

FILE = "games.jsonl"
"""The file in the data folder."""

NO_PROBLEM = Report()


@dataclass(frozen=True)
class Finish:
    """Place of a game that has just ended among the games before it.

    Attributes:
        is_best: whether its time is the best one of this kind of board.
        best_before: the best time in seconds before this game; None if there was none.
        problem: the message on what could not be stored or read; its key is "" if all went well.
    """

    is_best: bool = False
    best_before: float | None = None
    problem: Report = NO_PROBLEM


def open_statistics() -> tuple[Statistics | None, Report]:
    """Returns the statistics of the user; or None, and the message that says why there are none."""
    try:
        return Statistics(), NO_PROBLEM
    except NoHomeError:
        return None, Report("statistics_homeless")
    except MissingExtraError as error:
        return None, Report("statistics_missing", values={"reason": str(error)})


class Statistics:
    """The finished games of a user.

    Attributes:
        path: the file.
        problem: the message on lines of the file that could not be read; its key is "" if there were none.
    """

    def __init__(self, folder: Path | None = None) -> None:
        """Reads nothing yet.

        Args:
            folder: the folder of the file; None for the user's data folder.

        Raises:
            MissingExtraError: platformdirs is not installed.
            NoHomeError: the user has no home folder.
        """
        self.path = (data_folder() if folder is None else folder) / FILE
        self.problem = NO_PROBLEM

    def read(self) -> list[GameRecord]:
        """Returns all games, the oldest first.

        If lines are damaged, the whole file is kept under another name, the other lines stay, and `problem` says so.

        Raises:
            OSError: the file cannot be read.
        """
        self.problem = NO_PROBLEM
        records, damaged = self._parse()
        if damaged:
            with hold(self.path.parent):
                # Another program may have mended or extended the file meanwhile.
                records, damaged = self._parse()
                if damaged:
                    self._set_aside(records, damaged)
        return records

    def add(self, record: GameRecord) -> None:
        """Appends a game.

        Raises:
            OSError: the file cannot be written.
        """
        self.path.parent.mkdir(parents=True, exist_ok=True)
        line = json.dumps(asdict(record)).encode() + b"\n"
        with hold(self.path.parent), self.path.open("a+b", buffering=0) as file:
            if file.seek(0, os.SEEK_END):
                file.seek(-1, os.SEEK_END)
                # A program that was killed has left half a line.
                line = line if file.read(1) == b"\n" else b"\n" + line
            file.write(line)
            os.fsync(file.fileno())

    def finish(self, session: Session) -> Finish:
        """Records a game that has ended, unless it is practice or recorded already.

        A problem with the file is no error; the result says what it is.
        """
        if session.practice:
            return Finish()
        record = GameRecord.of(session)
        try:
            records = self.read()
            if any(each.identity == record.identity for each in records):
                return Finish(problem=self.problem)
            times = [each.seconds for each in records if each.kind == record.kind and each.is_timed]
            self.add(record)
        except OSError as error:
            reason = error.strerror or str(error)
            return Finish(problem=Report("statistics_failed", values={"path": self.path, "reason": reason}))
        best = min(times, default=None)
        is_best = record.is_timed and (best is None or record.seconds < best)
        return Finish(is_best, best, self.problem)

    def _parse(self) -> tuple[list[GameRecord], int]:
        """Returns the readable games, and the number of damaged lines."""
        try:
            lines = self.path.read_bytes().splitlines()
        except FileNotFoundError:
            return [], 0
        records, damaged = [], 0
        for line in filter(bytes.strip, lines):
            try:
                records.append(GameRecord.parse(json.loads(line)))
            except (ValueError, RecursionError):
                damaged += 1
        return records, damaged

    def _set_aside(self, records: list[GameRecord], damaged: int) -> None:
        """Keeps the damaged file under a new name, and writes the readable games to the old one."""
        aside = set_aside(self.path)
        replace_file(self.path, "".join(f"{json.dumps(asdict(record))}\n" for record in records).encode())
        values = {"count": damaged, "path": self.path, "aside": aside.name}
        self.problem = Report("statistics_damaged", values=values)
