"""Safety fitted to the clues: the risks around each clue sum to it, and all risks to the number of mines.

The exact probabilities satisfy these linear equations, and those of a network only roughly. The fit is the information
projection of the network's probabilities onto the equations. Summed over the cells, its Kullback-Leibler divergence
from the exact probabilities is never larger than that of the network (Csiszar 1975, "I-divergence geometry of
probability distributions and minimization problems"). Fitting to one equation after the other converges to the
projection (Bregman 1967). Unlike the oracle, the fit counts no layouts.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from baselines.learned.afterstate.clue_kernel import fit_to_clues
from baselines.learned.networks.board import MAX_COUNT

CERTAIN = 0.999
"""Safety from which a cell counts as certain. Boards with such a cell stay as they are, since the agent clicks it."""


def fitted_safety(safety: NDArray[np.float32], boards: NDArray[np.int8], mines: int) -> NDArray[np.float32]:
    """Returns the safety of all cells, fitted to the clues on boards without a certain cell.

    Args:
        safety: (N, rows * cols) float32, the probability that a covered cell is safe; 0 for open cells.
        boards: (N, rows, cols) int8 codes of radius 1.
        mines: the number of mines on each board.

    Returns:
        (N, rows * cols) float32; 0 for open cells. On an impossible board the clues are met as far as they can be.
    """
    unsure = np.flatnonzero(safety.max(axis=1) < CERTAIN)
    codes = np.ascontiguousarray(boards[unsure])
    risks = 1.0 - safety[unsure].astype(np.float64).reshape(codes.shape)
    fit_to_clues(risks, np.empty_like(risks), codes, mines, MAX_COUNT)
    fitted = safety.copy()
    fitted[unsure] = np.where(codes > MAX_COUNT, 1.0 - risks, 0.0).reshape(len(unsure), safety.shape[1])
    return fitted
