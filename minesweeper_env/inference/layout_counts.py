"""Numbers of layouts that fit a board, and the distribution of the clue under a covered cell."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from minesweeper_env.codes import Codes
from minesweeper_env.config import whole_number
from minesweeper_env.inference.boards import check_boards, check_radius
from minesweeper_env.inference.counting.forward_pass import FIXED_TOTAL
from minesweeper_env.inference.counting.modular import (
    check_product,
    combine_remainders,
    component_remainders,
    nth_prime,
    passes_for,
    total_layouts,
)
from minesweeper_env.inference.counting.run import failure, infer, run_with_workspace
from minesweeper_env.inference.counting.states import OK
from minesweeper_env.inference.counting.workspace import Workspace
from minesweeper_env.inference.errors import InconsistentBoardError


def count_layouts(board: ArrayLike, mines: int, *, radius: int = 1) -> int:
    """Returns the exact number of layouts that fit a board.

    Args:
        board: (rows, cols) cell codes of any integer type.
        mines: the number of mines on the whole board.
        radius: the radius of the neighbourhood, 1 to 5.

    Raises:
        InconsistentBoardError: no layout fits the board.
        PositionTooHardError: the frontier is too wide, or the number has too many digits.
        ValueError: an argument is not allowed; the message states the allowed values.
    """
    array = check_boards(board, 2, mines, check_radius(radius))
    rows, cols = array.shape
    sizes, found = np.empty(2 * array.size + 3, np.int64), np.empty(2 * array.size)
    remainders: list[list[int]] = []
    components = 0

    def count(workspace: Workspace, prime: float) -> int:
        nonlocal components
        outcome, components = component_remainders(
            array.ravel(), workspace.neighbours.shape[1], mines, prime, sizes, found, *workspace
        )
        return outcome

    passes = 1
    while len(remainders) < passes:
        outcome = run_with_workspace(count, rows, cols, radius, float(nth_prime(len(remainders))), passes=passes)
        if outcome != OK:
            raise failure(array, mines, radius, outcome)
        remainders.append([int(remainder) for remainder in found[: sizes[1 : 2 * components : 2].sum() + components]])
        # The first pass tells the cells of the largest component, and so how many primes its number of fillings needs.
        passes = passes_for(int(sizes[2 * components + 2]))
    check_product(sizes[1 : 2 * components : 2], int(sizes[2 * components + 1]))
    primes = [nth_prime(index) for index in range(passes)]
    fillings = iter(combine_remainders(remainders, primes))
    ranges = [(int(sizes[2 * component]), int(sizes[2 * component + 1]) + 1) for component in range(components)]
    counted = [(low, [next(fillings) for _ in range(width)]) for low, width in ranges]
    layouts = total_layouts(counted, int(sizes[2 * components]), int(sizes[2 * components + 1]))
    if layouts == 0:
        raise InconsistentBoardError(f"its numbers allow no layout with {mines} mines", _a_covered_cell(array, radius))
    return layouts


def count_distribution(board: ArrayLike, mines: int, cell: tuple[int, int], *, radius: int = 1) -> NDArray[np.float64]:
    """Returns the distribution of the clue that a covered cell would show.

    Args:
        board: (rows, cols) cell codes of any integer type.
        mines: the number of mines on the whole board.
        cell: (row, col) of a covered cell.
        radius: the radius of the neighbourhood, 1 to 5.

    Returns:
        (K + 1,) float64 for clues up to K: the probabilities that the cell is free and shows each clue. They add up
        to 1 minus the probability of a mine.

    Raises:
        InconsistentBoardError: no layout fits the board.
        PositionTooHardError: the frontier is too wide.
        ValueError: an argument is not allowed; the message states the allowed values.
    """
    array = check_boards(board, 2, mines, check_radius(radius))
    codes = Codes.of_radius(radius)
    row, col = _check_cell(cell, array, codes.max_count)
    probabilities = np.empty(array.shape)
    # One pass for the board, and one for each clue.
    passes = codes.max_count + 2
    whole = infer(array[None], mines, radius, FIXED_TOTAL, 0.0, probabilities[None], passes)[0]
    weights = np.zeros(codes.max_count + 1)
    if probabilities[row, col] == 1.0:
        return weights
    for count in range(codes.max_count + 1):
        shown = array.copy()
        shown[row, col] = count
        try:
            after = np.empty((1, *array.shape))
            layouts = infer(shown[None], mines, radius, FIXED_TOTAL, 0.0, after, passes)[0]
        except InconsistentBoardError:
            continue
        weights[count] = math.exp(layouts - whole)
    # Logarithms of large numbers round; scaling to the known sum removes the error.
    return weights * ((1.0 - probabilities[row, col]) / weights.sum())


def _a_covered_cell(board: NDArray[np.int8], radius: int) -> tuple[int, int]:
    row, col = np.argwhere(board > Codes.of_radius(radius).max_count)[0].tolist()
    return row, col


def _check_cell(cell: Any, board: NDArray[np.int8], max_count: int) -> tuple[int, int]:
    """Returns (row, col) of a covered cell of a board, or raises a ValueError."""
    rows, cols = board.shape
    if not isinstance(cell, tuple) or len(cell) != 2:
        raise ValueError(f"cell must be a pair (row, col), not {cell!r}")
    row, col = whole_number("row", cell[0], 0), whole_number("col", cell[1], 0)
    if row >= rows or col >= cols:
        raise ValueError(f"cell must lie on the board of {rows} x {cols}, not at {cell}")
    if board[row, col] <= max_count:
        raise ValueError(f"cell must be covered, but {cell} shows {board[row, col]}")
    return row, col
