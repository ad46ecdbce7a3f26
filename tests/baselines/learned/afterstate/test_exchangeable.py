"""Exchangeable cells: the same clues around them, the same exact risk, the mean of the logits."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from baselines.learned.afterstate.clues import averaged_logits, clue_sets
from minesweeper_env.codes import FLAGGED, HIDDEN, QUESTION

shapes = st.tuples(st.integers(1, 7), st.integers(1, 7))


def clues_around(board):
    """Returns the set of clues around each cell, in order of the cells."""
    rows, cols = board.shape
    return [
        frozenset(
            (i, j)
            for i in range(max(row - 1, 0), min(row + 2, rows))
            for j in range(max(col - 1, 0), min(col + 2, cols))
            if board[i, j] <= 8
        )
        for row in range(rows)
        for col in range(cols)
    ]


def random_boards(shape, seed, count=3):
    codes = [0, 1, 3, 8, FLAGGED, QUESTION, HIDDEN]
    return np.random.default_rng(seed).choice(codes, (count, *shape), p=[0.1] * 4 + [0.05] * 2 + [0.5]).astype(np.int8)


@settings(max_examples=150, deadline=None)
@given(shapes, st.integers(0, 2**32 - 1))
def test_two_cells_have_the_same_number_exactly_if_the_same_clues_are_around_them(shape, seed):
    for board in random_boards(shape, seed):
        numbers, around = clue_sets(board[None])[0], clues_around(board)
        assert len(set(zip(numbers.tolist(), around, strict=True))) == len(set(around)) == len(set(numbers.tolist()))
        assert all((number == 0) == (clues == frozenset()) for number, clues in zip(numbers, around, strict=True))


@settings(max_examples=60, deadline=None)
@given(shapes, st.integers(0, 2**32 - 1))
def test_logits_become_the_mean_over_the_exchangeable_cells_of_the_same_board(shape, seed):
    boards = random_boards(shape, seed)
    logits = np.random.default_rng(seed).normal(size=(len(boards), shape[0] * shape[1]))
    averaged = averaged_logits(logits, boards)
    for board, given_logits, found in zip(boards, logits, averaged, strict=True):
        covered, around = board.reshape(-1) >= FLAGGED, clues_around(board)
        for cell, clues in enumerate(around):
            alike = [other for other in range(len(around)) if covered[other] and around[other] == clues]
            assert found[cell] == pytest.approx(given_logits[alike].mean() if covered[cell] else given_logits[cell])


def test_cells_of_a_large_board_do_not_share_numbers_by_chance():
    board = np.full((1, 100, 100), HIDDEN, np.int8)
    board[0, ::7, ::7] = 1
    numbers = clue_sets(board)[0]
    # Each clue stands alone, so its set belongs to the cells around it.
    assert len(np.unique(numbers)) == 1 + 15 * 15
    assert np.bincount(np.unique(numbers, return_inverse=True)[1])[1:].max() == 9
