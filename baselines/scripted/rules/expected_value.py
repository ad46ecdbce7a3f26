"""`expected_value`: deduction of `subset`, and the guess that Sun, Chen & Yang describe."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from baselines.scripted.rules.batched_rules import Knowledge
from baselines.scripted.rules.subset import SubsetPolicy


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
        density = knowledge.mines_left() / np.maximum(knowledge.unknown.sum(axis=(1, 2)), 1)
        means: NDArray[np.float64] = knowledge.neighbour_sum(densities) / np.maximum(counts, 1)
        return np.where(counts > 0, means, density[:, None, None])
