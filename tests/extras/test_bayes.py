"""The Bayesian network against enumeration, and the player that asks it."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from baselines import make_policy
from baselines.playing import play_games
from baselines.registry import build_policy
from baselines.scripted import bayes_network
from baselines.scripted.bayes_network import (
    Count,
    build_network,
    count_table,
    exchangeable_cells,
    linked_counts,
    mine_posteriors,
)
from minesweeper_env import HIDDEN, BoardConfig


def enumerate_posteriors(counts: list[Count], prior: float) -> dict[int, float]:
    """Sums the weights of all assignments to all cells, mined independently with the prior probability."""
    cells = sorted(set().union(*(count.cells for count in counts)))
    total, mined = 0.0, dict.fromkeys(cells, 0.0)
    for values in product((0, 1), repeat=len(cells)):
        assignment = dict(zip(cells, values, strict=True))
        if all(sum(assignment[cell] for cell in count.cells) == count.mines for count in counts):
            weight = prior ** sum(values) * (1 - prior) ** (len(cells) - sum(values))
            total += weight
            for cell in cells:
                mined[cell] += weight * assignment[cell]
    return {cell: weight / total for cell, weight in mined.items()}


def random_counts(rng: np.random.Generator) -> list[Count]:
    """Counts of open cells of a random small board that is played honestly: some cells open, none a mine."""
    rows, cols = (int(side) for side in rng.integers(2, 5, 2))
    mines = rng.random((rows, cols)) < 0.3
    opened = ~mines & (rng.random((rows, cols)) < 0.35)
    counts = []
    for row, col in zip(*np.nonzero(opened), strict=True):
        near = [(r, c) for r in range(row - 1, row + 2) for c in range(col - 1, col + 2)]
        near = [(r, c) for r, c in near if 0 <= r < rows and 0 <= c < cols and not opened[r, c]]
        if near:
            cells = frozenset(int(r * cols + c) for r, c in near)
            counts.append(Count(cells, int(sum(mines[r, c] for r, c in near))))
    return counts


def test_posteriors_equal_enumeration():
    rng = np.random.default_rng(0)
    compared = 0
    while compared < 25:
        counts = random_counts(rng)
        if not counts:
            continue
        prior = float(rng.uniform(0.05, 0.6))
        expected = enumerate_posteriors(counts, prior)
        found = mine_posteriors(counts, prior)
        assert found.keys() == expected.keys()
        for cell, posterior in expected.items():
            assert found[cell] == pytest.approx(posterior, abs=1e-9)
        compared += 1


def test_network_is_a_valid_bayesian_network():
    from pgmpy.models import DiscreteBayesianNetwork

    counts = [Count(frozenset({1, 2, 3}), 1), Count(frozenset({3, 4}), 1)]
    network = build_network(counts, 0.2)
    assert isinstance(network, DiscreteBayesianNetwork)
    assert network.check_model()
    assert set(network.nodes()) == {"X1", "X2", "X3", "X4", "Y0", "Y1"}
    assert set(network.edges()) == {("X1", "Y0"), ("X2", "Y0"), ("X3", "Y0"), ("X3", "Y1"), ("X4", "Y1")}
    assert network.get_cpds("X1").get_values().ravel().tolist() == pytest.approx([0.8, 0.2])


def test_count_table_adds_up_the_parents():
    assert count_table(2).tolist() == [[1, 0, 0, 0], [0, 1, 1, 0], [0, 0, 0, 1]]
    assert count_table(8).shape == (9, 256)


def test_one_query_serves_exchangeable_cells(monkeypatch):
    counts = [Count(frozenset({1, 2, 3, 4}), 2), Count(frozenset({3, 4, 5}), 1), Count(frozenset({8, 9}), 1)]
    assert exchangeable_cells(counts) == [[1, 2], [3, 4], [5], [8, 9]]
    asked = []
    query = bayes_network._query
    monkeypatch.setattr(bayes_network, "_query", lambda *call: asked.append(call[2]) or query(*call))
    posteriors = mine_posteriors(counts, 0.3)
    assert asked == [1, 3, 5, 8]
    assert posteriors[1] == posteriors[2]
    assert posteriors[8] == pytest.approx(0.5)


def test_components_have_networks_of_their_own():
    counts = [Count(frozenset({1, 2}), 1), Count(frozenset({7, 8}), 1), Count(frozenset({2, 3}), 1)]
    assert linked_counts(counts, 3) == [counts[0], counts[2]]
    assert linked_counts(counts, 7) == [counts[1]]
    assert linked_counts(counts, 3, most_cells=2) == [counts[2]]


def test_long_chains_are_exact_and_wide_components_are_cut(monkeypatch):
    chain = [Count(frozenset({i, i + 1}), 1) for i in range(0, 60)]
    chain.append(Count(frozenset({60, 61, 62}), 2))
    exact = mine_posteriors(chain, 0.2)
    # Either the even cells are mines, or the odd ones; the last count lacks one or two mines beside cell 60.
    even, odd = 0.25**31 * 2 * 0.25, 0.25**30 * 0.25**2
    assert exact[0] == pytest.approx(even / (even + odd), abs=1e-9)
    monkeypatch.setattr(bayes_network, "MAX_TABLE_BITS", 6)
    bayes_network._is_tractable.cache_clear()
    # Every pair of cells meets in a count, so that elimination would need the table of all cells.
    wide = [Count(frozenset({i, j, 20}), 1) for i in range(10) for j in range(i)]
    cut = mine_posteriors([Count(c.cells, 0 if 20 not in c.cells else 1) for c in wide], 0.2)
    assert cut.keys() == {*range(10), 20}
    assert all(0.0 <= posterior <= 1.0 for posterior in cut.values())
    bayes_network._is_tractable.cache_clear()


def test_player_takes_the_least_posterior_and_keeps_the_prior_elsewhere():
    # The count 1 has two unknown cells beside it; the prior of the other cells is 2 / 12.
    board = np.full((1, 2, 6), HIDDEN, np.int8)
    board[0, 1, 0] = 1
    policy = make_policy("bayes", size=(2, 6), mines=2, first_click="any")
    actions = {int(policy.act(board, np.array(board.reshape(1, 12) == HIDDEN))[0]) for _ in range(60)}
    assert actions == {2, 3, 4, 5, 8, 9, 10, 11}
    board[0, 1, 0] = HIDDEN
    board[0, 0, 2] = 0
    board[0, 0, 1], board[0, 0, 3], board[0, 1, 1:4] = 1, 1, 1
    dense = make_policy("bayes", size=(2, 6), mines=3, first_click="any")
    assert int(dense.act(board, np.array(board.reshape(1, 12) == HIDDEN))[0]) in {0, 4, 5, 6, 10, 11}


def test_contradictory_board_gets_a_legal_click():
    board = np.array([[[HIDDEN, HIDDEN, 2, HIDDEN], [HIDDEN, 3, 1, HIDDEN]]], np.int8)
    mask = (board == HIDDEN).reshape(1, 8)
    for name in ("straightforward", "subset", "expected_value", "bayes"):
        with np.errstate(invalid="ignore", divide="ignore"):
            action = make_policy(name, size=(2, 4), mines=2, first_click="any").act(board, mask)
        assert mask[0, action[0]]


def test_bayes_plays_and_repeats_itself():
    config = BoardConfig(6, 6, 6, "opening", ("click",))
    policy = build_policy("bayes", config, seed=1)
    records = play_games(policy, config, range(15))
    policy.reset(1)
    assert play_games(policy, config, range(15)) == records
    assert sum(record.won for record in records) >= 8


@pytest.mark.slow
def test_bayes_beats_uniform_guesses():
    config = BoardConfig(8, 8, 14, "opening", ("click",))
    won = {
        name: sum(record.won for record in play_games(build_policy(name, config), config, range(300)))
        for name in ("straightforward", "subset", "bayes")
    }
    assert won["straightforward"] < won["subset"] < won["bayes"]


@pytest.mark.slow
def test_bayes_plays_the_expert_board():
    config = BoardConfig(16, 30, 99, "opening", ("click",))
    records = play_games(build_policy("bayes", config), config, range(4))
    assert len(records) == 4
    assert not any(record.truncated for record in records)
