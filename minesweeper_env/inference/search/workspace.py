"""Internal: memory of a search for the best click, and the preparation of layouts for it.

Preparation drops dead cells, and all but one of the layouts that agree in the other cells: play wins at most one of
these.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.compiled import inlined
from minesweeper_env.inference.search.branch_and_bound import begin_search
from minesweeper_env.inference.search.clique_bound import Conflicts, make_conflicts
from minesweeper_env.inference.search.layout_sets import (
    MINE_CODE,
    Cells,
    LayoutSets,
    Words,
    is_dead,
    make_layout_sets,
    survey,
)
from minesweeper_env.inference.search.stack import GENERATION, NONE, Search, make_search
from minesweeper_env.splitmix import mix

Int = int | np.integer[Any]
Bytes = NDArray[np.uint8]

TABLE_ENTRIES = 1 << 14
"""Entries in the transposition table of a search; 256 KB stay in the processor's cache."""

_GENERATIONS = (1 << 23) - 1
_PRIME = np.uint64(0x100000001B3)


SAFE_CLICK, FREEST_CLICK = range(2)
"""Entries of `Loading.clicks`:

    SAFE_CLICK    a column that is free in all layouts, or NONE
    FREEST_CLICK  the column that is free in the most layouts, or NONE if all are mines"""


class Loading(NamedTuple):
    """Arrays to prepare N layouts over C cells.

    Attributes:
        columns: (C,) uint32, the columns of the living cells.
        slots: (H,) int32, a hash table of layouts; H is a power of two and at least 2 * N.
        clicks: (2,) int64, clicks that need no search; see the table of entries.
    """

    columns: Cells
    slots: NDArray[np.int32]
    clicks: NDArray[np.int64]


class SearchWorkspace(NamedTuple):
    """All arrays of a search in up to N layouts over up to C cells."""

    sets: LayoutSets
    conflicts: Conflicts
    search: Search
    loading: Loading

    def arrays(self) -> tuple[NDArray[Any], ...]:
        """Returns the arrays one by one, as kernels take them; `search_workspace_of` is the inverse."""
        return (*self.sets, *self.conflicts, *self.search, *self.loading)


_SETS = len(LayoutSets._fields)
_CONFLICTS = _SETS + len(Conflicts._fields)
_SEARCH = _CONFLICTS + len(Search._fields)


@inlined
def search_workspace_of(arrays: tuple[NDArray[Any], ...]) -> SearchWorkspace:
    """Returns the workspace with these arrays."""
    return SearchWorkspace(
        LayoutSets(*arrays[:_SETS]),
        Conflicts(*arrays[_SETS:_CONFLICTS]),
        Search(*arrays[_CONFLICTS:_SEARCH]),
        Loading(*arrays[_SEARCH:]),
    )


def make_search_workspace(
    layouts: int, cells: int, max_count: int = 8, *, images: int = 1, table: Words | None = None
) -> SearchWorkspace:
    """Returns a workspace to search in sets of layouts.

    Args:
        layouts: the largest number of layouts.
        cells: the largest number of cells.
        max_count: the largest count that a cell can show.
        images: the number of symmetric images of a set that have one key.
        table: (T, 2) uint64, see `transposition_table`; by default a new one with TABLE_ENTRIES entries.
    """
    table = np.zeros((TABLE_ENTRIES, 2), np.uint64) if table is None else table
    slots = np.empty(1 << (2 * layouts - 1).bit_length(), np.int32)
    return SearchWorkspace(
        make_layout_sets(layouts, cells, max_count, images),
        make_conflicts(layouts, max_count),
        make_search(layouts, cells, table),
        Loading(np.empty(cells, np.uint32), slots, np.empty(2, np.int64)),
    )


@inlined
def _encode(mine: Bytes, count: Bytes, sets: LayoutSets) -> None:
    """Writes the codes of layouts, given their mines and counts."""
    for i in range(mine.shape[0]):
        row = sets.codes[i]
        for cell in range(mine.shape[1]):
            row[cell] = MINE_CODE if mine[i, cell] else count[i, cell]


@inlined
def _find_safe(sets: LayoutSets, cells: int) -> int:
    """Returns a cell that is free in all of the surveyed set, a living one if possible, or NONE."""
    safe = NONE
    for cell in range(cells):
        # A dead cell tells no layouts apart, so a safe living one is the better click.
        if sets.mines[cell] == 0 and (safe == NONE or not is_dead(sets, cell)):
            safe = cell
            if not is_dead(sets, cell):
                break
    return safe


@inlined
def _find_freest(sets: LayoutSets, layouts: Int, cells: int) -> int:
    """Returns the cell that is free in the most layouts of the surveyed set, or NONE if all are mines."""
    freest, least = NONE, layouts
    for cell in range(cells):
        if sets.mines[cell] < least:
            freest, least = cell, np.int64(sets.mines[cell])
    return freest


@inlined
def _leave_out_dead_cells(sets: LayoutSets, layouts: int, cells: int, columns: Cells) -> int:
    """Moves the codes of living cells to the front, and returns the number of living cells."""
    living = 0
    for cell in range(cells):
        if not is_dead(sets, cell):
            columns[living] = cell
            living += 1
    for i in range(layouts):
        row = sets.codes[i]
        for k in range(living):
            # columns[k] >= k, so no code is overwritten before it is read.
            row[k] = row[columns[k]]
    return living


@inlined
def _find_slot(sets: LayoutSets, layout: int, cells: int, slots: NDArray[np.int32]) -> np.int64:
    """Returns the slot of a layout with equal codes in the first `cells` cells, or an empty slot."""
    mask = np.uint64(len(slots) - 1)
    row = sets.codes[layout]
    word = np.uint64(cells)
    for cell in range(cells):
        word = (word ^ np.uint64(row[cell])) * _PRIME
    slot = np.int64(mix(word) & mask)
    # At least half of the slots are empty, so the probing ends.
    while slots[slot] != NONE:
        other = sets.codes[slots[slot]]
        cell = 0
        while cell < cells and row[cell] == other[cell]:
            cell += 1
        if cell == cells:
            break
        slot = (slot + 1) & np.int64(mask)
    return slot


@inlined
def _leave_out_equal_layouts(sets: LayoutSets, layouts: int, cells: int, slots: NDArray[np.int32]) -> int:
    """Keeps one of the layouts with equal codes, with a new key, and returns the number of them."""
    slots[:] = NONE
    distinct = 0
    for i in range(layouts):
        for cell in range(cells):
            # distinct <= i, so no layout is overwritten before it is read.
            sets.codes[distinct, cell] = sets.codes[i, cell]
        slot = _find_slot(sets, distinct, cells, slots)
        if slots[slot] == NONE:
            slots[slot] = distinct
            sets.keys[distinct, 0] = mix(np.uint64(2 * distinct))
            sets.keys[distinct, 1] = mix(np.uint64(2 * distinct + 1))
            distinct += 1
    return distinct


@inlined
def _next_generation(search: Search) -> int:
    """Returns a new generation for the transposition table, which is cleared when the generations start over."""
    # Each loading gives layouts new keys, so entries of an earlier one must not be found.
    generation = search.counters[GENERATION] % _GENERATIONS + 1
    if generation == 1:
        search.table[:] = 0
    return generation


@inlined
def prepare(workspace: SearchWorkspace, layouts: int, cells: int) -> None:
    """Surveys the set of the first layouts over the first cells, and finds the clicks that need no search."""
    sets = workspace.sets
    for i in range(layouts):
        sets.order[i] = i
    survey(sets, 0, layouts, cells)
    workspace.loading.clicks[SAFE_CLICK] = _find_safe(sets, cells)
    workspace.loading.clicks[FREEST_CLICK] = _find_freest(sets, layouts, cells)


@inlined
def load(mine: Bytes, count: Bytes, workspace: SearchWorkspace) -> None:
    """Prepares layouts, and begins the search for the value of their set."""
    sets, _, search, loading = workspace
    layouts, cells = mine.shape
    _encode(mine, count, sets)
    prepare(workspace, layouts, cells)
    living = _leave_out_dead_cells(sets, layouts, cells, loading.columns)
    distinct = _leave_out_equal_layouts(sets, layouts, living, loading.slots)
    begin_search(sets, search, distinct, living, 0, _next_generation(search))
