"""`expected_value`: the deduction of `subset`, and a guess by the shares of mines that the counts show."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from baselines.scripted.rules.batched_rules import Knowledge
from baselines.scripted.rules.subset import SubsetPolicy


class ExpectedValuePolicy(SubsetPolicy):
    """Deduces as `subset` does; else clicks the cell beside which the counts lack the fewest mines a cell."""

    def risks(self, knowledge: Knowledge) -> NDArray[np.float64]:
        """Returns the expected value of each unknown cell.

        Beside open cells it is the mean, over these, of the mines that the count still lacks divided by the
        unknown cells around it; elsewhere it is the share of mines among all unknown cells.
        """
        hidden = knowledge.around(knowledge.unknown)
        useful = knowledge.open & (hidden > 0)
        shares = np.where(useful, knowledge.mines_left_around() / np.maximum(hidden, 1), 0.0)
        counts = knowledge.around(useful)
        density = knowledge.mines_left() / np.maximum(knowledge.unknown.sum(axis=(1, 2)), 1)
        means: NDArray[np.float64] = knowledge.around(shares) / np.maximum(counts, 1)
        return np.where(counts > 0, means, density[:, None, None])
