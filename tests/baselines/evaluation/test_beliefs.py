"""Beliefs of policies in bits: against the definition, on positions that stay the same."""

from dataclasses import replace

import numpy as np
import pytest

from baselines.evaluation.beliefs import frozen_positions, measure_beliefs
from baselines.registry import find_policy
from minesweeper_env.config import BoardConfig
from minesweeper_env.inference import mine_probabilities

CONFIG = BoardConfig(5, 5, 5, moves=("click",))


class Constant:
    """Believes each cell a mine with one probability, given as `ratings` or as the logit of its safety."""

    def __init__(self, name, number):
        self.config, self.number = CONFIG, number
        setattr(self, name, lambda boards: np.full(boards.shape, number))


def test_positions_are_frozen_under_way_and_have_exact_probabilities():
    few, many = frozen_positions(CONFIG, 40), frozen_positions(replace(CONFIG, luck=False), 60)
    assert np.array_equal(few.boards, many.boards[: len(few.boards)])
    assert len(np.unique((few.boards == 11).sum(axis=(1, 2)))) > 5
    for board, exact, frontier in zip(*few, strict=True):
        assert np.array_equal(exact, mine_probabilities(board, 5))
        beside = [(board[max(r - 1, 0) : r + 2, max(c - 1, 0) : c + 2] < 9).any() for r in range(5) for c in range(5)]
        assert np.array_equal(frontier.ravel(), (board.ravel() == 11) & beside)


def test_an_exact_policy_lacks_no_bits_and_its_curve_is_the_diagonal():
    found = measure_beliefs(find_policy("bayes:prior=count")(CONFIG), CONFIG, 100)
    assert found["bits"] == pytest.approx(0.0, abs=1e-5)
    assert found["certain_wrong"] == 0.0
    for believed, exact, _ in found["reliability"]:
        assert believed == pytest.approx(exact, abs=1e-5)


@pytest.mark.parametrize(
    ("method", "number", "q"),
    [("ratings", 0.25, 0.25), ("values", 0.0, 0.5), ("ratings", 0.0, 2**-20)]
    + [(method, np.nan, 0.5) for method in ("ratings", "values")],
)
def test_a_constant_belief_costs_its_divergence(method, number, q):
    found, (_, exact, frontier) = measure_beliefs(Constant(method, number), CONFIG, 100), frozen_positions(CONFIG, 100)
    means = []
    for each, cells in zip(exact, frontier, strict=True):
        terms = [[(part, part / other) for part, other in ((p, q), (1 - p, 1 - q)) if part] for p in each[cells]]
        means.append(np.mean([sum(part * np.log2(ratio) for part, ratio in term) for term in terms]))
    assert found["bits"] == pytest.approx(np.mean(means))
    p = exact[frontier]
    assert found["certain_cells"] == np.isin(p, (0.0, 1.0)).sum()
    expected = (p[np.isin(p, (0.0, 1.0))] == 1.0).mean() if number == 0.0 and q < 0.5 else 1.0
    assert found["certain_wrong"] == pytest.approx(expected)
    assert [row[2] for row in found["reliability"]] == [len(p)]


@pytest.mark.parametrize("name", ["random", "straightforward", "exact"])
def test_a_policy_without_probabilities_has_no_beliefs(name):
    assert measure_beliefs(find_policy(name)(CONFIG), CONFIG, 20) is None
