"""Conflicts between layouts, and the upper bound on wins that follows from them.

    V(S)  <=  number of cliques that cover the conflict graph of S

Two layouts conflict if each cell that is free in both has the same count in both. No safe click tells them apart, so
a play that wins one of them loses the other. In a clique, layouts that conflict pairwise, at most one is won; V is the
value of `branch_and_bound`. A greedy cover need not be the smallest, but each cover is a bound. A conflict holds in
every set with both layouts.

There are two matrices of conflicts. The coarse one holds a large set once; the fine one holds a subset of it in rows
of a fixed length, which the compiler turns into vector instructions.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.compiled import inlined, subroutine
from minesweeper_env.inference.search.layout_sets import Cells, LayoutSets, Words, bucket_count

COARSE, FINE = range(2)
"""The two matrices of conflicts."""

COARSE_LAYOUTS = 10_240
"""The most layouts in the coarse matrix; a larger one costs more than it saves."""

FINE_WORDS = 8
"""The words in a row of the fine matrix, a constant so that the compiler makes one vector of them."""

FINE_LAYOUTS = 64 * FINE_WORDS

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


_6, _63 = np.uint32(6), np.uint32(63)


class Conflicts(NamedTuple):
    """The conflicts in a set of M <= COARSE_LAYOUTS layouts, and in a subset of up to FINE_LAYOUTS."""

    coarse: Words  # (M, M / 64) uint64, for each layout, the bits of the layouts that conflict with it
    fine: Words  # (FINE_LAYOUTS, FINE_WORDS) uint64, the same for the subset
    rank: NDArray[np.uint32]  # (2, N) uint32, the row of each layout in either matrix
    other: Words  # (B, M / 64) uint64, scratch: for each count, the layouts in which a cell has a different one
    left: Words  # (M / 64,) uint64, scratch: the layouts that no clique covers yet
    clique: Words  # (M / 64,) uint64, scratch: the layouts that conflict with all members of the present clique


def make_conflicts(layouts: int, max_count: int) -> Conflicts:
    """Returns uninitialised arrays for conflicts between this many layouts."""
    most = min(layouts, COARSE_LAYOUTS)
    words = max((most + 63) // 64, FINE_WORDS)
    return Conflicts(
        np.empty((most, words), np.uint64),
        np.empty((FINE_LAYOUTS, FINE_WORDS), np.uint64),
        np.empty((2, layouts), np.uint32),
        np.empty((bucket_count(max_count), words), np.uint64),
        np.empty(words, np.uint64),
        np.empty(words, np.uint64),
    )


@inlined
def _find_others(conflicts: Conflicts, sets: LayoutSets, first: int, size: int, cell: int, words: int) -> None:
    """Computes `other` for a cell; a layout with a mine in the cell is in none of the sets."""
    other = conflicts.other
    last = np.uint8(len(other) - 1)
    for code in range(len(other)):
        for word in range(words):
            other[code, word] = EMPTY
    for i in range(size):
        # All bits of MINE_CODE are set, so the mask sends mines to the last bucket, which is above every count.
        code = sets.codes[sets.order[first + i], cell] & last
        other[code, i >> 6] |= ONE << np.uint64(i & 63)
    # Now row `code` has the layouts with this count. Its complement without mines has those with another count.
    for code in range(last):
        for word in range(words):
            other[code, word] = ~(other[code, word] | other[last, word])


@subroutine
def find_conflicts(conflicts: Conflicts, which: int, sets: LayoutSets, first: int, size: int, cells: Cells) -> None:
    """Computes a matrix of conflicts of the set order[first : first + size]; `cells` are not dead in it."""
    rows = conflicts.fine if which == FINE else conflicts.coarse
    words = FINE_WORDS if which == FINE else (size + 63) // 64
    last = np.uint8(len(conflicts.other) - 1)
    for i in range(size):
        conflicts.rank[which, sets.order[first + i]] = i
        for word in range(words):
            rows[i, word] = EMPTY
    for k in range(len(cells)):
        _find_others(conflicts, sets, first, size, cells[k], words)
        for i in range(size):
            code = sets.codes[sets.order[first + i], cells[k]]
            if code < last:
                for word in range(words):
                    rows[i, word] |= conflicts.other[code, word]
    # The rows hold the pairs that some click tells apart; their complement is the conflicts. `_cover` needs a clear
    # diagonal: intersecting with its own row then removes a layout from the clique. Bits beyond the set are 1, but
    # never in `left`.
    for i in range(size):
        for word in range(words):
            rows[i, word] = ~rows[i, word]
        rows[i, i >> 6] &= ~(ONE << np.uint64(i & 63))


@inlined
def are_in_conflict(conflicts: Conflicts, which: int, one: int, another: int) -> bool:
    """Returns whether two layouts of a matrix conflict."""
    row, bit = conflicts.rank[which, one], conflicts.rank[which, another]
    word = conflicts.fine[row, bit >> _6] if which == FINE else conflicts.coarse[row, bit >> _6]
    return (word >> np.uint64(bit & _63)) & ONE == ONE


@inlined
def _cover(conflicts: Conflicts, rows: Words, rank: Cells, sets: LayoutSets, first: int, size: int, words: int) -> int:
    """Returns the number of cliques in a greedy cover; each begins at the lowest layout that is left."""
    left, clique = conflicts.left, conflicts.clique
    for word in range(words):
        left[word] = EMPTY
    for i in range(first, first + size):
        bit = rank[sets.order[i]]
        left[bit >> _6] |= ONE << np.uint64(bit & _63)
    cliques = 0
    for start in range(words):
        # A variable, since a vector that is loaded right after one of its words was stored makes the processor wait.
        pending = left[start]
        while pending != EMPTY:
            cliques += 1
            row = rows[64 * start + lowest_bit(pending)]
            pending &= pending - ONE
            for word in range(words):
                clique[word] = left[word] & row[word]
            # `left` still has the layouts of this word that began a clique; `pending` does not.
            clique[start] &= pending
            # The words before `start` are covered already, and their entries in `clique` are stale.
            for word in range(start, words):
                while clique[word] != EMPTY:
                    bit = lowest_bit(clique[word])
                    left[word] &= ~(ONE << np.uint64(bit))
                    if word == start:
                        pending &= ~(ONE << np.uint64(bit))
                    row = rows[64 * word + bit]
                    for k in range(words):
                        clique[k] &= row[k]
    return cliques


@subroutine
def count_cliques(conflicts: Conflicts, which: int, sets: LayoutSets, first: int, size: int, words: int) -> int:
    """Returns the size of a greedy clique cover of a set, whose layouts all are in the matrix; at least 1.

    `words` is the number of words in use in a row of the coarse matrix.
    """
    rank = conflicts.rank[which]
    if which == FINE:
        return _cover(conflicts, conflicts.fine, rank, sets, first, size, FINE_WORDS)
    return _cover(conflicts, conflicts.coarse, rank, sets, first, size, words)
