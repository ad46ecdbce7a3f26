"""Files of a user: saved games, which a session can play again, and the statistics of finished ones.

A saved game has the board, its mines and all moves with their times, as JSON.

3BV is Bechtel's Board Benchmark Value: the least number of left clicks that opens all safe cells
(https://minesweepergame.com/stefan-bechtel.php). An opening takes one click, and so does every other safe cell.
"""

import errno
import json
import os
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, Self

import msgspec
import numpy as np
from numpy.typing import NDArray

from baselines.checks import MissingExtraError, import_extra
from baselines.files import read_bounded, replace_file
from minesweeper_env.cell_sets import neighbour_table
from minesweeper_env.codes import FLAGGED
from minesweeper_env.config import MAX_STEPS, BoardConfig
from minesweeper_play.catalogue import Catalogue
from minesweeper_play.game.moves import MOST_SECONDS, Aid, Move, Report, neighbours
from minesweeper_play.game.session import Session, Status

FILE = "games.jsonl"
"""The file in the data folder; one line of JSON per game, so that no two programs lose a game."""

MOST_CELL_MOVES = 1 << 29
"""The largest product of moves and cells of a saved game: a session keeps two bytes per cell for each move."""

Count = Annotated[int, msgspec.Meta(ge=0, le=MAX_STEPS)]
Identity = Annotated[str, msgspec.Meta(max_length=64)]
"""The random name of a session, which the statistics copy from a saved game."""


def user_folder(kind: Literal["data", "config"]) -> Path:
    """Returns the user's folder for data or settings, which need not exist yet.

    Raises a MissingExtraError without platformdirs, and an OSError where the user has no home folder.
    """
    platformdirs = import_extra("platformdirs", "play")
    try:
        return Path(getattr(platformdirs, f"user_{kind}_path")("minesweeper-env", appauthor=False, roaming=True))
    except RuntimeError as error:
        raise FileNotFoundError("this user has no home folder; set HOME") from error


def board_value(layout: NDArray[np.bool_], is_open: NDArray[np.bool_] | None = None) -> int:
    """Returns the 3BV of a layout, bool (rows, cols), or of the part of it that is open; None means all of it."""
    rows, cols = layout.shape
    neighbour_indices = neighbour_table(rows, cols, 1).astype(np.int64)
    # The table gives neighbours off the board the index of the False behind the last cell.
    mines = np.append(layout.ravel(), False)
    zeros = ~mines[:-1] & ~mines[neighbour_indices].any(axis=1)
    near_zero = np.append(zeros, False)[neighbour_indices].any(axis=1)
    counted = np.ones(layout.size, np.bool_) if is_open is None else is_open.ravel()
    clicks = int((counted & ~mines[:-1] & ~zeros & ~near_zero).sum())
    unopened_zeros = set(np.flatnonzero(counted & zeros).tolist())
    while unopened_zeros:
        clicks += 1
        stack = [unopened_zeros.pop()]
        while stack:
            flooded = unopened_zeros.intersection(neighbour_indices[stack.pop()].tolist())
            unopened_zeros -= flooded
            stack += flooded
    return clicks


class BoardKind(NamedTuple):
    """Boards whose times can be compared."""

    rows: int
    cols: int
    mines: int
    first_click: str
    no_guess: str
    luck: bool


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
    identity: Identity
    luck: bool = True  # older records lack it

    def __post_init__(self) -> None:
        """Raises a ValueError where no game has these numbers."""
        BoardConfig(self.rows, self.cols, self.mines, self.first_click, luck=self.luck)
        if not (self.value if self.won else 0) <= self.solved <= self.value <= self.rows * self.cols - self.mines:
            raise ValueError("value is 3BV of the board, solved the part of it that is open: all of it if won")

    @classmethod
    def of(cls, session: Session) -> Self:
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
            luck=config.luck,
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
    """Whether a finished game set a best time, the best seconds before it, and what could not be stored or read."""

    is_best: bool = False
    best_before: float | None = None
    problem: Report = Report()


class Statistics:
    """The finished games of a user; `problem` is the message on unreadable lines, with the key "" for none."""

    def __init__(self, folder: Path | None = None) -> None:
        """Takes the folder of the file, None for the user's data folder; raises what `user_folder` raises."""
        self.path = (user_folder("data") if folder is None else folder) / FILE
        self.problem = Report()

    def read(self) -> list[GameRecord]:
        """Returns all games once, the oldest first; damaged lines are left out, and `problem` says how many."""
        lines = self.path.read_bytes().splitlines() if self.path.exists() else []
        records, damaged = dict[str, GameRecord](), 0
        for line in filter(bytes.strip, lines):
            try:
                record = msgspec.json.decode(line, type=GameRecord)
                records.setdefault(record.identity, record)
            except (ValueError, RecursionError):
                damaged += 1
        values = {"count": damaged, "path": self.path}
        self.problem = Report("statistics_damaged", values=values) if damaged else Report()
        return [*records.values()]

    def add(self, record: GameRecord) -> None:
        """Appends a game; raises an OSError if the file cannot be written."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        # One write, at the end of the file: two programs do not mix their lines. A last line without its end is closed.
        with self.path.open("a+b", buffering=0) as file:
            end = file.seek(0, os.SEEK_END)
            file.seek(max(0, end - 1))
            line = (b"" if file.read(1) in (b"", b"\n") else b"\n") + msgspec.json.encode(record) + b"\n"
            if (written := file.write(line)) < len(line):
                # A full disk takes a part of the line without an error.
                file.truncate(file.tell() - written)
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self.path))

    def finish(self, record: GameRecord) -> Finish:
        """Adds a game that has ended, unless the file has it; `Finish.problem` says what went wrong with the file."""
        try:
            records = self.read()
            if any(earlier.identity == record.identity for earlier in records):
                return Finish(problem=self.problem)
            self.add(record)
        except OSError as error:
            values = {"path": self.path, "reason": error}
            return Finish(problem=Report("statistics_failed", values=values))
        times = [earlier.seconds for earlier in records if earlier.kind == record.kind and earlier.is_timed]
        best_before = min(times, default=None)
        is_best = record.is_timed and (best_before is None or record.seconds < best_before)
        return Finish(is_best, best_before, self.problem)


def open_statistics() -> tuple[Statistics | None, Report]:
    """Returns the statistics of the user; or None, and the message that says why there are none."""
    try:
        return Statistics(), Report()
    except (MissingExtraError, OSError) as error:
        return None, Report("statistics_missing", values={"reason": str(error)})


class SavedGameError(ValueError):
    """A file is no saved game, or a damaged one; the message is one line."""


class SavedGame(msgspec.Struct):
    """Content of a file; its moves must lead to its status."""

    format: Literal["minesweeper-game"]
    version: Literal[1]
    rows: int
    cols: int
    mines: int
    first_click: str
    radius: Literal[1]
    seed: int
    identity: Identity
    no_guess: bool | Literal["subset", "exact"]
    practice: bool
    aids: set[Aid]
    status: Status
    seconds: Annotated[float, msgspec.Meta(ge=0, le=MOST_SECONDS)]
    layout: list[str] | None
    moves: list[Move]
    luck: bool = True  # older files lack it

    def session(self) -> Session:
        """Returns the session after its last move; raises a ValueError if the game is not possible."""
        times = [0.0, *(move.seconds for move in self.moves), self.seconds]
        if times != sorted(times):
            raise ValueError(f"the times of its moves must rise from 0 to its {self.seconds} seconds")
        no_guess: Any = self.no_guess
        config = BoardConfig(self.rows, self.cols, self.mines, self.first_click, luck=self.luck)
        if config.cells * len(self.moves) > MOST_CELL_MOVES:
            raise ValueError(f"it has {len(self.moves)} moves, too many for the memory on {config.in_words}")
        lines = ["." * self.cols] * self.rows if self.layout is None else self.layout
        if [len(line) for line in lines] != [self.cols] * self.rows or not {"*", "."}.issuperset("".join(lines)):
            raise ValueError(f"its layout must have the shape {self.rows} x {self.cols}, and * or . for each cell")
        if self.layout is None and any(move.kind not in ("flag", "question") for move in self.moves):
            raise ValueError("it has an open cell, but no layout")
        mines = None if self.layout is None else np.array([[cell == "*" for cell in row] for row in self.layout])
        session = Session(config, seed=self.seed, no_guess=no_guess, layout=mines)
        for number, move in enumerate(self.moves, 1):
            if not session.repeat(move).accepted:
                raise ValueError(f"its move {number} is not possible")
        self._check_first_click(session)
        if session.status != self.status:
            raise ValueError(f'its moves lead to the status "{session.status}", not "{self.status}"')
        session.resume(self.seconds, self.practice)
        session.identity, session.aids = self.identity, session.aids | self.aids
        return session

    def _check_first_click(self, session: Session) -> None:
        """Raises a ValueError if the first click hit a mine that its rule forbids; practice allows any layout."""
        first = next((move.cell for move in self.moves if move.kind in ("open", "reveal")), None)
        if first is None or self.practice or self.first_click == "any":
            return
        protected = [] if self.first_click == "safe" else neighbours(first, session.board.shape)
        if any(session.placed_mines[cell] for cell in (first, *protected)):
            raise ValueError(f"its first click finds a mine, which first_click {self.first_click!r} forbids")


def save_game(session: Session, path: Path) -> None:
    """Writes a session with its mines into a file, atomically; raises an OSError rather than replace another file."""
    if path.is_file():
        with path.open("rb") as file:
            if b'"minesweeper-game"' not in file.read(100):
                raise FileExistsError(errno.EEXIST, "the file exists, and is no saved game", str(path))
    replace_file(path, encode(session), follow=True)


def save_as(session: Session, name: str) -> Report:
    """Writes a session into the file that a player names; returns the message on its success or failure."""
    if not name:
        return Report("syntax_path")
    try:
        path = Path(name).expanduser()
        save_game(session, path)
    except (OSError, ValueError, RuntimeError) as error:
        # A ValueError is a NUL in the name, and a RuntimeError a user without a home.
        return Report("save_failed", values={"path": name, "reason": error})
    return Report("saved", values={"path": path})


def load_game(path: Path, catalogue: Catalogue) -> Session:
    """Returns the session of a file, after its last move; a missing or damaged file raises a SavedGameError."""
    try:
        return decode(read_bounded(path))
    except OSError as error:
        raise SavedGameError(catalogue.text("load_failed", path=path, reason=error)) from error
    except SavedGameError as error:
        raise SavedGameError(catalogue.text("coach_not_saved", file=path, reason=error)) from error


def encode(session: Session) -> bytes:
    """Returns the content of a saved game, a line for each entry."""
    rows = ["".join("*" if mine else "." for mine in row) for row in session.placed_mines.tolist()]
    rules = ("rows", "cols", "mines", "first_click", "luck")
    content = {
        "format": "minesweeper-game",
        "version": 1,
        **{name: getattr(session.config, name) for name in rules},
        "radius": 1,
        **{name: getattr(session, name) for name in ("seed", "identity", "no_guess", "practice")},
        "aids": sorted(session.aids),
        "status": session.status,
        "seconds": round(session.seconds, 3),
        "layout": rows if session.placed_mines.any() else None,
        "moves": [(*move[:3], round(move.seconds, 3)) for move in session.moves],
    }
    lines = (f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in content.items())
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()


def decode(content: bytes) -> Session:
    """Returns the session of the content of a saved game; raises a SavedGameError if it is none, or not possible."""
    try:
        return msgspec.json.decode(content.removeprefix(b"\xef\xbb\xbf"), type=SavedGame).session()
    except (ValueError, RecursionError) as error:
        raise SavedGameError(" ".join(str(error).split())) from error
