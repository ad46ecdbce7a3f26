"""Positions as text."""

from __future__ import annotations

from azulejos_env.rendering.view import View

EMPTY = "."


def render_text(view: View) -> str:
    """Returns a position as lines of text: the board with row and column numbers, the scores, and the last move."""
    cells = [[str(colour) if colour else EMPTY for colour in row] for row in view.board.tolist()]
    rows, cols = view.board.shape
    width, margin = len(str(cols - 1)), len(str(rows - 1))
    lines = [" " * margin + "".join(f" {col:>{width}}" for col in range(cols))]
    lines += [f"{row:>{margin}}" + "".join(f" {cell:>{width}}" for cell in cells[row]) for row in range(rows)]
    return "\n".join([*lines, view.status_line(), view.last_move()])
