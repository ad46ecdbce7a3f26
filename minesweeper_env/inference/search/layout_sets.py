"""Internal: sets of layouts as segments of one list, with their counts, parts and keys.

A set is split by sorting its segment. Its parts are segments of that segment, so a whole tree of sets lives in one
list, and no set is ever copied.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.compiled import inlined, subroutine

Words = NDArray[np.uint64]
Cells = NDArray[np.uint32]

MINE_CODE = np.uint8(255)
"""The entry of a mine in `LayoutSets.codes`."""

_BLOCK = 255
"""Layouts per block of a survey: the most that a byte can count."""

_1 = np.uint8(1)


class LayoutSets(NamedTuple):
    """N layouts over C cells, and scratch arrays to survey and sort sets of them.

    Attributes:
        codes: (N, C) uint8, the count of a cell in a layout, or MINE_CODE.
        keys: (N, 2 * images) uint64, random words of each layout: two for each symmetric image of the board.
        order: (N,) uint32, a permutation of the layouts; sets are its segments.
        sorted: (N,) uint32, scratch of the sort.
        buckets: (B,) int32, scratch of the sort; B is a power of two greater than max_count + 1.
        least: (C,) uint8, the smallest count of a cell in the surveyed set, or MINE_CODE.
        past: (C,) uint8, the largest count of a cell in the surveyed set plus 1, or 0.
        mines: (C,) int32, the number of layouts in the surveyed set with a mine in the cell.
        mines_of_block: (C,) uint8, scratch of the survey.
        sums: (2 * images,) uint64, scratch of `find_key`.
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
    """Computes `least`, `past` and `mines` of the first cells in a set.

    Args:
        sets: the layouts.
        first: the position in `order` where the set begins.
        size: the number of its layouts.
        cells: the number of cells to survey, at least 1.
    """
    least, past, mines, block = sets.least, sets.past, sets.mines, sets.mines_of_block
    for cell in range(cells):
        least[cell] = MINE_CODE
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
                # MINE_CODE exceeds all counts in `least`, and wraps to 0 in `past`, so mines change neither.
                least[cell] = min(least[cell], code)
                past[cell] = max(past[cell], np.uint8(code + _1))
                block[cell] += np.uint8(code == MINE_CODE)
        for cell in range(cells):
            mines[cell] += block[cell]


@inlined
def is_dead(sets: LayoutSets, cell: int) -> bool:
    """Returns whether a cell is dead in the surveyed set: free in no layout, or with the same count in all of them."""
    return sets.least[cell] == MINE_CODE or sets.least[cell] + 1 == sets.past[cell]


@inlined
def _sort_by_cell(sets: LayoutSets, first: int, size: int, cell: int) -> None:
    """Sorts a set by the codes of a cell, mines last; a stable counting sort."""
    codes, order, buckets = sets.codes, sets.order, sets.buckets
    # All bits of MINE_CODE are set, so the mask sends mines to the last bucket.
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
    """Sorts a set: layouts with equal codes in these cells are adjacent, layouts with a mine in the first cell last."""
    # The sort is stable, so the last pass, by the first cell, decides before the others.
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
    """Returns the position after the part that begins at `begin` in a sorted set that ends at `end`."""
    at = begin + 1
    while at < end and _show_the_same(sets, sets.order[at], sets.order[begin], cells):
        at += 1
    return at


@inlined
def find_key(sets: LayoutSets, first: int, size: int) -> tuple[np.uint64, np.uint64]:
    """Returns a key of a set, two words. If `keys` has several images, symmetric sets have the same key."""
    sums = sets.sums
    for k in range(len(sums)):
        sums[k] = 0
    for i in range(first, first + size):
        row = sets.keys[sets.order[i]]
        for k in range(len(sums)):
            sums[k] += row[k]
    # Sums do not depend on the order of the layouts. The image with the least first word stands for all images.
    best = 0
    for k in range(2, len(sums), 2):
        if sums[k] < sums[best]:
            best = k
    return sums[best], sums[best + 1]
