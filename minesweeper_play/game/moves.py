"""Moves of a player as records, and reports of their effects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

Cell = tuple[int, int]
"""(row, col), from 0."""

MoveKind = Literal["open", "flag", "question", "chord", "expand", "reveal"]

MOVE_KINDS: tuple[MoveKind, ...] = ("open", "flag", "question", "chord", "expand", "reveal")
"""The kinds of moves; "reveal" opens a safe cell at the player's request for help."""


AIDS = ("help", "hint", "probabilities")
"""The kinds of help that a game notes."""


class Move(NamedTuple):
    """A move that changed the board.

    Attributes:
        kind: one of `MOVE_KINDS`.
        row: row of the cell, from 0.
        col: column of the cell, from 0.
        seconds: the time on the clock of the game when the move was made.
    """

    kind: MoveKind
    row: int
    col: int
    seconds: float


@dataclass(frozen=True)
class Report:
    """Effect of a move.

    Attributes:
        key: a message of the catalogues in `minesweeper_play.language`; "" where there is nothing to say.
        cells: the cells whose codes changed, in reading order; none if the move was refused.
        values: what fills the placeholders of the message. `x` is a column and `y` a row, both from 1.
    """

    key: str = ""
    cells: tuple[Cell, ...] = ()
    values: Mapping[str, object] = field(default_factory=dict)

    @property
    def accepted(self) -> bool:
        """True if the move changed the board."""
        return bool(self.cells)


def changed_cells(before: NDArray[np.int8], after: NDArray[np.int8]) -> tuple[Cell, ...]:
    """Returns the cells where two boards of codes, int8 (rows, cols), differ, in reading order."""
    return tuple((row, col) for row, col in np.argwhere(before != after).tolist())
