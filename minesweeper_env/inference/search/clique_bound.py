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
    """Returns the number of one bits in a word. LLVM turns this pattern into one instruction."""
    # Each step adds neighbouring fields, of 2, 4 and 8 bits. The product adds all bytes in the highest one.
    word = word - ((word >> ONE) & _PAIRS)
    word = (word & _FOURS) + ((word >> _TWO) & _FOURS)
    word = (word + (word >> _FOUR)) & _BYTES
    return np.int64((word * _ADD_BYTES) >> _56)


@inlined
def lowest_bit(word: np.uint64) -> np.int64:
    """Returns the position of the lowest one bit in a word other than 0."""
    # The operand has ones exactly below the lowest one bit of `word`: 0b0100 gives 0b0011.
    return count_bits(~word & (word - ONE))


_6, _63 = np.uint32(6), np.uint32(63)


class Conflicts(NamedTuple):
    """The conflicts in a set of M <= COARSE_LAYOUTS layouts, and in a subset of up to FINE_LAYOUTS."""

    coarse: Words  # (M, M / 64) uint64, for each layout, the bits of the layouts that conflict with it
    fine: Words  # (FINE_LAYOUTS, FINE_WORDS) uint64, the same for the subset
    row_of: NDArray[np.uint32]  # (2, N) uint32, the row of each layout in the coarse and in the fine matrix
    differing: Words  # (B, M / 64) uint64, scratch: for each count, the layouts in which a cell has a different one
    uncovered: Words  # (M / 64,) uint64, scratch: the layouts that no clique covers yet
    candidates: Words  # (M / 64,) uint64, scratch: the uncovered layouts that conflict with all of the present clique


def make_conflicts(layouts: int, max_count: int) -> Conflicts:
    """Returns uninitialised arrays for conflicts between this many layouts."""
    coarse_layouts = min(layouts, COARSE_LAYOUTS)
    words = max((coarse_layouts + 63) // 64, FINE_WORDS)
    return Conflicts(
        np.empty((coarse_layouts, words), np.uint64),
        np.empty((FINE_LAYOUTS, FINE_WORDS), np.uint64),
        np.empty((2, layouts), np.uint32),
        np.empty((bucket_count(max_count), words), np.uint64),
        np.empty(words, np.uint64),
        np.empty(words, np.uint64),
    )


@inlined
def _find_differing(conflicts: Conflicts, sets: LayoutSets, first: int, size: int, cell: int, words: int) -> None:
    """Computes `differing` for a cell; a layout with a mine in the cell differs from none."""
    differing = conflicts.differing
    last = np.uint8(len(differing) - 1)
    for code in range(len(differing)):
        for word in range(words):
            differing[code, word] = EMPTY
    for i in range(size):
        # All bits of MINE_CODE are set, so the mask sends mines to the last bucket, which is above every count.
        code = sets.codes[sets.order[first + i], cell] & last
        differing[code, i >> 6] |= ONE << np.uint64(i & 63)
    # Now row `code` has the layouts with this count. Those with another count are the rest, without mines.
    for code in range(last):
        for word in range(words):
            differing[code, word] = ~(differing[code, word] | differing[last, word])


@subroutine
def find_conflicts(conflicts: Conflicts, matrix: int, sets: LayoutSets, first: int, size: int, cells: Cells) -> None:
    """Computes the matrix COARSE or FINE of the set order[first : first + size], whose living cells are `cells`."""
    rows = conflicts.fine if matrix == FINE else conflicts.coarse
    words = FINE_WORDS if matrix == FINE else (size + 63) // 64
    last = np.uint8(len(conflicts.differing) - 1)
    for i in range(size):
        conflicts.row_of[matrix, sets.order[first + i]] = i
        for word in range(words):
            rows[i, word] = EMPTY
    for k in range(len(cells)):
        _find_differing(conflicts, sets, first, size, cells[k], words)
        for i in range(size):
            code = sets.codes[sets.order[first + i], cells[k]]
            if code < last:
                for word in range(words):
                    rows[i, word] |= conflicts.differing[code, word]
    # The rows hold the pairs that some click tells apart; their complement is the conflicts. `_cover` needs a clear
    # diagonal, so that the row of a layout removes the layout from the candidates. Bits beyond the set are 1, but never
    # in `uncovered`.
    for i in range(size):
        for word in range(words):
            rows[i, word] = ~rows[i, word]
        rows[i, i >> 6] &= ~(ONE << np.uint64(i & 63))


@inlined
def are_in_conflict(conflicts: Conflicts, matrix: int, layout: int, other: int) -> bool:
    """Returns whether two layouts conflict; the matrix, COARSE or FINE, has both."""
    row, bit = conflicts.row_of[matrix, layout], conflicts.row_of[matrix, other]
    word = conflicts.fine[row, bit >> _6] if matrix == FINE else conflicts.coarse[row, bit >> _6]
    return (word >> np.uint64(bit & _63)) & ONE == ONE


@inlined
def _cover(scratch: Conflicts, rows: Words, row_of: Cells, sets: LayoutSets, first: int, size: int, words: int) -> int:
    """Returns the number of cliques in a greedy cover; a clique begins at the uncovered layout with the lowest row."""
    uncovered, candidates = scratch.uncovered, scratch.candidates
    for word in range(words):
        uncovered[word] = EMPTY
    for i in range(first, first + size):
        bit = row_of[sets.order[i]]
        uncovered[bit >> _6] |= ONE << np.uint64(bit & _63)
    cliques = 0
    for start in range(words):
        # A copy of one word: to store it and then load the vector around it would make the processor wait.
        pending = uncovered[start]
        while pending != EMPTY:
            cliques += 1
            row = rows[64 * start + lowest_bit(pending)]
            pending &= pending - ONE
            for word in range(words):
                candidates[word] = uncovered[word] & row[word]
            # `uncovered` still has the layouts of this word that began a clique; `pending` does not.
            candidates[start] &= pending
            # All layouts of the words before `start` are covered, though `uncovered` is stale there.
            for word in range(start, words):
                while candidates[word] != EMPTY:
                    bit = lowest_bit(candidates[word])
                    uncovered[word] &= ~(ONE << np.uint64(bit))
                    if word == start:
                        pending &= ~(ONE << np.uint64(bit))
                    row = rows[64 * word + bit]
                    for k in range(words):
                        candidates[k] &= row[k]
    return cliques


@subroutine
def count_cliques(conflicts: Conflicts, matrix: int, sets: LayoutSets, first: int, size: int, words: int) -> int:
    """Returns the size of a greedy clique cover of the set order[first : first + size], at least 1.

    The matrix has all layouts of the set. `words` is the number of words in use in a row of the coarse matrix.
    """
    row_of = conflicts.row_of[matrix]
    if matrix == FINE:
        return _cover(conflicts, conflicts.fine, row_of, sets, first, size, FINE_WORDS)
    return _cover(conflicts, conflicts.coarse, row_of, sets, first, size, words)
