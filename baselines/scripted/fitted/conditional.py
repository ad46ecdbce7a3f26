"""`conditional`: naive Bayes classifier of covered cells by what their neighbours show.

This is the conditional model of Antimatroid (2012), with the indices of its pseudocode put right.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.scripted.base import Knowledge
from baselines.scripted.fitted.base import FittedPolicy, PracticeGames, Values
from minesweeper_env.config import MAX_RADIUS, BoardConfig, whole_number

CHOICES = ("largest", "class")

Symbols = NDArray[np.int16]


class ConditionalPolicy(FittedPolicy):
    """Clicks the covered cell that is most probably safe by naive Bayes.

    The classes are safe and mine. Each neighbour is a feature: its value is a clue, "covered" or "off the board".
    Probabilities are relative frequencies over the covered cells of all practice boards, with Laplace smoothing.

    Attributes:
        evidence: (neighbours, values) float64, the change in log-odds of a mine by the value of each neighbour.
    """

    def __init__(
        self,
        config: BoardConfig,
        *,
        radius: int = 1,
        choice: str = "largest",
        fit_games: int | None = None,
        fit_seed: int = 0,
    ) -> None:
        """Fits the values to practice games.

        Args:
            config: the games.
            radius: neighbourhood radius of the features, in cells, 1 to `MAX_RADIUS`.
            choice: "largest" clicks the cell most probably safe; "class" draws uniformly among the cells more
                probably safe than mined, and falls back on "largest" if there is none.
            fit_games: see `FittedPolicy`.
            fit_seed: see `FittedPolicy`.

        Raises:
            ValueError: an argument is not allowed.
        """
        self._radius = whole_number("radius", radius, 1)
        if self._radius > MAX_RADIUS:
            raise ValueError(f"radius must be 1 to {MAX_RADIUS}, not {radius}")
        if choice not in CHOICES:
            raise ValueError(f"choice must be one of {', '.join(CHOICES)}, not {choice!r}")
        self._choice = choice
        self._values = config.codes.max_count + 3
        super().__init__(config, fit_games=fit_games, fit_seed=fit_seed)

    def fit(self, practice: Iterator[PracticeGames]) -> Values:
        """Counts covered cells by class, and their neighbours' values by class and neighbour."""
        cells = np.zeros(2, np.int64)
        shown = np.zeros((2, self._neighbours, self._values), np.int64)
        for batch in practice:
            covered = batch.boards > self.config.codes.max_count
            mine = batch.layouts[batch.games]
            groups = [np.flatnonzero(covered & ~mine), np.flatnonzero(covered & mine)]
            cells += [len(group) for group in groups]
            for k, values in enumerate(self._neighbour_values(batch.boards)):
                flat = values.ravel()
                shown[:, k] += [np.bincount(flat[group], minlength=self._values) for group in groups]
        return {"cells": cells, "shown": shown}

    def use(self, values: Values) -> None:
        """Computes the prior log-odds of a mine, and `evidence`."""
        cells, shown = values["cells"] + 1.0, values["shown"] + 1.0
        log_likelihoods = np.log(shown / shown.sum(axis=2, keepdims=True))
        self._prior = float(np.log(cells[1] / cells[0]))
        self.evidence: NDArray[np.float64] = log_likelihoods[1] - log_likelihoods[0]

    def log_odds(self, boards: NDArray[np.int8]) -> NDArray[np.float64]:
        """Returns (N, rows, cols) float64: ln(P(mine) / P(safe)) by naive Bayes; meaningful on covered cells only."""
        odds = np.full(boards.shape, self._prior)
        for evidence, values in zip(self.evidence, self._neighbour_values(boards), strict=True):
            odds += evidence[values]
        return odds

    def risks(self, knowledge: Knowledge) -> NDArray[np.float64]:
        """Returns the log-odds of a mine; under the choice "class", 0 for cells more probably safe than mined."""
        hidden = np.int16(self.config.codes.hidden)
        odds = self.log_odds(np.where(knowledge.open, knowledge.counts, hidden))
        return odds if self._choice == "largest" else np.maximum(odds, 0.0)

    @property
    def _neighbours(self) -> int:
        return (2 * self._radius + 1) ** 2 - 1

    def _neighbour_values(self, boards: NDArray[np.integer[Any]]) -> Iterator[Symbols]:
        """Yields, for each neighbour in reading order, its (N, rows, cols) values."""
        covered = self.config.codes.max_count + 1
        reach, (_, rows, cols) = self._radius, boards.shape
        border = ((0, 0), (reach, reach), (reach, reach))
        padded = np.pad(np.minimum(boards, covered).astype(np.int16), border, constant_values=covered + 1)
        for i in range(2 * reach + 1):
            for j in range(2 * reach + 1):
                if (i, j) != (reach, reach):
                    yield padded[:, i : i + rows, j : j + cols]
