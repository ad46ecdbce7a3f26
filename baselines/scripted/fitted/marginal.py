"""`marginal`: the cell that was safe most often in past games; the marginal model of Antimatroid (2012), a control."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from baselines.scripted.base import Knowledge
from baselines.scripted.fitted.base import FittedPolicy, PracticeGames, Values


class MarginalPolicy(FittedPolicy):
    """Clicks the covered cell that was safe in the largest fraction of practice games, whatever the board shows.

    If mines are uniform and independent of past games, the click order is a uniformly random one over `fit_seed`.
    On average the policy is then as good as `random`.
    """

    def fit(self, practice: Iterator[PracticeGames]) -> Values:
        """Counts how many games had a mine in each cell."""
        games, mines = 0, np.zeros((self.config.rows, self.config.cols), np.int64)
        for batch in practice:
            games += len(batch.layouts)
            mines += batch.layouts.sum(axis=0)
        return {"games": np.array([games]), "mines": mines}

    def use(self, values: Values) -> None:
        """Estimates the mine probability of each cell, with Laplace smoothing."""
        self._mine_probabilities: NDArray[np.float64] = (values["mines"] + 1.0) / (values["games"][0] + 2.0)

    def risks(self, knowledge: Knowledge) -> NDArray[np.float64]:
        """Returns the estimated mine probability of each cell."""
        return np.broadcast_to(self._mine_probabilities, knowledge.unknown.shape)
