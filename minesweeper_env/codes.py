"""What a cell of an observation can show, and what a player can do to a cell."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple


class Move(IntEnum):
    """The moves, in the order in which an action space lists them."""

    CLICK = 0
    FLAG = 1
    UNFLAG = 2
    QUESTION = 3
    CHORD = 4


MOVE_NAMES: tuple[str, ...] = tuple(move.name.lower() for move in Move)


class Codes(NamedTuple):
    """The codes that follow the counts 0..`max_count` of open cells.

    Attributes:
        max_count: the number of neighbours of an inner cell, and so the largest count.
        flagged: a covered cell with a flag.
        question: a covered cell with a question mark.
        hidden: a covered cell without a mark.
        mine: a mine, shown once the game is lost.
    """

    max_count: int
    flagged: int
    question: int
    hidden: int
    mine: int

    @classmethod
    def of_radius(cls, radius: int) -> Codes:
        """Returns the codes of boards whose neighbourhood is the square of side 2 * radius + 1."""
        most = (2 * radius + 1) ** 2 - 1
        return cls(most, most + 1, most + 2, most + 3, most + 4)


FLAGGED, QUESTION, HIDDEN, MINE = Codes.of_radius(1)[1:]
