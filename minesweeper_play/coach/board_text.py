"""Boards as text, in the form that `play.py --analyse` reads.

A board has one line per row, with or without blanks between the cells:

| character | cell |
|---|---|
| `0` to `8` | open, with that many mines around; `.` and `·` are read as 0 |
| `#` | hidden |
| `F` | flagged; `X`, a wrong flag of a lost game, is read as `F` |
| `?` | question mark |
| `*` | mine, shown in a lost game; `!` is the mine that was opened |

Blank lines are left out. The numbers of rows and columns that `render_mode="ansi"` prints are recognised and left out:
the first line then holds the numbers of the columns alone, and each other line begins with the number of its row.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.codes import FLAGGED, HIDDEN, MINE, QUESTION

Cell = tuple[int, int]

WRITTEN: dict[int, str] = {
    **{count: str(count) for count in range(9)},
    FLAGGED: "F",
    QUESTION: "?",
    HIDDEN: "#",
    MINE: "*",
}
"""The character of each code."""

EXPLODED = "!"
"""The character of a mine that was opened."""

READ: dict[str, int] = {
    **{character: code for code, character in WRITTEN.items()},
    ".": 0,
    "·": 0,
    "X": FLAGGED,
    EXPLODED: MINE,
}
"""The code of each character."""


class BoardTextError(ValueError):
    """A text is no board.

    Attributes:
        problem: "empty", "cell" or "row".
        values: what a message names: `line` and `column` from 1, `found`, `expected`.
    """

    def __init__(self, problem: str, **values: object) -> None:
        """Describes the problem in English."""
        super().__init__(_MESSAGES[problem].format(**values))
        self.problem = problem
        self.values = values


_MESSAGES = {
    "empty": "the text holds no board; a board has one line per row, such as ##1",
    "cell": "line {line}, column {column}: {found!r} is no cell; allowed are 0 to 8 . · # F X ? * ! and blanks",
    "row": "line {line} has {found} cells, and the first row has {expected}",
}


class _Line(NamedTuple):
    """A line of text that is not blank, with its number from 1."""

    number: int
    text: str


def read_board(text: str) -> NDArray[np.int8]:
    """Returns the board that a text shows, as (rows, cols) int8 codes of radius 1.

    Raises:
        BoardTextError: the text is empty, a character is no cell, or the rows differ in length; the message names the
            line and the column, counted from 1.
    """
    lines = [_Line(number, line) for number, line in enumerate(text.lstrip("\ufeff").splitlines(), 1) if line.strip()]
    lines = _without_numbers(lines)
    if not lines:
        raise BoardTextError("empty")
    rows = [_read_row(line) for line in lines]
    for line, row in zip(lines, rows, strict=True):
        if len(row) != len(rows[0]):
            raise BoardTextError("row", line=line.number, found=len(row), expected=len(rows[0]))
    return np.array(rows, np.int8)


def write_board(board: NDArray[np.int8], exploded: Collection[Cell] = (), blanks: bool = True) -> str:
    """Returns the text of a board, which `read_board` reads back; it ends without a line break.

    Args:
        board: (rows, cols) int8 codes of radius 1.
        exploded: the mines that were opened.
        blanks: whether a blank stands between two cells.
    """
    cells = [[WRITTEN[code] for code in row] for row in board.tolist()]
    for row, col in exploded:
        cells[row][col] = EXPLODED
    return "\n".join((" " if blanks else "").join(row) for row in cells)


def _read_row(line: _Line) -> list[int]:
    for column, character in enumerate(line.text, 1):
        if not character.isspace() and character not in READ:
            raise BoardTextError("cell", line=line.number, column=column, found=character)
    return [READ[character] for character in line.text if not character.isspace()]


def _without_numbers(lines: list[_Line]) -> list[_Line]:
    """Leaves out the numbers of rows and columns, where a board has them."""
    if len(lines) < 2:
        return lines
    head, *rows = (line.text.split() for line in lines)
    numbered = head == [str(col) for col in range(len(head))] and all(
        len(cells) == len(head) + 1 and cells[0] == str(row) for row, cells in enumerate(rows)
    )
    if not numbered:
        return lines
    # A blank of the same width keeps the columns in the messages.
    return [line._replace(text=_blank_number(line.text)) for line in lines[1:]]


def _blank_number(text: str) -> str:
    number = text.split()[0]
    return text.replace(number, " " * len(number), 1)
