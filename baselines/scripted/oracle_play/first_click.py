"""First clicks: the one of the policies that play by exact mine probabilities, and choices of users."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from baselines.support.checks import whole_number_within
from minesweeper_env.config import BoardConfig

FIRST_CELLS = ("exact", "middle")
"""Names of first clicks: the one of `exact`, and the middle of the board."""

_DENSE = 0.18
"""Mine density from which a first click further inside wins more under "opening"."""


def first_cell(config: BoardConfig) -> int:
    """Returns the cell to click first, as row * cols + col.

    The cells were chosen by measurement; see docs/studies/first-cells.md. Under "any" and "safe" the click is a
    corner, which has the highest probability of showing 0. Under the other rules it is the third row and column,
    which opens a large area near a corner; on dense boards it is the fourth. The cell never lies
    beyond the middle of the board.
    """
    if config.first_click in ("any", "safe"):
        return 0
    inside = config.radius * (3 if config.mines >= _DENSE * config.cells else 2)
    row, col = (min(inside, (side - 1) // 2) for side in (config.rows, config.cols))
    return row * config.cols + col


def middle_cell(rows: int, cols: int) -> int:
    """Returns the cell in the middle of a board, row * cols + col; of two rows or columns, the second."""
    return (rows // 2) * cols + cols // 2


def checked_first(config: BoardConfig, first: Any, names: Sequence[str] = FIRST_CELLS) -> str | int:
    """Returns a choice of the first click: one of `names`, or a cell, row * cols + col.

    Raises:
        ValueError: it is neither; the message names the allowed values.
    """
    if isinstance(first, str) and first in names:
        return first
    try:
        return whole_number_within("first", first, 0, config.cells - 1)
    except ValueError:
        allowed = f"{', '.join(names)} or a cell of 0 to {config.cells - 1}"
        raise ValueError(f"first must be {allowed}, not {first!r}") from None


def chosen_first_cell(config: BoardConfig, first: str | int | None) -> int:
    """Returns the cell to click first, as row * cols + col.

    Args:
        config: the games.
        first: "exact" or None for `first_cell`, "middle" for `middle_cell`, or the cell.

    Raises:
        ValueError: it is none of these; the message names the allowed values.
    """
    chosen = checked_first(config, "exact" if first is None else first)
    if isinstance(chosen, int):
        return chosen
    return first_cell(config) if chosen == "exact" else middle_cell(config.rows, config.cols)
