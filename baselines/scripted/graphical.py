"""`graphical`: best expected reward within a 3 x 3 sub-grid.

This is the graphical model of Antimatroid (2012) with the expectation over outcomes; `graphical_source` keeps the
maximum of the blog's pseudocode.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from baselines.scripted.base import Knowledge, neighbour_sums
from baselines.scripted.fitted import FittedPolicy, PracticeGames, Values
from baselines.scripted.subgrids import (
    CELLS,
    SIDE,
    SYMMETRIES,
    Alphabet,
    Examples,
    Ints,
    Rule,
    StateValues,
    cut,
    expectation,
    guess_value,
    largest_of_cells,
    longest_path,
)

DEFAULT_EXAMPLES = 40_000
"""Minimum number of sub-grids in the default practice games."""

MAX_DEFAULT_GAMES = 2000
"""Maximum of the default number of practice games."""

WORST_RISK = 1000.0
"""Risk of a cell that is best in no sub-grid: above all others, and below a known mine."""


class GraphicalPolicy(FittedPolicy):
    """Clicks the cell with the highest value in any 3 x 3 sub-grid.

    The reward is +100 when no safe cell of the sub-grid is covered, -100 for a mine, and +1 for any other click. A
    state's value is the value of its best click: the expectation of reward plus value of the next state.

    The expectation runs over the sub-grids of finished games that agree with the state. One uninformative click is
    added to them, and stands alone if none agrees.

    Attributes:
        state_values: the value of every state seen in practice.
    """

    def default_games(self) -> int:
        """Returns the number of games that hold `DEFAULT_EXAMPLES` sub-grids, at most `MAX_DEFAULT_GAMES`."""
        per_game = max(self.config.rows - SIDE + 1, 1) * max(self.config.cols - SIDE + 1, 1)
        return min(math.ceil(DEFAULT_EXAMPLES / per_game), MAX_DEFAULT_GAMES)

    def fit(self, practice: Iterator[PracticeGames]) -> Values:
        """Counts the sub-grids of finished games; rotations and reflections count as one."""
        found: list[tuple[Ints, Ints]] = []
        for batch in practice:
            truth = np.where(batch.layouts, self._alphabet.mine, neighbour_sums(batch.layouts, self.config.radius))
            subgrids = cut(truth, self._alphabet.outside).reshape(-1, CELLS)
            versions = [self._alphabet.numbers(subgrids[:, symmetry]) for symmetry in SYMMETRIES]
            found.append(np.unique(np.min(versions, axis=0), return_counts=True))
        numbers, indices = np.unique(np.concatenate([batch_numbers for batch_numbers, _ in found]), return_inverse=True)
        counts = np.zeros(len(numbers), np.int64)
        np.add.at(counts, indices, np.concatenate([batch_counts for _, batch_counts in found]))
        return {"subgrids": self._alphabet.symbols(numbers), "counts": counts}

    def use(self, values: Values) -> None:
        """Computes the values of all states."""
        for name in ("subgrids", "unseen_subgrids"):
            self.counters.setdefault(name, 0)
        examples = Examples.of(values["subgrids"], values["counts"], self._alphabet, self.config.radius)
        self.state_values = StateValues(examples, self._alphabet, self.rule())

    def rule(self) -> Rule:
        """Returns the rule that values clicks."""
        return expectation(self.config.mines / self.config.cells)

    def unknown_value(self) -> float:
        """Returns the value of a click in a state that was never seen in practice."""
        return guess_value(self.config.mines / self.config.cells)

    def risks(self, knowledge: Knowledge) -> NDArray[np.float64]:
        """Returns minus the highest value of a click on each cell; `WORST_RISK` if it is best in no sub-grid."""
        boards = np.where(knowledge.open, knowledge.counts, self._alphabet.covered)
        subgrids = cut(boards, self._alphabet.outside)
        values, unseen = self.state_values.click_values(subgrids, self.unknown_value())
        self.counters["subgrids"] += int((subgrids == self._alphabet.covered).any(axis=-1).sum())
        self.counters["unseen_subgrids"] += int(unseen.sum())
        return np.minimum(-largest_of_cells(values, self.config.rows, self.config.cols), WORST_RISK)

    @cached_property
    def _alphabet(self) -> Alphabet:
        return Alphabet.after(self.config.codes.max_count)


class GraphicalSourcePolicy(GraphicalPolicy):
    """Clicks the cell that starts the longest path in any 3 x 3 sub-grid, over all outcomes of the clicks.

    An edge is as long as its probability times its reward. The rule is optimistic: a mine matters only if no other
    outcome exists. A state without an example is ignored.
    """

    def rule(self) -> Rule:
        """Returns the rule of the longest path."""
        return longest_path

    def unknown_value(self) -> float:
        """Returns minus infinity, so that states without an example never win."""
        return -math.inf
