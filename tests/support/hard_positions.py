"""Positions whose frontier is so wide that counting them takes long, or too long."""

from __future__ import annotations

import numpy as np

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


LATTICES = [(99, 0), (120, 1), (150, 2), (180, 3)]


TOO_HARD = [((31, 31), 240, 0, "states at once"), ((17, 101), 515, 0, "states to be"), ((17, 41), 209, 1, "values")]
