"""The tests of where the mines lie, and of how many clicks come before one; SciPy gives the distributions."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import NDArray

LEAST_EXPECTED = 5.0
"""What a bin must expect for the statistic to have nearly the chi-squared law."""

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ChiSquared:
    """A chi-squared test.

    Attributes:
        statistic: of Pearson's chi-squared test, corrected where it needs be.
        degrees: its degrees of freedom.
        p_value: the chance of one as large as this if the claim holds.
    """

    statistic: float
    degrees: int
    p_value: float

    @classmethod
    def of(cls, statistic: float, degrees: int) -> ChiSquared:
        """Returns the test of this statistic."""
        from scipy.stats import chi2

        return cls(float(statistic), degrees, float(chi2.sf(statistic, degrees)))


@dataclass(frozen=True)
class Bin:
    """Numbers of clicks that are counted together.

    Attributes:
        first: the least of them.
        last: the largest.
        observed: the games that had so many.
        expected: how many would have by the law.
    """

    first: int
    last: int
    observed: int
    expected: float


def placement_test(counts: Counts, games: int, mines: int) -> ChiSquared:
    """Tests whether each of n cells holds a mine equally often, where each game has `mines` of them on these cells.

    The mines of a game are drawn without replacement, so the counts vary less than those of independent draws: the
    mean of Pearson's statistic is n - mines instead of n - 1. Times (n - 1) / (n - mines) it has the chi-squared law
    with n - 1 degrees of freedom.

    Args:
        counts: (n,) int64, how many of the games had a mine in each cell; n is at least 2, and more than `mines`.
        games: the number of games.
        mines: that of a game, at least 1.
    """
    return ChiSquared.of(correct(raw_statistic(counts, games, mines), len(counts), mines), len(counts) - 1)


def raw_statistic(counts: Counts, games: int, mines: int) -> float:
    """Returns Pearson's statistic of equal expectations, as if all mines had been drawn independently."""
    expected = games * mines / len(counts)
    return float(((counts - expected) ** 2 / expected).sum())


def correct(statistic: float, cells: int, mines: int) -> float:
    """Returns Pearson's statistic as it would be if the mines had been drawn with replacement."""
    return statistic * (cells - 1) / (cells - mines)


def clicks_law(cells: int, mines: int) -> Floats:
    """Returns P(k), k = 0..cells - mines: the free cells that come before the first mine in a random order.

    That is the negative hypergeometric law, C(cells - k - 1, mines - 1) / C(cells, mines).
    """
    layouts = comb(cells, mines)
    return np.array([comb(cells - k - 1, mines - 1) / layouts for k in range(cells - mines + 1)])


def clicks_test(clicks: Counts, cells: int, mines: int) -> tuple[ChiSquared, list[Bin]]:
    """Tests whether the clicks before a mine, without flood fill, have the law of `clicks_law`.

    Args:
        clicks: (games,) int64, those of each game.
        cells: the cells that a mine may lie in.
        mines: the number of mines.

    Returns:
        The test, and its bins: neighbouring numbers are pooled until each bin expects `LEAST_EXPECTED` games.

    Raises:
        ValueError: there are too few games for two bins.
    """
    law = clicks_law(cells, mines)
    bins = pool(np.bincount(clicks, minlength=len(law)), law * len(clicks))
    if len(bins) < 2:
        raise ValueError(f"{len(clicks)} games are too few for {mines} mines on {cells} cells")
    statistic = sum((each.observed - each.expected) ** 2 / each.expected for each in bins)
    return ChiSquared.of(statistic, len(bins) - 1), bins


def pool(observed: Counts, expected: Floats) -> list[Bin]:
    """Adds neighbouring numbers together until each bin expects enough; what is left at the end joins the last."""
    bins: list[Bin] = []
    first = 0
    for last in range(len(expected)):
        total = float(expected[first : last + 1].sum())
        if total >= LEAST_EXPECTED:
            bins.append(Bin(first, last, int(observed[first : last + 1].sum()), total))
            first = last + 1
    if bins and first < len(expected):
        start = bins.pop().first
        bins.append(Bin(start, len(expected) - 1, int(observed[start:].sum()), float(expected[start:].sum())))
    return bins


def fewer_clicks_test(flooded: Counts, plain: Counts) -> float:
    """Returns the one-sided p-value of the Mann-Whitney test that flood fill leaves fewer clicks before a mine.

    Args:
        flooded: the clicks of games with flood fill.
        plain: those of other games, without.
    """
    from scipy.stats import mannwhitneyu

    return float(mannwhitneyu(flooded, plain, alternative="less", method="asymptotic").pvalue)
