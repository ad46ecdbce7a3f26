"""Symmetries of the cells of a board."""

import numpy as np

from minesweeper_env.cell_sets import symmetry_table


def test_a_square_has_eight_images_and_another_board_four():
    for rows, cols, number in ((3, 3, 8), (2, 5, 4), (4, 1, 4)):
        table = symmetry_table(rows, cols)
        board = np.arange(rows * cols).reshape(rows, cols)
        versions = [np.rot90(array, k) for array in (board, board.T) for k in range(4)]
        expected = {tuple(version.ravel()) for version in versions if version.shape == board.shape}
        assert {tuple(image) for image in table} == expected
        assert len(table) == number
        assert (table[0] == board.ravel()).all()
