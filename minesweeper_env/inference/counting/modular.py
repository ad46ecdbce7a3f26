"""The number of layouts as an exact integer, from remainders modulo many primes."""

from __future__ import annotations

from functools import cache
from math import comb, isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.compiled import kernel
from minesweeper_env.inference.counting.forward_pass import MODULAR, level_span
from minesweeper_env.inference.counting.posterior import count_settled, read_board
from minesweeper_env.inference.counting.states import OK, Floats
from minesweeper_env.inference.counting.workspace import Workspace, carve_work

_BITS = 21
"""Each prime is above 2**21."""


@kernel
def part_remainders(
    board: NDArray[np.int8],
    max_count: int,
    mines: int,
    prime: float,
    sizes: NDArray[np.int64],
    remainders: Floats,
    *arrays: Any,
) -> tuple[int, int]:
    """Counts the fillings of each part of the frontier, by the mines that they use, modulo a prime.

    Args:
        board: (n,) int8, cell codes.
        max_count: the largest count.
        mines: the number of mines.
        prime: below 2**22.
        sizes: (2 * n + 2,) filled, for each part, with the fewest mines that it can have and how many more at
            most; after the last part with the mines of all unknown cells and the number of those outside.
        remainders: (2 * n,) filled with the remainders, part after part.
        *arrays: the fields of a `Workspace`.

    Returns:
        The outcome and the number of parts.
    """
    workspace = Workspace(*arrays)
    work = carve_work(workspace)
    outcome = read_board(work, board, workspace.neighbours, max_count)
    if outcome != OK:
        return outcome, 0
    outcome, parts, totals, _, _ = count_settled(work, workspace.neighbours, mines, prime, MODULAR)
    if outcome != OK:
        return outcome, 0
    at = 0
    for part in range(parts):
        last = work.plan.last_level[part]
        begin, end = level_span(work, last)
        sizes[2 * part], sizes[2 * part + 1] = work.states.low[work.levels.state[last]], end - begin - 1
        for i in range(begin, end):
            remainders[at] = work.values[i]
            at += 1
    sizes[2 * parts], sizes[2 * parts + 1] = totals.mines, totals.outside
    return OK, parts


def primes_for(cells: int) -> list[int]:
    """Returns primes whose product is above 2**cells, and so above the number of fillings of so many cells."""
    return [_prime(index) for index in range(cells // _BITS + 1)]


def combine_remainders(remainders: list[list[int]], primes: list[int]) -> list[int]:
    """Returns the numbers below the product of the primes that have these remainders, one list a prime.

    By the Chinese remainder theorem, in the form of Garner: a prime more adds a multiple of the product so far.
    """
    numbers, product = [0] * len(remainders[0]), 1
    for found, prime in zip(remainders, primes, strict=True):
        inverse = pow(product, -1, prime)
        numbers = [
            number + product * ((remainder - number) * inverse % prime)
            for number, remainder in zip(numbers, found, strict=True)
        ]
        product *= prime
    return numbers


def total_layouts(parts: list[tuple[int, list[int]]], mines: int, outside: int) -> int:
    """Returns the number of layouts of all parts and the cells outside.

    Args:
        parts: for each, the fewest mines that it can have, and the number of its fillings for each number from there.
        mines: those of all parts and of the cells outside.
        outside: the number of cells under no constraint.
    """
    ways = {0: 1}
    for low, fillings in parts:
        joint: dict[int, int] = {}
        for used, many in ways.items():
            for more, filling in enumerate(fillings, used + low):
                if more <= mines:
                    joint[more] = joint.get(more, 0) + many * filling
        ways = joint
    return sum(many * comb(outside, mines - used) for used, many in ways.items())


@cache
def _prime(index: int) -> int:
    """Returns a prime number above 2**21; the first one for 0, the next one for 1, and so on."""
    number = (1 << _BITS if index == 0 else _prime(index - 1)) + 1
    while not all(number % factor for factor in range(2, isqrt(number) + 1)):
        number += 1
    return number
