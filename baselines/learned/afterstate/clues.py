"""Safety fitted to the clues: the risks around each clue sum to it, and all risks to the number of mines.

Exchangeable cells get equal risks. The exact probabilities satisfy these linear equations, and those of a network only
roughly. The fit is the information projection of the network's probabilities onto the equations. Summed over the cells,
its Kullback-Leibler divergence from the exact probabilities is never larger than that of the network (Csiszar 1975,
"I-divergence geometry of probability distributions and minimization problems"). Fitting to one equation after the other
converges to the projection (Bregman 1967). A fit to a clue keeps exchangeable cells equal, so they are averaged once.
Unlike the oracle, the fit counts no layouts.
"""

from math import exp

import numpy as np
from numpy.typing import NDArray

from baselines.learned.networks import MAX_COUNT, covered_cells
from baselines.scripted.base import neighbour_sums
from minesweeper_env.compiled import kernel, subroutine

Boards = NDArray[np.int8]
Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]

_SWEEPS = 100
"""Largest number of passes over the clues of a board; one of 30 x 16 cells with guesses needs 46 on average."""

_TOLERANCE = 0.003
"""Largest difference between a clue and the sum of the probabilities around it, in mines."""

_LONGEST_STEP = 3.0
"""Bound on one change of the logits. Newton's method would go too far where all probabilities are near 0 or 1."""

_LARGEST_LOGIT = 20.0
"""Bound on the logits; no probabilities fit the clues of an impossible board, and the logits would grow for ever."""

_LEAST = 1e-5
"""Bound on the probabilities of the network, from 0 and from 1."""

CERTAIN = 0.999
"""Safety from which a cell counts as certain. Boards with such a cell stay as they are, since the agent clicks it."""


def fitted_safety(safety: Floats, boards: Boards, mines: int, certain: float = CERTAIN) -> Floats:
    """Returns the safety of all cells, fitted to the clues on boards without a certain cell.

    Args:
        safety: (N, rows * cols) float32, the probability that a covered cell is safe; 0 for open cells.
        boards: (N, rows, cols) int8 codes of radius 1.
        mines: the number of mines on each board.
        certain: safety from which a cell counts as certain; above 1, all boards are fitted. That helps where a network
            is certain of cells that are no safer than others, as on boards larger than those of its training.

    Returns:
        (N, rows * cols) float32; 0 for open cells. On an impossible board the clues are met as far as they can be.
    """
    unsure = np.flatnonzero(safety.max(axis=1) < certain)
    codes = np.ascontiguousarray(boards[unsure])
    # No clue can correct a probability that is exactly 0 or 1.
    risks = np.clip(1.0 - safety[unsure].astype(np.float64), _LEAST, 1.0 - _LEAST)
    logits = averaged_logits(np.log(risks / (1.0 - risks)), codes).reshape(codes.shape)
    risks = 1.0 / (1.0 + np.exp(-logits))
    _fit_to_clues(risks, logits, codes, mines, MAX_COUNT)
    fitted = safety.copy()
    fitted[unsure] = np.where(codes > MAX_COUNT, 1.0 - risks, 0.0).reshape(len(unsure), safety.shape[1])
    return fitted


def averaged_logits(logits: Doubles, boards: Boards) -> Doubles:
    """Replaces the logit of each covered cell by the mean over the covered cells that neighbour the same clues.

    The mean of the logits is the information projection onto equal probabilities. The logits, (N, rows * cols) float64,
    of open cells stay as they are; the boards are (N, rows, cols) int8 codes of radius 1.
    """
    covered = covered_cells(boards)
    # A random word stands for each clue, and a set of clues is the sum of their words (Zobrist 1970).
    words = np.random.default_rng(0).integers(1 << 63, size=boards.shape) * (boards <= MAX_COUNT)
    # Cells without a clue are exchangeable on the same board alone, so the number of the board is part of the key.
    keys = neighbour_sums(words, 1) + np.arange(len(boards))[:, None, None]
    _, groups = np.unique(keys.reshape(covered.shape)[covered], return_inverse=True)
    averaged = logits.copy()
    averaged[covered] = (np.bincount(groups, logits[covered]) / np.bincount(groups))[groups]
    return averaged


@kernel
def _fit_to_clues(risks: Doubles, logits: Doubles, codes: Boards, mines: int, max_count: int) -> None:
    """Changes mine probabilities and their logits, (N, rows, cols) float64, until they fit the clues and `mines`."""
    for i in range(len(codes)):
        for _ in range(_SWEEPS):
            if _sweep(risks[i], logits[i], codes[i], mines, max_count) < _TOLERANCE:
                break


@subroutine
def _sweep(risks: Doubles, logits: Doubles, codes: Boards, mines: int, max_count: int) -> float:
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
    risks: Doubles, logits: Doubles, codes: Boards, area: tuple[int, int, int, int], mines: float, max_count: int
) -> float:
    """Shifts the logits in an area by one step of Newton's method, so that the risks sum to `mines` more nearly.

    The area is (first row, end of rows, first column, end of columns). Returns the difference before the step.
    """
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
