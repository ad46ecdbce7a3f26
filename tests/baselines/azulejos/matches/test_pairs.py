"""Results of a pair: counts by hand, and intervals."""

from __future__ import annotations

import numpy as np
import pytest

from baselines.azulejos.matches.pairs import PairResult
from baselines.evaluation.intervals import rate_interval, wilson_interval


def result(*boards):
    """Returns a result from the differences of the scores on each board, moving first and second."""
    scores = [[[10 + difference, 10] for difference in board] for board in boards]
    return PairResult("a", "b", np.array(scores, np.int64))


PAIR = result((5, 1), (3, -2), (0, 0), (-1, -4), (2, 0))


def test_games_are_counted_from_the_side_of_the_policy():
    assert (PAIR.boards, PAIR.games) == (5, 10)
    assert (PAIR.wins, PAIR.ties, PAIR.losses) == (4, 3, 3)
    assert PAIR.win_rate == (4 + 3 / 2) / 10
    assert PAIR.win_rate_first == (3 + 1 / 2) / 5
    assert PAIR.difference == pytest.approx(0.4)
    assert PAIR.board_rates.tolist() == [1.0, 0.5, 0.5, 0.0, 0.75]


def test_the_other_side_has_the_opposite_results():
    other = PAIR.reversed()
    assert (other.policy, other.against) == ("b", "a")
    assert (other.wins, other.ties, other.losses) == (3, 3, 4)
    assert other.win_rate == pytest.approx(1 - PAIR.win_rate)
    # The policy that moves second in a game is the one that moves first on the other side.
    assert other.differences.tolist() == [[-second, -first] for first, second in PAIR.differences.tolist()]
    assert other.interval == pytest.approx([1 - limit for limit in PAIR.interval[::-1]])


def test_independent_games_have_the_interval_of_all_games():
    pair = result(*([(1, 1)] * 25 + [(1, -1)] * 25 + [(-1, 1)] * 25 + [(-1, -1)] * 25))
    assert pair.interval == pytest.approx(wilson_interval(100, 200))


def test_boards_that_decide_both_games_count_once():
    pair = result(*([(1, 1)] * 60 + [(-1, -1)] * 40))
    assert pair.interval == pytest.approx(wilson_interval(60, 100))


def test_boards_that_decide_nothing_count_no_more_than_their_games():
    pair = result(*([(1, -1)] * 98 + [(1, 1), (-1, -1)]))
    assert pair.interval == pytest.approx(wilson_interval(100, 200))
    assert result(*([(1, -1)] * 100)).interval == pytest.approx(wilson_interval(50, 100))


def test_a_policy_that_wins_all_games_has_an_interval_below_1():
    assert result(*([(1, 1)] * 100)).interval == pytest.approx(wilson_interval(100, 100))


@pytest.mark.parametrize(("wins", "games"), [(0, 7), (3, 10), (400, 1000), (5, 5)])
def test_the_interval_of_a_rate_is_wilsons_for_whole_numbers(wins, games):
    assert rate_interval(wins / games, games) == pytest.approx(wilson_interval(wins, games))


def test_one_board_has_no_interval_of_its_difference():
    assert result((1, 2)).difference_interval is None
