"""Confidence intervals of rates, means and paired differences; the test of a paired difference; Holm's correction."""

import math
from collections.abc import Sequence
from functools import cache
from statistics import fmean, variance
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

CONFIDENCE = 0.95
"""Confidence level of all intervals."""

TRIMMED, RESAMPLES = 0.25, 10_000
"""The fraction that an interquartile mean cuts off at each end, and the bootstrap samples of its interval."""

ENOUGH_SEEDS = 5
"""The smallest number of trainings whose interquartile mean has a bootstrap interval."""


def wilson_interval(wins: int, games: int) -> tuple[float, float]:
    """Returns (low, high), the 95 % Wilson score interval of a win rate (Wilson 1927); ValueError for 0 games."""
    from scipy.special import ndtri

    if games < 1 or not 0 <= wins <= games:
        raise ValueError(f"a win rate needs games, and at most as many wins, not {wins} of {games}")
    # scipy.stats.binomtest gives the same interval, and spends most of its time on a p-value.
    z, rate = float(ndtri((1 + CONFIDENCE) / 2)), wins / games
    divisor = 2 * (games + z**2)
    centre = (2 * games * rate + z**2) / divisor
    half_width = z / divisor * math.sqrt(4 * games * rate * (1 - rate) + z**2)
    return 0.0 if wins == 0 else centre - half_width, 1.0 if wins == games else centre + half_width


def mean_interval(values: Sequence[float]) -> tuple[float, float] | None:
    """Returns the 95 % interval of the mean of independent values by Student's t; None for fewer than 2."""
    from scipy.special import stdtrit

    count = len(values)
    if count < 2:
        return None
    mean = math.fsum(values) / count
    sample_variance = math.fsum((value - mean) ** 2 for value in values) / (count - 1)
    half_width = float(stdtrit(count - 1, (1 + CONFIDENCE) / 2)) * math.sqrt(sample_variance / count)
    return mean - half_width, mean + half_width


def difference_interval(one: Sequence[float], other: Sequence[float]) -> tuple[float, float] | None:
    """Returns the 95 % interval of mean(one) - mean(other), by Welch's t; None if a sample has fewer than 2 values."""
    from scipy.special import stdtrit

    if min(len(one), len(other)) < 2:
        return None
    squared_errors = [(variance(sample) / len(sample), len(sample)) for sample in (one, other)]  # of both means
    squared_error, difference = sum(error for error, _ in squared_errors), fmean(one) - fmean(other)
    # Degrees of freedom by Welch and Satterthwaite; if neither sample varies, the width is 0 for any number.
    degrees = squared_error**2 / sum(error**2 / (n - 1) for error, n in squared_errors) if squared_error else 1
    half_width = float(stdtrit(degrees, (1 + CONFIDENCE) / 2)) * math.sqrt(squared_error)
    return difference - half_width, difference + half_width


def interquartile_mean(rates: Sequence[float], *others: Sequence[float]) -> tuple[float, tuple[float, float]]:
    """Returns (value, (low, high)): the interquartile mean of win rates, and its 95 % interval.

    With a second sample, both are those of the difference. Below `ENOUGH_SEEDS` win rates the interval is that of the
    mean by Student's t, because percentiles of so few are their minimum and maximum; for one rate it has no width.
    Otherwise its ends are percentiles of `RESAMPLES` bootstrap samples, drawn from each sample independently.
    """
    from scipy.stats import bootstrap, trim_mean

    def statistic(*samples: ArrayLike, axis: int = -1) -> Any:
        first, *second = (trim_mean(sample, TRIMMED, axis=axis) for sample in samples)
        return first - second[0] if second else first

    value = float(statistic(rates, *others))
    if min(map(len, (rates, *others))) < ENOUGH_SEEDS:
        interval = difference_interval(rates, *others) if others else mean_interval(rates)
        low, high = interval or (value, value)
        return value, (max(low, -1.0 if others else 0.0), min(high, 1.0))
    rng = np.random.default_rng(0)
    resampled = bootstrap((rates, *others), statistic, n_resamples=RESAMPLES, method="percentile", random_state=rng)
    return value, (float(resampled.confidence_interval.low), float(resampled.confidence_interval.high))


@cache
def p_value_of_discordant(only_first: int, only_second: int) -> float:
    """Returns the two-sided p-value of the exact McNemar test, from the numbers of games that one player alone won.

    Under the null hypothesis each of these games goes to either player with probability 1/2 (McNemar 1947).
    """
    from scipy.special import bdtr

    # The binomial distribution with p = 1/2 is symmetric, so the second tail doubles the first.
    games = only_first + only_second
    return min(1.0, 2 * float(bdtr(min(only_first, only_second), games, 0.5)))


def paired_difference(wins_both: int, wins_a_only: int, wins_b_only: int, wins_none: int) -> tuple[float, float, float]:
    """Returns (difference, low, high): the win rate of A less that of B on the same games, with its 95 % interval.

    The interval is method 10 of Newcombe, "Improved confidence intervals for the difference between binomial
    proportions based on paired data", Statistics in Medicine 17 (1998), 2635-2650. It combines the Wilson intervals
    of both rates, corrected for the correlation of the outcomes.
    """
    counts = (wins_both, wins_a_only, wins_b_only, wins_none)
    games = sum(counts)
    wins_a, wins_b = wins_both + wins_a_only, wins_both + wins_b_only
    rate_a, rate_b = wins_a / games, wins_b / games
    (low_a, high_a), (low_b, high_b) = wilson_interval(wins_a, games), wilson_interval(wins_b, games)
    correlation = _newcombe_correlation(*counts)
    difference = (wins_a_only - wins_b_only) / games
    below = _one_sided_width(rate_a - low_a, high_b - rate_b, correlation)
    above = _one_sided_width(high_a - rate_a, rate_b - low_b, correlation)
    return difference, difference - below, difference + above


def _one_sided_width(width_a: float, width_b: float, correlation: float) -> float:
    """Returns the distance from a difference to one end of its interval, from such distances of both rates."""
    return math.sqrt(width_a * width_a - 2.0 * correlation * width_a * width_b + width_b * width_b)


def _newcombe_correlation(both: int, a_only: int, b_only: int, none: int) -> float:
    """Returns the phi coefficient of paired outcomes; Newcombe's continuity correction reduces a positive one."""
    margins = (both + a_only) * (b_only + none) * (both + b_only) * (a_only + none)
    excess: float = both * none - a_only * b_only
    if excess > 0:
        excess = max(0.0, excess - (both + a_only + b_only + none) / 2)
    return excess / math.sqrt(margins) if margins else 0.0


def holm(p_values: Sequence[float]) -> list[float]:
    """Returns the p-values of several tests, adjusted by Holm's step-down method, in the same order.

    An adjusted value of at most alpha rejects its hypothesis; the probability of any false rejection is then at most
    alpha (Holm 1979, "A simple sequentially rejective multiple test procedure").
    """
    adjusted, largest = [0.0] * len(p_values), 0.0
    for rank, index in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = largest
    return adjusted
