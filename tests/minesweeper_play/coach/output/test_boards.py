"""Boards with probabilities and curves as lines of text."""

from __future__ import annotations

import numpy as np
import pytest

from minesweeper_env import HIDDEN, MINE
from minesweeper_play.coach.board_text import read_board
from minesweeper_play.coach.output.boards import board_lines, curve_lines


def test_columns_and_rows_are_numbered_from_1():
    assert board_lines(read_board("1F.\n?#*"), 80, exploded=[(1, 2)]) == ["  1 2 3", "1 1 F .", "2 ? # !"]


def test_covered_cells_show_their_probability_and_only_certain_ones_0_or_100():
    board = read_board("1#F?#")
    lines = board_lines(board, 80, np.array([[0.0, 0.0, 1.0, 0.001, 0.999]]))
    assert lines == ["     1    2    3    4    5", "1    1   0% 100%   1%  99%"]


@pytest.mark.parametrize("with_probabilities", [False, True])
def test_a_large_board_fits_80_columns(with_probabilities):
    board = np.full((16, 30), HIDDEN, np.int8)
    probabilities = np.full(board.shape, 0.25) if with_probabilities else None
    lines = board_lines(board, 80, probabilities)
    assert max(map(len, lines)) <= 80
    blocks = 2 if with_probabilities else 1
    assert sum("#" in line or "25%" in line for line in lines) == 16 * blocks


def test_narrow_cells_have_column_numbers_of_two_lines():
    lines = board_lines(np.full((1, 11), MINE, np.int8), 80)
    assert lines == [" " * 19 + " 1 1", "  1 2 3 4 5 6 7 8 9 0 1", "1" + " *" * 11]


def test_a_curve_runs_from_100_to_0_per_cent():
    lines = curve_lines([1.0, 0.5, 0.0], 80)
    assert lines[0] == "100% |*"
    assert lines[5] == " 50% | *"
    assert lines[10] == "  0% |  *"
    assert lines[11].split() == ["0", "2"]


@pytest.mark.parametrize("points", [1, 2, 500])
def test_a_curve_fits_its_width(points):
    lines = curve_lines([0.5] * points, 60)
    assert max(map(len, lines)) <= 60
    assert sum(line.count("*") for line in lines) == max(min(points, 54), 2)
