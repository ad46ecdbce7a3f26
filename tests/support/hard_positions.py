"""Positions whose frontier is so wide that counting them takes long, or too long, and laws that all answers obey."""

import numpy as np

from minesweeper_env import inference
from minesweeper_env.codes import Codes
from support.positions import board_of


def grid(rows, cols):
    """Returns every odd row and column: each number shares three cells with its neighbours in the grid."""
    return [(row, col) for row in range(1, rows, 2) for col in range(1, cols, 2)]


def position(size, opened, mines, seed):
    """Returns a board and its layout, random but for the cells that are open."""
    is_open = np.zeros(size, np.bool_)
    is_open[tuple(zip(*opened, strict=True))] = True
    layout = np.zeros(size, np.bool_)
    layout.flat[np.random.default_rng(seed).permutation(np.flatnonzero(~is_open))[:mines]] = True
    return board_of(layout, is_open, 1), layout


def assert_fits(board, mines, layout, radius=1):
    """Checks laws of the answers on any board, given a layout that fits; returns the probabilities."""
    covered = board > Codes.of_radius(radius).max_count
    probabilities = inference.mine_probabilities(board, mines, radius=radius)
    assert abs(probabilities.sum() - mines) <= 1e-9
    assert not probabilities[~covered].any()
    assert (probabilities[layout] > 0).all()
    assert (probabilities[~layout] < 1).all()
    certain = inference.certain_cells(board, mines, radius=radius)
    assert np.array_equal(certain.safe, (probabilities == 0) & covered)
    assert np.array_equal(certain.mine, probabilities == 1)
    return probabilities


LATTICES = [(99, 0), (120, 1), (150, 2), (180, 3)]
TOO_HARD = [((31, 31), 240, 0, "states at once"), ((17, 101), 515, 0, "states to be"), ((17, 41), 209, 1, "values")]
