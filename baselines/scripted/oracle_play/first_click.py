"""First click of the policies that play by exact mine probabilities."""

from __future__ import annotations

from baselines.support.checks import whole_number_within
from minesweeper_env.config import BoardConfig

_DENSE = 0.18
"""Mine density from which a first click further inside wins more under "opening"."""


def first_cell(config: BoardConfig) -> int:
    """Returns the cell to click first, as row * cols + col.

    The cells were chosen by measurement; see docs/notebook/first-click.md. Under "any" and "safe" the click is a
    corner, which has the highest probability of showing 0. Under the other rules it is the third row and column,
    which opens a large area near a corner; on dense boards it is the fourth. It never lies beyond the middle.
    """
    if config.first_click in ("any", "safe"):
        return 0
    inside = config.radius * (3 if config.mines >= _DENSE * config.cells else 2)
    row, col = (min(inside, (side - 1) // 2) for side in (config.rows, config.cols))
    return row * config.cols + col


def chosen_first_cell(config: BoardConfig, first: int | None) -> int:
    """Returns the cell to click first, as row * cols + col: `first`, or `first_cell` if it is None.

    Raises:
        ValueError: there is no such cell; the message names the allowed values.
    """
    return first_cell(config) if first is None else whole_number_within("first", first, 0, config.cells - 1)
