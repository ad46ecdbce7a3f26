"""Naive reference of inference, against boards by hand and against sums over a list of all layouts."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
from support import naive_inference as naive
from support.positions import counts_of, random_positions

from minesweeper_env.codes import Codes

H, M = 11, 12


def tiny_positions(seed, number):
    """Yields random positions with so few covered cells that all subsets of them can be tried."""
    for position in random_positions(seed, number, max_side=4):
        if (position.board > Codes.of_radius(position.radius).max_count).sum() <= 11:
            yield position


def as_array(layout, shape):
    mines = np.zeros(shape, np.bool_)
    for cell in layout:
        mines[cell] = True
    return mines


def test_the_list_of_layouts_holds_the_true_one_and_only_such_as_fit():
    for board, mines, radius, layout in tiny_positions(1, 300):
        listed = [as_array(one, board.shape) for one in naive.layouts(board, mines, radius=radius)]
        codes = Codes.of_radius(radius)
        opened = board <= codes.max_count
        assert any(np.array_equal(one, layout) for one in listed)
        assert len({one.tobytes() for one in listed}) == len(listed)
        for one in listed:
            assert one.sum() == mines
            assert one[board == codes.mine].all()
            assert not one[opened].any()
            assert np.array_equal(counts_of(one, radius)[opened], board[opened])


def test_the_rest_agrees_with_the_list_of_layouts():
    for board, mines, radius, _ in tiny_positions(2, 300):
        listed = np.array([as_array(one, board.shape) for one in naive.layouts(board, mines, radius=radius)])
        assert naive.count_layouts(board, mines, radius=radius) == len(listed)
        assert np.allclose(naive.mine_probabilities(board, mines, radius=radius), listed.mean(axis=0), atol=1e-15)
        safe, mine = naive.certain_cells(board, mines, radius=radius)
        most = Codes.of_radius(radius).max_count
        assert np.array_equal(safe, ~listed.any(axis=0) & (board > most))
        assert np.array_equal(mine, listed.all(axis=0))
        for row, col in np.argwhere(board > most):
            shown = [counts_of(one, radius)[row, col] for one in listed if not one[row, col]]
            expected = np.bincount(shown, minlength=most + 1) / len(listed) if shown else np.zeros(most + 1)
            distribution = naive.count_distribution(board, mines, (int(row), int(col)), radius=radius)
            assert np.allclose(distribution, expected, atol=1e-15)


def test_independent_cells_agree_with_a_sum_over_all_subsets():
    for board, mines, radius, _ in tiny_positions(3, 60):
        codes = Codes.of_radius(radius)
        unknown = np.argwhere((board > codes.max_count) & (board < codes.mine))
        opened = board <= codes.max_count
        sums, total = np.full(board.shape, Fraction(0)), Fraction(0)
        for chosen in product([False, True], repeat=len(unknown)):
            mined = board == codes.mine
            mined[tuple(unknown.T)] = chosen
            if np.array_equal(counts_of(mined, radius)[opened], board[opened]):
                weight = Fraction(3, 16) ** sum(chosen) * Fraction(13, 16) ** (len(chosen) - sum(chosen))
                sums, total = sums + weight * mined.astype(int), total + weight
        probabilities = naive.mine_probabilities(board, mines, prior=0.1875, radius=radius)
        assert np.allclose(probabilities, (sums / total).astype(float), atol=1e-15)
