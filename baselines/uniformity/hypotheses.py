"""Hypothesis tests of the placement of mines and of the clicks before a mine, with SciPy's distributions."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import NDArray

LEAST_EXPECTED = 5.0
"""Least expected count of a bin; below it the chi-squared law is a poor approximation."""

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ChiSquared:
    """Result of a chi-squared test.

    Attributes:
        statistic: Pearson's statistic, corrected for draws without replacement where they occur.
        degrees: degrees of freedom.
        p_value: probability of a statistic at least this large if the hypothesis holds.
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
    """A range of numbers of clicks, pooled for the test.

    Attributes:
        first: smallest number of clicks.
        last: largest number of clicks.
        observed: number of games in the range.
        expected: expected number of games by the law.
    """

    first: int
    last: int
    observed: int
    expected: float


def placement_test(counts: Counts, games: int, mines: int) -> ChiSquared:
    """Tests the hypothesis that each of n cells holds a mine equally often.

    The mines of a game are drawn without replacement, so the counts vary less than under independent draws: the mean
    of Pearson's statistic is n - mines instead of n - 1. Multiplied by (n - 1) / (n - mines), the statistic has the
    chi-squared law with n - 1 degrees of freedom.

    Args:
        counts: (n,) int64, number of games with a mine in each cell; n is at least 2, and more than `mines`.
        games: number of games.
        mines: number of mines per game on these cells, at least 1.
    """
    return ChiSquared.of(correct(raw_statistic(counts, games, mines), len(counts), mines), len(counts) - 1)


def raw_statistic(counts: Counts, games: int, mines: int) -> float:
    """Returns Pearson's statistic for equal expectations, as if all mines were drawn independently."""
    expected = games * mines / len(counts)
    return float(((counts - expected) ** 2 / expected).sum())


def correct(statistic: float, cells: int, mines: int) -> float:
    """Returns Pearson's statistic rescaled to draws with replacement."""
    return statistic * (cells - 1) / (cells - mines)


def clicks_law(cells: int, mines: int) -> Floats:
    """Returns P(k) for k = 0..cells - mines: the probability of k safe cells before the first mine in random order.

    This is the negative hypergeometric law, P(k) = C(cells - k - 1, mines - 1) / C(cells, mines).
    """
    layouts = comb(cells, mines)
    return np.array([comb(cells - k - 1, mines - 1) / layouts for k in range(cells - mines + 1)])


def clicks_test(clicks: Counts, cells: int, mines: int) -> tuple[ChiSquared, list[Bin]]:
    """Tests the hypothesis that the clicks before a mine, without flood fill, follow `clicks_law`.

    Args:
        clicks: (games,) int64, number of clicks of each game.
        cells: number of cells that may hold a mine.
        mines: number of mines.

    Returns:
        The test and its bins. Neighbouring numbers are pooled until each bin expects `LEAST_EXPECTED` games.

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
    """Pools neighbouring numbers until each bin expects `LEAST_EXPECTED`; the remainder joins the last bin."""
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
        flooded: (games,) int64, clicks of games with flood fill.
        plain: (games,) int64, clicks of other games, without flood fill.
    """
    from scipy.stats import mannwhitneyu

    return float(mannwhitneyu(flooded, plain, alternative="less", method="asymptotic").pvalue)
