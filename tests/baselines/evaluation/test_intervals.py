"""Intervals and paired tests against values by hand or by the textbook formula."""

import json
import math

import numpy as np
import pytest
from scipy import stats

from baselines.evaluation import intervals
from baselines.evaluation.games import GameRecord
from baselines.evaluation.results import PolicyResult, Results, paired_tests, without_difference
from minesweeper_env import BoardConfig


def result(policy: str, seeds: range, won: set[int]) -> PolicyResult:
    records = tuple(GameRecord(seed, seed in won, 10, False) for seed in seeds)
    return PolicyResult(policy, records, 2.0, 1.0)


@pytest.mark.parametrize(("wins", "games"), [(0, 7), (8, 10), (50, 100), (4589, 10000), (5, 5)])
def test_wilson_interval_is_the_formula(wins, games):
    z, p = 1.959963984540054, wins / games
    centre = (p + z * z / (2 * games)) / (1 + z * z / games)
    half = z / (1 + z * z / games) * math.sqrt(p * (1 - p) / games + z * z / (4 * games * games))
    assert intervals.wilson_interval(wins, games) == pytest.approx((centre - half, centre + half), abs=1e-12)


def test_mcnemar_counts_the_games_that_one_alone_wins():
    assert intervals.p_value_of_discordant(10, 2) == pytest.approx(2 * (1 + 12 + 66) / 2**12)
    assert intervals.p_value_of_discordant(2, 10) == intervals.p_value_of_discordant(10, 2)
    assert intervals.p_value_of_discordant(0, 0) == 1.0


def test_policies_meet_on_common_seeds_only():
    long, short = result("long", range(100), set(range(40))), result("short", range(90, 110), {90, 91, 105})
    (test,) = map(without_difference, paired_tests([long, short], "short"))
    counts = {"policy": "long", "against": "short", "games": 10, "won_alone": 0, "lost_alone": 2}
    assert test == {**counts, "p_value": pytest.approx(0.5)}
    assert paired_tests([result("a", range(5), set()), result("b", range(5, 9), set())], "all") == []


@pytest.mark.parametrize(
    ("third", "against"), [("c", ["b", None, "b"]), ("exact:first=3", ["exact:first=3"] * 2 + [None])]
)
def test_exact_or_else_the_best_is_the_reference(tmp_path, third, against):
    few = result("a", range(3), {0, 1, 2})
    results = [few, result("b", range(50), set(range(30))), result(third, range(50), {2, 3})]
    path = tmp_path / "results.json"
    Results(BoardConfig(4, 4, 3), 0, 50, results).to_json(path)
    tests = [row["mcnemar"] for row in json.loads(path.read_text())["results"]]
    assert [test and test["against"] for test in tests] == against


def test_the_interval_of_a_mean_is_the_formula_with_students_t():
    values = [0.0, 0.25, 1.0, 0.0, 0.5]
    deviation = math.sqrt(sum((value - 0.35) ** 2 for value in values) / 4)
    half = 2.7764451051977987 * deviation / math.sqrt(5)
    assert intervals.mean_interval(values) == pytest.approx((0.35 - half, 0.35 + half), abs=1e-12)
    assert intervals.mean_interval([0.2, 0.2]) == (0.2, 0.2)
    assert intervals.mean_interval([0.2]) is None


@pytest.mark.parametrize(
    ("games", "low", "high"),
    [
        # Altman et al., "Statistics with Confidence" (2000), table 6.2.
        ((14, 5, 0, 22), 0.0115, 0.2265),
        # Bentur et al. 2009 and Cavo et al. 2012, as analysed by Fagerland, Lydersen and Laake,
        # "Statistical Analysis of Contingency Tables" (2017), chapter 8.
        ((1, 1, 7, 12), -0.5069, -0.0256),
        ((59, 6, 16, 80), -0.1186, -0.0046),
    ],
)
def test_a_paired_interval_is_the_published_one(games, low, high):
    both, first, second, neither = games
    difference, *ends = intervals.paired_difference(*games)
    assert difference == pytest.approx((first - second) / sum(games))
    assert ends == pytest.approx([low, high], abs=5e-5)
    assert intervals.paired_difference(both, second, first, neither) == pytest.approx((-difference, -ends[1], -ends[0]))


def test_a_paired_interval_without_games_that_differ_has_a_width():
    assert intervals.paired_difference(0, 0, 0, 10) == pytest.approx((0.0, -0.2775, 0.2775), abs=5e-5)
    difference, low, high = intervals.paired_difference(5000, 0, 0, 5000)
    assert difference == 0.0
    assert -0.001 < low < 0.0 < high < 0.001
    assert intervals.paired_difference(0, 10, 0, 0) == pytest.approx((1.0, 1.0 - 0.2775 * math.sqrt(2), 1.0), abs=1e-4)


def test_holm_multiplies_each_value_by_the_tests_that_are_left():
    assert intervals.holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert intervals.holm([0.5, 0.9, 0.02]) == pytest.approx([1.0, 1.0, 0.06])
    assert intervals.holm([0.2]) == [0.2]
    assert intervals.holm([]) == []


def test_the_interquartile_mean_leaves_out_the_extremes():
    mean, (low, high) = intervals.interquartile_mean([0.0, 0.5, 0.6, 0.7, 0.6, 0.6, 0.5, 1.0])
    assert mean == pytest.approx(0.575)
    assert 0.3 < low < mean < high < 0.75


def test_equal_seeds_leave_no_doubt():
    for seeds in (1, 5):
        assert intervals.interquartile_mean([0.5] * seeds) == (0.5, (0.5, 0.5))
    assert intervals.interquartile_mean([0.75] * 6, [0.5] * 6) == (0.25, (0.25, 0.25))


@pytest.mark.parametrize("seeds", [2, 3, 4])
def test_below_five_seeds_the_interval_is_students(seeds):
    rates, others = [0.5, 0.62, 0.55, 0.58][:seeds], [0.3, 0.35, 0.45, 0.4, 0.41][: seeds + 1]
    exact = np.clip(stats.t.interval(0.95, seeds - 1, np.mean(rates), stats.sem(rates)), 0, 1)
    assert intervals.interquartile_mean(rates)[1] == pytest.approx(exact)
    for one, other in ((rates, others), (others, rates)):
        welch = stats.ttest_ind(one, other, equal_var=False).confidence_interval()
        assert intervals.interquartile_mean(one, other)[1] == pytest.approx((max(-1, welch.low), min(1, welch.high)))
    low, high = intervals.interquartile_mean([0.9, 1.0, 1.0])[1]
    assert 0 <= low < 0.9
    assert high == 1.0


def test_intervals_of_differences_cover_the_truth():
    """Nearly all 95 % intervals of two equal algorithms contain 0; few seeds make them somewhat too narrow."""
    rng = np.random.default_rng(0)
    held = 0
    for _ in range(60):
        low, high = intervals.interquartile_mean(*rng.normal(0.6, 0.02, (2, 10)))[1]
        held += low <= 0 <= high
    assert 48 <= held < 60
