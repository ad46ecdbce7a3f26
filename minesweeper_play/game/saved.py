"""Saved games: the board, its mines and all moves with their times, as JSON that a session can play again."""

from __future__ import annotations

import errno
import json
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.support.files import NoJsonError, read_json, replace_file
from minesweeper_env.config import BoardConfig
from minesweeper_play.game.moves import AIDS, MOVE_KINDS, Move
from minesweeper_play.game.session import Session

FORMAT, VERSION = "minesweeper-game", 1
"""The first two entries of a file."""


MINE, FREE = "*", "."
"""The characters of the layout."""


class SavedGameError(ValueError):
    """A file is no saved game, or a damaged one; the message is one line."""


def save_game(session: Session, path: Path) -> None:
    """Writes a session into a file, atomically; a saved game of this name is replaced.

    The file of a game under way has its mines, so that the game can continue.

    Raises:
        FileExistsError: the file exists, and is no saved game.
        OSError: the file cannot be written.
    """
    if path.is_file() and not _is_saved_game(path):
        raise FileExistsError(errno.EEXIST, "the file exists, and is no saved game", str(path))
    content = to_json(session)
    moves = ",\n".join(f"    {json.dumps(move)}" for move in content.pop("moves"))
    head = json.dumps(content, indent=2, ensure_ascii=False).removesuffix("\n}")
    replace_file(path, f'{head},\n  "moves": [\n{moves}\n  ]\n}}\n'.encode())


def load_game(path: Path) -> Session:
    """Returns the session of a file, after its last move.

    Raises:
        SavedGameError: the file is missing, damaged or no saved game.
    """
    try:
        return from_json(read_json(path))
    except SavedGameError as error:
        raise SavedGameError(f"{path} is no saved game: {error}") from error
    except NoJsonError as error:
        raise SavedGameError(f"{path} is no saved game: it holds no valid JSON") from error
    except ValueError as error:
        raise SavedGameError(str(error)) from error


def _is_saved_game(path: Path) -> bool:
    """Returns whether a file looks like a saved game, perhaps a damaged one."""
    with path.open("rb") as file:
        return f'"{FORMAT}"'.encode() in file.read(100)


def to_json(session: Session) -> dict[str, Any]:
    """Returns the content of a saved game: numbers, texts and lists."""
    config, mines = session.config, session.placed_mines()
    rows = ["".join(MINE if mine else FREE for mine in row) for row in mines.tolist()]
    content: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "rows": config.rows,
        "cols": config.cols,
        "mines": config.mines,
        "first_click": config.first_click,
        "radius": config.radius,
        "seed": session.seed,
        "identity": session.identity,
        "no_guess": session.no_guess,
        "practice": session.practice,
        "aids": sorted(session.aids),
        "status": session.status,
        "seconds": round(session.seconds, 3),
        "layout": rows if mines.any() else None,
        "moves": [[move.kind, move.row, move.col, round(move.seconds, 3)] for move in session.moves],
    }
    return {**content, "checksum": _checksum(content)}


def _checksum(content: dict[str, Any]) -> int:
    """Returns a number that changes with the moves of a game; a file without it is read, too."""
    return zlib.crc32(json.dumps(content["moves"]).encode())


def from_json(content: Any) -> Session:
    """Returns the session of the content of a saved game.

    Raises:
        SavedGameError: the content is no saved game, or its moves are not possible.
    """
    if not isinstance(content, dict):
        raise SavedGameError(f"it must hold a JSON object, not {type(content).__name__}")
    if content.get("format") != FORMAT:
        raise SavedGameError(f'its "format" is not "{FORMAT}"')
    if content.get("version") != VERSION:
        raise SavedGameError(f"its version is {content.get('version')!r}, and this program reads version {VERSION}")
    session = _empty_session(content)
    for number, entry in enumerate(_list(content, "moves"), 1):
        _repeat(session, _move(entry, number), number)
    session.resume(_seconds(content.get("seconds"), "seconds"), bool(content.get("practice")))
    if session.status != content.get("status"):
        raise SavedGameError(
            f'its moves lead to the status "{session.status}", not {json.dumps(content.get("status"))}'
        )
    if content.get("checksum", _checksum(content)) != _checksum(content):
        raise SavedGameError("its moves are not all that were saved")
    session.identity = str(content.get("identity", session.identity))
    session.aids |= set(AIDS) & set(map(str, _list(content, "aids")))
    return session


def _empty_session(content: dict[str, Any]) -> Session:
    try:
        config = BoardConfig(
            content.get("rows"),  # type: ignore[arg-type]
            content.get("cols"),  # type: ignore[arg-type]
            content.get("mines"),  # type: ignore[arg-type]
            first_click=str(content.get("first_click")),
            radius=content.get("radius"),  # type: ignore[arg-type]
        )
        no_guess = content.get("no_guess")
        if no_guess not in (False, "subset", "exact"):
            raise SavedGameError('its "no_guess" must be false, "subset" or "exact"')
        return Session(config, seed=content.get("seed", -1), no_guess=no_guess, layout=_layout(content))
    except ValueError as error:
        raise SavedGameError(" ".join(str(error).split())) from error


def _layout(content: dict[str, Any]) -> NDArray[np.bool_] | None:
    """Returns the mines, bool (rows, cols), or None for a game without an open cell."""
    if content.get("layout") is None:
        return None
    rows = _list(content, "layout")
    if not all(isinstance(row, str) and len(row) == content["cols"] and set(row) <= {MINE, FREE} for row in rows):
        raise SavedGameError(f'its "layout" must have rows of {content["cols"]} characters, "{MINE}" or "{FREE}"')
    return np.array([[character == MINE for character in row] for row in rows])


def _list(content: dict[str, Any], key: str) -> list[Any]:
    value = content.get(key)
    if not isinstance(value, list):
        raise SavedGameError(f'its "{key}" must be a list')
    return value


def _move(entry: Any, number: int) -> Move:
    if not isinstance(entry, list) or len(entry) != 4 or entry[0] not in MOVE_KINDS:
        raise SavedGameError(
            f"its move {number} must be [KIND, ROW, COLUMN, SECONDS], with a kind of {', '.join(MOVE_KINDS)}"
        )
    kind, row, col, seconds = entry
    if type(row) is not int or type(col) is not int:
        raise SavedGameError(f"its move {number} must have a whole row and column, not {row!r} and {col!r}")
    return Move(kind, row, col, _seconds(seconds, f"move {number}"))


def _seconds(value: Any, what: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < 1e9:
        raise SavedGameError(f"its {what} must be a number of seconds, not {value!r}")
    return float(value)


def _repeat(session: Session, move: Move, number: int) -> None:
    """Makes a move of the file again, at the time of the file."""
    try:
        accepted = session.repeat(move).accepted
    except ValueError as error:
        raise SavedGameError(f"its move {number} is off the board: {error}") from error
    if not accepted:
        raise SavedGameError(f"its move {number} ({move.kind} at row {move.row}, column {move.col}) is not possible")
