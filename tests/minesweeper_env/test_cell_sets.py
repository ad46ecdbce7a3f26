"""Sets of cells as ints, against arrays and lists."""

import numpy as np
import pytest

from minesweeper_env.cell_sets import bits, neighbour_bits, symmetry_table, to_array, to_bits


@pytest.mark.parametrize("shape", [(1, 1), (3, 5), (4, 4), (17, 9)])
def test_arrays_and_sets_turn_into_each_other(shape):
    cells = np.random.default_rng(0).random(shape) < 0.4
    assert to_bits(cells) == sum(1 << int(cell) for cell in np.flatnonzero(cells))
    assert (to_array(to_bits(cells), shape) == cells).all()


def test_the_bits_of_a_set_come_lowest_first():
    assert list(bits(0b101001)) == [1, 8, 32]
    assert list(bits(0)) == []


def test_neighbours_are_those_of_the_radius():
    assert neighbour_bits(2, 3, 1)[1] == 0b111101
    assert neighbour_bits(1, 5, 2) == [0b110, 0b1101, 0b11011, 0b10110, 0b1100]


def test_a_square_has_eight_images_and_another_board_four():
    for rows, cols, number in ((3, 3, 8), (2, 5, 4), (4, 1, 4)):
        table = symmetry_table(rows, cols)
        board = np.arange(rows * cols).reshape(rows, cols)
        versions = [np.rot90(array, k) for array in (board, board.T) for k in range(4)]
        expected = {tuple(version.ravel()) for version in versions if version.shape == board.shape}
        assert {tuple(image) for image in table} == expected
        assert len(table) == number
        assert (table[0] == board.ravel()).all()
