"""Confidence intervals of rates, means and paired differences; the test of a paired difference; Holm's correction."""

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
    pairs = list(zip(first, second, strict=True))
    return p_value_of_discordant(sum(a and not b for a, b in pairs), sum(b and not a for a, b in pairs))


def p_value_of_discordant(only_first: int, only_second: int) -> float:
    """Returns what `mcnemar_p_value` does, from the numbers of games that only one player won."""
    from scipy.stats import binomtest

    if only_first + only_second == 0:
        return 1.0
    return float(binomtest(only_first, only_first + only_second, 0.5).pvalue)


def paired_difference(wins_both: int, wins_a_only: int, wins_b_only: int, wins_none: int) -> tuple[float, float, float]:
    """Returns the win rate of player A less that of player B on the same games, and its 95 % interval.

    The interval is method 10 of Newcombe, "Improved confidence intervals for the difference between binomial
    proportions based on paired data", Statistics in Medicine 17 (1998), 2635-2650. It combines the Wilson intervals
    of both rates, corrected for the correlation of the outcomes.

    Args:
        wins_both: number of games that both players win.
        wins_a_only: number of games that only A wins.
        wins_b_only: number of games that only B wins.
        wins_none: number of games that neither wins.

    Returns:
        (difference, low, high), each a fraction from -1 to 1.

    Raises:
        ValueError: a number is negative, or there are no games.
    """
    counts = (wins_both, wins_a_only, wins_b_only, wins_none)
    games = sum(counts)
    if min(counts) < 0 or games == 0:
        raise ValueError(f"the numbers of games must be at least 0, and one above 0, not {counts}")
    wins_a, wins_b = wins_both + wins_a_only, wins_both + wins_b_only
    rate_a, rate_b = wins_a / games, wins_b / games
    (low_a, high_a), (low_b, high_b) = wilson_interval(wins_a, games), wilson_interval(wins_b, games)
    correlation = _newcombe_correlation(*counts)
    difference = (wins_a_only - wins_b_only) / games
    below = _distance(rate_a - low_a, high_b - rate_b, correlation)
    above = _distance(high_a - rate_a, rate_b - low_b, correlation)
    return difference, difference - below, difference + above


def _distance(first: float, second: float, correlation: float) -> float:
    """Returns the standard deviation of a difference of two correlated numbers with these standard deviations."""
    return math.sqrt(first * first - 2.0 * correlation * first * second + second * second)


def _newcombe_correlation(wins_both: int, wins_a_only: int, wins_b_only: int, wins_none: int) -> float:
    """Returns the correlation of the outcomes, a positive one with Newcombe's continuity correction."""
    margins = (
        (wins_both + wins_a_only) * (wins_b_only + wins_none) * (wins_both + wins_b_only) * (wins_a_only + wins_none)
    )
    if margins == 0:
        return 0.0
    excess: float = wins_both * wins_none - wins_a_only * wins_b_only
    if excess > 0:
        excess = max(0.0, excess - (wins_both + wins_a_only + wins_b_only + wins_none) / 2)
    return excess / math.sqrt(margins)


def holm(p_values: Sequence[float]) -> list[float]:
    """Returns the p-values of several tests, adjusted by Holm's step-down method, in the same order.

    An adjusted value of at most alpha rejects its hypothesis; the probability of any false rejection is then at most
    alpha (Holm 1979, "A simple sequentially rejective multiple test procedure").

    Args:
        p_values: p-values, 0 to 1.

    Raises:
        ValueError: a number lies outside 0 to 1.
    """
    if not all(0.0 <= value <= 1.0 for value in p_values):
        raise ValueError(f"p-values must be 0 to 1, not {list(p_values)}")
    adjusted = [0.0] * len(p_values)
    largest = 0.0
    for rank, index in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = largest
    return adjusted
