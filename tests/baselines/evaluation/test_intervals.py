"""Intervals and paired tests against values by hand or by the textbook formula."""

from __future__ import annotations

import math

import pytest

from baselines.evaluation.games import GameRecord
from baselines.evaluation.intervals import mcnemar_p_value, mean_interval, wilson_interval
from baselines.evaluation.results import PolicyResult, compare, compare_with_best


def result(policy: str, seeds: range, won: set[int]) -> PolicyResult:
    records = tuple(GameRecord(seed, seed in won, 10, False) for seed in seeds)
    return PolicyResult(policy, records, 2.0, 1.0)


@pytest.mark.parametrize(("wins", "games"), [(0, 7), (8, 10), (50, 100), (4589, 10000), (5, 5)])
def test_wilson_interval_is_the_formula(wins, games):
    z, p = 1.959963984540054, wins / games
    centre = (p + z * z / (2 * games)) / (1 + z * z / games)
    half = z / (1 + z * z / games) * math.sqrt(p * (1 - p) / games + z * z / (4 * games * games))
    assert wilson_interval(wins, games) == pytest.approx((centre - half, centre + half), abs=1e-12)


def test_wilson_interval_needs_games():
    with pytest.raises(ValueError, match="n"):
        wilson_interval(0, 0)


def test_mcnemar_counts_the_games_that_one_alone_wins():
    first = [True] * 10 + [False] * 2 + [True] * 30 + [False] * 8
    second = [False] * 10 + [True] * 2 + [True] * 30 + [False] * 8
    expected = 2 * (1 + 12 + 66) / 2**12
    assert mcnemar_p_value(first, second) == pytest.approx(expected)
    assert mcnemar_p_value(second, first) == pytest.approx(expected)
    assert mcnemar_p_value(first, first) == 1.0
    with pytest.raises(ValueError, match="shorter"):
        mcnemar_p_value(first, second[:-1])


def test_policies_meet_on_common_seeds_only():
    long, short = result("long", range(100), set(range(40))), result("short", range(90, 110), {90, 91, 105})
    comparison = compare(long, short)
    assert comparison is not None
    assert (comparison.against, comparison.games) == ("short", 10)
    assert (comparison.won_alone, comparison.lost_alone) == (0, 2)
    assert comparison.p_value == pytest.approx(0.5)
    assert compare(result("a", range(5), set()), result("b", range(5, 9), set())) is None


def test_the_best_is_compared_with_nobody():
    results = [result("a", range(50), {1}), result("b", range(50), set(range(30))), result("c", range(50), {2, 3})]
    comparisons = compare_with_best(results)
    assert [comparison and comparison.against for comparison in comparisons] == ["b", None, "b"]
    assert compare_with_best([]) == []


def test_a_result_counts_its_records():
    records = (GameRecord(0, True, 3, False), GameRecord(1, False, 8, True))
    found = PolicyResult("p", records, 9.0, 0.5)
    assert (found.games, found.wins, found.win_rate, found.truncated) == (2, 1, 0.5, 1)
    assert (found.clicks_per_game, found.ms_per_game) == (5.5, 250.0)


def test_the_interval_of_a_mean_is_the_formula():
    values = [0.0, 0.25, 1.0, 0.0, 0.5]
    deviation = math.sqrt(sum((value - 0.35) ** 2 for value in values) / 4)
    half = 1.959963984540054 * deviation / math.sqrt(5)
    assert mean_interval(values) == pytest.approx((0.35 - half, 0.35 + half), abs=1e-12)
    assert mean_interval([0.2, 0.2]) == (0.2, 0.2)
    assert mean_interval([0.2]) is None
