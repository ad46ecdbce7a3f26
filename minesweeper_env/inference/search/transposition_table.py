"""Internal: transposition table of a search, with the bounds found for sets of layouts.

The table has a fixed size. A key can lie in any of `WAYS` entries that follow each other.

    word 0 of an entry      second word of the key
    word 1, bits 0 to 31    upper bound of the value
            bits 32 to 39   log2 of the work that it took, plus 1
            bit 40          whether the bound is the value
            bits 41 to 63   generation, never 0; entries of another generation count as empty
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.compiled import inlined

Int = int | np.integer[Any]
Words = NDArray[np.uint64]

WAYS = 4
"""The number of entries that may hold a key."""

_LOW_32 = np.uint64((1 << 32) - 1)
_32, _40, _41 = np.uint64(32), np.uint64(40), np.uint64(41)
_LOW_8, _1 = np.uint64(255), np.uint64(1)


@inlined
def _slot(table: Words, key: np.uint64) -> np.int64:
    """Returns the first entry that may hold a key."""
    # Both are powers of two, so the mask gives multiples of WAYS, and no way passes the end of the table.
    return np.int64(key & np.uint64(len(table) - WAYS))


@inlined
def look_up(table: Words, key: np.uint64, check: np.uint64, generation: np.uint64) -> tuple[Int, bool]:
    """Returns an upper bound of the value of a set, and whether it is the value; -1 if the set is not stored."""
    slot = _slot(table, key)
    for i in range(slot, slot + WAYS):
        entry = table[i, 1]
        if table[i, 0] == check and entry >> _41 == generation:
            return np.int64(entry & _LOW_32), (entry >> _40) & _1 == _1
    return np.int64(-1), False


@inlined
def store(
    table: Words, key: np.uint64, check: np.uint64, generation: np.uint64, bound: int, exact: bool, work: int
) -> None:
    """Stores an upper bound in place of an empty entry, or of the one that took the least work.

    Args:
        table: (T, 2) uint64; T is a power of two and at least WAYS.
        key: the first word of the key.
        check: the second word of the key.
        generation: the generation of the search, 1 to 2**23 - 1.
        bound: the upper bound, less than 2**32.
        exact: whether the bound is the value.
        work: the number of sets examined to find it.
    """
    slot = _slot(table, key)
    victim: Int = slot
    least = np.uint64(256)
    for i in range(slot, slot + WAYS):
        entry = table[i, 1]
        fresh = entry >> _41 == generation
        if fresh and table[i, 0] == check:
            victim = i
            break
        # An entry of another generation counts as no work, so it is replaced first.
        effort = (entry >> _32) & _LOW_8 if fresh else np.uint64(0)
        if effort < least:
            victim, least = i, effort
    effort = np.uint64(1)
    while work >> 1 > 0:
        work >>= 1
        effort += _1
    table[victim, 0] = check
    table[victim, 1] = np.uint64(bound) | effort << _32 | np.uint64(exact) << _40 | generation << _41
