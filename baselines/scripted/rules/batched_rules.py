"""What the boards of a batch show, what has been deduced from it, and the two local rules."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.config import BoardConfig


class Knowledge:
    """What is known in each of N games. Flags and question marks count for nothing.

    Attributes:
        config: the boards.
        open: (N, rows, cols) bool, the open cells.
        counts: (N, rows, cols) int16, the counts that open cells show; 0 elsewhere.
        safe: (N, rows, cols) bool, the covered cells that are certainly free.
        mine: (N, rows, cols) bool, the covered cells that are certainly mines.
        unknown: (N, rows, cols) bool, the other covered cells.
    """

    def __init__(self, observations: NDArray[np.int8], config: BoardConfig) -> None:
        """Reads (N, rows, cols) observations, of which nothing has been deduced yet."""
        self.config = config
        self.open: NDArray[np.bool_] = observations <= config.codes.max_count
        self.counts: NDArray[np.int16] = np.where(self.open, observations, 0).astype(np.int16)
        self.safe = np.zeros_like(self.open)
        self.mine = np.zeros_like(self.open)
        self.unknown = ~self.open

    def rows(self, chosen: NDArray[np.bool_]) -> Knowledge:
        """Returns the knowledge of the games where `chosen`, (N,) bool, is true, as a copy."""
        part = object.__new__(Knowledge)
        part.config = self.config
        for name in ("open", "counts", "safe", "mine", "unknown"):
            setattr(part, name, getattr(self, name)[chosen])
        return part

    def settle(self, safe: NDArray[np.bool_], mine: NDArray[np.bool_]) -> None:
        """Takes down unknown cells as safe and as mines."""
        self.safe |= safe
        self.mine |= mine
        self.unknown &= ~(safe | mine)

    def around(self, values: NDArray[Any]) -> NDArray[Any]:
        """Returns the sum of (N, rows, cols) values, or number of true ones, over the neighbours of each cell."""
        return neighbour_sums(values, self.config.radius)

    def mines_left_around(self) -> NDArray[np.int16]:
        """Returns (N, rows, cols): at open cells, the number of unknown neighbours that are mines."""
        return self.counts - self.around(self.mine)

    def mines_left(self) -> NDArray[np.int64]:
        """Returns (N,): the number of unknown cells that are mines."""
        return self.config.mines - self.mine.sum(axis=(1, 2))


def neighbour_sums(values: NDArray[Any], radius: int) -> NDArray[Any]:
    """Returns, for each cell, the sum over its neighbourhood of (N, rows, cols) values without the cell's own.

    Bools are added up as int16.
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
    """Returns the unknown cells that the first local rule shows to be mines, (N, rows, cols).

    Where the unknown cells beside a count are as many as the mines it lacks, they all are mines.
    """
    unknown = knowledge.around(knowledge.unknown)
    full = knowledge.open & (unknown > 0) & (knowledge.mines_left_around() == unknown)
    return knowledge.unknown & (knowledge.around(full) > 0)


def find_safe(knowledge: Knowledge) -> NDArray[np.bool_]:
    """Returns the unknown cells that the second local rule shows to be free, (N, rows, cols).

    A count that its known mines reach has no other mine beside it.
    """
    reached = knowledge.open & (knowledge.mines_left_around() == 0)
    return knowledge.unknown & (knowledge.around(reached) > 0)


def apply_local_rules_once(knowledge: Knowledge) -> bool:
    """Applies the first local rule to all counts, then the second one; returns whether that yielded anything new."""
    nothing = np.zeros_like(knowledge.open)
    mines = find_mines(knowledge)
    knowledge.settle(nothing, mines)
    safe = find_safe(knowledge)
    knowledge.settle(safe, nothing)
    return bool(mines.any() or safe.any())


def apply_local_rules(knowledge: Knowledge) -> None:
    """Applies the two local rules again and again until they yield nothing new."""
    while apply_local_rules_once(knowledge):
        pass
