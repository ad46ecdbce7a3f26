"""Boards as text: as `play.py --analyse` reads and writes them, and with numbers of rows and columns for people.

A board has one line per row, with or without blanks between the cells. docs/how-to/coach.md lists the characters.

A lost game has a covered cell without a mine. Where `*` is the only sign of covered cells, `*` is therefore hidden, as
papers print boards. A `/` separates rows, too. Blank lines and lines with a `:`, such as those below a board, are left
out, and so are the numbers of rows and columns that `render_mode="ansi"` and `play.py --classic` print.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.codes import FLAGGED, HIDDEN, MINE, QUESTION
from minesweeper_env.rendering import TEXT
from minesweeper_play.game.moves import Cell, TextError
from minesweeper_play.game.session import Session

WRITTEN = {**{count: str(count) for count in range(9)}, FLAGGED: "F", QUESTION: "?", HIDDEN: "#", MINE: "*"}
"""The character of each code."""

EXPLODED = "!"


class Glyphs(NamedTuple):
    """The character of each kind of cell; counts other than 0 are digits."""

    blank: str
    hidden: str
    flag: str
    question: str
    mine: str
    exploded: str
    wrong: str


ASCII = Glyphs(
    TEXT["zero"], TEXT["hidden"], TEXT["flagged"], TEXT["question"], TEXT["mine"], EXPLODED, TEXT["wrong_flag"]
)
"""The characters of `render_mode="ansi"`, which `read_board` reads."""

PLAIN = ASCII._replace(blank="\u00b7", hidden="\u25a0", flag="\u2691")

READ: dict[str, int] = {
    **{character: code for code, character in WRITTEN.items()},
    **dict.fromkeys(".·", 0),
    "\u25a0": HIDDEN,
    **dict.fromkeys("X\u2717\u2691", FLAGGED),
    EXPLODED: MINE,
}
"""The code of each character."""


def read_board(text: str) -> NDArray[np.int8]:
    """Returns the board that a text shows, as (rows, cols) int8 codes of radius 1; raises a TextError."""
    numbered = enumerate(text.lstrip("\ufeff").splitlines(), 1)
    parts = [(number, part.split()) for number, line in numbered for part in line.split("/") if ":" not in part]
    lines = _without_numbers([(number, words) for number, words in parts if words])
    if not lines:
        raise TextError("coach_empty")
    rows = [[_read_cell(character, number) for character in "".join(words)] for number, words in lines]
    for (number, _), row in zip(lines, rows, strict=True):
        if len(row) != len(rows[0]):
            raise TextError("coach_row", line=number, found=len(row), expected=len(rows[0]))
    board = np.array(rows, np.int8)
    is_lost = EXPLODED in text or np.isin(board, (HIDDEN, FLAGGED, QUESTION)).any()
    return board if is_lost else np.where(board == MINE, np.int8(HIDDEN), board)


def write_board(board: NDArray[np.int8], exploded: Cell | None = None) -> str:
    """Returns the text of int8 codes (rows, cols) of radius 1 and an opened mine, which `read_board` reads back."""
    cells = [[WRITTEN[code] for code in row] for row in board.tolist()]
    if exploded is not None:
        cells[exploded[0]][exploded[1]] = EXPLODED
    return "\n".join("".join(row) for row in cells)


def _read_cell(character: str, line: int) -> int:
    if character not in READ:
        raise TextError("coach_cell", line=line, found=character)
    return READ[character]


def _without_numbers(lines: list[tuple[int, list[str]]]) -> list[tuple[int, list[str]]]:
    """Returns lines, as their numbers in the text and their words, without the numbers of columns and rows."""
    words = [line for _, line in lines]
    # The numbers of columns take up to three lines, a digit below the other.
    for heads in range(1, min(4, len(lines))):
        if _are_numbered(words[:heads], words[heads:]):
            return [(number, line[1:]) for number, line in lines[heads:]]
    return lines


def _are_numbered(heads: list[list[str]], rows: list[list[str]]) -> bool:
    """Returns whether lines number the columns of rows that begin with their own numbers, from 0 or 1.

    Where columns are narrow, the digits of a number stand below each other, so the last digits alone are compared.
    """
    first = rows[0][0]
    if first not in ("0", "1") or not all(word.isdecimal() for head in heads for word in head):
        return False
    digits = [str((int(first) + col) % 10) for col in range(len(heads[-1]))]
    return [word[-1] for word in heads[-1]] == digits and all(
        len(row) == len(digits) + 1 and row[0] == str(number) for number, row in enumerate(rows, int(first))
    )


class Drawn(NamedTuple):
    """A cell as text, and what kind of cell it is, for its colour."""

    text: str
    kind: str = ""


def draw_codes(board: NDArray[np.int8], glyphs: Glyphs, risks: NDArray[np.float64] | None = None) -> list[list[Drawn]]:
    """Returns the cells of (rows, cols) int8 codes; given risks, covered cells show them, in per cent."""
    drawn = [Drawn(glyphs.blank, "blank"), *(Drawn(str(count), "count") for count in range(1, FLAGGED))]
    drawn += [Drawn(getattr(glyphs, kind), kind) for kind in ("flag", "question", "hidden", "mine")]
    cells = [[drawn[code] for code in row] for row in board.tolist()]
    if risks is not None:
        for row, col in np.argwhere((board >= FLAGGED) & (board != MINE)).tolist():
            risk, shown = float(risks[row, col]), round(100 * float(risks[row, col]))
            cells[row][col] = Drawn(f"{shown if risk in (0.0, 1.0) else min(max(shown, 1), 99)}%", "risk")
    return cells


def draw_session(session: Session, glyphs: Glyphs, risks: NDArray[np.float64] | None = None) -> list[list[Drawn]]:
    """Returns the cells of a game; mines, wrong flags and the explosion are shown once it is over."""
    mines, cells, flags = session.placed_mines, draw_codes(session.board, glyphs, risks), session.board == FLAGGED
    if session.is_over:
        for where, kind in ((mines & ~flags, "mine"), (flags & ~mines, "wrong")):
            for row, col in np.argwhere(where).tolist():
                cells[row][col] = Drawn(getattr(glyphs, kind), kind)
    if session.exploded is not None:
        row, col = session.exploded
        cells[row][col] = Drawn(glyphs.exploded, "exploded")
    return cells


def board_lines(
    cells: Sequence[Sequence[Drawn]], width: int | None, paint: Callable[[str, str], str] = lambda text, _: text
) -> list[str]:
    """Returns a board with its numbers of rows and columns, in blocks of columns that fit the width; None is no limit.

    `paint` colours the text of a cell of a kind.
    """
    rows, cols = len(cells), len(cells[0])
    margin = len(str(rows))
    size = max(len(cell.text) for row in cells for cell in row)
    upright = max(size, len(str(cols)))
    if width is None or margin + cols * (upright + 1) < width:
        size = upright
    fitting = cols if width is None else max((width - margin - 1) // (size + 1), 1)
    lines: list[str] = []
    for first in range(0, cols, fitting):
        last = min(first + fitting, cols)
        lines += [""] if lines else []
        lines += [" " * margin + line for line in _column_numbers(first, last, size)]
        for number, row in enumerate(cells, 1):
            shown = (" " * (size + 1 - len(cell.text)) + paint(cell.text, cell.kind) for cell in row[first:last])
            lines.append(f"{number:>{margin}}" + "".join(shown))
    return lines


def _column_numbers(first: int, last: int, size: int) -> list[str]:
    """Returns the lines with the numbers of columns, one digit below the other where a column is narrower."""
    numbers = [str(col + 1) for col in range(first, last)]
    longest = max(map(len, numbers))
    if longest <= size:
        return ["".join(f" {number:>{size}}" for number in numbers)]
    digits = (number.rjust(longest) for number in numbers)
    return ["".join(f" {digit:>{size}}" for digit in line).rstrip() for line in zip(*digits, strict=True)]
