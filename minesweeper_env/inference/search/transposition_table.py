"""What a search has found out about sets of layouts, kept under their keys in a table of fixed size."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.compiled import inlined

Int = int | np.integer[Any]
Words = NDArray[np.uint64]

WAYS = 4
"""The entries among which a key has its place."""

_LOW_32 = np.uint64((1 << 32) - 1)
_32, _40, _41 = np.uint64(32), np.uint64(40), np.uint64(41)
_LOW_8, _1 = np.uint64(255), np.uint64(1)

# An entry is the second word of a key, and a word of these parts, from the lowest bit: 32 bits for the bound, 8 for
# the logarithm of the work, 1 for exactness, 23 for the generation, which is never 0.


@inlined
def _place(table: Words, key: np.uint64) -> np.int64:
    return np.int64(key & np.uint64(len(table) - WAYS))


@inlined
def look_up(table: Words, key: np.uint64, check: np.uint64, generation: np.uint64) -> tuple[Int, bool]:
    """Returns an upper bound of the value of a set, and whether it is the value; -1 if nothing is known."""
    place = _place(table, key)
    for i in range(place, place + WAYS):
        entry = table[i, 1]
        if table[i, 0] == check and entry >> _41 == generation:
            return np.int64(entry & _LOW_32), (entry >> _40) & _1 == _1
    return np.int64(-1), False


@inlined
def keep(
    table: Words, key: np.uint64, check: np.uint64, generation: np.uint64, bound: int, exact: bool, work: int
) -> None:
    """Keeps an upper bound, in the place of the entry that took the least work.

    Args:
        table: (T, 2) uint64; T is a power of two and at least WAYS.
        key: the first word of the key.
        check: the second.
        generation: entries of another one are as good as none.
        bound: less than 2**32.
        exact: whether it is the value.
        work: what it took to find it.
    """
    place = _place(table, key)
    victim: Int = place
    least = np.uint64(256)
    for i in range(place, place + WAYS):
        entry = table[i, 1]
        fresh = entry >> _41 == generation
        if fresh and table[i, 0] == check:
            victim = i
            break
        effort = (entry >> _32) & _LOW_8 if fresh else np.uint64(0)
        if effort < least:
            victim, least = i, effort
    effort = np.uint64(1)
    while work >> 1 > 0:
        work >>= 1
        effort += _1
    table[victim, 0] = check
    table[victim, 1] = np.uint64(bound) | effort << _32 | np.uint64(exact) << _40 | generation << _41
