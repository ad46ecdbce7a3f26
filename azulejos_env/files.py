"""Reader and writer of game files.

The first four lines hold the number of rows, the number of columns, and the scores of the first and the second player.
One line for each row follows, with one digit for each column: 1 to 9 for a tile, 0 for an empty cell.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from azulejos_env.config import MAX_COLOURS, MAX_SIDE, GameConfig
from azulejos_env.position import Position

__all__ = ["GameFileError", "read_game", "read_game_text", "write_game_text"]

_HEADER = (
    ("the number of rows", 1, MAX_SIDE),
    ("the number of columns", 1, MAX_SIDE),
    ("the score of the first player", 0, 10**9),
    ("the score of the second player", 0, 10**9),
)
_DIGITS = frozenset("0123456789")


class GameFileError(ValueError):
    """A game file breaks the format; the message names the line and, where there is one, the column."""


def read_game(path: str | Path, **rules: object) -> Position:
    """Returns the position of a file, with the first player to move.

    Args:
        path: the file.
        **rules: fields of `GameConfig` other than size and colours.

    Raises:
        GameFileError: the file breaks the format, or is no text.
        OSError: the file cannot be read.
    """
    try:
        text = Path(path).read_text("ascii")
    except UnicodeDecodeError as error:
        raise GameFileError(f"byte {error.start + 1} is no ASCII character; a game file holds digits only") from None
    return read_game_text(text, **rules)


def read_game_text(text: str, **rules: object) -> Position:
    """Returns the position of the text of a file; see `read_game`."""
    lines = text.split("\n")
    # The last line may end with a line feed; a further empty line is one line too many.
    lines = [line.removesuffix("\r") for line in (lines[:-1] if lines[-1] == "" else lines)]
    rows, cols, *scores = (_number(lines, at, *rule) for at, rule in enumerate(_HEADER))
    board = [_row(lines, row, rows, cols) for row in range(rows)]
    if len(lines) > rows + len(_HEADER):
        raise GameFileError(f"line {rows + len(_HEADER) + 1}: the file has {rows} rows, so it ends before this line")
    config = GameConfig(rows, cols, MAX_COLOURS, **rules)  # type: ignore[arg-type]
    return Position(config, np.array(board, np.int8), (scores[0], scores[1]))


def write_game_text(position: Position) -> str:
    """Returns the text of the file of a position; the format does not say whose turn it is."""
    lines = [*position.board.shape, *position.scores, *("".join(map(str, row)) for row in position.board.tolist())]
    return "".join(f"{line}\n" for line in lines)


def _number(lines: Sequence[str], at: int, what: str, least: int, most: int) -> int:
    if at >= len(lines):
        raise GameFileError(f"line {at + 1}: the file ends before {what}")
    text = lines[at]
    if not text or not _DIGITS.issuperset(text) or not least <= int(text) <= most:
        raise GameFileError(f"line {at + 1}: {what} must be a whole number from {least} to {most}, not {text!r}")
    return int(text)


def _row(lines: Sequence[str], row: int, rows: int, cols: int) -> list[int]:
    at = row + len(_HEADER)
    if at >= len(lines):
        raise GameFileError(f"line {at + 1}: the file ends after {row} of {rows} rows")
    line, place = lines[at], f"line {at + 1}, column "
    wrong = next((column for column, character in enumerate(line) if character not in _DIGITS), None)
    if wrong is not None:
        raise GameFileError(f"{place}{wrong + 1}: {line[wrong]!r} is no tile; allowed are the digits 0 to 9")
    if len(line) != cols:
        raise GameFileError(f"{place}{min(len(line), cols) + 1}: the row has {len(line)} tiles, not {cols}")
    return [int(character) for character in line]
