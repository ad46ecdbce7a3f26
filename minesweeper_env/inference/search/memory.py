"""Memory of a search through sets of layouts: the stack of its levels, their pending parts, and its counters."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.compiled import inlined
from minesweeper_env.inference.search.clique_bound import Conflicts, make_conflicts
from minesweeper_env.inference.search.layout_sets import Cells, LayoutSets, Words, make_layout_sets

Integers = NDArray[np.int64]

TABLE_ENTRIES = 1 << 14
"""Entries in the transposition table of a search; 256 KB stay in the processor's cache."""


class Levels(NamedTuple):
    """The stack of the search, int64 arrays for up to D levels. Each level tries the cells to click in a set."""

    first: Integers  # where the set begins in `LayoutSets.order`
    size: Integers  # the number of layouts in the set
    bound: Integers  # an upper bound of the value of the set
    best: Integers  # the value to exceed: the goal of the level, or the value of its best candidate so far
    failed_bound: Integers  # the largest bound of the candidates that did not exceed `best`
    best_cell: Integers  # the candidate with the value `best`, or NONE
    trial: Integers  # the cell under trial; NONE before the first trial, DONE between two trials
    safe_count: Integers  # the number of living cells that are free in the whole set
    living_count: Integers  # the number of candidates in `Search.living`, if no cell is safe
    living_level: Integers  # the level, this or one above, whose `Search.living` has all living cells of the parts
    parts_begin: Integers  # where the pending parts of the trial begin in `Parts`
    parts_end: Integers  # where the pending parts end
    total: Integers  # the sum of the bounds of all parts of the trial; values replace bounds as they are found
    nodes_before: Integers  # `Search.nodes` when the level was opened


class Parts(NamedTuple):
    """The pending parts of all levels, one level after the other: int64 arrays for up to N + D parts."""

    first: Integers  # where the part begins in `LayoutSets.order`
    size: Integers  # the number of its layouts
    bound: Integers  # an upper bound of its value


class Search(NamedTuple):
    """A search in up to N layouts over up to C cells with up to D levels.

    Level 0 lies above the root: it lists all cells, and the whole set is the only part of its trial. Arrays (1,) hold a
    number that the kernels change.
    """

    sets: LayoutSets
    conflicts: Conflicts
    levels: Levels
    parts: Parts
    living: Cells  # (D, C), the candidates of each level; only its safe cells if it has any
    scores: Integers  # (D, C), of a candidate: 256 * (layouts that leave it free) + (range of its counts); 0 once tried
    keys: Words  # (D, 2), the key of the set of each level
    part_keys: Words  # (N + D, 2), the key of each part
    table: Words  # (T, 2), the transposition table; see WAYS
    columns: Cells  # (C,), the column of each cell of the search in the caller's arrays
    slots: NDArray[np.int32]  # (H,), a hash table of layouts; H is a power of two and at least 2 * N
    nodes: Integers  # (1,): the number of sets examined
    codes_read: Integers  # (1,): the number of codes read to examine these sets
    depth: Integers  # (1,): the present level
    generation: Integers  # (1,): the generation of the entries in the transposition table
    coarse_level: Integers  # (1,): the level whose set is in the coarse matrix of conflicts, or NONE
    fine_level: Integers  # (1,): the level whose set is in the fine matrix, or NONE
    coarse_words: Integers  # (1,): the number of words in use in a row of the coarse matrix
    safe_click: Integers  # (1,): a column that is free in all layouts, or NONE
    freest_click: Integers  # (1,): the column that is free in the most layouts, or NONE if all are mines


class SearchMemory(NamedTuple):
    """The arrays of a search as kernels take them: fields of one type and length are rows of one array."""

    arrays: tuple[NDArray[Any], ...]  # all arrays; `search_of` returns them as a `Search`
    sets: LayoutSets
    nodes: Integers
    codes_read: Integers


_SETS = len(LayoutSets._fields)
_CONFLICTS = _SETS + len(Conflicts._fields)


@inlined
def search_of(arrays: tuple[NDArray[Any], ...]) -> Search:
    """Returns the arrays of a `SearchMemory`, and their rows, as a `Search`."""
    levels, parts, living, scores, keys, part_keys, table, columns, slots, nodes, read, numbers = arrays[_CONFLICTS:]
    return Search(
        LayoutSets(*arrays[:_SETS]),
        Conflicts(*arrays[_SETS:_CONFLICTS]),
        Levels(
            levels[0], levels[1], levels[2], levels[3], levels[4], levels[5], levels[6],
            levels[7], levels[8], levels[9], levels[10], levels[11], levels[12], levels[13],
        ),
        Parts(parts[0], parts[1], parts[2]),
        living, scores, keys, part_keys, table, columns, slots, nodes, read,
        numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5], numbers[6],
    )  # fmt: skip


def make_search(
    layouts: int, cells: int, max_count: int = 8, *, images: int = 1, table: Words | None = None
) -> SearchMemory:
    """Returns the arrays of a search in up to `layouts` layouts over `cells` cells with counts up to `max_count`.

    The `images` symmetric images of a set have one key. By default the transposition table is a new one.
    """
    # A level tells apart layouts that the one above does not, by a cell that it has not opened.
    levels = min(layouts, cells) + 2
    sets, (nodes, codes_read) = make_layout_sets(layouts, cells, max_count, images), np.zeros((2, 1), np.int64)
    arrays = (
        *sets,
        *make_conflicts(layouts, max_count),
        np.empty((len(Levels._fields), levels), np.int64),
        np.empty((len(Parts._fields), layouts + levels), np.int64),
        np.empty((levels, cells), np.uint32),
        np.empty((levels, cells), np.int64),
        np.empty((levels, 2), np.uint64),
        np.empty((layouts + levels, 2), np.uint64),
        np.zeros((TABLE_ENTRIES, 2), np.uint64) if table is None else table,
        np.empty(cells, np.uint32),
        np.empty(1 << (2 * layouts - 1).bit_length(), np.int32),
        nodes,
        codes_read,
        np.zeros((7, 1), np.int64),
    )
    return SearchMemory(arrays, sets, nodes, codes_read)
