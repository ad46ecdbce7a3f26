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
"""The kinds of moves; "reveal" opens a safe cell at the player's request for help."""

Aid = Literal["help", "hint", "probabilities"]
"""The kinds of help that a game notes."""

LAYER_SECONDS = 0.03

MOST_SECONDS = 1e8
"""The longest time of a game that is believed: three years."""


class Move(NamedTuple):
    """A move that changed the board, and the time on the clock of the game when it was made."""

    kind: MoveKind
    row: int
    col: int
    seconds: float

    @property
    def cell(self) -> Cell:
        return self.row, self.col


@dataclass(frozen=True)
class Report:
    """Effect of a move."""

    key: str = ""  # a message of the catalogues; "" where there is nothing to say
    cells: tuple[Cell, ...] = ()  # the cells whose codes changed, in reading order; none if the move was refused
    values: Mapping[str, object] = field(default_factory=dict)  # by placeholder; `x` is a column, `y` a row, from 1

    @property
    def accepted(self) -> bool:
        return bool(self.cells)


class CancelledError(Exception):
    """The player has cancelled long work."""


class TextError(ValueError):
    """A text is no command, or no board: the key of the message that says why, and what fills its placeholders."""

    def __init__(self, key: str, **values: object) -> None:
        super().__init__(f"{key} {values}")
        self.key, self.values = key, values


def cells_of(chosen: NDArray[np.bool_]) -> tuple[Cell, ...]:
    """Returns the chosen cells of a (rows, cols) bool array, in reading order."""
    return tuple((row, col) for row, col in np.argwhere(chosen).tolist())


def neighbours(cell: Cell, shape: tuple[int, ...]) -> list[Cell]:
    """Returns the cells around a cell of a board of shape (rows, cols), in reading order."""
    near = (range(max(at - 1, 0), min(at + 2, end)) for at, end in zip(cell, shape, strict=True))
    rows, cols = near
    return [(row, col) for row in rows for col in cols if (row, col) != cell]
