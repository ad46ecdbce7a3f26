"""Sampled layouts fit the board, are all equally likely, and follow their generator."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chisquare
from support import naive_inference as naive
from support.positions import counts_of, layouts_of_size, position_of

from minesweeper_env import inference
from minesweeper_env.codes import Codes

ALPHA = 1e-3

H, M = 11, 12


SAMPLED = [
    ([[H, 1, H, H]], 2, 1),
    ([[H, H, H], [H, 1, H], [H, H, H]], 1, 1),
    ([[H, H, H], [H, 2, H], [H, H, H]], 2, 1),
    ([[H, H, H, H, H]], 2, 1),
    ([[M, H, H, H, H]], 3, 1),
    ([[H, H], [H, 1], [9, H], [H, 1], [10, H]], 2, 1),
    ([[H, H, H], [1, 2, 2], [H, H, H], [H, H, H]], 4, 1),
    # Two components, and cells outside them, with a common number of mines.
    ([[H, 1, H, H, H, H, 1, H], [H, H, H, H, H, H, H, H]], 4, 1),
    ([[15 + 12, 15 + 12, 2, 15 + 12, 15 + 12, 15 + 12]], 3, 2),
]


@pytest.mark.parametrize(("board", "mines", "radius"), SAMPLED)
def test_sampled_layouts_are_uniform_and_independent(board, mines, radius):
    board = np.array(board)
    listed = naive.layouts(board, mines, radius=radius)
    number_of = {layout: number for number, layout in enumerate(listed)}
    draws = 100 * len(listed) + 4000
    sampled = inference.sample_layouts(board, mines, draws, np.random.default_rng(0), radius=radius)
    assert (sampled.shape, sampled.dtype) == ((draws, *board.shape), np.bool_)
    numbers = np.array([number_of[frozenset(map(tuple, np.argwhere(one).tolist()))] for one in sampled])
    assert ALPHA < chisquare(np.bincount(numbers, minlength=len(listed))).pvalue < 1 - ALPHA
    # Successive draws are independent; many layouts are compared by the halves of their index range.
    halves = numbers * 2 // len(listed)
    if len(listed) % 2 == 0:
        assert chisquare(np.bincount(2 * halves[:-1:2] + halves[1::2], minlength=4)).pvalue > ALPHA


@pytest.mark.parametrize(
    ("size", "mines", "radius"), [((8, 8), 14, 1), ((9, 9), 35, 1), ((16, 30), 99, 1), ((12, 10), 12, 2)]
)
def test_sampled_layouts_fit_the_board_and_hold_mines_as_often_as_the_probabilities_say(size, mines, radius):
    rng = np.random.default_rng(18)
    codes = Codes.of_radius(radius)
    for layout in layouts_of_size(rng, size, mines, 3):
        board = position_of(rng, layout, radius).board
        sampled = inference.sample_layouts(board, mines, 2000, rng, radius=radius)
        opened = board <= codes.max_count
        assert (sampled.sum(axis=(1, 2)) == mines).all()
        assert sampled[:, board == codes.mine].all()
        assert not sampled[:, opened].any()
        assert all(np.array_equal(counts_of(one, radius)[opened], board[opened]) for one in sampled[:100])
        probabilities = inference.mine_probabilities(board, mines, radius=radius)
        deviation = np.sqrt(probabilities * (1 - probabilities) / 2000)
        assert (np.abs(sampled.mean(axis=0) - probabilities) <= 5 * deviation + 1e-12).all()


def test_the_generator_decides_what_is_sampled():
    board = np.full((5, 5), H)
    one, same, other = (inference.sample_layouts(board, 6, 20, np.random.default_rng(s)) for s in (0, 0, 1))
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)
    assert inference.sample_layouts(board, 6, 0, np.random.default_rng(0)).shape == (0, 5, 5)
