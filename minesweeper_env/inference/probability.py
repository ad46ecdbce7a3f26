"""Exact posteriors: the probability that each covered cell is a mine, given the visible board and the mine count."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from minesweeper_env.codes import Codes
from minesweeper_env.config import whole_number
from minesweeper_env.inference.boards import check_boards, check_radius
from minesweeper_env.inference.counting.forward_pass import BOOLEAN, FIXED_TOTAL, IID
from minesweeper_env.inference.counting.run import infer


class CertainCells(NamedTuple):
    """The covered cells that are the same in all layouts.

    Attributes:
        safe: (rows, cols) bool, the cells that are free in all layouts.
        mine: (rows, cols) bool, the cells that are mines in all layouts.
    """

    safe: NDArray[np.bool_]
    mine: NDArray[np.bool_]


def mine_probabilities(
    board: ArrayLike, mines: int, *, prior: float | None = None, radius: int = 1
) -> NDArray[np.float64]:
    """Returns the probability that each cell is a mine.

    All layouts that fit the board are equally likely.

    Args:
        board: (rows, cols) cell codes of any integer type. Flags and question marks count as covered cells and are
            no evidence; a shown mine is known.
        mines: the number of mines on the whole board.
        prior: if given, the mine count is unknown, `mines` is not used, and each cell is independently a mine with
            this probability before any evidence; strictly between 0 and 1.
        radius: the radius of the neighbourhood, 1 to 5.

    Returns:
        (rows, cols) float64; 0.0 on open cells, and exactly 0.0 and 1.0 on cells that are certain.

    Raises:
        InconsistentBoardError: no layout fits the board.
        PositionTooHardError: the frontier is so wide that counting takes more than some 4 million states.
        ValueError: an argument is not allowed; the message states the allowed values.
    """
    array = check_boards(board, 2, mines, check_radius(radius))
    probabilities = np.empty(array.shape)
    mode, density = _read_prior(prior)
    infer(array[None], mines, radius, mode, density, probabilities[None])
    return probabilities


def mine_probabilities_batch(
    boards: ArrayLike, mines: int, *, prior: float | None = None, radius: int = 1, threads: int = 1
) -> NDArray[np.float64]:
    """Returns the result of `mine_probabilities` for each of N boards.

    Args:
        boards: (N, rows, cols) cell codes of any integer type.
        mines: the number of mines on each board.
        prior: as in `mine_probabilities`.
        radius: the radius of the neighbourhood, 1 to 5.
        threads: the number of threads, and so of cores, that divide the boards.

    Returns:
        (N, rows, cols) float64.

    Raises:
        InconsistentBoardError: no layout fits one of the boards.
        PositionTooHardError: one of the boards is too hard.
        ValueError: an argument is not allowed; the message states the allowed values.
    """
    array = check_boards(boards, 3, mines, check_radius(radius))
    mode, density = _read_prior(prior)
    probabilities = np.empty(array.shape)
    pieces = min(whole_number("threads", threads, 1), max(1, len(array)))
    if pieces == 1:
        infer(array, mines, radius, mode, density, probabilities)
        return probabilities
    ends = np.linspace(0, len(array), pieces + 1).astype(int)
    slices = [slice(begin, end) for begin, end in pairwise(ends)]
    with ThreadPoolExecutor(pieces) as pool:
        list(pool.map(lambda piece: infer(array[piece], mines, radius, mode, density, probabilities[piece]), slices))
    return probabilities


def certain_cells(board: ArrayLike, mines: int, *, radius: int = 1) -> CertainCells:
    """Returns the cells that are free, and the cells that are mines, in all layouts that fit the board.

    The dynamic programme asks only whether layouts exist, so no weight can underflow.

    Args:
        board: (rows, cols) cell codes of any integer type.
        mines: the number of mines on the whole board.
        radius: the radius of the neighbourhood, 1 to 5.

    Raises:
        InconsistentBoardError: no layout fits the board.
        PositionTooHardError: the frontier is too wide.
        ValueError: an argument is not allowed; the message states the allowed values.
    """
    array = check_boards(board, 2, mines, check_radius(radius))
    probabilities = np.empty(array.shape)
    infer(array[None], mines, radius, BOOLEAN, 0.0, probabilities[None])
    covered = array > Codes.of_radius(radius).max_count
    return CertainCells(covered & (probabilities == 0.0), covered & (probabilities == 1.0))


def _read_prior(prior: float | None) -> tuple[int, float]:
    if prior is None:
        return FIXED_TOTAL, 0.0
    if isinstance(prior, bool) or not isinstance(prior, (int, float, np.floating)) or not 0.0 < prior < 1.0:
        raise ValueError(f"prior must be a number strictly between 0 and 1, not {prior!r}")
    return IID, float(prior)
