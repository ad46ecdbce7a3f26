"""Layouts and first clicks of the program of Antolín & de la Torre (2018)."""

from __future__ import annotations

import numpy as np

from baselines.evaluation.records import Start
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
"""(3, 3) tuples of (down, right) steps to the neighbours, in the program's order, by `_band` of row and column."""


def source_start(config: BoardConfig, seed: int) -> Start:
    """Draws a layout and a first click as the program does.

    Mines and first click are uniform. Then the program moves each mine on the clicked cell, and on its neighbours in
    order, to the first corner without a mine: bottom right, top left, bottom left, top right. A mine stays if all
    corners hold one, and a corner may be a neighbour of the clicked cell.

    Args:
        config: the games; only size and number of mines matter.
        seed: at least 0.
    """
    rng = np.random.default_rng(seed)
    layout = np.zeros(config.cells, np.bool_)
    layout[rng.permutation(config.cells)[: config.mines]] = True
    mines = layout.reshape(config.rows, config.cols)
    row, col = int(rng.integers(config.rows)), int(rng.integers(config.cols))
    order = _ORDERS[_band(row, config.rows)][_band(col, config.cols)]
    for down, right in ((0, 0), *order):
        near = (row + down, col + right)
        if 0 <= near[0] < config.rows and 0 <= near[1] < config.cols and mines[near]:
            for corner in ((-1, -1), (0, 0), (-1, 0), (0, -1)):
                if not mines[corner]:
                    mines[near], mines[corner] = False, True
                    break
    return Start(mines, row * config.cols + col)


def _band(index: int, side: int) -> int:
    """Returns 0 for the first row or column, 2 for the last one, 1 for the others."""
    return 0 if index == 0 else 2 if index == side - 1 else 1
