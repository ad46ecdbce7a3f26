"""Layouts and first clicks of the program of Antolín & de la Torre (2018); see the README beside this file."""

from __future__ import annotations

import numpy as np

from baselines.evaluation.games import Start
from minesweeper_env.config import BoardConfig

_INSIDE = ((1, 0), (-1, 0), (0, 1), (0, -1), (-1, -1), (-1, 1), (1, 1), (1, -1))
_TOP_LEFT = ((1, 0), (0, 1), (1, 1))
_TOP_RIGHT = ((0, -1), (1, 0), (1, -1))
_BOTTOM_RIGHT = ((0, -1), (-1, 0), (-1, -1))
_BOTTOM_LEFT = ((0, 1), (-1, 0), (-1, 1))
_LEFT = ((-1, 0), (1, 0), (0, 1), (-1, 1), (1, 1))
_RIGHT = ((0, -1), (1, 0), (-1, 0), (-1, -1), (1, -1))
_TOP = ((0, -1), (1, 0), (0, 1), (1, -1), (1, 1))
_BOTTOM = ((-1, 0), (0, 1), (0, -1), (-1, -1), (-1, 1))
_ORDERS = ((_TOP_LEFT, _TOP, _TOP_RIGHT), (_LEFT, _INSIDE, _RIGHT), (_BOTTOM_LEFT, _BOTTOM, _BOTTOM_RIGHT))
"""The (down, right) steps to the neighbours of a cell in the program's order, by where on the board the cell is."""


def source_start(config: BoardConfig, seed: int) -> Start:
    """Returns the beginning of a game as the program of Antolín & de la Torre lays it out.

    The mines are uniform, and so is the first click. Then each mine on the clicked cell, and on its neighbours in
    the program's order, goes to the first corner without a mine: bottom right, top left, bottom left, top right. It
    stays where it is if there is none, and a corner may be beside the clicked cell.

    Args:
        config: the games, of which only the size and the number of mines count.
        seed: at least 0.
    """
    rng = np.random.default_rng(seed)
    layout = np.zeros(config.cells, np.bool_)
    layout[rng.permutation(config.cells)[: config.mines]] = True
    mines = layout.reshape(config.rows, config.cols)
    row, col = int(rng.integers(config.rows)), int(rng.integers(config.cols))
    order = _ORDERS[_place(row, config.rows)][_place(col, config.cols)]
    for down, right in ((0, 0), *order):
        near = (row + down, col + right)
        if 0 <= near[0] < config.rows and 0 <= near[1] < config.cols and mines[near]:
            for corner in ((-1, -1), (0, 0), (-1, 0), (0, -1)):
                if not mines[corner]:
                    mines[near], mines[corner] = False, True
                    break
    return Start(mines, row * config.cols + col)


def _place(at: int, side: int) -> int:
    """Returns 0 for the first line, 2 for the last one, 1 for the others."""
    return 0 if at == 0 else 2 if at == side - 1 else 1
