"""A board as the screen shows it, without sizes and colours: codes, marks, risks and the cursor."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.codes import Codes

Cell = tuple[int, int]
"""(row, col), from 0."""

Mark = Literal["clue", "safe", "mine", "choice"]
"""The part of a cell in a hint, or the cell that a watched policy clicks."""

RiskStyle = Literal["off", "numbers", "shades"]

RISK_STYLES: tuple[RiskStyle, ...] = ("off", "numbers", "shades")
"""The ways to show risks: not at all, in per cent on a tint, or as a tint alone."""


@dataclass(frozen=True)
class Picture:
    """A board as it is drawn.

    Attributes:
        codes: int8 (rows, cols), the visible codes.
        meaning: the meaning of the codes.
        wrong: bool (rows, cols), flags on cells without a mine; None while the game goes on.
        fatal: the cell whose mine ended the game.
        levels: int64 (rows, cols), risks as `minesweeper_env.rendering.probabilities.levels_of` returns them; None
            shows no risks.
        numbers: whether risks are written in per cent.
        marks: the cells that a hint names.
        cursor: the cell of the cursor; None hides it.
        pressed: the covered cells under the pressed button.
    """

    codes: NDArray[np.int8]
    meaning: Codes = field(default_factory=lambda: Codes.of_radius(1))
    wrong: NDArray[np.bool_] | None = None
    fatal: Cell | None = None
    levels: NDArray[np.int64] | None = None
    numbers: bool = True
    marks: Mapping[Cell, Mark] = field(default_factory=dict)
    cursor: Cell | None = None
    pressed: frozenset[Cell] = frozenset()

    @property
    def rows(self) -> int:
        """The number of rows."""
        return int(self.codes.shape[0])

    @property
    def cols(self) -> int:
        """The number of columns."""
        return int(self.codes.shape[1])

    def holds(self, cell: Cell) -> bool:
        """Returns whether a cell lies on the board."""
        return 0 <= cell[0] < self.rows and 0 <= cell[1] < self.cols


def changed_rows(before: Picture, after: Picture) -> set[int] | None:
    """Returns the rows where two pictures differ; None if everything must be drawn again."""
    if before.codes.shape != after.codes.shape or before.numbers != after.numbers:
        return None
    changed = set(np.flatnonzero((before.codes != after.codes).any(axis=1)).tolist())
    changed |= _rows_of_arrays(before.levels, after.levels) | _rows_of_arrays(before.wrong, after.wrong)
    for cells in (
        {before.cursor} ^ {after.cursor},
        {before.fatal} ^ {after.fatal},
        before.pressed ^ after.pressed,
        {cell for cell, _ in before.marks.items() ^ after.marks.items()},
    ):
        changed |= {cell[0] for cell in cells if cell is not None}
    return changed


def _rows_of_arrays(before: NDArray[np.generic] | None, after: NDArray[np.generic] | None) -> set[int]:
    if before is after:
        return set()
    if before is None or after is None:
        known = before if after is None else after
        assert known is not None
        return set(range(len(known)))
    return set(np.flatnonzero((before != after).any(axis=1)).tolist())
