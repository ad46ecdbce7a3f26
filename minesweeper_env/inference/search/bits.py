"""Internal: operations on 64-bit words in kernels: population count and lowest bit."""

from __future__ import annotations

import numpy as np

from minesweeper_env.compiled import inlined

EMPTY, ONE = np.uint64(0), np.uint64(1)

_PAIRS, _FOURS, _BYTES = (np.uint64(int(digits, 16)) for digits in ("55" * 8, "33" * 8, "0F" * 8))
_ADD_BYTES = np.uint64(int("01" * 8, 16))
_TWO, _FOUR, _56 = np.uint64(2), np.uint64(4), np.uint64(56)


@inlined
def count_bits(word: np.uint64) -> np.int64:
    """Returns the number of ones in a word. LLVM turns this pattern into one instruction."""
    # Each step adds neighbouring fields, of 2, 4 and 8 bits. The product adds all bytes in the highest one.
    word = word - ((word >> ONE) & _PAIRS)
    word = (word & _FOURS) + ((word >> _TWO) & _FOURS)
    word = (word + (word >> _FOUR)) & _BYTES
    return np.int64((word * _ADD_BYTES) >> _56)


@inlined
def lowest_bit(word: np.uint64) -> np.int64:
    """Returns the position of the lowest one in a word other than 0."""
    # This word has its ones exactly below the lowest one of `word`.
    return count_bits(~word & (word - ONE))
