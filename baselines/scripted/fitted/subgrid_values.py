"""What the states of 3 x 3 sub-grids are worth, by dynamic programming from fewer covered cells to more."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from baselines.scripted.fitted.subgrid_kernels import FAILURE, Clicks, expect_rewards, find_longest_paths, weigh_states
from baselines.scripted.fitted.subgrid_states import Level, Specimens, levels
from baselines.scripted.fitted.subgrids import BITS, CELLS, FORM_OF, FORMS, TURN_OF, TURNS, Alphabet, Ints
from baselines.support.rounding import TIE

Floats = NDArray[np.float64]
Rule = Callable[[Level, Clicks, Floats, Floats, Floats], tuple[Floats, Floats]]
"""Values the clicks of a level.

Given the level, the clicks, the values (S,) of the states done so far, the weights (S + m,) of the specimens of each
state that have a covered free cell, and the weights (m,) of those that have none, it returns (m, 9) twice: the values
of the clicks where there is such a cell, and where it is not known whether there is.
"""


def expectation(prior: float) -> Rule:
    """Returns the rule that takes the expectation over what a click may show.

    A state's value is that of its best click. To the specimens is added one click that tells nothing: a mine with
    the probability `prior`, and else a step with nothing after it.
    """
    guess = guess_value(prior)

    def rule(level: Level, clicks: Clicks, values: Floats, going: Floats, cleared: Floats) -> tuple[Floats, Floats]:
        sums = np.zeros((len(cleared), CELLS))
        expect_rewards(level.specimens, level.states, level.covered, values, sums, *clicks)
        here = going[len(values) :, None]
        inside = (sums + guess) / (here + 1.0)
        return inside, (sums + FAILURE * cleared[:, None] + guess) / (here + cleared[:, None] + 1.0)

    return rule


def guess_value(prior: float) -> float:
    """Returns the value of a click that tells nothing, and is a mine with the probability `prior`."""
    return prior * FAILURE + (1.0 - prior)


def longest_path(level: Level, clicks: Clicks, values: Floats, going: Floats, cleared: Floats) -> tuple[Floats, Floats]:
    """Is the rule of the source: the most that a click may lead to, over all that it may show."""
    lengths = np.full((len(cleared), CELLS), -np.inf)
    find_longest_paths(level.specimens, level.states, level.covered, values, going, lengths, *clicks)
    hopeless = going[len(values) :, None] == 0.0
    return lengths, np.where(hopeless, FAILURE, lengths)


class StateValues:
    """The values of all states that agree with some specimen."""

    def __init__(self, specimens: Specimens, alphabet: Alphabet, rule: Rule) -> None:
        """Values the states by a rule."""
        self._alphabet = alphabet
        state_of = np.zeros((len(FORMS), len(specimens.weights)), np.int32)
        clicks = Clicks(
            specimens.mines, specimens.weights, specimens.opened, specimens.turned, TURN_OF, FORM_OF, state_of
        )
        numbers, found = [], []
        values, going = np.zeros(0), np.zeros(0)
        for level in levels(specimens, alphabet):
            shares = np.zeros((len(level.numbers), 2))
            weigh_states(level.specimens, level.states, level.covered, shares, *clicks)
            going = np.concatenate([going, shares[:, 0]])
            inside, unsure = rule(level, clicks, values, going, np.ascontiguousarray(shares[:, 1]))
            hidden = (level.covered & BITS) > 0
            state_of[level.form, level.specimens] = len(values) + level.states
            values = np.concatenate([values, inside[:, hidden].max(axis=1)])
            numbers.append(level.numbers)
            found.append(np.where(hidden, unsure, -np.inf))
        self._keep(np.concatenate(numbers), np.concatenate(found))

    def _keep(self, numbers: Ints, clicks: Floats) -> None:
        order = np.argsort(numbers)
        self._numbers = numbers[order]
        self._values: Floats = clicks.max(axis=1)[order]
        best = clicks >= clicks.max(axis=1, keepdims=True) - TIE
        self._best: NDArray[np.int16] = (best @ BITS)[order].astype(np.int16)

    def click_values(self, subgrids: Ints, unknown: float) -> tuple[Floats, NDArray[np.bool_]]:
        """Looks up the states of sub-grids.

        Args:
            subgrids: (..., 9) the symbols of cells that are open, covered or outside the board.
            unknown: the value of a state that agrees with no specimen, where all clicks are equally good.

        Returns:
            (..., 9): the value of each best click, and minus infinity for the other cells; and (...,): whether there
            is a covered cell, and the state agrees with no specimen.
        """
        covered = subgrids == self._alphabet.covered
        turns = TURNS[TURN_OF[covered @ BITS]]
        numbers = self._alphabet.numbers(np.take_along_axis(subgrids, turns, axis=-1))
        places = np.minimum(np.searchsorted(self._numbers, numbers), len(self._numbers) - 1)
        known = self._numbers[places] == numbers
        values = np.where(known, self._values[places], unknown)[..., None]
        best = np.zeros_like(covered)
        np.put_along_axis(best, turns, (self._best[places][..., None] & BITS) > 0, axis=-1)
        best = np.where(known[..., None], best, covered)
        return np.where(best, values, -np.inf), ~known & covered.any(axis=-1)
