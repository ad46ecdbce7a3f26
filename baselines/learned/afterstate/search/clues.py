"""Safety fitted to the clues: the risks around each clue sum to it, and all risks to the number of mines.

Exchangeable cells get equal risks. The exact probabilities satisfy these linear equations, and those of a network only
roughly. The fit is the information projection of the network's probabilities onto the equations. Summed over the cells,
its Kullback-Leibler divergence from the exact probabilities is never larger than that of the network (Csiszar 1975,
"I-divergence geometry of probability distributions and minimization problems"). Fitting to one equation after the other
converges to the projection (Bregman 1967). A fit to a clue keeps exchangeable cells equal, so they are averaged once.
Unlike the oracle, the fit counts no layouts.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from baselines.learned.afterstate.search.clue_kernel import fit_to_clues
from baselines.learned.afterstate.search.exchangeable import averaged_logits
from baselines.learned.networks.board import MAX_COUNT

_LEAST = 1e-5
"""Bound on the probabilities of the network, from 0 and from 1."""

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
    # No clue can correct a probability that is exactly 0 or 1.
    risks = np.clip(1.0 - safety[unsure].astype(np.float64), _LEAST, 1.0 - _LEAST)
    logits = averaged_logits(np.log(risks / (1.0 - risks)), codes).reshape(codes.shape)
    risks = 1.0 / (1.0 + np.exp(-logits))
    fit_to_clues(risks, logits, codes, mines, MAX_COUNT)
    fitted = safety.copy()
    fitted[unsure] = np.where(codes > MAX_COUNT, 1.0 - risks, 0.0).reshape(len(unsure), safety.shape[1])
    return fitted
