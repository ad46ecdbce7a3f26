"""Enumeration of layouts, against the reference and on boards that defeat a simple search; the reference against it."""

from __future__ import annotations

import numpy as np
import pytest
from support import naive_inference as naive
from support.positions import counts_of, perturbed, random_positions

from minesweeper_env.inference import InconsistentBoardError, PositionTooHardError
from minesweeper_env.inference.search import layouts as listing
from minesweeper_env.inference.search.layouts import consistent_layouts

H = 11


def listed(board, mines, radius):
    """Returns the layouts as a set of sorted cells with mines, and checks the counts."""
    found = consistent_layouts(board, mines, 100_000, radius=radius)
    assert found.cells.tolist() == np.flatnonzero(board > (2 * radius + 1) ** 2 - 1).tolist()
    for mine, count in zip(found.mines, found.counts, strict=True):
        layout = np.zeros(board.size, np.bool_)
        layout[found.cells] = mine
        around = counts_of(layout.reshape(board.shape), radius).ravel()[found.cells]
        assert (around == count)[mine == 0].all()
    rows = [frozenset(found.cells[mine == 1].tolist()) for mine in found.mines]
    assert len(set(rows)) == len(rows)
    return set(rows)


def expected(board, mines, radius):
    """Returns the same from the reference; the empty set if no layout fits."""
    try:
        layouts = naive.layouts(board, mines, radius=radius)
    except InconsistentBoardError:
        return set()
    return {frozenset(row * board.shape[1] + col for row, col in layout) for layout in layouts}


def test_the_layouts_are_those_of_the_reference():
    several = 0
    for board, mines, radius, layout in random_positions(seed=11, number=400, max_side=4):
        found = listed(board, mines, radius)
        assert found == expected(board, mines, radius)
        assert frozenset(np.flatnonzero(layout).tolist()) in found
        several += len(found) > 1
    assert several > 200


def test_the_reference_deals_out_mines_as_often_as_the_list_of_layouts():
    for board, mines, radius, _ in random_positions(seed=2, number=200, max_side=4):
        found = consistent_layouts(board, mines, 100_000, radius=radius)
        assert naive.count_layouts(board, mines, radius=radius) == len(found.mines)
        probabilities = naive.mine_probabilities(board, mines, radius=radius).ravel()[found.cells]
        assert probabilities == pytest.approx(found.mines.mean(axis=0), abs=1e-15)
        for place, cell in enumerate(found.cells[:4]):
            shown = np.bincount(found.counts[found.mines[:, place] == 0, place], minlength=(2 * radius + 1) ** 2)
            distribution = naive.count_distribution(board, mines, divmod(int(cell), board.shape[1]), radius=radius)
            assert distribution == pytest.approx(shown / len(found.mines), abs=1e-15)


def test_a_board_that_no_layout_fits_is_refused_with_a_cell():
    rng = np.random.default_rng(12)
    refused = 0
    for position in random_positions(seed=13, number=400, max_side=4):
        board, mines = perturbed(rng, position)
        if expected(board, mines, position.radius):
            assert listed(board, mines, position.radius)
            continue
        with pytest.raises(InconsistentBoardError) as caught:
            consistent_layouts(board, mines, 100, radius=position.radius)
        assert np.less(caught.value.cell, board.shape).all()
        refused += 1
    assert refused > 100


def test_the_limit_is_the_most_layouts():
    board = np.full((2, 3), H)
    assert len(consistent_layouts(board, 2, 15).mines) == 15
    with pytest.raises(PositionTooHardError, match="more than 14 layouts"):
        consistent_layouts(board, 2, 14)
    with pytest.raises(ValueError, match="limit must be"):
        consistent_layouts(board, 2, 0)


def test_a_total_that_few_of_very_many_fillings_meet_is_no_obstacle():
    # In each fifth of the strip the middle cell is a mine, or both ends are: 2^40 fillings, one of them with 40 mines.
    strip = np.array([[H, 1, H, 1, H] * 40])
    assert listed(strip, 40, 1) == {frozenset(range(2, 200, 5))}
    assert len(listed(strip, 41, 1)) == 40
    assert len(listed(strip, 79, 1)) == 40
    with pytest.raises(InconsistentBoardError, match="number of mines"):
        consistent_layouts(strip, 39, 100)


def test_a_listing_that_takes_too_long_is_given_up(monkeypatch):
    monkeypatch.setattr(listing, "MAX_WORK", 50)
    with pytest.raises(PositionTooHardError, match="more than 50 steps"):
        consistent_layouts(np.full((4, 4), H), 8, 100_000)
