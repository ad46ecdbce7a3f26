"""Configuration of a game: size of the board, number of colours and rules, checked at construction."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.config import items_of, one_of, whole_number

__all__ = ["BONUS", "MAX_COLOURS", "MAX_SIDE", "POINTS", "GameConfig", "Rules"]

MAX_SIDE = 100
"""The largest number of rows and of columns."""

MAX_COLOURS = 9
"""The largest number of colours, each of which is one digit in a file."""

POINTS: tuple[int, ...] = (1, 2, 4, 8)
"""Points for a group of 2, 3, 4 and 5 tiles."""

BONUS = Fraction(13, 10)
"""Factor of the score of the player who clears the board."""


class Rules(NamedTuple):
    """Rules as kernels take them; the bonus is numerator / denominator."""

    rows: int
    cols: int
    leftwards: bool  # whether columns close to the left
    points: NDArray[np.int64]  # (cells + 1,), the points of a group by its number of tiles
    numerator: int
    denominator: int


@dataclass(frozen=True)
class GameConfig:
    """Board and rules of a game; construction checks every field.

    Attributes:
        rows: the number of rows, 1 to 100.
        cols: the number of columns, 1 to 100.
        colours: the number of colours, 1 to 9.
        points: points for a group of 2 tiles, of 3 tiles and so on; a larger group earns `per_tile` for each tile.
        per_tile: points per tile of a group that is larger than all in `points`.
        bonus: what the whole score of the player who clears the board is multiplied by, rounded down; at least 1.
        side: the side to which columns close, "left" or "right".

    Raises:
        ValueError: the value of a field is not allowed; the message lists the allowed ones.
    """

    rows: int = 8
    cols: int = 8
    colours: int = 3
    points: Sequence[int] = POINTS
    per_tile: int = 2
    bonus: float | str | Fraction = BONUS
    side: str = "left"

    def __post_init__(self) -> None:
        for name, least, most in (
            ("rows", 1, MAX_SIDE), ("cols", 1, MAX_SIDE), ("colours", 1, MAX_COLOURS), ("per_tile", 0, 1_000_000),
        ):  # fmt: skip
            object.__setattr__(self, name, whole_number(name, getattr(self, name), least, most))
        points = items_of(self.points)
        if not points and np.shape(self.points) != (0,):  # no list at all; an empty list is allowed
            raise ValueError(f"points must be a list, for groups of 2, 3, ... tiles, not {self.points!r}")
        points = tuple(whole_number("each of points", value, 0, 1_000_000) for value in points)
        object.__setattr__(self, "points", points)
        object.__setattr__(self, "bonus", _checked_bonus(self.bonus))
        one_of("side", self.side, ("left", "right"))

    @property
    def cells(self) -> int:
        """The number of cells."""
        return self.rows * self.cols

    @cached_property
    def rules(self) -> Rules:
        """The rules as kernels take them, with the points of groups of 0 to rows * cols tiles."""
        points = self.per_tile * np.arange(self.cells + 1)
        # Groups of 0 and of 1 tile earn nothing; `self.points` begins at 2 tiles.
        listed = [0, 0, *self.points][: len(points)]
        points[: len(listed)] = listed
        bonus = Fraction(self.bonus)
        return Rules(self.rows, self.cols, self.side == "left", points, bonus.numerator, bonus.denominator)


def _checked_bonus(bonus: Any) -> Fraction:
    try:
        # The text of a float is what its author wrote: 1.3 means 13/10.
        factor = Fraction(str(bonus))
    except (ValueError, ZeroDivisionError):
        factor = Fraction(0)
    if not 1 <= factor <= 1000 or factor.denominator > 1000:
        raise ValueError(f"bonus must be a number from 1 to 1000 with at most three decimals, not {bonus!r}")
    return factor
