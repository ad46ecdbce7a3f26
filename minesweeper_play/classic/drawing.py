"""Boards of the line mode: cells as text, with column and row numbers, folded to the width of the terminal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.codes import Codes
from minesweeper_play.classic.glyphs import Glyphs
from minesweeper_play.game.moves import Cell
from minesweeper_play.game.session import Session


class Drawn(NamedTuple):
    """A cell as text, and what kind of cell it is: a field of `Glyphs`, or "count"."""

    text: str
    kind: str


def draw_session(session: Session, glyphs: Glyphs) -> list[list[Drawn]]:
    """Returns the cells of a game; mines, wrong flags and the explosion are shown once it is over."""
    cells = draw_codes(session.board, glyphs, session.config.radius)
    if session.layout is not None:
        _mark(cells, session.layout & (session.board != session.config.codes.flagged), Drawn(glyphs.mine, "mine"))
    _mark(cells, session.wrong_flags, Drawn(glyphs.wrong, "wrong"))
    if session.exploded is not None:
        row, col = session.exploded
        cells[row][col] = Drawn(glyphs.exploded, "exploded")
    return cells


def draw_codes(board: NDArray[np.int8], glyphs: Glyphs, radius: int = 1) -> list[list[Drawn]]:
    """Returns the cells of a board of codes, int8 (rows, cols)."""
    codes = Codes.of_radius(radius)
    drawn = [Drawn(glyphs.blank, "blank"), *(Drawn(str(count), "count") for count in range(1, codes.max_count + 1))]
    drawn += [Drawn(getattr(glyphs, kind), kind) for kind in ("flag", "question", "hidden", "mine")]
    return [[drawn[code] for code in row] for row in board.tolist()]


def draw_risks(
    board: NDArray[np.int8], risks: NDArray[np.float64], glyphs: Glyphs, radius: int = 1
) -> list[list[Drawn]]:
    """Returns the cells of a board with the risk of each covered cell in per cent; 0 and 100 mean certainty."""
    cells = draw_codes(board, glyphs, radius)
    for row, col in np.argwhere(board > Codes.of_radius(radius).max_count).tolist():
        cells[row][col] = Drawn(f"{_per_cent(risks[row, col])}%", "risk")
    return cells


def cover(cells: list[list[Drawn]], hidden: Sequence[Cell], glyphs: Glyphs) -> list[list[Drawn]]:
    """Returns the cells with some of them covered again, as a frame of an animation shows them."""
    covered = [list(row) for row in cells]
    for row, col in hidden:
        covered[row][col] = Drawn(glyphs.hidden, "hidden")
    return covered


def board_lines(cells: list[list[Drawn]], paint: Callable[[str, str], str], width: int | None) -> list[str]:
    """Returns the lines of a board, in blocks of columns that fit the width.

    Args:
        cells: the cells, row by row.
        paint: colours the text of a cell of a kind.
        width: the number of columns of the terminal; None for no limit.
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


def _mark(cells: list[list[Drawn]], where: NDArray[np.bool_], drawn: Drawn) -> None:
    for row, col in np.argwhere(where).tolist():
        cells[row][col] = drawn


def _per_cent(risk: float) -> int:
    """Returns a risk in per cent, 1 to 99 unless it is certain."""
    return round(100 * risk) if risk in (0.0, 1.0) else min(max(round(100 * risk), 1), 99)
