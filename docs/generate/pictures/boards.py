"""Boards as parts of figures: cells with counts, risks, flags and marks, in type that stays readable."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.codes import Codes
from minesweeper_env.rendering.probabilities import COLOUR_BLIND

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CODES = Codes.of_radius(1)
COVERED, OPEN, EDGE = "#c6cad0", "#f4f5f7", "#8e949d"
INK = "#26292e"

Cell = tuple[int, int]


def draw_board(axes: Axes, board: NDArray[np.int8], risks: NDArray[np.float64] | None = None, size: float = 11) -> None:
    """Draws a board, with the risk of each covered cell in per cent where risks are given.

    Args:
        axes: receives the board; its unit is a cell.
        board: (rows, cols) int8, visible codes.
        risks: (rows, cols) float64, mine probabilities; None for none.
        size: size of the type, in points.
    """
    rows, cols = board.shape
    for row, col in np.ndindex(board.shape):
        code = int(board[row, col])
        risk = None if risks is None or code <= CODES.max_count else float(risks[row, col])
        _draw_cell(axes, (row, col), code, risk, size)
    axes.set_xlim(-0.55, cols - 0.45)
    axes.set_ylim(rows - 0.45, -0.55)
    axes.set_aspect("equal")
    axes.set_axis_off()


def _draw_cell(axes: Axes, cell: Cell, code: int, risk: float | None, size: float) -> None:
    from matplotlib.patches import Rectangle

    row, col = cell
    face = OPEN if code <= CODES.max_count else COVERED if risk is None else risk_colour(risk)
    axes.add_patch(Rectangle((col - 0.5, row - 0.5), 1, 1, facecolor=face, edgecolor=EDGE, linewidth=0.8))
    text = cell_text(code, risk)
    weight = "bold" if risk is None else "normal"
    axes.text(col, row, text, ha="center", va="center_baseline", size=size, weight=weight, color=INK)
    if code == CODES.flagged and risk is None:
        draw_flag(axes, cell)


def cell_text(code: int, risk: float | None) -> str:
    """Returns the text of a cell: its count, its risk in per cent, or nothing."""
    if risk is not None:
        return f"{100 * risk:.0f}" if risk in (0.0, 1.0) or 0.005 <= risk < 0.995 else "<1" if risk < 0.5 else ">99"
    return str(code) if 0 < code <= CODES.max_count else ""


def risk_colour(risk: float) -> tuple[float, ...]:
    """Returns the face of a covered cell, from blue at risk 0 to orange at risk 1."""
    reds = [np.interp(risk, (0.0, 0.25, 0.5, 1.0), [stop[part] for stop in COLOUR_BLIND.stops]) for part in range(3)]
    return tuple(float(part) / 255 for part in reds)


def draw_flag(axes: Axes, cell: Cell) -> None:
    """Draws a flag on a cell."""
    from matplotlib.patches import Polygon

    row, col = cell
    axes.plot([col + 0.08, col + 0.08], [row - 0.28, row + 0.3], color=INK, linewidth=1.8)
    axes.add_patch(
        Polygon([(col + 0.08, row - 0.3), (col + 0.08, row + 0.04), (col - 0.28, row - 0.13)], color="#D55E00")
    )


def outline(axes: Axes, cells: Iterable[Cell], colour: str, style: str = "-") -> None:
    """Draws a thick frame inside each of some cells."""
    from matplotlib.patches import Rectangle

    for row, col in cells:
        frame = Rectangle((col - 0.44, row - 0.44), 0.88, 0.88, fill=False, edgecolor=colour, linewidth=2.6)
        frame.set_linestyle(style)
        axes.add_patch(frame)
