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
    (np.full((3, 4), -1), 2, "codes of a board"),
    (np.full((3, 4), 267), 2, "codes of a board"),
    (np.full((3, 4), 11.0), 2, "array of integers"),
    (np.full((3, 4), True), 2, "array of integers"),
    (np.full(12, H), 2, r"shape \(rows, cols\)"),
    (np.full((2, 3, 4), H), 2, r"shape \(rows, cols\)"),
    (np.full((0, 4), H), 0, "at least one cell"),
    (COVERED, 13, "mines must be 0 to 12 on 3 x 4, not 13"),
    (COVERED, -1, "mines must be"),
    (COVERED, True, "mines must be"),
    (COVERED, 2.0, "mines must be"),
]


@pytest.mark.parametrize(("board", "mines", "message"), BAD_BOARDS)
def test_bad_boards_are_refused(board, mines, message):
    for call in (
        lambda: inference.mine_probabilities(board, mines),
        lambda: inference.certain_cells(board, mines),
        lambda: inference.count_layouts(board, mines),
        lambda: inference.sample_layouts(board, mines, 1, rng()),
        lambda: inference.count_distribution(board, mines, (0, 0)),
        lambda: inference.deduce(board, mines),
        lambda: inference.hint(board, mines),
    ):
        with pytest.raises(ValueError, match=message) as caught:
            call()
        assert not isinstance(caught.value, InconsistentBoardError)


def rng():
    return np.random.default_rng(0)


WRONG = [
    (inference.mine_probabilities, "radius", [0, 6, -1, 1.0, True, None]),
    (inference.certain_cells, "radius", [0]),
    (inference.deduce, "radius", [0]),
    (inference.mine_probabilities, "prior", [0, 1.0, -0.1, float("nan"), float("inf"), "0.5", True]),
    (lambda board, mines, **wrong: inference.mine_probabilities_batch(board[None], mines, **wrong), "prior", [0, 1.5]),
    (
        lambda board, mines, **wrong: inference.mine_probabilities_batch(board[None], mines, **wrong),
        "threads",
        [0, 1.5],
    ),
    (inference.count_distribution, "cell", [(3, 0), (0, 4), (-1, 0), (0.0, 0), (1, 1)]),
    (lambda board, mines, size: inference.sample_layouts(board, mines, size, rng()), "size", [-1, 1.5, True]),
]


@pytest.mark.parametrize(("function", "name", "values"), WRONG)
def test_a_wrong_argument_is_refused(function, name, values):
    board = COVERED.copy()
    board[1, 1] = 2
    for value in values:
        with pytest.raises(ValueError, match=f"{name} must be"):
            function(board, 2, **{name: value})


def test_a_batch_has_three_dimensions():
    with pytest.raises(ValueError, match=r"shape \(N, rows, cols\)"):
        inference.mine_probabilities_batch(COVERED, 2)
