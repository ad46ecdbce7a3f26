"""`expected_value_source`: the deduction of `subset`, and the guess of the published expected-value program."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from baselines.scripted.rules.batched_rules import Knowledge
from baselines.scripted.rules.subset import SubsetPolicy


class ExpectedValueSourcePolicy(SubsetPolicy):
    """Deduces as `subset` does; else clicks the cell beside open ones whose counts add up to least, cell by cell.

    Three things about it are wrong, and stay so: it is a sum, which grows with the number of counts beside a cell;
    known mines are taken off the cells, but not off the counts; and a cell that no count sees is never clicked
    while there is another one. Of equal cells it draws one, as its text says; its program takes the first one
    that comes out of a dictionary.
    """

    def risks(self, knowledge: Knowledge) -> NDArray[np.float64]:
        """Returns the sum over the open neighbours of count / unknown cells around it, and more where there is none."""
        hidden = knowledge.around(knowledge.unknown)
        shares = np.where(knowledge.open, knowledge.counts / np.maximum(hidden, 1), 0.0)
        # No sum is larger than that of the largest counts beside one unknown cell.
        beyond = self.config.codes.max_count**2 + 1.0
        return np.where(knowledge.around(knowledge.open) > 0, knowledge.around(shares), beyond)
