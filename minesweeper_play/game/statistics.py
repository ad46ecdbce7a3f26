"""Statistics of finished games: 3BV and other figures, totals of each kind of board, and the file of a user.

3BV is Bechtel's Board Benchmark Value: the least number of left clicks that opens all safe cells
(https://minesweepergame.com/stefan-bechtel.php). Every opening takes one click, and every safe cell that no opening
uncovers takes one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from baselines.support.extras import MissingExtraError, import_extra
from minesweeper_env.neighbours import neighbour_table
from minesweeper_play.game.moves import Report
from minesweeper_play.game.session import Session

FILE = "games.jsonl"
"""The file in the data folder; one line of JSON per game, so that no two programs lose a game."""

NO_PROBLEM = Report()

Count = Annotated[int, msgspec.Meta(ge=0)]
Seconds = Annotated[float, msgspec.Meta(ge=0)]


def user_folder(kind: Literal["data", "config"]) -> Path:
    r"""Returns the user's folder of this program for data or settings, which need not exist yet.

    On Linux it is `~/.local/share/minesweeper-env` or `~/.config/minesweeper-env`, or below `$XDG_DATA_HOME` or
    `$XDG_CONFIG_HOME`; on macOS `~/Library/Application Support/minesweeper-env`, on Windows
    `%APPDATA%\minesweeper-env`.

    Raises:
        MissingExtraError: platformdirs is not installed.
        OSError: the user has no home folder.
    """
    platformdirs = import_extra("platformdirs", "play")
    try:
        return Path(getattr(platformdirs, f"user_{kind}_path")("minesweeper-env", appauthor=False, roaming=True))
    except RuntimeError as error:
        raise FileNotFoundError("this user has no home folder; set HOME") from error


# Figures of one game


@dataclass(frozen=True)
class Metrics:
    """Figures of a finished game.

    Attributes:
        value: 3BV of the whole board.
        solved: 3BV of what is open: openings and single cells.
        clicks: the number of moves that changed the board, with marks and with the cells that `help` opened.
        seconds: the time on the clock.
    """

    value: int
    solved: int
    clicks: int
    seconds: float

    @property
    def efficiency(self) -> float:
        """`solved` per click; 0.0 without a click. It exceeds 1 where chords open several cells."""
        return self.solved / self.clicks if self.clicks else 0.0

    @property
    def per_second(self) -> float:
        """`solved` per second; 0.0 where no time has passed."""
        return self.solved / self.seconds if self.seconds > 0 else 0.0


def measure(session: Session) -> Metrics:
    """Returns the figures of a session.

    Raises:
        ValueError: the game is not over, so that its mines are unknown.
    """
    layout = session.layout
    if layout is None:
        raise ValueError("a game has figures once it is over")
    radius = session.config.radius
    is_open = session.board <= session.config.codes.max_count
    solved = board_value(layout, radius, is_open)
    return Metrics(board_value(layout, radius), solved, len(session.moves), session.seconds)


def board_value(layout: NDArray[np.bool_], radius: int = 1, is_open: NDArray[np.bool_] | None = None) -> int:
    """Returns the 3BV of a layout, or of the part of it that is open.

    Args:
        layout: bool (rows, cols), the mines.
        radius: the radius of the neighbourhood.
        is_open: bool (rows, cols), the open cells; None counts the whole board.
    """
    rows, cols = layout.shape
    near = neighbour_table(rows, cols, radius).astype(np.int64)
    mines = np.append(layout.ravel(), False)
    zeros = ~mines[:-1] & ~mines[near].any(axis=1)
    near_zero = np.append(zeros, False)[near].any(axis=1)
    wanted = np.ones(layout.size, np.bool_) if is_open is None else is_open.ravel()
    singles = ~mines[:-1] & ~zeros & ~near_zero & wanted
    return _components(zeros & wanted, near) + int(singles.sum())


def _components(cells: NDArray[np.bool_], near: NDArray[np.int64]) -> int:
    """Returns the number of connected sets of cells."""
    waiting = set(np.flatnonzero(cells).tolist())
    count = 0
    while waiting:
        count += 1
        stack = [waiting.pop()]
        while stack:
            reached = waiting.intersection(near[stack.pop()].tolist())
            waiting -= reached
            stack += reached
    return count


# Records and their totals


class BoardKind(NamedTuple):
    """Boards whose times can be compared."""

    rows: int
    cols: int
    mines: int
    first_click: str
    radius: int
    no_guess: str


class GameRecord(msgspec.Struct, frozen=True):
    """One finished game.

    Attributes:
        when: the end of the game, ISO 8601 with the time zone.
        rows: the number of rows.
        cols: the number of columns.
        mines: the number of mines.
        first_click: the first-click rule.
        radius: the radius of the neighbourhood.
        no_guess: "subset" or "exact"; "" for a board that may need guesses.
        seed: the seed.
        won: whether the game was won.
        seconds: the time on the clock.
        value: 3BV of the board.
        solved: 3BV of what was open.
        clicks: the number of moves.
        aids: the kinds of help used, joined by commas; "" for none. A game with help sets no best time.
        identity: the random name of the session.
    """

    when: str
    rows: Count
    cols: Count
    mines: Count
    first_click: Literal["any", "safe", "opening", "corners"]
    radius: Count
    no_guess: Literal["", "subset", "exact"]
    seed: Count
    won: bool
    seconds: Seconds
    value: Count
    solved: Count
    clicks: Count
    aids: str
    identity: str

    @classmethod
    def of(cls, session: Session) -> GameRecord:
        """Returns the record of a finished game, which ends now."""
        metrics, rules = measure(session), ("rows", "cols", "mines", "first_click", "radius")
        return cls(
            when=datetime.now(UTC).isoformat(timespec="seconds"),
            **{name: getattr(session.config, name) for name in rules},
            no_guess=session.no_guess or "",
            seed=session.seed,
            won=session.status == "won",
            seconds=round(metrics.seconds, 3),
            value=metrics.value,
            solved=metrics.solved,
            clicks=metrics.clicks,
            aids=",".join(sorted(session.aids)),
            identity=session.identity,
        )

    @property
    def kind(self) -> BoardKind:
        """The boards with which the game is compared."""
        return BoardKind(self.rows, self.cols, self.mines, self.first_click, self.radius, self.no_guess)

    @property
    def is_timed(self) -> bool:
        """True if the time counts: the game was won without help."""
        return self.won and not self.aids


@dataclass(frozen=True)
class Summary:
    """Totals of the games on one kind of board.

    Attributes:
        played: the number of games.
        won: the number of games won.
        streak: the number of games won in a row up to the last one.
        longest_streak: the largest number of games won in a row.
        best: the best time in seconds; None without a game won without help.
        most_efficient: the largest 3BV per click of a game won without help; 0.0 without one.
    """

    played: int
    won: int
    streak: int
    longest_streak: int
    best: float | None
    most_efficient: float

    @classmethod
    def of(cls, records: list[GameRecord]) -> Summary:
        """Returns the summary of games, the oldest first."""
        streak = longest = 0
        for record in records:
            streak = streak + 1 if record.won else 0
            longest = max(longest, streak)
        timed = [record for record in records if record.is_timed]
        best = min((record.seconds for record in timed), default=None)
        efficiency = max((record.solved / record.clicks for record in timed if record.clicks), default=0.0)
        return cls(len(records), sum(record.won for record in records), streak, longest, best, efficiency)


def summarise(records: Iterable[GameRecord]) -> dict[BoardKind, Summary]:
    """Returns the summary of each kind of board, small boards first."""
    by_kind: dict[BoardKind, list[GameRecord]] = {}
    for record in records:
        by_kind.setdefault(record.kind, []).append(record)
    kinds = sorted(by_kind, key=lambda kind: (kind.rows * kind.cols, kind))
    return {kind: Summary.of(by_kind[kind]) for kind in kinds}


# The file


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
    except (MissingExtraError, OSError) as error:
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
            OSError: the user has no home folder.
        """
        self.path = (user_folder("data") if folder is None else folder) / FILE
        self.problem = NO_PROBLEM

    def read(self) -> list[GameRecord]:
        """Returns all games, the oldest first; damaged lines are left out, and `problem` says how many.

        Raises:
            OSError: the file cannot be read.
        """
        self.problem = NO_PROBLEM
        lines = self.path.read_bytes().splitlines() if self.path.exists() else []
        records, damaged = [], 0
        for line in filter(bytes.strip, lines):
            try:
                records.append(msgspec.json.decode(line, type=GameRecord))
            except (msgspec.DecodeError, RecursionError):
                damaged += 1
        if damaged:
            self.problem = Report("statistics_damaged", values={"count": damaged, "path": self.path})
        return records

    def add(self, record: GameRecord) -> None:
        """Appends a game.

        Raises:
            OSError: the file cannot be written.
        """
        self.path.parent.mkdir(parents=True, exist_ok=True)
        # One write, at the end of the file: two programs do not mix their lines. A damaged last line is closed.
        with self.path.open("ab", buffering=0) as file:
            file.write((b"\n" if self.problem.key else b"") + msgspec.json.encode(record) + b"\n")

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
