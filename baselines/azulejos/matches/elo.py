"""Elo ratings of policies by the model of Bradley and Terry (1952), with intervals by a bootstrap over boards.

A policy whose rating is r above another's scores 1 / (1 + 10 ** (-r / 400)) per game against it; a tie scores 1/2. The
ratings maximise the likelihood of the games and of one further game per pair, a tie. This weak prior keeps them finite.
No game limits the rating of a policy that wins every game: such a rating is a lower bound.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from baselines.evaluation.intervals import CONFIDENCE, rate_interval

SCALE = 400.0 / math.log(10.0)
"""Elo points per unit of log-odds."""

RESAMPLES = 1000
"""Number of bootstrap samples of the boards."""

PRIOR = 0.5
"""Points that each policy of a pair has before the first game."""

_STEPS, _LONGEST, _ENOUGH = 200, 2.0, 1e-9
"""Most steps of Newton's method, the length of the longest, and the length from which no further one is taken."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Rating:
    """Rating of a policy.

    Attributes:
        policy: its name.
        elo: the rating; a bound of it where `side` is not 0.
        low: lower end of the 95 % interval, perhaps minus infinity.
        high: upper end, perhaps infinity.
        estimate: the rating of maximum likelihood, also where `elo` is a bound.
        side: 1 if the games allow any higher rating than `elo`, -1 if any lower one, 0 if `elo` is the estimate.
    """

    policy: str
    elo: float
    low: float
    high: float
    estimate: float
    side: int = 0


def anchor_of(names: Sequence[str]) -> int:
    """Returns the index of the policy whose rating is 0: `random`, or the first one."""
    return names.index("random") if "random" in names else 0


def rate_policies(names: Sequence[str], pairs: Sequence[tuple[int, int]], rates: Floats, seed: int = 0) -> list[Rating]:
    """Returns the rating of each policy, in their order.

    Args:
        names: K policies.
        pairs: P pairs of their indices, all that there are.
        rates: (P, N) float64, the win rate of the first policy of each pair on each of N boards, of two games.
        seed: seed of the bootstrap.
    """
    count, anchor = rates.shape[1], anchor_of(names)
    weights = np.random.default_rng(seed).multinomial(count, np.full(count, 1 / count), RESAMPLES) / count
    samples = np.concatenate([rates.mean(axis=1)[None], weights @ rates.T])
    points = _points(samples, pairs, len(names), 2 * count)
    elos, sides = _fit(points + PRIOR * (1 - np.eye(len(names))), anchor), _sides(points, anchor)
    open_elos = np.where(sides == 0, elos, np.copysign(np.inf, sides))
    estimates = elos[0].tolist()
    ratings = [Rating(name, estimates[k], *_quantiles(open_elos[1:, k]), estimates[k]) for k, name in enumerate(names)]
    if not sides[0].any():
        return ratings
    bounds = _fit(_points(_bounded(samples, count), pairs, len(names), 2 * count), anchor)
    for k in np.flatnonzero(sides[0]).tolist():
        side = int(sides[0, k])
        near = _quantiles(bounds[1:, k])[0 if side > 0 else 1]
        limits = (near, math.inf) if side > 0 else (-math.inf, near)
        ratings[k] = Rating(names[k], near, *limits, estimates[k], side)
    return ratings


def _points(samples: Floats, pairs: Sequence[tuple[int, int]], policies: int, games: int) -> Floats:
    """Returns (R, K, K): the points of the row's policy against the column's, for each of R samples."""
    points = np.zeros((len(samples), policies, policies))
    for number, (first, second) in enumerate(pairs):
        points[:, first, second] = games * samples[:, number]
        points[:, second, first] = games * (1 - samples[:, number])
    return points


def _bounded(samples: Floats, boards: int) -> Floats:
    """Returns the win rates, where 0 and 1 are replaced by the limits of their intervals."""
    samples = np.where(samples >= 1, rate_interval(1.0, boards)[0], samples)
    return np.where(samples <= 0, rate_interval(0.0, boards)[1], samples)


def _quantiles(values: Floats) -> tuple[float, float]:
    """Returns the 95 % interval of bootstrap values, which may be infinite."""
    low = np.quantile(values, (1 - CONFIDENCE) / 2, method="lower")
    return float(low), float(np.quantile(values, (1 + CONFIDENCE) / 2, method="higher"))


def _fit(points: Floats, anchor: int) -> Floats:
    """Returns (R, K), the ratings of maximum likelihood, that of the anchor 0, by Newton's method."""
    games = points + points.transpose(0, 2, 1)
    strengths = np.zeros(points.shape[:2])
    others = np.delete(np.arange(points.shape[1]), anchor)
    for _ in range(_STEPS):
        expected = 1 / (1 + np.exp(strengths[:, None, :] - strengths[:, :, None]))
        slope = (points - games * expected).sum(axis=2)
        curves = games * expected * (1 - expected)
        hessian = curves.sum(axis=2)[:, :, None] * np.eye(points.shape[1]) - curves
        step = np.linalg.solve(hessian[:, others[:, None], others], slope[:, others, None])[..., 0]
        longest = np.abs(step).max(axis=1, keepdims=True)
        strengths[:, others] += step * np.minimum(1, _LONGEST / np.maximum(longest, 1e-300))
        if longest.max() < _ENOUGH:
            break
    return SCALE * strengths


def _sides(points: Floats, anchor: int) -> NDArray[np.int64]:
    """Returns (R, K): 1 where the games bound a rating only from below, -1 only from above, 0 from both sides.

    The rating of a policy has an upper limit if the anchor took points from it, or from another one that did, and so
    on (Ford 1957). It has a lower limit if the policy took points from the anchor in this way.
    """
    reached = (points > 0) | np.eye(points.shape[1], dtype=np.bool_)
    for _ in range(points.shape[1]):
        reached |= reached @ reached
    limited_above, limited_below = reached[:, anchor, :], reached[:, :, anchor]
    return limited_below.astype(np.int64) - limited_above
