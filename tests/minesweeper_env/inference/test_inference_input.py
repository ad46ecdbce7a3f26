"""Input checks of inference; each message names the allowed values."""

from __future__ import annotations

import numpy as np
import pytest

from minesweeper_env import inference
from minesweeper_env.inference import InconsistentBoardError

H = 11

COVERED = np.full((3, 4), H)

BAD_BOARDS = [
    (np.full((3, 4), 13), 2, "codes of a board with radius 1 are 0 to 12, not 13"),
    (np.full((3, 4), -1), 2, "codes of a board with radius 1 are 0 to 12, not -1"),
    (np.full((3, 4), 267), 2, "codes of a board with radius 1 are 0 to 12, not 267"),
    (np.full((3, 4), 11.0), 2, "array of integers"),
    (np.full((3, 4), True), 2, "array of integers"),
    (np.full(12, H), 2, r"shape \(rows, cols\)"),
    (np.full((2, 3, 4), H), 2, r"shape \(rows, cols\)"),
    (np.full((0, 4), H), 0, "at least one cell"),
    (np.full((3, 0), H), 0, "at least one cell"),
    (COVERED, 13, "mines must be 0 to 12 on 3 x 4, not 13"),
    (COVERED, -1, "mines must be a whole number"),
    (COVERED, True, "mines must be a whole number"),
    (COVERED, 2.0, "mines must be a whole number"),
    (COVERED, "2", "mines must be a whole number"),
]


@pytest.mark.parametrize(("board", "mines", "message"), BAD_BOARDS)
def test_bad_boards_are_refused(board, mines, message):
    rng = np.random.default_rng(0)
    for call in (
        lambda: inference.mine_probabilities(board, mines),
        lambda: inference.certain_cells(board, mines),
        lambda: inference.count_layouts(board, mines),
        lambda: inference.sample_layouts(board, mines, 1, rng),
        lambda: inference.count_distribution(board, mines, (0, 0)),
        lambda: inference.deduce(board, mines),
        lambda: inference.hint(board, mines),
    ):
        with pytest.raises(ValueError, match=message) as caught:
            call()
        assert not isinstance(caught.value, InconsistentBoardError)


@pytest.mark.parametrize("radius", [0, 6, -1, 1.0, True, None])
def test_a_bad_radius_is_refused(radius):
    with pytest.raises(ValueError, match="radius must be"):
        inference.mine_probabilities(COVERED, 2, radius=radius)
    with pytest.raises(ValueError, match="radius must be"):
        inference.certain_cells(COVERED, 2, radius=radius)
    with pytest.raises(ValueError, match="radius must be"):
        inference.deduce(COVERED, 2, radius=radius)


@pytest.mark.parametrize("prior", [0, 1, 0.0, 1.0, -0.1, 1.5, float("nan"), float("inf"), "0.5", True])
def test_a_bad_prior_is_refused(prior):
    for function, board in (
        (inference.mine_probabilities, COVERED),
        (inference.mine_probabilities_batch, COVERED[None]),
    ):
        with pytest.raises(ValueError, match="prior must be a number strictly between 0 and 1"):
            function(board, 2, prior=prior)


@pytest.mark.parametrize("threads", [0, -1, 1.5, True, None])
def test_a_bad_number_of_threads_is_refused(threads):
    with pytest.raises(ValueError, match="threads must be a whole number of at least 1"):
        inference.mine_probabilities_batch(COVERED[None], 2, threads=threads)


def test_a_batch_has_three_dimensions():
    with pytest.raises(ValueError, match=r"shape \(N, rows, cols\)"):
        inference.mine_probabilities_batch(COVERED, 2)


@pytest.mark.parametrize("cell", [(3, 0), (0, 4), (-1, 0), (0.0, 0), (1, 1)])
def test_only_a_covered_cell_of_the_board_has_a_count_to_come(cell):
    board = COVERED.copy()
    board[1, 1] = 2
    with pytest.raises(ValueError, match=r"cell|row|col"):
        inference.count_distribution(board, 2, cell)


@pytest.mark.parametrize("size", [-1, 1.5, True, None])
def test_a_bad_number_of_samples_is_refused(size):
    with pytest.raises(ValueError, match="size must be a whole number of at least 0"):
        inference.sample_layouts(COVERED, 2, size, np.random.default_rng(0))
