"""Boards to play on: presets by name, and the recommended number of mines."""

from __future__ import annotations

from contextlib import suppress

from minesweeper_env.config import DEFAULT_MINES, PRESETS, BoardConfig

BOARDS = {name.lower(): preset for name, preset in PRESETS.items() if name}
"""Size and mines of the presets: "beginner", "intermediate" and "expert"."""


def preset_board(name: str, first_click: str) -> BoardConfig:
    """Returns the board of a preset.

    Args:
        name: one of `BOARDS`.
        first_click: the first-click rule.
    """
    return BoardConfig.of_size(**BOARDS[name], first_click=first_click)


def recommended_mines(rows: int, cols: int) -> int:
    """Returns the number of mines that makes a good game: a fifth of the cells and one more (Rodríguez)."""
    return int(0.2 * rows * cols) + 1


def sized_board(rows: int, cols: int, mines: int | None, first_click: str | None) -> BoardConfig:
    """Returns the board of a size; mines that are left out are the usual or else the recommended number.

    Without a first-click rule it is the usual one, or "safe" where the mines leave no room for that.

    Raises:
        ValueError: the board is not allowed; the message states the allowed values.
    """
    if mines is None:
        mines = DEFAULT_MINES.get((rows, cols), recommended_mines(rows, cols))
    if first_click is None:
        with suppress(ValueError):
            return BoardConfig(rows, cols, mines)
    return BoardConfig(rows, cols, mines, first_click=first_click or "safe")
