"""Boards, and what the oracle says of them: the input of the network of `value`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.config import BoardConfig
from minesweeper_env.inference import PositionTooHardError
from minesweeper_env.inference.kernels import infer_posteriors


class Positions(NamedTuple):
    """N boards, and what the oracle says of them.

    Attributes:
        codes: (N, rows, cols) int8.
        chances: (N, rows, cols) float64, the chance of a mine in each cell; 0 on open ones.
        log_layouts: (N,) float64, the natural logarithms of the numbers of layouts that fit.
    """

    codes: NDArray[np.int8]
    chances: NDArray[np.float64]
    log_layouts: NDArray[np.float64]


def ask_oracle(config: BoardConfig, codes: NDArray[np.int8]) -> tuple[Positions, NDArray[np.bool_]]:
    """Asks the oracle about boards.

    Args:
        config: the games.
        codes: (N, rows, cols) int8.

    Returns:
        The positions; and (N,) bool, which of them are too hard, about which nothing is said.

    Raises:
        InconsistentBoardError: no layout fits one of the boards.
    """
    positions = Positions(codes, np.zeros(codes.shape), np.zeros(len(codes)))
    hard = np.zeros(len(codes), np.bool_)
    try:
        positions.log_layouts[:] = _infer(config, codes, positions.chances)
    except PositionTooHardError:
        for i in range(len(codes)):
            part = slice(i, i + 1)
            try:
                positions.log_layouts[part] = _infer(config, codes[part], positions.chances[part])
            except PositionTooHardError:
                hard[i] = True
    return positions, hard


def _infer(config: BoardConfig, codes: NDArray[np.int8], chances: NDArray[np.float64]) -> NDArray[np.float64]:
    return infer_posteriors(codes, config.mines, config.radius, chances)
