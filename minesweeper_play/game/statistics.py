"""Statistics of finished games: 3BV and other figures, totals of each kind of board, and the file of a user.

3BV is Bechtel's Board Benchmark Value: the least number of left clicks that opens all safe cells
(https://minesweepergame.com/stefan-bechtel.php). Every opening takes one click, and every safe cell that no opening
uncovers takes one.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from baselines.support.checks import MissingExtraError, import_extra
from minesweeper_env.cell_sets import neighbour_table
from minesweeper_env.codes import FLAGGED
from minesweeper_env.config import MAX_STEPS, BoardConfig
from minesweeper_play.game.moves import MOST_SECONDS, Report
from minesweeper_play.game.session import Session

FILE = "games.jsonl"
"""The file in the data folder; one line of JSON per game, so that no two programs lose a game."""

Count = Annotated[int, msgspec.Meta(ge=0, le=MAX_STEPS)]


def user_folder(kind: Literal["data", "config"]) -> Path:
    """Returns the user's folder for data or settings, which need not exist yet.

    It raises a MissingExtraError without platformdirs, and an OSError where the user has no home folder.
    """
    platformdirs = import_extra("platformdirs", "play")
    try:
        return Path(getattr(platformdirs, f"user_{kind}_path")("minesweeper-env", appauthor=False, roaming=True))
    except RuntimeError as error:
        raise FileNotFoundError("this user has no home folder; set HOME") from error


def board_value(layout: NDArray[np.bool_], is_open: NDArray[np.bool_] | None = None) -> int:
    """Returns the 3BV of a layout, bool (rows, cols), or of the part of it that is open; None means all of it."""
    rows, cols = layout.shape
    near = neighbour_table(rows, cols, 1).astype(np.int64)
    mines = np.append(layout.ravel(), False)
    zeros = ~mines[:-1] & ~mines[near].any(axis=1)
    near_zero = np.append(zeros, False)[near].any(axis=1)
    wanted = np.ones(layout.size, np.bool_) if is_open is None else is_open.ravel()
    clicks = int((wanted & ~mines[:-1] & ~zeros & ~near_zero).sum())
    waiting = set(np.flatnonzero(wanted & zeros).tolist())
    while waiting:
        clicks += 1
        stack = [waiting.pop()]
        while stack:
            reached = waiting.intersection(near[stack.pop()].tolist())
            waiting -= reached
            stack += reached
    return clicks


class BoardKind(NamedTuple):
    """Boards whose times can be compared."""

    rows: int
    cols: int
    mines: int
    first_click: str
    no_guess: str


class GameRecord(msgspec.Struct, frozen=True):
    """One finished game."""

    when: str  # the end of the game, ISO 8601 with the time zone
    rows: Count
    cols: Count
    mines: Count
    first_click: Literal["any", "safe", "opening", "corners"]
    radius: Literal[1]
    no_guess: Literal["", "subset", "exact"]  # "" for a board that may need guesses
    seed: Annotated[int, msgspec.Meta(ge=0)]
    won: bool
    seconds: Annotated[float, msgspec.Meta(ge=0, le=MOST_SECONDS)]
    value: Count  # 3BV of the board
    solved: Count  # 3BV of what was open
    clicks: Count  # moves that changed the board, with marks and the cells that `help` opened
    aids: str  # the kinds of help used, joined by commas; a game with help sets no best time
    identity: str  # the random name of the session

    def __post_init__(self) -> None:
        """Raises a ValueError where no game has these numbers."""
        BoardConfig(self.rows, self.cols, self.mines, self.first_click)
        if not self.won * self.value <= self.solved <= self.value <= self.rows * self.cols - self.mines:
            raise ValueError("value is 3BV of the board, solved the part of it that is open: all of it if won")

    @classmethod
    def of(cls, session: Session) -> GameRecord:
        config, mines = session.config, session.placed_mines
        return cls(
            when=datetime.now(UTC).isoformat(timespec="seconds"),
            **{name: getattr(config, name) for name in ("rows", "cols", "mines", "first_click")},
            radius=1,
            no_guess=session.no_guess or "",
            seed=session.seed,
            won=session.status == "won",
            seconds=round(session.seconds, 3),
            value=board_value(mines),
            solved=board_value(mines, session.board < FLAGGED),
            clicks=len(session.moves),
            aids=",".join(sorted(session.aids)),
            identity=session.identity,
        )

    @property
    def kind(self) -> BoardKind:
        return BoardKind(*(getattr(self, name) for name in BoardKind._fields))

    @property
    def is_timed(self) -> bool:
        """True if the time counts: the game was won without help."""
        return self.won and not self.aids

    @property
    def efficiency(self) -> float:
        """`solved` per click; 0.0 without a click. It exceeds 1 where chords open several cells."""
        return self.solved / self.clicks if self.clicks else 0.0


class Summary(NamedTuple):
    """Totals of the games on one kind of board; `streak` is of wins up to the last game.

    `best` (seconds, or None) and `most_efficient` (3BV per click, or 0.0) are of games won without help.
    """

    played: int
    won: int
    streak: int
    longest_streak: int
    best: float | None
    most_efficient: float


def summarise(records: Iterable[GameRecord]) -> dict[BoardKind, Summary]:
    """Returns the summary of each kind of board, small boards first; the oldest game of a kind comes first."""
    by_kind: dict[BoardKind, list[GameRecord]] = {}
    for record in records:
        by_kind.setdefault(record.kind, []).append(record)
    return {kind: _summary(by_kind[kind]) for kind in sorted(by_kind, key=lambda kind: (kind.rows * kind.cols, kind))}


def _summary(records: list[GameRecord]) -> Summary:
    streaks = [0]
    for record in records:
        streaks.append(streaks[-1] + 1 if record.won else 0)
    timed = [record for record in records if record.is_timed]
    best = min((record.seconds for record in timed), default=None)
    efficiency = max((record.efficiency for record in timed), default=0.0)
    return Summary(len(records), sum(each.won for each in records), streaks[-1], max(streaks), best, efficiency)


class Finish(NamedTuple):
    """Whether a game that has just ended is the best, the best time before it, and what could not be stored or read."""

    is_best: bool = False
    best_before: float | None = None
    problem: Report = Report()


def open_statistics() -> tuple[Statistics | None, Report]:
    """Returns the statistics of the user; or None, and the message that says why there are none."""
    try:
        return Statistics(), Report()
    except (MissingExtraError, OSError) as error:
        return None, Report("statistics_missing", values={"reason": str(error)})


class Statistics:
    """The finished games of a user; `problem` is the message on unreadable lines, with the key "" for none."""

    def __init__(self, folder: Path | None = None) -> None:
        """Takes the folder of the file, None for the user's data folder; raises what `user_folder` raises."""
        self.path = (user_folder("data") if folder is None else folder) / FILE
        self.problem = Report()

    def read(self) -> list[GameRecord]:
        """Returns all games, the oldest first; damaged lines are left out, and `problem` says how many."""
        lines = self.path.read_bytes().splitlines() if self.path.exists() else []
        records, damaged = [], 0
        for line in filter(bytes.strip, lines):
            try:
                records.append(msgspec.json.decode(line, type=GameRecord))
            except (ValueError, RecursionError):
                damaged += 1
        values = {"count": damaged, "path": self.path}
        self.problem = Report("statistics_damaged", values=values) if damaged else Report()
        return records

    def add(self, record: GameRecord) -> None:
        """Appends a game; raises an OSError if the file cannot be written."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        # One write, at the end of the file: two programs do not mix their lines. A damaged last line is closed.
        with self.path.open("ab", buffering=0) as file:
            file.write((b"\n" if self.problem.key else b"") + msgspec.json.encode(record) + b"\n")

    def finish(self, record: GameRecord) -> Finish:
        """Adds a game that has ended, unless it is there already; the result says what went wrong with the file."""
        try:
            records = self.read()
            if any(each.identity == record.identity for each in records):
                return Finish(problem=self.problem)
            self.add(record)
        except OSError as error:
            values = {"path": self.path, "reason": error}
            return Finish(problem=Report("statistics_failed", values=values))
        best = min((each.seconds for each in records if each.kind == record.kind and each.is_timed), default=None)
        return Finish(record.is_timed and (best is None or record.seconds < best), best, self.problem)
