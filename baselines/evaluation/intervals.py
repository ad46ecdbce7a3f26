"""Confidence intervals of rates and means, and the test of a difference between paired win rates."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

CONFIDENCE = 0.95
"""Confidence level of all intervals."""


def wilson_interval(wins: int, games: int) -> tuple[float, float]:
    """Returns the 95 % Wilson score interval of a win rate (Wilson 1927), as (low, high).

    Raises:
        ValueError: there are no games, or more wins than games.
    """
    from scipy.stats import binomtest

    interval = binomtest(wins, games).proportion_ci(CONFIDENCE, method="wilson")
    return float(interval.low), float(interval.high)


def mean_interval(values: Sequence[float]) -> tuple[float, float] | None:
    """Returns the 95 % interval of the mean of independent values by the normal approximation; None for fewer than 2.

    The half width is the normal quantile times the standard error, which uses the unbiased variance.
    """
    count = len(values)
    if count < 2:
        return None
    mean = math.fsum(values) / count
    variance = math.fsum((value - mean) ** 2 for value in values) / (count - 1)
    reach = NormalDist().inv_cdf((1 + CONFIDENCE) / 2) * math.sqrt(variance / count)
    return mean - reach, mean + reach


def mcnemar_p_value(first: Sequence[bool], second: Sequence[bool]) -> float:
    """Returns the two-sided p-value of the exact McNemar test on paired games.

    Under the null hypothesis each game that only one player wins goes to either of them with probability 1/2.
    Games that both win or both lose carry no information (McNemar 1947).

    Args:
        first: True for each game that the first player won.
        second: True for each game that the second player won, in the same order.

    Raises:
        ValueError: the lengths differ.
    """
    from scipy.stats import binomtest

    only_first, only_second = won_by_one(first, second)
    if only_first + only_second == 0:
        return 1.0
    return float(binomtest(only_first, only_first + only_second, 0.5).pvalue)


def won_by_one(first: Sequence[bool], second: Sequence[bool]) -> tuple[int, int]:
    """Returns the number of games that only the first player won, and that only the second player won."""
    pairs = list(zip(first, second, strict=True))
    return sum(a and not b for a, b in pairs), sum(b and not a for a, b in pairs)
