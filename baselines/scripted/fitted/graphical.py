"""`graphical`: the best expected reward in a 3 x 3 sub-grid."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from baselines.scripted.fitted.base import FittedPolicy, shape_flaw
from baselines.scripted.fitted.parameters import Values
from baselines.scripted.fitted.practice_games import Practice
from baselines.scripted.fitted.subgrid_states import Specimens
from baselines.scripted.fitted.subgrid_values import Rule, StateValues, expectation, guess_value
from baselines.scripted.fitted.subgrids import CELLS, SIDE, TURNS, Alphabet, Ints, cut, largest_of_cells
from baselines.scripted.rules.batched_rules import Knowledge, neighbour_sums

SPECIMENS = 40_000
"""The sub-grids that the practice games have at least, where their number is not given."""

MOST_GAMES = 2000
"""The most practice games, where their number is not given."""

WORST = 1000.0
"""The risk of a cell that no sub-grid favours: above all others, and still below that of a known mine."""


class GraphicalPolicy(FittedPolicy):
    """Clicks the cell whose click promises the most reward in some 3 x 3 sub-grid.

    Reward is +100 for a sub-grid without covered free cells, -100 for a mine, and +1 for any other click. The value
    of what a sub-grid shows is that of its best click: the expectation of the reward and of the value of what is
    shown then. The probabilities are shares of the sub-grids of finished games that agree with what is shown, and
    one click that tells nothing is added to these, which is all there is where none agrees.
    """

    model = "graphical"

    def default_games(self) -> int:
        """Returns how many games have `SPECIMENS` sub-grids; not more than `MOST_GAMES`."""
        a_game = max(self.config.rows - SIDE + 1, 1) * max(self.config.cols - SIDE + 1, 1)
        return min(math.ceil(SPECIMENS / a_game), MOST_GAMES)

    def fit(self, practice: Iterator[Practice]) -> Values:
        """Counts the sub-grids of finished games, those that are turned or mirrored versions of each other as one."""
        found: list[tuple[Ints, Ints]] = []
        for past in practice:
            truth = np.where(past.layouts, self._alphabet.mine, neighbour_sums(past.layouts, self.config.radius))
            subgrids = cut(truth, self._alphabet.outside).reshape(-1, CELLS)
            versions = [self._alphabet.numbers(subgrids[:, turn]) for turn in TURNS]
            found.append(np.unique(np.min(versions, axis=0), return_counts=True))
        numbers, places = np.unique(np.concatenate([part for part, _ in found]), return_inverse=True)
        counts = np.zeros(len(numbers), np.int64)
        np.add.at(counts, places, np.concatenate([part for _, part in found]))
        return {"subgrids": self._alphabet.symbols(numbers), "counts": counts}

    def flaw(self, values: Values) -> str | None:
        """Returns why these values, read from a file, cannot be used, or None."""
        kinds = values["counts"].size if "counts" in values else 0
        flaw = shape_flaw(values, {"subgrids": (kinds, CELLS), "counts": (kinds,)})
        if flaw is not None:
            return flaw
        contents = [*range(self.config.codes.max_count + 1), self._alphabet.mine, self._alphabet.outside]
        if not np.isin(values["subgrids"], contents).all():
            return f"the cells of subgrids must be among {', '.join(map(str, contents))}"
        return "counts must be at least 1" if (values["counts"] < 1).any() else None

    def use(self, values: Values) -> None:
        """Values all states of sub-grids."""
        for name in ("subgrids", "unseen_subgrids"):
            self.tallies.setdefault(name, 0)
        specimens = Specimens.of(values["subgrids"], values["counts"], self._alphabet, self.config.radius)
        self._states = StateValues(specimens, self._alphabet, self.rule())

    def rule(self) -> Rule:
        """Returns how a click is valued."""
        return expectation(self.config.mines / self.config.cells)

    def unknown_value(self) -> float:
        """Returns the value of clicks in sub-grids that agree with none of a finished game."""
        return guess_value(self.config.mines / self.config.cells)

    def risks(self, knowledge: Knowledge) -> NDArray[np.float64]:
        """Returns minus the largest value of a click on each cell; `WORST` where it is best in no sub-grid."""
        boards = np.where(knowledge.open, knowledge.counts, self._alphabet.covered)
        subgrids = cut(boards, self._alphabet.outside)
        values, unseen = self._states.click_values(subgrids, self.unknown_value())
        self.tallies["subgrids"] += int((subgrids == self._alphabet.covered).any(axis=-1).sum())
        self.tallies["unseen_subgrids"] += int(unseen.sum())
        return np.minimum(-largest_of_cells(values, self.config.rows, self.config.cols), WORST)

    @cached_property
    def _alphabet(self) -> Alphabet:
        return Alphabet.after(self.config.codes.max_count)
