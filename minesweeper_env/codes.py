"""Codes of the cells in an observation, and the moves of a player."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

__all__ = ["FLAGGED", "HIDDEN", "MINE", "MOVE_NAMES", "QUESTION", "Codes", "Move"]


class Move(IntEnum):
    """The moves, in the order of an action space."""

    CLICK = 0
    FLAG = 1
    UNFLAG = 2
    QUESTION = 3
    CHORD = 4


MOVE_NAMES: tuple[str, ...] = tuple(move.name.lower() for move in Move)


class Codes(NamedTuple):
    """Codes of the cells that show no count; the codes 0..`max_count` are open cells with that count.

    Attributes:
        max_count: the largest count: the number of neighbours of an inner cell.
        flagged: a covered cell with a flag.
        question: a covered cell with a question mark.
        hidden: a covered cell without a mark.
        mine: a mine, shown only in a lost game.
    """

    max_count: int
    flagged: int
    question: int
    hidden: int
    mine: int

    @classmethod
    def of_radius(cls, radius: int) -> Codes:
        """Returns the codes of boards whose neighbourhoods are squares of side 2 * radius + 1."""
        max_count = (2 * radius + 1) ** 2 - 1
        return cls(max_count, max_count + 1, max_count + 2, max_count + 3, max_count + 4)


FLAGGED, QUESTION, HIDDEN, MINE = Codes.of_radius(1)[1:]
