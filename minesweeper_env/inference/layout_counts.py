"""Numbers of layouts that fit a board, and the distribution of the clue under a covered cell.

    N  =  sum over m of  (F_1 * F_2 * ... * F_P)(m) C(U, M - m)

The symbols are those of `counting.backward_pass`. Floats cannot hold F_i(m) exactly, so the forward pass runs modulo
several primes, and the remainders give the number (Garner 1959, "The residue number system").
"""

import math
from functools import cache
from itertools import islice
from math import comb, isqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from minesweeper_env.codes import Codes
from minesweeper_env.compiled import kernel
from minesweeper_env.inference.boards import InconsistentBoardError, PositionTooHardError, check_boards, check_cell
from minesweeper_env.inference.counting.forward_pass import FIXED_TOTAL, MODULAR, level_span
from minesweeper_env.inference.counting.frontier import CONTRADICTION, read_board
from minesweeper_env.inference.counting.posterior import failure, infer, run_forward_pass, run_with_workspace
from minesweeper_env.inference.counting.workspace import OK, Floats, Workspace, frontier_of, tables_of

_BITS = 21
"""Each prime exceeds 2**21."""

MAX_PRODUCTS = 4_000_000
"""The most products of integers when the components are joined."""

MAX_OUTSIDE = 1 << 19
"""The most cells outside; their binomial coefficient has up to as many bits."""


@kernel
def component_remainders(
    board: NDArray[np.int8], mines: int, prime: float, sizes: NDArray[np.int64], remainders: Floats,
    *arrays: Any,
) -> int:  # fmt: skip
    """Counts the fillings of each component by their mines, modulo a prime below 2**22; returns the outcome.

    The kernel fills `sizes`, (n, 3) int64 for n cells, with a row per component: its fewest mines, the number of its
    remainders, the number of its cells. It fills `remainders`, (2 * n,) float64, with the remainders, component after
    component. The other arguments are as in `posteriors`, for one board.
    """
    work = Workspace(*arrays)
    frontier, tables = frontier_of(work), tables_of(work)
    outcome = read_board(work, board)
    if outcome != OK:
        return outcome
    outcome, _, _, totals = run_forward_pass(frontier, tables, mines, prime, MODULAR)
    if outcome != OK:
        return outcome
    written, position = 0, 0
    for component in range(totals.components):
        last, row = tables.last_level[component], sizes[component]
        # No constraint is open on the last level, so it has one state, with one value for each number of mines.
        begin, end = level_span(tables, last)
        row[0], row[1], row[2] = tables.min_used[tables.first_state[last]], end - begin, 0
        while position < frontier.component_end[component]:
            row[2] += frontier.size[frontier.order[position]]
            position += 1
        for i in range(begin, end):
            remainders[written] = tables.values[i]
            written += 1
    return OK


def combine_remainders(remainders: list[list[int]], primes: list[int]) -> list[int]:
    """Returns the numbers below the product of the primes that have these remainders, one list for each prime.

    Chinese remainder theorem in Garner's form: each further prime adds a multiple of the product so far. Example: with
    the remainders 2 modulo 3 and 3 modulo 5, the number is 2 + 3 * ((3 - 2) * 2 % 5) = 8, as 2 is the inverse of 3.
    """
    numbers, product = [0] * len(remainders[0]), 1
    for residues, prime in zip(remainders, primes, strict=True):
        inverse = pow(product, -1, prime)
        numbers = [
            number + product * ((remainder - number) * inverse % prime)
            for number, remainder in zip(numbers, residues, strict=True)
        ]
        # The numbers are now right modulo the larger product too.
        product *= prime
    return numbers


def total_layouts(components: list[tuple[int, list[int]]], mines: int, outside: int) -> int:
    """Returns the number of layouts with `mines` mines in the components and the `outside` other unknown cells.

    A component is its fewest mines, and its numbers of fillings with that many mines, with one more, and so on.
    """
    ways_by_mines = {0: 1}
    for min_mines, fillings in components:
        joint_ways: dict[int, int] = {}
        for mines_before, ways_before in ways_by_mines.items():
            for mines_after, filling in enumerate(fillings, mines_before + min_mines):
                if mines_after <= mines:
                    joint_ways[mines_after] = joint_ways.get(mines_after, 0) + ways_before * filling
        ways_by_mines = joint_ways
    total, outside_mines = 0, min(mines - min(ways_by_mines, default=mines), outside)
    # Each binomial coefficient follows from the one before, which takes far less time than to compute it anew.
    coefficient = comb(outside, outside_mines)
    for component_mines in sorted(ways_by_mines):
        while outside_mines > mines - component_mines:
            coefficient = coefficient * outside_mines // (outside - outside_mines + 1)
            outside_mines -= 1
        if outside_mines == mines - component_mines:
            total += ways_by_mines[component_mines] * coefficient
    return total


@cache
def nth_prime(index: int) -> int:
    """Returns the prime with this index among the primes above 2**21; index 0 is the smallest."""
    number = (1 << _BITS if index == 0 else nth_prime(index - 1)) + 1
    while not all(number % factor for factor in range(2, isqrt(number) + 1)):
        number += 1
    return number


def count_layouts(board: ArrayLike, mines: int, *, radius: int = 1) -> int:
    """Returns the exact number of layouts that fit a board; arguments and errors as for `mine_probabilities`.

    Raises a PositionTooHardError also if the number has too many digits.
    """
    array, mines, radius = check_boards(board, 2, mines, radius)
    rows, cols = array.shape
    sizes, buffer = np.empty((array.size, 3), np.int64), np.empty(2 * array.size)
    remainders: list[list[int]] = []
    components = mines_left = outside = 0

    def count(workspace: Workspace, prime: float) -> int:
        nonlocal components, mines_left, outside
        outcome = component_remainders(array.ravel(), mines, prime, sizes, buffer, *workspace)
        components, mines_left, _, outside = workspace.totals.tolist()
        return outcome

    passes = 1
    while len(remainders) < passes:
        outcome = run_with_workspace(count, rows, cols, radius, float(nth_prime(len(remainders))), passes=passes)
        if outcome != OK:
            raise failure(array, mines, radius, outcome)
        _, widths, cells = sizes[:components].T
        remainders.append([int(remainder) for remainder in buffer[: widths.sum()]])
        # The first pass tells the cells of the largest component. These have fewer than 2**cells fillings, so as many
        # primes are needed as give a product above that.
        passes = int(cells.max(initial=0)) // _BITS + 1
    # Joining a component multiplies each of its numbers by each joint one; these are at most the widths so far.
    if np.dot(np.cumsum(widths), widths) > MAX_PRODUCTS or outside > MAX_OUTSIDE:
        raise PositionTooHardError("the number of layouts of this board is too long to be computed exactly")
    fillings = iter(combine_remainders(remainders, [nth_prime(index) for index in range(passes)]))
    counted = [(min_mines, list(islice(fillings, width))) for min_mines, width, _ in sizes[:components].tolist()]
    layouts = total_layouts(counted, mines_left, outside)
    if layouts == 0:
        covered = int(np.flatnonzero(array > Codes.of_radius(radius).max_count)[0])
        raise failure(array, mines, radius, CONTRADICTION + covered)
    return layouts


def count_distribution(board: ArrayLike, mines: int, cell: tuple[int, int], *, radius: int = 1) -> NDArray[np.float64]:
    """Returns the distribution of the clue that a covered cell, (row, col), would show.

    The other arguments and the errors are those of `mine_probabilities`.

    Returns:
        (K + 1,) float64 for clues up to K: the probabilities that the cell is free and shows each clue. They add up
        to 1 minus the probability of a mine.
    """
    array, mines, radius = check_boards(board, 2, mines, radius)
    codes = Codes.of_radius(radius)
    row, col = check_cell(cell, array > codes.max_count)
    probabilities = np.empty(array.shape)
    # One pass for the board, and one for each clue.
    passes = codes.max_count + 2
    log_all_layouts = infer(array[None], mines, radius, FIXED_TOTAL, 0.0, probabilities[None], passes)[0]
    weights = np.zeros(codes.max_count + 1)
    if probabilities[row, col] == 1.0:
        return weights
    for count in range(codes.max_count + 1):
        opened = array.copy()
        opened[row, col] = count
        try:
            unused = np.empty((1, *array.shape))
            log_layouts = infer(opened[None], mines, radius, FIXED_TOTAL, 0.0, unused, passes)[0]
        except InconsistentBoardError:
            continue
        weights[count] = math.exp(log_layouts - log_all_layouts)
    # Logarithms of large numbers round; scaling to the known sum removes the error.
    return weights * ((1.0 - probabilities[row, col]) / weights.sum())
