"""`conditional`: a naive Bayes classifier of covered cells by what their neighbours show."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.scripted.fitted.base import FittedPolicy, shape_flaw
from baselines.scripted.fitted.parameters import Values
from baselines.scripted.fitted.practice_games import Practice
from baselines.scripted.rules.batched_rules import Knowledge
from minesweeper_env.config import MAX_RADIUS, BoardConfig, whole_number

CHOICES = ("largest", "class")

Symbols = NDArray[np.int16]


class ConditionalPolicy(FittedPolicy):
    """Clicks the covered cell that is most probably free by naive Bayes.

    The classes are free and mine. Each neighbour is a feature of its own, whose value is the count that it shows,
    "covered" or "off the board". The probabilities are shares of the covered cells on all boards that the practice
    games led to, with one more of each value (Laplace).
    """

    model = "conditional"

    def __init__(
        self,
        config: BoardConfig,
        *,
        radius: int = 1,
        choice: str = "largest",
        fit_games: int | None = None,
        fit_seed: int | None = None,
        parameters: str | Path | None = None,
    ) -> None:
        """Learns from practice games, or reads what was learned.

        Args:
            config: the games.
            radius: neighbours are the cells at most so far away, in rows and in columns, that the classifier looks at.
            choice: "largest" clicks the cell of the largest probability; "class" any cell whose likelier class is
                free, all being equally likely, and as "largest" where there is none.
            fit_games: see `FittedPolicy`.
            fit_seed: see `FittedPolicy`.
            parameters: see `FittedPolicy`.

        Raises:
            ValueError: an argument is not allowed, or the file is damaged or was written for other games.
        """
        self._radius = whole_number("radius", radius, 1)
        if self._radius > MAX_RADIUS:
            raise ValueError(f"radius must be 1 to {MAX_RADIUS}, not {radius}")
        if choice not in CHOICES:
            raise ValueError(f"choice must be one of {', '.join(CHOICES)}, not {choice!r}")
        self._choice = choice
        self._values = config.codes.max_count + 3
        super().__init__(config, fit_games=fit_games, fit_seed=fit_seed, parameters=parameters)

    def setting(self) -> dict[str, Any]:
        """Returns what the parameters hold for: the board, and the options that change what is learned."""
        return {**super().setting(), "looks": self._radius}

    def fit(self, practice: Iterator[Practice]) -> Values:
        """Counts covered cells by class, and by class, neighbour and value."""
        cells = np.zeros(2, np.int64)
        shown = np.zeros((2, self._neighbours, self._values), np.int64)
        for past in practice:
            covered = past.boards > self.config.codes.max_count
            mine = past.layouts[past.games]
            groups = [np.flatnonzero(covered & ~mine), np.flatnonzero(covered & mine)]
            cells += [len(group) for group in groups]
            for k, values in enumerate(self._look_around(past.boards)):
                flat = values.ravel()
                shown[:, k] += [np.bincount(flat[group], minlength=self._values) for group in groups]
        return {"cells": cells, "shown": shown}

    def flaw(self, values: Values) -> str | None:
        """Returns why these values, read from a file, cannot be used, or None."""
        flaw = shape_flaw(values, {"cells": (2,), "shown": (2, self._neighbours, self._values)})
        if flaw is None and (values["shown"].sum(axis=2) != values["cells"][:, None]).any():
            return "shown does not add up to cells"
        return flaw

    def use(self, values: Values) -> None:
        """Computes the logarithm of the odds of a mine, and by how much each value of each neighbour changes it."""
        cells, shown = values["cells"] + 1.0, values["shown"] + 1.0
        chances = np.log(shown / shown.sum(axis=2, keepdims=True))
        self._prior = float(np.log(cells[1] / cells[0]))
        self._evidence: NDArray[np.float64] = chances[1] - chances[0]

    def log_odds(self, boards: NDArray[np.int8]) -> NDArray[np.float64]:
        """Returns (N, rows, cols): ln(P(mine) / P(free)) by naive Bayes, of which only covered cells have a use."""
        odds = np.full(boards.shape, self._prior)
        for evidence, values in zip(self._evidence, self._look_around(boards), strict=True):
            odds += evidence[values]
        return odds

    def risks(self, knowledge: Knowledge) -> NDArray[np.float64]:
        """Returns the logarithm of the odds of a mine; by the choice "class", 0 wherever a cell is likelier free."""
        hidden = np.int16(self.config.codes.hidden)
        odds = self.log_odds(np.where(knowledge.open, knowledge.counts, hidden))
        return odds if self._choice == "largest" else np.maximum(odds, 0.0)

    @property
    def _neighbours(self) -> int:
        return (2 * self._radius + 1) ** 2 - 1

    def _look_around(self, boards: NDArray[np.integer[Any]]) -> Iterator[Symbols]:
        """Yields (N, rows, cols) for each neighbour in reading order: what the cells have there."""
        covered = self.config.codes.max_count + 1
        reach, (_, rows, cols) = self._radius, boards.shape
        border = ((0, 0), (reach, reach), (reach, reach))
        padded = np.pad(np.minimum(boards, covered).astype(np.int16), border, constant_values=covered + 1)
        for i in range(2 * reach + 1):
            for j in range(2 * reach + 1):
                if (i, j) != (reach, reach):
                    yield padded[:, i : i + rows, j : j + cols]
