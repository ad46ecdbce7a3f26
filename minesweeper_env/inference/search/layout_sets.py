"""Sets of layouts, as segments of a list: what the cells show in them, their parts, and their keys.

To split a set is to sort its segment; its parts are then segments of that one, so that a whole tree of sets lives in
one list and no set is ever copied.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.compiled import inlined, subroutine

Words = NDArray[np.uint64]
Cells = NDArray[np.uint32]

MINED = np.uint8(255)
"""The code of a mine in `LayoutSets.codes`."""

_BLOCK = 255
_1 = np.uint8(1)


class LayoutSets(NamedTuple):
    """N layouts over C cells, and room to work with sets of them.

    Attributes:
        codes: (N, C) uint8, what a cell shows in a layout, or MINED.
        keys: (N, 2 * images) uint64, random words of each layout: two for each of its images, if the mirror images
            of a set are to have the key of the set.
        order: (N,) uint32, the layouts in the order in which the sets are segments.
        sorted: (N,) uint32, room to sort.
        buckets: (B,) int32, room to sort; B is a power of two and larger than all counts plus 1.
        least: (C,) uint8, the least count that a cell shows in the surveyed set, or MINED.
        past: (C,) uint8, the largest one plus 1, or 0.
        mines: (C,) int32, in how many layouts of the surveyed set the cell is a mine.
        mines_of_block: (C,) uint8, room.
        sums: (2 * images,) uint64, room.
    """

    codes: NDArray[np.uint8]
    keys: Words
    order: NDArray[np.uint32]
    sorted: NDArray[np.uint32]
    buckets: NDArray[np.int32]
    least: NDArray[np.uint8]
    past: NDArray[np.uint8]
    mines: NDArray[np.int32]
    mines_of_block: NDArray[np.uint8]
    sums: Words


def bucket_count(max_count: int) -> int:
    """Returns the least power of two that is larger than `max_count` + 1."""
    return 1 << (max_count + 1).bit_length()


def make_layout_sets(layouts: int, cells: int, max_count: int, images: int) -> LayoutSets:
    """Returns room for this many layouts over this many cells."""
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
    """Fills in `least`, `past` and `mines` of the first `cells` cells, for a set.

    Args:
        sets: the layouts.
        first: where the set begins in `order`.
        size: the number of its layouts.
        cells: at least 1.
    """
    least, past, mines, block = sets.least, sets.past, sets.mines, sets.mines_of_block
    for cell in range(cells):
        least[cell] = MINED
        past[cell] = 0
        mines[cell] = 0
    # In blocks, so that the inner loop has nothing but bytes, and the compiler vectorises it.
    for begin in range(first, first + size, _BLOCK):
        for cell in range(cells):
            block[cell] = 0
        for i in range(begin, min(begin + _BLOCK, first + size)):
            row = sets.codes[sets.order[i]]
            for cell in range(cells):
                code = row[cell]
                least[cell] = min(least[cell], code)
                past[cell] = max(past[cell], np.uint8(code + _1))
                block[cell] += np.uint8(code == MINED)
        for cell in range(cells):
            mines[cell] += block[cell]


@inlined
def is_dead(sets: LayoutSets, cell: int) -> bool:
    """Says whether a cell tells nothing in the surveyed set: it shows the same wherever it is free, if anywhere."""
    return sets.least[cell] == MINED or sets.least[cell] + 1 == sets.past[cell]


@inlined
def _sort_by_cell(sets: LayoutSets, first: int, size: int, cell: int) -> None:
    """Sorts a set by what a cell shows, mines last; equal layouts stay in their order."""
    codes, order, buckets = sets.codes, sets.order, sets.buckets
    last = np.uint8(len(buckets) - 1)
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


@subroutine
def sort_by_cells(sets: LayoutSets, first: int, size: int, cells: Cells) -> None:
    """Sorts a set so that layouts in which these cells show the same follow each other, mines of the first last."""
    for k in range(len(cells) - 1, -1, -1):
        _sort_by_cell(sets, first, size, cells[k])


@inlined
def _show_the_same(sets: LayoutSets, one: int, other: int, cells: Cells) -> bool:
    k = 0
    while k < len(cells) and sets.codes[one, cells[k]] == sets.codes[other, cells[k]]:
        k += 1
    return k == len(cells)


@inlined
def end_of_part(sets: LayoutSets, begin: int, end: int, cells: Cells) -> int:
    """Returns where the layouts of a sorted set, which ends at `end`, cease to be like the one at `begin`."""
    at = begin + 1
    while at < end and _show_the_same(sets, sets.order[at], sets.order[begin], cells):
        at += 1
    return at


@inlined
def find_key(sets: LayoutSets, first: int, size: int) -> tuple[np.uint64, np.uint64]:
    """Returns two words that depend on a set alone, and are the same for its mirror images where `keys` has them."""
    sums = sets.sums
    for k in range(len(sums)):
        sums[k] = 0
    for i in range(first, first + size):
        row = sets.keys[sets.order[i]]
        for k in range(len(sums)):
            sums[k] += row[k]
    best = 0
    for k in range(2, len(sums), 2):
        if sums[k] < sums[best]:
            best = k
    return sums[best], sums[best + 1]
