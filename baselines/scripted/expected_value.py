"""`expected_value` and `expected_value_source`: deduction of `subset`, and the guesses of Sun, Chen & Yang."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from baselines.scripted.base import Knowledge
from baselines.scripted.subset import SubsetPolicy


class ExpectedValuePolicy(SubsetPolicy):
    """Deduces as `subset` does; guesses the cell with the lowest mean mine density around its open neighbours."""

    def risks(self, knowledge: Knowledge) -> NDArray[np.float64]:
        """Returns the (N, rows, cols) expected value of each unknown cell.

        It is the mean over the open neighbours of missing mines / unknown neighbours. A cell without an open
        neighbour gets the mine density of all unknown cells.
        """
        hidden = knowledge.neighbour_sum(knowledge.unknown)
        useful = knowledge.open & (hidden > 0)
        densities = np.where(useful, knowledge.missing_mines() / np.maximum(hidden, 1), 0.0)
        counts = knowledge.neighbour_sum(useful)
        mines_left = self.config.mines - knowledge.mine.sum(axis=(1, 2))
        density = mines_left / np.maximum(knowledge.unknown.sum(axis=(1, 2)), 1)
        means: NDArray[np.float64] = knowledge.neighbour_sum(densities) / np.maximum(counts, 1)
        return np.where(counts > 0, means, density[:, None, None])


class ExpectedValueSourcePolicy(SubsetPolicy):
    """Deduces as `subset` does; guesses the cell with the lowest sum of clue / unknown cells over its open neighbours.

    It keeps three faults of the program. The value is a sum, so it grows with the number of open neighbours. Known
    mines reduce the unknown cells, but not the clue. A cell without an open neighbour is guessed only if no other is
    left. Ties are drawn, as the text says; the program takes the first entry of a dictionary.
    """

    def risks(self, knowledge: Knowledge) -> NDArray[np.float64]:
        """Returns the sum over the open neighbours of clue / unknown neighbours; above all sums if there are none."""
        hidden = knowledge.neighbour_sum(knowledge.unknown)
        ratios = np.where(knowledge.open, knowledge.counts / np.maximum(hidden, 1), 0.0)
        # A cell has at most max_count open neighbours, and each ratio is at most max_count.
        beyond = self.config.codes.max_count**2 + 1.0
        return np.where(knowledge.neighbour_sum(knowledge.open) > 0, knowledge.neighbour_sum(ratios), beyond)
