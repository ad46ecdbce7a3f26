"""Targets of the worth: estimates of the probability of winning from an afterstate, without the luck of mines."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

_LEAST_SURVIVAL = 0.05
"""Lower bound of the agent's own probability of surviving the rest of a game; it bounds the weights."""


class GuessRecords(NamedTuple):
    """K guesses of N games that are over, in the order of the clicks.

    Attributes:
        games: (K,) int64, the number of the game of each guess.
        boards: (K, rows, cols) int8, the codes before the click.
        cells: (K,) int64, the clicked cells.
        counts: (K,) int8, what the cells showed; -1 for a mine.
        safety: (K,) float64, the agent's own probability that the click is safe.
        values: (K,) float64, the agent's own probability of winning with its best click there; NaN if it weighed none.
        order: (K,) int64, the number of earlier guesses in the game; the first click counts as one.
    """

    games: NDArray[np.int64]
    boards: NDArray[np.int8]
    cells: NDArray[np.int64]
    counts: NDArray[np.int8]
    safety: NDArray[np.float64]
    values: NDArray[np.float64]
    order: NDArray[np.int64]

    def chosen(self, which: NDArray[np.bool_]) -> GuessRecords:
        """Returns the guesses where `which`, (K,) bool, is True."""
        columns: Any = [column[which] for column in self]
        return GuessRecords(*columns)


def worth_targets(
    records: GuessRecords, won: NDArray[np.bool_], explores: NDArray[np.int64], mixing: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Returns a target for the board after each guess, and its weight.

    A weighted mean of two estimates of W, the probability that the agent wins from there:

    1. Bootstrapping (weight 1 - mixing): the agent's value of its next guess in this game. The click at that guess
       plays no part, so neither does its luck. If no guess follows, it is 1 for a won game, and 0 for a lost one, which
       died of a click that seemed sure. Without these losses such clicks would seem free, and the agent would seek
       them.
    2. The outcome (weight mixing): let q be the product of the safety of all later guesses. Games that end by a mine at
       a guess do not count. Won games have the target q, games that died of a click that seemed sure the target 0, and
       both have the weight 1 / q. A game survives its guesses with probability q, so that

           E[weight * target] = E[won],  E[weight] = E[survived / q] = 1,

       and the weighted mean of the targets is W if the safety is right. A later guess that explores would spoil this
       estimate. So the guess that explores is drawn before the game, and the outcome counts from there on alone.

    The first click learns from the outcome alone. Its candidates are nearly equal, and bootstrapped values are too high
    by more than that: each is the highest of several estimates.

    Args:
        records: all guesses of N games; the guesses of a game are in their order.
        won: (N,) bool.
        explores: (N,) int64, the number of the guess that explores in each game; -1 for none.
        mixing: the weight of the outcome after later guesses, 0 to 1.

    Returns:
        targets: (K,) float64 within 0 and 1.
        weights: (K,) float64; 0 after a mine, and where nothing can be learned.
    """
    last, following = _following(records.games)
    values = np.where(last, won[records.games], records.values[following])
    known = np.isfinite(values)
    survival = np.maximum(_later_products(records.games, records.safety), _LEAST_SURVIVAL)
    survived = np.ones(len(won), np.bool_)
    survived[records.games[records.counts < 0]] = False
    counts = survived[records.games] & (records.order >= explores[records.games])
    share = np.where(records.order == 0, 1.0, mixing)
    bootstrapped = (1 - share) * known
    weights = bootstrapped + share * counts / survival
    totals = bootstrapped * np.where(known, values, 0.0) + share * (counts & won[records.games])
    weights[records.counts < 0] = 0.0
    return np.clip(np.divide(totals, weights, out=np.zeros_like(weights), where=weights > 0), 0, 1), weights


def _following(games: NDArray[np.int64]) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Returns whether a guess is the last one of its game, (K,) bool, and the index of the next one, (K,) int64."""
    order = np.argsort(games, kind="stable")
    following = np.arange(len(games))
    last = np.ones(len(games), np.bool_)
    same = games[order[:-1]] == games[order[1:]]
    following[order[:-1][same]] = order[1:][same]
    last[order[:-1][same]] = False
    return last, following


def _later_products(games: NDArray[np.int64], safety: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns the product of the safety of all later guesses of the same game, (K,) float64; 1 after the last."""
    logarithms = np.log(np.maximum(safety, 1e-9))
    order = np.argsort(games, kind="stable")
    sums = np.cumsum(logarithms[order])
    ends = np.flatnonzero(np.append(games[order[1:]] != games[order[:-1]], True)) if len(games) else np.zeros(0, int)
    totals = np.repeat(sums[ends], np.diff(ends, prepend=-1))
    products = np.empty(len(games))
    products[order] = np.exp(totals - sums)
    return products
