"""Rules as kernels take them, and what a move does to a position."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from azulejos_env.config import GameConfig
from minesweeper_env.compiled import inlined


class Rules(NamedTuple):
    """Rules of a game on a board of C cells.

    Attributes:
        rows: the number of rows.
        cols: the number of columns.
        leftwards: whether columns close to the left.
        points: (C + 1,) int64, points of a group by its number of tiles.
        numerator: the bonus is numerator / denominator.
        denominator: see numerator.
    """

    rows: int
    cols: int
    leftwards: bool
    points: NDArray[np.int64]
    numerator: int
    denominator: int


def compile_rules(config: GameConfig) -> Rules:
    """Returns the rules of a configuration."""
    factor = config.factor
    return Rules(
        config.rows,
        config.cols,
        config.side == "left",
        config.points_by_size(),
        factor.numerator,
        factor.denominator,
    )


@inlined
def new_score(rules: Rules, score: int, size: int, clears: bool) -> int:
    """Returns the score of a player who had `score` and removed a group of `size` tiles.

    Args:
        rules: the rules.
        score: the score before the move.
        size: the number of tiles of the group.
        clears: whether no tile is left; the bonus multiplies the whole score.
    """
    score += rules.points[size]
    return score * rules.numerator // rules.denominator if clears else score
