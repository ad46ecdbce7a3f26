"""Knowledge about a batch of boards, and the two local rules that extend it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.config import BoardConfig


class Knowledge:
    """Visible and deduced state of N games. Flags and question marks are ignored.

    Attributes:
        config: the boards.
        open: (N, rows, cols) bool, the open cells.
        counts: (N, rows, cols) int16, the clues of open cells; 0 elsewhere.
        safe: (N, rows, cols) bool, the covered cells that are certainly safe.
        mine: (N, rows, cols) bool, the covered cells that are certainly mines.
        unknown: (N, rows, cols) bool, the other covered cells.
    """

    def __init__(self, observations: NDArray[np.int8], config: BoardConfig) -> None:
        """Reads (N, rows, cols) int8 observations; nothing is deduced yet."""
        self.config = config
        self.open: NDArray[np.bool_] = observations <= config.codes.max_count
        self.counts: NDArray[np.int16] = np.where(self.open, observations, 0).astype(np.int16)
        self.safe = np.zeros_like(self.open)
        self.mine = np.zeros_like(self.open)
        self.unknown = ~self.open

    def rows(self, chosen: NDArray[np.bool_]) -> Knowledge:
        """Returns a copy of the knowledge about the games where `chosen`, (N,) bool, is true."""
        selection = object.__new__(Knowledge)
        selection.config = self.config
        for name in ("open", "counts", "safe", "mine", "unknown"):
            setattr(selection, name, getattr(self, name)[chosen])
        return selection

    def record(self, safe: NDArray[np.bool_], mine: NDArray[np.bool_]) -> None:
        """Marks unknown cells as safe and as mines, (N, rows, cols) bool each."""
        self.safe |= safe
        self.mine |= mine
        self.unknown &= ~(safe | mine)

    def neighbour_sum(self, values: NDArray[Any]) -> NDArray[Any]:
        """Returns the sum of (N, rows, cols) values over the neighbours of each cell; see `neighbour_sums`."""
        return neighbour_sums(values, self.config.radius)

    def missing_mines(self) -> NDArray[np.int16]:
        """Returns (N, rows, cols) int16: at open cells, the number of mines among the unknown neighbours."""
        return self.counts - self.neighbour_sum(self.mine)

    def mines_left(self) -> NDArray[np.int64]:
        """Returns (N,) int64: the number of mines among the unknown cells."""
        return self.config.mines - self.mine.sum(axis=(1, 2))


def neighbour_sums(values: NDArray[Any], radius: int) -> NDArray[Any]:
    """Returns the sum of (N, rows, cols) values over the neighbours of each cell, without the cell itself.

    Booleans are summed as int16. The box sum is separable: it sums rows first, then columns.
    """
    count, rows, cols = values.shape
    values = values.astype(np.int16) if values.dtype == np.bool_ else values
    padded = np.zeros((count, rows + 2 * radius, cols + 2 * radius), values.dtype)
    padded[:, radius : radius + rows, radius : radius + cols] = values
    bands = padded[:, :rows].copy()
    for shift in range(1, 2 * radius + 1):
        bands += padded[:, shift : shift + rows]
    sums = bands[:, :, :cols] - values
    for shift in range(1, 2 * radius + 1):
        sums += bands[:, :, shift : shift + cols]
    return sums


def find_mines(knowledge: Knowledge) -> NDArray[np.bool_]:
    """Returns (N, rows, cols) bool: the mines by the first local rule.

    If a clue lacks as many mines as it has unknown neighbours, they are all mines.
    """
    unknown = knowledge.neighbour_sum(knowledge.unknown)
    full = knowledge.open & (unknown > 0) & (knowledge.missing_mines() == unknown)
    return knowledge.unknown & (knowledge.neighbour_sum(full) > 0)


def find_safe(knowledge: Knowledge) -> NDArray[np.bool_]:
    """Returns (N, rows, cols) bool: the safe cells by the second local rule.

    If a clue equals the number of its known mines, its unknown neighbours are safe.
    """
    reached = knowledge.open & (knowledge.missing_mines() == 0)
    return knowledge.unknown & (knowledge.neighbour_sum(reached) > 0)


def apply_local_rules_once(knowledge: Knowledge) -> bool:
    """Applies the first local rule to all clues, then the second one; returns whether either found a cell."""
    nothing = np.zeros_like(knowledge.open)
    mines = find_mines(knowledge)
    knowledge.record(nothing, mines)
    safe = find_safe(knowledge)
    knowledge.record(safe, nothing)
    return bool(mines.any() or safe.any())


def apply_local_rules(knowledge: Knowledge) -> None:
    """Repeats the two local rules until they find nothing new."""
    while apply_local_rules_once(knowledge):
        pass
