"""Figures of a finished game: 3BV, clicks, efficiency and speed.

3BV is Bechtel's Board Benchmark Value: the least number of left clicks that opens all safe cells
(https://minesweepergame.com/stefan-bechtel.php). Every opening takes one click, and every safe cell that no opening
uncovers takes one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.neighbours import neighbour_table

if TYPE_CHECKING:
    from minesweeper_play.game.session import Session


@dataclass(frozen=True)
class Metrics:
    """Figures of a finished game.

    Attributes:
        value: 3BV of the whole board.
        solved: 3BV of what is open: openings and single cells.
        clicks: the number of moves that changed the board, with marks and with the cells that `help` opened.
        seconds: the time on the clock.
    """

    value: int
    solved: int
    clicks: int
    seconds: float

    @property
    def efficiency(self) -> float:
        """`solved` per click; 0.0 without a click. It exceeds 1 where chords open several cells."""
        return self.solved / self.clicks if self.clicks else 0.0

    @property
    def per_second(self) -> float:
        """`solved` per second; 0.0 where no time has passed."""
        return self.solved / self.seconds if self.seconds > 0 else 0.0


def measure(session: Session) -> Metrics:
    """Returns the figures of a session.

    Raises:
        ValueError: the game is not over, so that its mines are unknown.
    """
    layout = session.layout
    if layout is None:
        raise ValueError("a game has figures once it is over")
    radius = session.config.radius
    is_open = session.board <= session.config.codes.max_count
    solved = board_value(layout, radius, is_open)
    return Metrics(board_value(layout, radius), solved, len(session.moves), session.seconds)


def board_value(layout: NDArray[np.bool_], radius: int = 1, is_open: NDArray[np.bool_] | None = None) -> int:
    """Returns the 3BV of a layout, or of the part of it that is open.

    Args:
        layout: bool (rows, cols), the mines.
        radius: the radius of the neighbourhood.
        is_open: bool (rows, cols), the open cells; None counts the whole board.
    """
    rows, cols = layout.shape
    neighbours = neighbour_table(rows, cols, radius).astype(np.int64)
    mines = np.append(layout.ravel(), False)
    zeros = ~mines[:-1] & ~mines[neighbours].any(axis=1)
    near_zero = np.append(zeros, False)[neighbours].any(axis=1)
    wanted = np.ones(layout.size, np.bool_) if is_open is None else is_open.ravel()
    singles = ~mines[:-1] & ~zeros & ~near_zero & wanted
    return _components(zeros & wanted, neighbours) + int(singles.sum())


def _components(cells: NDArray[np.bool_], neighbours: NDArray[np.int64]) -> int:
    """Returns the number of connected sets of cells."""
    waiting = set(np.flatnonzero(cells).tolist())
    count = 0
    while waiting:
        count += 1
        stack = [waiting.pop()]
        while stack:
            reached = waiting.intersection(neighbours[stack.pop()].tolist())
            waiting -= reached
            stack += reached
    return count
