"""Average risks over exchangeable cells: covered cells that neighbour the same clues, or none.

Exchanging two such cells turns each layout that fits the clues into another one that fits. So their exact risks are
equal.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from baselines.learned.networks.board import MAX_COUNT
from baselines.learned.networks.masks import covered_cells

_WIDTH = 5
"""Places in a row of a pattern of clues. Clues around a cell are at most 2 columns apart, on either side."""

_PATTERN_BITS = 2 * _WIDTH + 3
"""Bits of a pattern: two whole rows of places and three places of a third row."""


def averaged_logits(logits: NDArray[np.float64], boards: NDArray[np.int8]) -> NDArray[np.float64]:
    """Replaces the logit of each covered cell by the mean over the cells that are exchangeable with it.

    The mean of the logits is the information projection onto equal probabilities.

    Args:
        logits: (N, rows * cols) float64.
        boards: (N, rows, cols) int8 codes of radius 1.

    Returns:
        (N, rows * cols) float64; the logits of open cells are as they were.
    """
    covered, sets = covered_cells(boards), clue_sets(boards)
    board, _ = np.nonzero(covered)
    keys = board * (sets.max(initial=0) + 1) + sets[covered]
    _, group = np.unique(keys, return_inverse=True)
    averaged = logits.copy()
    averaged[covered] = (np.bincount(group, logits[covered]) / np.bincount(group))[group]
    return averaged


def clue_sets(boards: NDArray[np.int8]) -> NDArray[np.int64]:
    """Returns a number for each cell: two cells of a board have the same one exactly if they neighbour the same clues.

    Args:
        boards: (N, rows, cols) int8 codes of radius 1.

    Returns:
        (N, rows * cols) int64, 0 or more; 0 for a cell that neighbours no clue.
    """
    count, rows, cols = boards.shape
    clues = np.pad(boards <= MAX_COUNT, ((0, 0), (1, 1), (1, 1))).astype(np.int64)
    around = np.zeros(boards.shape, np.int64)
    for down in range(3):
        for right in range(3):
            around += clues[:, down : down + rows, right : right + cols] << (down * _WIDTH + right)
    # The number is the place of the first clue, and the places of all clues relative to it.
    first = np.maximum(around & -around, 1)
    down, right = np.divmod(np.log2(first).astype(np.int64), _WIDTH)
    place = (np.arange(rows)[:, None] + down) * (cols + 2) + np.arange(cols) + right
    return np.where(around > 0, place << _PATTERN_BITS | around // first, 0).reshape(count, rows * cols)
