"""Values of the states of 3 x 3 sub-grids, by dynamic programming from few covered cells to many."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from baselines.scripted.fitted.subgrid_kernels import FAILURE, Clicks, expect_rewards, find_longest_paths, weigh_states
from baselines.scripted.fitted.subgrid_states import Examples, Level, levels
from baselines.scripted.fitted.subgrids import (
    BITS,
    CANONICAL_INDEX,
    CANONICAL_SETS,
    CANONICAL_SYMMETRY,
    CELLS,
    SYMMETRIES,
    Alphabet,
    Ints,
)
from baselines.support.rounding import TIE

Floats = NDArray[np.float64]
Rule = Callable[[Level, Clicks, Floats, Floats, Floats], tuple[Floats, Floats]]
"""Function that values the clicks of a level.

| argument | shape | content |
| --- | --- | --- |
| level | | the level, of m states |
| clicks | | the tables of `Clicks` |
| values | (S,) | values of the states of earlier levels |
| unfinished | (S + m,) | weight of each state's examples with a safe covered cell |
| finished | (m,) | weight of each state's other examples |

It returns two (m, 9) arrays of click values. The first is given that a safe cell is covered, as during the recursion;
the second is not, as on a board.
"""


def expectation(prior: float) -> Rule:
    """Returns the rule that takes the expectation over the outcomes of a click.

    One uninformative click is added to the examples: a mine with probability `prior`, else a last step.
    """
    guess = guess_value(prior)

    def rule(
        level: Level, clicks: Clicks, values: Floats, unfinished: Floats, finished: Floats
    ) -> tuple[Floats, Floats]:
        sums = np.zeros((len(finished), CELLS))
        expect_rewards(level.examples, level.states, level.covered, values, sums, *clicks)
        here = unfinished[len(values) :, None]
        inside = (sums + guess) / (here + 1.0)
        return inside, (sums + FAILURE * finished[:, None] + guess) / (here + finished[:, None] + 1.0)

    return rule


def guess_value(prior: float) -> float:
    """Returns the value of an uninformative click, which is a mine with probability `prior`."""
    return prior * FAILURE + (1.0 - prior)


def longest_path(
    level: Level, clicks: Clicks, values: Floats, unfinished: Floats, finished: Floats
) -> tuple[Floats, Floats]:
    """Values a click by its best outcome: the longest path of Antimatroid (2012). The signature is `Rule`."""
    lengths = np.full((len(finished), CELLS), -np.inf)
    find_longest_paths(level.examples, level.states, level.covered, values, unfinished, lengths, *clicks)
    hopeless = unfinished[len(values) :, None] == 0.0
    return lengths, np.where(hopeless, FAILURE, lengths)


class StateValues:
    """Values of all states that agree with some example."""

    def __init__(self, examples: Examples, alphabet: Alphabet, rule: Rule) -> None:
        """Computes the values by a rule."""
        self._alphabet = alphabet
        state_of = np.zeros((len(CANONICAL_SETS), len(examples.weights)), np.int32)
        clicks = Clicks(
            examples.mines,
            examples.weights,
            examples.opened,
            examples.transformed,
            CANONICAL_SYMMETRY,
            CANONICAL_INDEX,
            state_of,
        )
        numbers, click_values = [], []
        values, unfinished = np.zeros(0), np.zeros(0)
        for level in levels(examples, alphabet):
            state_weights = np.zeros((len(level.numbers), 2))
            weigh_states(level.examples, level.states, level.covered, state_weights, *clicks)
            unfinished = np.concatenate([unfinished, state_weights[:, 0]])
            inside, unsure = rule(level, clicks, values, unfinished, np.ascontiguousarray(state_weights[:, 1]))
            hidden = (level.covered & BITS) > 0
            state_of[level.canonical, level.examples] = len(values) + level.states
            values = np.concatenate([values, inside[:, hidden].max(axis=1)])
            numbers.append(level.numbers)
            click_values.append(np.where(hidden, unsure, -np.inf))
        self._keep(np.concatenate(numbers), np.concatenate(click_values))

    def _keep(self, numbers: Ints, clicks: Floats) -> None:
        order = np.argsort(numbers)
        self._numbers = numbers[order]
        self._values: Floats = clicks.max(axis=1)[order]
        best = clicks >= clicks.max(axis=1, keepdims=True) - TIE
        self._best: NDArray[np.int16] = (best @ BITS)[order].astype(np.int16)

    def click_values(self, subgrids: Ints, unknown: float) -> tuple[Floats, NDArray[np.bool_]]:
        """Looks up the best clicks of sub-grids.

        Args:
            subgrids: (..., 9), symbols of open cells, covered cells and padding.
            unknown: the value of every click in a state without an example.

        Returns:
            (..., 9) float64, the value of each best click, and minus infinity for the other cells; and (...,) bool,
            whether the state has a covered cell and no example.
        """
        covered = subgrids == self._alphabet.covered
        symmetries = SYMMETRIES[CANONICAL_SYMMETRY[covered @ BITS]]
        numbers = self._alphabet.numbers(np.take_along_axis(subgrids, symmetries, axis=-1))
        indices = np.minimum(np.searchsorted(self._numbers, numbers), len(self._numbers) - 1)
        known = self._numbers[indices] == numbers
        values = np.where(known, self._values[indices], unknown)[..., None]
        best = np.zeros_like(covered)
        np.put_along_axis(best, symmetries, (self._best[indices][..., None] & BITS) > 0, axis=-1)
        best = np.where(known[..., None], best, covered)
        return np.where(best, values, -np.inf), ~known & covered.any(axis=-1)
