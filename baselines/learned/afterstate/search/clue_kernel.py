"""Kernel that fits mine probabilities to clues, one clue after the other."""

from __future__ import annotations

from math import exp

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.compiled import kernel, subroutine

_SWEEPS = 100
"""Largest number of passes over the clues of a board; one of 30 x 16 cells with guesses needs 46 on average."""

_TOLERANCE = 0.003
"""Largest difference between a clue and the sum of the probabilities around it, in mines."""

_LONGEST_STEP = 3.0
"""Bound on one change of the logits. Newton's method would go too far where all probabilities are near 0 or 1."""

_LARGEST_LOGIT = 20.0
"""Bound on the logits; no probabilities fit the clues of an impossible board, and the logits would grow for ever."""


@kernel
def fit_to_clues(
    risks: NDArray[np.float64], logits: NDArray[np.float64], codes: NDArray[np.int8], mines: int, max_count: int
) -> None:
    """Changes the mine probabilities of boards until those around each clue sum to it, and all to the number of mines.

    Args:
        risks: (N, rows, cols) float64, the probability that each covered cell is a mine; changed in place.
        logits: (N, rows, cols) float64, those of the probabilities; changed in place.
        codes: (N, rows, cols) int8.
        mines: the number of mines on each board.
        max_count: the largest code of an open cell.
    """
    for i in range(len(codes)):
        for _ in range(_SWEEPS):
            if _sweep(risks[i], logits[i], codes[i], mines, max_count) < _TOLERANCE:
                break


@subroutine
def _sweep(
    risks: NDArray[np.float64], logits: NDArray[np.float64], codes: NDArray[np.int8], mines: int, max_count: int
) -> float:
    """Fits the probabilities to each clue in turn, then to the number of mines; returns the largest difference met."""
    rows, cols = codes.shape
    largest = 0.0
    for row in range(rows):
        for col in range(cols):
            if codes[row, col] <= max_count:
                area = (max(row - 1, 0), min(row + 2, rows), max(col - 1, 0), min(col + 2, cols))
                largest = max(largest, _fit(risks, logits, codes, area, float(codes[row, col]), max_count))
    return max(largest, _fit(risks, logits, codes, (0, rows, 0, cols), float(mines), max_count))


@subroutine
def _fit(
    risks: NDArray[np.float64],
    logits: NDArray[np.float64],
    codes: NDArray[np.int8],
    area: tuple[int, int, int, int],
    mines: float,
    max_count: int,
) -> float:
    """Takes one step of Newton's method towards the number of mines in an area; returns the difference before it."""
    top, bottom, left, right = area
    total, slope = 0.0, 1e-9
    for row in range(top, bottom):
        for col in range(left, right):
            if codes[row, col] > max_count:
                total += risks[row, col]
                slope += risks[row, col] * (1 - risks[row, col])
    step = min(max((mines - total) / slope, -_LONGEST_STEP), _LONGEST_STEP)
    for row in range(top, bottom):
        for col in range(left, right):
            if codes[row, col] > max_count:
                logits[row, col] = min(max(logits[row, col] + step, -_LARGEST_LOGIT), _LARGEST_LOGIT)
                risks[row, col] = 1 / (1 + exp(-logits[row, col]))
    return abs(mines - total)
