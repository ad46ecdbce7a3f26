"""Saved games: the board, its mines and all moves with their times, as JSON that a session can play again."""

from __future__ import annotations

import errno
import json
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import numpy as np

from baselines.support.files import replace_file
from minesweeper_env.config import BoardConfig
from minesweeper_play.catalogue import Catalogue
from minesweeper_play.game.moves import MOST_SECONDS, Aid, Move, Report, neighbours
from minesweeper_play.game.session import Session, Status


class SavedGameError(ValueError):
    """A file is no saved game, or a damaged one; the message is one line."""


class SavedGame(msgspec.Struct):
    """Content of a file; its moves lead to its status."""

    format: Literal["minesweeper-game"]
    version: Literal[1]
    rows: int
    cols: int
    mines: int
    first_click: str
    radius: Literal[1]
    seed: int
    identity: str
    no_guess: bool | Literal["subset", "exact"]
    practice: bool
    aids: set[Aid]
    status: Status
    seconds: Annotated[float, msgspec.Meta(ge=0, le=MOST_SECONDS)]
    layout: list[str] | None
    moves: list[Move]

    def session(self) -> Session:
        """Returns the session after its last move; raises a ValueError if the game is not possible."""
        times = [0.0, *(move.seconds for move in self.moves), self.seconds]
        if times != sorted(times):
            raise ValueError(f"the times of its moves must rise from 0 to its {self.seconds} seconds")
        level: Any = self.no_guess
        config = BoardConfig(self.rows, self.cols, self.mines, self.first_click)
        lines = ["." * self.cols] * self.rows if self.layout is None else self.layout
        if [len(line) for line in lines] != [self.cols] * self.rows or not {"*", "."}.issuperset("".join(lines)):
            raise ValueError(f"its layout must have the shape {self.rows} x {self.cols}, and * or . for each cell")
        mines = None if self.layout is None else np.array([[cell == "*" for cell in row] for row in self.layout])
        session = Session(config, seed=self.seed, no_guess=level, layout=mines)
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
        """Raises a ValueError where the first click opened what its rule forbids; practice may begin anew."""
        first = next((move.cell for move in self.moves if move.kind in ("open", "reveal")), None)
        if first is None or self.practice or self.first_click == "any":
            return
        near = [] if self.first_click == "safe" else neighbours(first, session.board.shape)
        if any(session.placed_mines[cell] for cell in (first, *near)):
            raise ValueError(f"its first click finds a mine, which first_click {self.first_click!r} forbids")


def save_game(session: Session, path: Path) -> None:
    """Writes a session with its mines into a file, atomically; raises an OSError, also if it replaced another file."""
    if path.is_file():
        with path.open("rb") as file:
            if b'"minesweeper-game"' not in file.read(100):
                raise FileExistsError(errno.EEXIST, "the file exists, and is no saved game", str(path))
    replace_file(path, encode(session), follow=True)


def save_as(session: Session, name: str) -> Report:
    """Writes a session into the file that a player names, and returns what there is to say."""
    if not name:
        return Report("syntax_path")
    try:
        path = Path(name).expanduser()
        save_game(session, path)
    except (OSError, ValueError, RuntimeError) as error:
        # The last two are a NUL in the name, and a user without a home.
        return Report("save_failed", values={"path": name, "reason": error})
    return Report("saved", values={"path": path})


def load_game(path: Path, catalogue: Catalogue) -> Session:
    """Returns the session of a file, after its last move; a missing or damaged file raises a SavedGameError."""
    try:
        return decode(path.read_bytes())
    except OSError as error:
        raise SavedGameError(catalogue.text("load_failed", path=path, reason=error)) from error
    except SavedGameError as error:
        raise SavedGameError(catalogue.text("coach_not_saved", file=path, reason=error)) from error


def encode(session: Session) -> bytes:
    """Returns the content of a saved game, a line for each entry."""
    rows = ["".join("*" if mine else "." for mine in row) for row in session.placed_mines.tolist()]
    rules = ("rows", "cols", "mines", "first_click")
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
