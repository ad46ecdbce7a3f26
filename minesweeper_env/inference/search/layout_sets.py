"""Sets of layouts as segments of one list, with their counts, parts and keys; and the transposition table.

    set S      =  order[first : first + size]
    key of S   =  sum of the random keys of its layouts, modulo 2**64        (Zobrist 1970, with sums)

A set is split by sorting its segment. Its parts are segments of that segment, so a whole tree of sets lives in one
list, and no set is ever copied.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.compiled import inlined, subroutine

Int = int | np.integer[Any]
Words = NDArray[np.uint64]
Cells = NDArray[np.uint32]

MINE_CODE = np.uint8(255)
"""The entry of a mine in `LayoutSets.codes`."""

_BLOCK = 255
"""Layouts per block of a survey: the most that a byte can count."""


class LayoutSets(NamedTuple):
    """N layouts over C cells, and scratch arrays to survey and sort sets of them."""

    codes: NDArray[np.uint8]  # (N, C) uint8, the count of a cell in a layout, or MINE_CODE
    keys: Words  # (N, 2 * images) uint64, random words of each layout: two for each symmetric image of the board
    order: NDArray[np.uint32]  # (N,) uint32, a permutation of the layouts; sets are its segments
    sorted: NDArray[np.uint32]  # (N,) uint32, scratch of the sort
    buckets: NDArray[np.int32]  # (B,) int32, scratch of the sort; B is a power of two greater than max_count + 1
    min_count: NDArray[np.uint8]  # (C,) uint8, the smallest count of a cell in the surveyed set, or MINE_CODE
    past_max: NDArray[np.uint8]  # (C,) uint8, the largest count of a cell in the surveyed set plus 1, or 0
    mines: NDArray[np.int32]  # (C,) int32, the number of layouts in the surveyed set with a mine in the cell
    mines_of_block: NDArray[np.uint8]  # (C,) uint8, scratch of the survey
    sums: Words  # (2 * images,) uint64, scratch of `find_key`


def bucket_count(max_count: int) -> int:
    """Returns the least power of two greater than `max_count` + 1."""
    return 1 << (max_count + 1).bit_length()


def make_layout_sets(layouts: int, cells: int, max_count: int, images: int) -> LayoutSets:
    """Returns uninitialised arrays for this many layouts over this many cells."""
    return LayoutSets(
        np.empty((layouts, cells), np.uint8),
        np.empty((layouts, 2 * images), np.uint64),
        np.empty(layouts, np.uint32),
        np.empty(layouts, np.uint32),
        np.empty(bucket_count(max_count), np.int32),
        np.empty(cells, np.uint8),
        np.empty(cells, np.uint8),
        np.empty(cells, np.int32),
        np.empty(cells, np.uint8),
        np.empty(2 * images, np.uint64),
    )


@subroutine
def survey(sets: LayoutSets, first: int, size: int, cells: int) -> None:
    """Computes `min_count`, `past_max` and `mines` of the first cells in the set order[first : first + size]."""
    min_count, past_max, mines, block_mines = sets.min_count, sets.past_max, sets.mines, sets.mines_of_block
    for cell in range(cells):
        min_count[cell] = MINE_CODE
        past_max[cell] = 0
        mines[cell] = 0
    # In blocks, so that the inner loop has nothing but bytes, and the compiler vectorises it.
    for begin in range(first, first + size, _BLOCK):
        for cell in range(cells):
            block_mines[cell] = 0
        for i in range(begin, min(begin + _BLOCK, first + size)):
            row = sets.codes[sets.order[i]]
            for cell in range(cells):
                code = row[cell]
                # MINE_CODE exceeds all counts, and plus 1 it wraps to 0, so mines change neither bound.
                min_count[cell] = min(min_count[cell], code)
                past_max[cell] = max(past_max[cell], np.uint8(code + np.uint8(1)))
                block_mines[cell] += np.uint8(code == MINE_CODE)
        for cell in range(cells):
            mines[cell] += block_mines[cell]


@inlined
def is_dead(sets: LayoutSets, cell: int) -> bool:
    """Returns whether a cell is dead in the surveyed set: free in no layout, or with the same count in all of them."""
    return sets.min_count[cell] == MINE_CODE or sets.min_count[cell] + 1 == sets.past_max[cell]


@subroutine
def sort_by_cells(sets: LayoutSets, first: int, size: int, cells: Cells) -> None:
    """Sorts the set order[first : first + size] by the codes of `cells`, with mines in the first cell last."""
    codes, order, buckets = sets.codes, sets.order, sets.buckets
    # All bits of MINE_CODE are set, so the mask sends mines to the last bucket.
    last = np.uint8(len(buckets) - 1)
    # A stable counting sort for each cell, the first cell last, so that layouts with equal codes become adjacent.
    for k in range(len(cells) - 1, -1, -1):
        cell = cells[k]
        for code in range(len(buckets)):
            buckets[code] = 0
        for i in range(first, first + size):
            buckets[codes[order[i], cell] & last] += 1
        begin = first
        for code in range(len(buckets)):
            begin += buckets[code]
            buckets[code] = begin - buckets[code]
        for i in range(first, first + size):
            code = codes[order[i], cell] & last
            sets.sorted[buckets[code]] = order[i]
            buckets[code] += 1
        for i in range(first, first + size):
            order[i] = sets.sorted[i]


@inlined
def end_of_part(sets: LayoutSets, begin: int, end: int, cells: Cells) -> int:
    """Returns where the part of a sorted set that begins at order[begin] ends; the set ends at `end`."""
    part_codes = sets.codes[sets.order[begin]]
    position, is_same_part = begin, True
    while is_same_part:
        position += 1
        k = 0
        while position < end and k < len(cells) and sets.codes[sets.order[position], cells[k]] == part_codes[cells[k]]:
            k += 1
        is_same_part = position < end and k == len(cells)
    return position


@inlined
def find_key(sets: LayoutSets, first: int, size: int) -> tuple[np.uint64, np.uint64]:
    """Returns the key of a set, two words. If `keys` has several images, symmetric sets have the same key."""
    sums = sets.sums
    for k in range(len(sums)):
        sums[k] = 0
    for i in range(first, first + size):
        row = sets.keys[sets.order[i]]
        for k in range(len(sums)):
            sums[k] += row[k]
    # Sums do not depend on the order of the layouts. The image with the least first word stands for all images.
    smallest = 0
    for k in range(2, len(sums), 2):
        if sums[k] < sums[smallest]:
            smallest = k
    return sums[smallest], sums[smallest + 1]


WAYS = 4
"""The number of entries of the transposition table that may hold a key; they follow each other.

The table is (T, 2) uint64, and T is a power of two.

    word 0                 second word of the key
    word 1, bits 0 to 31   upper bound of the value
            bits 32 to 39  effort: 1 + floor of log2 of the number of sets examined
            bit 40         whether the bound is the value
            bits 41 to 63  generation, never 0; entries of another generation count as empty
"""

_LOW_32 = np.uint64((1 << 32) - 1)
_32, _40, _41 = np.uint64(32), np.uint64(40), np.uint64(41)
_LOW_8, _1 = np.uint64(255), np.uint64(1)


@inlined
def _slot(table: Words, key: np.uint64) -> np.int64:
    """Returns the first of the WAYS entries that may hold a key."""
    # The length and WAYS are powers of two, so the mask gives multiples of WAYS below the length.
    return np.int64(key & np.uint64(len(table) - WAYS))


@inlined
def look_up(table: Words, key: np.uint64, check: np.uint64, generation: np.uint64) -> tuple[Int, bool]:
    """Returns the upper bound stored for a key of two words, or -1, and whether the bound is the value."""
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
    """Stores a bound below 2**32 for a key of two words, `key` and `check`; `work` sets were examined to find it.

    The bound replaces the entry of that key, or else the entry with the least effort.
    """
    slot = _slot(table, key)
    victim: Int = slot
    least_effort = np.uint64(256)
    for i in range(slot, slot + WAYS):
        entry = table[i, 1]
        is_current = entry >> _41 == generation
        if is_current and table[i, 0] == check:
            victim = i
            break
        # Empty entries have no effort, so they are replaced first.
        effort = (entry >> _32) & _LOW_8 if is_current else np.uint64(0)
        if effort < least_effort:
            victim, least_effort = i, effort
    effort = np.uint64(1)
    while work >> 1 > 0:
        work >>= 1
        effort += _1
    table[victim, 0] = check
    table[victim, 1] = np.uint64(bound) | effort << _32 | np.uint64(exact) << _40 | generation << _41
