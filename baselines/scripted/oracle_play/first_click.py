"""The cell that the exact players click first."""

from __future__ import annotations

from minesweeper_env.config import BoardConfig

_DENSE = 0.18
"""The share of mines from which on a first click under "opening" does better further inside."""


def first_cell(config: BoardConfig) -> int:
    """Returns the cell to click first, as row * cols + col.

    It was chosen by measurement (docs/policies.md). Where the first click opens all cells around it, that is one
    so far inside that the opening is large and yet near a corner: in the third row and column, on dense boards in
    the fourth, and never beyond the middle. Where it opens one cell, it is a corner: a corner has the best chance
    to show 0.
    """
    if config.first_click in ("any", "safe"):
        return 0
    inside = config.radius * (3 if config.mines >= _DENSE * config.cells else 2)
    row, col = (min(inside, (side - 1) // 2) for side in (config.rows, config.cols))
    return row * config.cols + col
