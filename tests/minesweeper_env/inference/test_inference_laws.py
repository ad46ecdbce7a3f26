"""Laws of exact inference on boards of any size, without a reference, and sampled layouts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare
from support import naive_inference as naive
from support.hard_positions import assert_fits
from support.positions import board_of, cells_of, counts_of, layouts_of_size, position_of, strew

from minesweeper_env import inference
from minesweeper_env.codes import Codes

EXACT = 1e-12
GAMES = [((8, 8), 14, 1), ((9, 9), 35, 1), ((16, 30), 99, 1), ((12, 10), 12, 2), ((11, 9), 8, 3), ((13, 13), 4, 5)]


@pytest.mark.parametrize(("size", "mines", "radius"), GAMES)
def test_probabilities_add_up_to_the_mines_and_never_exclude_the_truth(size, mines, radius):
    rng = np.random.default_rng(16)
    for layout in layouts_of_size(rng, size, mines, 15):
        board = position_of(rng, layout, radius).board
        assert_fits(board, mines, layout, radius)
        assert inference.count_layouts(board, mines, radius=radius) >= 1


@pytest.mark.parametrize(("size", "mines", "radius"), GAMES[:4])
def test_what_a_click_shows_leaves_the_probabilities_as_they_were_on_average(size, mines, radius):
    """The law of total probability over all outcomes of a cell."""
    rng = np.random.default_rng(17)
    codes = Codes.of_radius(radius)
    for layout in layouts_of_size(rng, size, mines, 4):
        board = position_of(rng, layout, radius).board
        probabilities = inference.mine_probabilities(board, mines, radius=radius)
        row, col = rng.permutation(np.argwhere((board > codes.max_count) & (board < codes.mine)))[0].tolist()
        shows = inference.count_distribution(board, mines, (row, col), radius=radius)
        assert abs(shows.sum() + probabilities[row, col] - 1) <= EXACT
        mixed = np.zeros(size)
        for code, probability in [*enumerate(shows), (codes.mine, probabilities[row, col])]:
            if probability:
                seen = board.copy()
                seen[row, col] = code
                mixed += probability * inference.mine_probabilities(seen, mines, radius=radius)
        assert np.abs(mixed - probabilities).max() <= 1e-9


@st.composite
def positions(draw):
    """Boards of up to 9 x 9 with any layout, any open cells and any marks; simple ones first when one fails."""
    rows, cols = draw(st.integers(1, 9)), draw(st.integers(1, 9))
    radius = draw(st.integers(1, 3))
    cells = st.lists(st.sampled_from(["mine", "open", "covered"]), min_size=rows * cols, max_size=rows * cols)
    kinds = np.array(draw(cells)).reshape(rows, cols)
    board = board_of(kinds == "mine", kinds == "open", radius)
    if draw(st.booleans()):
        strew(np.random.default_rng(draw(st.integers(0, 9))), board, radius, kinds == "mine")
    return board, int((kinds == "mine").sum()), radius, kinds == "mine"


@given(positions())
def test_opening_a_cell_never_adds_a_layout_and_keeps_what_was_certain(position):
    board, mines, radius, layout = position
    codes = Codes.of_radius(radius)
    before = inference.certain_cells(board, mines, radius=radius)
    number = inference.count_layouts(board, mines, radius=radius)
    for row, col in np.argwhere(~layout & (board > codes.max_count))[:3]:
        seen = board.copy()
        seen[row, col] = counts_of(layout, radius)[row, col]
        after = inference.certain_cells(seen, mines, radius=radius)
        assert 1 <= inference.count_layouts(seen, mines, radius=radius) <= number
        still_covered = seen > codes.max_count
        assert (after.safe >= before.safe)[still_covered].all()
        assert (after.mine >= before.mine).all()


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
    other = inference.sample_layouts(board, mines, draws, np.random.default_rng(1), radius=radius)
    assert not np.array_equal(sampled, other)
    assert inference.sample_layouts(board, mines, 0, np.random.default_rng(0), radius=radius).shape == (0, *board.shape)
    numbers = np.array([number_of[frozenset(cells_of(one))] for one in sampled])
    assert ALPHA < chisquare(np.bincount(numbers, minlength=len(listed))).pvalue < 1 - ALPHA
    # Successive draws are independent; many layouts are compared by the halves of their index range.
    halves = numbers * 2 // len(listed)
    if len(listed) % 2 == 0:
        assert chisquare(np.bincount(2 * halves[:-1:2] + halves[1::2], minlength=4)).pvalue > ALPHA


@pytest.mark.parametrize(("size", "mines", "radius"), GAMES[:4])
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
