"""`marginal`: the cell that was free most often in past games, a control."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from baselines.scripted.fitted.base import FittedPolicy, shape_flaw
from baselines.scripted.fitted.parameters import Values
from baselines.scripted.fitted.practice_games import Practice
from baselines.scripted.rules.batched_rules import Knowledge


class MarginalPolicy(FittedPolicy):
    """Clicks the covered cell with the largest share of past games in which it was free, whatever the board shows.

    Where mines are laid uniformly and independently of past games, it is as good as `random` on average over
    `fit_seed`: it then opens the cells in an order that is a uniformly random one.
    """

    model = "marginal"

    def fit(self, practice: Iterator[Practice]) -> Values:
        """Counts, for each cell, the games in which it was a mine."""
        games, mines = 0, np.zeros((self.config.rows, self.config.cols), np.int64)
        for past in practice:
            games += len(past.layouts)
            mines += past.layouts.sum(axis=0)
        return {"games": np.array([games]), "mines": mines}

    def flaw(self, values: Values) -> str | None:
        """Returns why these values, read from a file, cannot be used, or None."""
        flaw = shape_flaw(values, {"games": (1,), "mines": (self.config.rows, self.config.cols)})
        if flaw is None and (values["mines"] > values["games"][0]).any():
            return "a cell was a mine in more games than there were"
        return flaw

    def use(self, values: Values) -> None:
        """Estimates the probability of a mine in each cell, with one more game of each kind (Laplace)."""
        self._chances: NDArray[np.float64] = (values["mines"] + 1.0) / (values["games"][0] + 2.0)

    def risks(self, knowledge: Knowledge) -> NDArray[np.float64]:
        """Returns the estimated probability of a mine in each cell."""
        return np.broadcast_to(self._chances, knowledge.unknown.shape)
