"""Ratings: two policies by hand, many by simulation, and ratings that the games do not limit."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from baselines.azulejos.matches.elo import rate_policies

NAMES = ["greedy", "random", "deep", "deeper"]
PAIRS = list(itertools.combinations(range(4), 2))


def elo(rate):
    """Returns the rating above an opponent that a win rate stands for."""
    return 400 * math.log10(rate / (1 - rate))


def simulated(ratings, boards, seed=0):
    """Returns win rates by pair and board, drawn from the model."""
    generator = np.random.default_rng(seed)
    expected = [1 / (1 + 10 ** ((ratings[second] - ratings[first]) / 400)) for first, second in PAIRS]
    return np.array([generator.binomial(2, rate, boards) / 2 for rate in expected])


def test_two_policies_have_the_rating_of_their_win_rate():
    rates = np.array([[1.0] * 60 + [0.5] * 20 + [0.0] * 20])
    first, second = rate_policies(["random", "greedy"], [(0, 1)], rates)
    assert (first.elo, first.low, first.high) == (0, 0, 0)
    # 70 boards of 100, two games each, and one further game that is a tie.
    assert second.elo == pytest.approx(elo((60 + 0.5) / 201), abs=1e-6)
    assert second.low < second.elo < second.high


def test_the_order_of_the_policies_does_not_matter():
    rates = np.array([[1.0] * 60 + [0.5] * 20 + [0.0] * 20])
    _, greedy = rate_policies(["random", "greedy"], [(0, 1)], rates)
    mirrored, _ = rate_policies(["greedy", "random"], [(0, 1)], 1 - rates)
    assert mirrored.elo == pytest.approx(greedy.elo)


def test_without_random_the_first_policy_has_the_rating_0():
    ratings = rate_policies(["a", "b"], [(0, 1)], np.array([[1.0, 0.5, 0.0, 1.0]]))
    assert ratings[0].elo == 0


def test_the_ratings_of_a_simulation_are_found_again():
    true = [150, 0, 300, 420]
    for rating, expected in zip(rate_policies(NAMES, PAIRS, simulated(true, 4000)), true, strict=True):
        assert rating.elo == pytest.approx(expected, abs=12)
        assert rating.low <= rating.elo <= rating.high


def test_intervals_hold_the_true_rating_as_often_as_they_say():
    true, inside = [150, 0, 300, 420], 0
    for seed in range(40):
        ratings = rate_policies(NAMES, PAIRS, simulated(true, 100, seed), seed)
        inside += sum(rating.low <= expected <= rating.high for rating, expected in zip(ratings, true, strict=True))
    # The anchor is always inside; of the 120 others 95 % are expected.
    assert 40 + 106 <= inside <= 40 + 119


def test_boards_that_decide_both_games_widen_the_interval():
    both, shared = np.array([[1.0] * 70 + [0.0] * 30]), np.array([[1.0] * 40 + [0.5] * 60])
    wide, narrow = (rate_policies(["random", "x"], [(0, 1)], rates)[1] for rates in (both, shared))
    assert wide.elo == pytest.approx(narrow.elo)
    assert wide.high - wide.low > 1.5 * (narrow.high - narrow.low)


@pytest.mark.parametrize(("rate", "side"), [(0.0, 1), (1.0, -1)])
def test_a_policy_that_wins_or_loses_all_games_has_a_bound(rate, side):
    _, rating = rate_policies(["random", "x"], [(0, 1)], np.full((1, 100), rate))
    # The 95 % Wilson interval of 0 wins in 100 boards ends at 3.70 %.
    assert rating.side == side
    assert rating.elo == pytest.approx(side * elo(1 - 0.036995), abs=0.1)
    assert (rating.low, rating.high) == ((rating.elo, math.inf) if side > 0 else (-math.inf, rating.elo))
    assert rating.estimate == pytest.approx(side * elo(200.5 / 201), abs=0.1)


def test_a_bound_is_below_the_ratings_of_stronger_results():
    rates = np.full((1, 100), 0.0)
    _, bound = rate_policies(["random", "x"], [(0, 1)], rates)
    rates[0, 0] = 0.5
    _, rating = rate_policies(["random", "x"], [(0, 1)], rates)
    assert rating.side == 0
    assert rating.high == math.inf
    assert bound.elo < rating.elo


def test_policies_behind_a_bound_have_one_too_and_keep_their_order():
    rates = simulated([150, 0, 300, 420], 400)
    rates[[0, 3, 4]] = [[1.0], [0.0], [0.0]]
    greedy, anchor, deep, deeper = rate_policies(NAMES, PAIRS, rates)
    assert [each.side for each in (greedy, anchor, deep, deeper)] == [1, 0, 1, 1]
    assert anchor.elo == 0 < greedy.elo < deep.elo < deeper.elo


def test_a_chain_of_results_limits_a_rating():
    """`deep` beats `random` in all games, but `greedy` takes points from `deep`, and `random` from `greedy`."""
    rates = simulated([150, 0, 300, 420], 400)
    rates[3] = 0.0
    assert {rating.side for rating in rate_policies(NAMES, PAIRS, rates)} == {0}
