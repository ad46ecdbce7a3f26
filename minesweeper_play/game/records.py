"""Records of finished games, and their totals: games won, streaks and best times on each board."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from minesweeper_env.config import FIRST_CLICKS, NO_GUESS_LEVELS
from minesweeper_play.game.metrics import measure
from minesweeper_play.game.moves import AIDS

if TYPE_CHECKING:
    from minesweeper_play.game.session import Session

MOST_BEST = 5
"""The number of best times that a board keeps."""


class BoardKind(NamedTuple):
    """Boards whose times can be compared."""

    rows: int
    cols: int
    mines: int
    first_click: str
    radius: int
    no_guess: str


@dataclass(frozen=True)
class GameRecord:
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
    rows: int
    cols: int
    mines: int
    first_click: str
    radius: int
    no_guess: str
    seed: int
    won: bool
    seconds: float
    value: int
    solved: int
    clicks: int
    aids: str
    identity: str

    @classmethod
    def of(cls, session: Session) -> GameRecord:
        """Returns the record of a finished game, which ends now."""
        config, metrics = session.config, measure(session)
        return cls(
            when=datetime.now(UTC).isoformat(timespec="seconds"),
            rows=config.rows,
            cols=config.cols,
            mines=config.mines,
            first_click=config.first_click,
            radius=config.radius,
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

    @classmethod
    def parse(cls, content: Any) -> GameRecord:
        """Returns the record of a JSON object.

        Raises:
            ValueError: a field is missing, has another type, or holds an unknown word.
        """
        if not isinstance(content, dict):
            raise ValueError("a record is a JSON object")
        values = {field.name: _typed(content.get(field.name), str(field.type)) for field in fields(cls)}
        record = cls(**values)
        known = record.first_click in FIRST_CLICKS and record.no_guess in ("", *NO_GUESS_LEVELS)
        if not known or not set(filter(None, record.aids.split(","))) <= set(AIDS):
            raise ValueError("a record has a word that this program does not know")
        return record

    @property
    def kind(self) -> BoardKind:
        """The boards with which the game is compared."""
        return BoardKind(self.rows, self.cols, self.mines, self.first_click, self.radius, self.no_guess)

    @property
    def is_timed(self) -> bool:
        """True if the time counts: the game was won without help."""
        return self.won and not self.aids


def _typed(value: Any, kind: str) -> Any:
    """Returns a value if it has the type of a field, and raises a ValueError otherwise."""
    if isinstance(value, (int, float)) and not 0 <= value < 1e18:
        raise ValueError("a number of a record is at least 0, and below 1e18")
    if kind == "float" and type(value) is int:
        value = float(value)
    if type(value) is not {"str": str, "int": int, "float": float, "bool": bool}[kind]:
        raise ValueError(f"a field must be of the type {kind}, not {value!r}")
    return value


@dataclass(frozen=True)
class Summary:
    """Totals of the games on one kind of board.

    Attributes:
        played: the number of games.
        won: the number of games won.
        streak: the number of games won in a row up to the last one.
        longest_streak: the largest number of games won in a row.
        best: the games with the best times, the fastest first.
        most_efficient: the largest 3BV per click of a game won without help; 0.0 without one.
    """

    played: int
    won: int
    streak: int
    longest_streak: int
    best: tuple[GameRecord, ...]
    most_efficient: float

    @classmethod
    def of(cls, records: list[GameRecord]) -> Summary:
        """Returns the summary of games, the oldest first."""
        streak = longest = 0
        for record in records:
            streak = streak + 1 if record.won else 0
            longest = max(longest, streak)
        timed = [record for record in records if record.is_timed]
        best = tuple(sorted(timed, key=lambda record: record.seconds)[:MOST_BEST])
        efficiency = max((record.solved / record.clicks for record in timed if record.clicks), default=0.0)
        return cls(len(records), sum(record.won for record in records), streak, longest, best, efficiency)


def summarise(records: Iterable[GameRecord]) -> dict[BoardKind, Summary]:
    """Returns the summary of each kind of board, small boards first."""
    by_kind: dict[BoardKind, list[GameRecord]] = {}
    for record in records:
        by_kind.setdefault(record.kind, []).append(record)
    kinds = sorted(by_kind, key=lambda kind: (kind.rows * kind.cols, kind))
    return {kind: Summary.of(by_kind[kind]) for kind in kinds}
