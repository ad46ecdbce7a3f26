"""Boards with the oracle's exact probabilities: the input of the network of `value`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.config import BoardConfig
from minesweeper_env.inference import PositionTooHardError
from minesweeper_env.inference.kernels import infer_posteriors


class Positions(NamedTuple):
    """N boards with the oracle's probabilities.

    Attributes:
        codes: (N, rows, cols) int8.
        probabilities: (N, rows, cols) float64, the probability of a mine in each cell; 0 on open cells.
        log_layouts: (N,) float64, the natural logarithm of the number of layouts that fit each board.
    """

    codes: NDArray[np.int8]
    probabilities: NDArray[np.float64]
    log_layouts: NDArray[np.float64]


def ask_oracle(config: BoardConfig, codes: NDArray[np.int8]) -> tuple[Positions, NDArray[np.bool_]]:
    """Computes the exact probabilities of boards.

    Args:
        config: the games.
        codes: (N, rows, cols) int8.

    Returns:
        The positions, and (N,) bool, True for boards that are too hard for the oracle. Their probabilities and
        log_layouts mean nothing.

    Raises:
        InconsistentBoardError: no layout fits one of the boards.
    """
    positions = Positions(codes, np.zeros(codes.shape), np.zeros(len(codes)))
    hard = np.zeros(len(codes), np.bool_)
    try:
        positions.log_layouts[:] = infer_posteriors(codes, config.mines, config.radius, positions.probabilities)
    except PositionTooHardError:
        # One hard board fails the whole batch, so ask for each board alone.
        for i in range(len(codes)):
            one = slice(i, i + 1)
            try:
                positions.log_layouts[one] = infer_posteriors(
                    codes[one], config.mines, config.radius, positions.probabilities[one]
                )
            except PositionTooHardError:
                hard[i] = True
    return positions, hard
