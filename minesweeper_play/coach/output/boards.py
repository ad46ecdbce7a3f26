"""Boards with probabilities, and curves, as lines of text."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.codes import MINE
from minesweeper_play.coach.board_text import EXPLODED, WRITTEN

Cell = tuple[int, int]

CURVE_ROWS = 11
"""Lines of a curve: one per ten per cent."""


def board_lines(
    board: NDArray[np.int8],
    width: int,
    probabilities: NDArray[np.float64] | None = None,
    exploded: Collection[Cell] = (),
) -> list[str]:
    """Returns a board with the numbers of columns and rows, from 1, in blocks of columns that fit the width.

    Args:
        board: (rows, cols) int8 codes.
        width: the number of columns of the terminal.
        probabilities: (rows, cols) float64; then covered cells show the probability of a mine in per cent.
        exploded: the mines that were opened.
    """
    cells = [[WRITTEN[code] if code else "." for code in row] for row in board.tolist()]
    for row, col in np.argwhere((board > 8) & (board != MINE)).tolist() if probabilities is not None else ():
        cells[row][col] = f"{_per_cent(float(probabilities[row, col]))}%" if probabilities is not None else ""
    for row, col in exploded:
        cells[row][col] = EXPLODED
    return _blocks(cells, width)


def _blocks(cells: Sequence[Sequence[str]], width: int) -> list[str]:
    rows, cols = len(cells), len(cells[0])
    margin, size = len(str(rows)), max(len(cell) for row in cells for cell in row)
    fitting = max((width - margin) // (size + 1), 1)
    lines: list[str] = []
    for first in range(0, cols, fitting):
        block = range(first, min(first + fitting, cols))
        lines += [""] if lines else []
        lines += [" " * margin + line for line in _head(block, cols, size)]
        lines += [
            f"{row:>{margin}}" + "".join(f" {line[col]:>{size}}" for col in block) for row, line in enumerate(cells, 1)
        ]
    return lines


def _head(block: range, cols: int, size: int) -> list[str]:
    """Returns the numbers of columns; their digits stand one below the other where the cells are narrower."""
    digits = len(str(cols))
    numbers = [f"{col + 1:>{digits}}" for col in block]
    if digits <= size:
        return ["".join(f" {number:>{size}}" for number in numbers)]
    return ["".join(f" {number[place]:>{size}}" for number in numbers).rstrip() for place in range(digits)]


def _per_cent(probability: float) -> int:
    """Returns a probability in per cent, 1 to 99 unless it is certain."""
    percent = round(100 * probability)
    return percent if probability in (0.0, 1.0) else min(max(percent, 1), 99)


def curve_lines(values: Sequence[float], width: int) -> list[str]:
    """Returns a curve of probabilities over the moves of a game, from 100 % at the top to 0 % at the bottom.

    Args:
        values: the probabilities, at least one.
        width: the number of columns of the terminal.
    """
    points = min(max(width - 6, 2), max(len(values), 2))
    heights = np.interp(np.linspace(0, len(values) - 1, points), range(len(values)), values)
    levels = np.round(heights * (CURVE_ROWS - 1)).astype(int)
    lines = []
    for level in reversed(range(CURVE_ROWS)):
        marks = "".join("*" if each == level else " " for each in levels)
        lines.append(f"{level * 100 // (CURVE_ROWS - 1):>3}% |{marks}".rstrip())
    last = str(len(values) - 1)
    return [*lines, "     0" + last.rjust(max(points - 1, len(last) + 1))]
