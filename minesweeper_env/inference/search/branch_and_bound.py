"""Branch-and-bound search for the number of equally likely layouts that perfect play wins.

Let V(S) be that number for a set S of layouts that agree in all open cells and have equally many mines. A single
layout is won: V({s}) = 1. Otherwise a click on a cell c loses the layouts with a mine in c, and splits the others by
the count of c. So V(S) is the maximum over c of the sum of V(T) over the parts T of S.

- A cell that is free in all of S costs nothing and is opened first. Flood fills need no code of their own.
- A dead cell has the same count wherever it is free, in S and in all its parts. Perfect play never needs it while a
  living cell is left; without a living cell no click tells the layouts apart, and V(S) = 1.
- Upper bounds of V(S): the size of a clique cover (see `clique_bound`), and the largest number of layouts in which
  one cell is free. The value of a cell is at most the sum of the bounds of its parts. The search skips cells that
  cannot exceed the best value so far, and passes to each part the value that it must exceed to matter.

The search is a loop with an explicit stack, the levels, and a transposition table.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.compiled import inlined
from minesweeper_env.inference.search.clique_bound import (
    COARSE,
    FINE,
    FINE_LAYOUTS,
    FINE_WORDS,
    Conflicts,
    are_in_conflict,
    count_cliques,
    find_conflicts,
    make_conflicts,
)
from minesweeper_env.inference.search.layout_sets import (
    MINE_CODE,
    Cells,
    LayoutSets,
    Words,
    end_of_part,
    find_key,
    is_dead,
    look_up,
    make_layout_sets,
    sort_by_cells,
    store,
    survey,
)

Integers = NDArray[np.int64]

FIRST, SIZE, BOUND, BEST, FAILED, CELL, TRIAL, SAFE_CELLS, LIVING, SOURCE, PARTS, END, TOTAL, BEGUN = range(14)
"""Columns of `Search.levels`:

    FIRST       position in `LayoutSets.order` where the set of the level begins
    SIZE        number of layouts in the set
    BOUND       upper bound of the value of the set
    BEST        value to exceed: the goal of the level, or the value of its best candidate so far
    FAILED      largest bound of the candidates that did not exceed BEST
    CELL        candidate with the value BEST, or NONE
    TRIAL       cell under trial; NONE before the first trial, DONE between two trials
    SAFE_CELLS  number of cells that are free in the whole set
    LIVING      number of cells in `Search.living`
    SOURCE      level whose living cells include all living cells of the parts
    PARTS       position in `Search.parts` where the pending parts of the trial begin
    END         position in `Search.parts` where they end
    TOTAL       sum of the bounds of all parts of the trial; values replace bounds as they are found
    BEGUN       value of the counter NODES when the level was opened"""

START, EXTENT, PART_BOUND = range(3)
"""Columns of `Search.parts`: position in `LayoutSets.order`, number of layouts, upper bound of the value."""

NODES, DEPTH, GENERATION, COARSE_LEVEL, FINE_LEVEL, WORDS, READ = range(7)
"""Entries of `Search.counters`:

    NODES         number of sets examined
    DEPTH         current level
    GENERATION    generation of the entries in the transposition table
    COARSE_LEVEL  level whose set is in the coarse matrix of conflicts, or NONE
    FINE_LEVEL    level whose set is in the fine matrix, or NONE
    WORDS         words in use in a row of the coarse matrix
    READ          codes read to examine these sets"""

NONE, DONE, PENDING = -1, -2, -1
"""No cell, level or matrix; a trial that has ended; a set whose value is still to be searched for."""

_MAX_SAFE_CELLS = 8
"""The most safe cells to open at once; the others are safe cells of the parts."""

TABLE_ENTRIES = 1 << 14
"""Entries in the transposition table of a search; 256 KB stay in the processor's cache."""


class Search(NamedTuple):
    """The arrays of a search in up to N layouts over up to C cells with up to D levels.

    Level 0 lies above the root: it lists all cells, and the whole set is the only part of its trial.

    Attributes:
        sets: the layouts.
        conflicts: the matrices of conflicts.
        levels: (D, 14) int64, see the table of columns.
        living: (D, C) uint32, the candidates of each level; only its safe cells if it has any.
        scores: (D, C) int64, of a candidate: 256 * (number of layouts that leave it free) + (range of its counts); 0
            once it has been tried.
        keys: (D, 2) uint64, the keys of the sets.
        parts: (N + D, 3) int64, the pending parts of all levels, one level after the other.
        part_keys: (N + D, 2) uint64, the keys of the parts.
        counters: (7,) int64, see the table of entries.
        table: (T, 2) uint64, the transposition table; see WAYS.
        columns: (C,) uint32, the columns of the living cells.
        slots: (H,) int32, a hash table of layouts; H is a power of two and at least 2 * N.
        clicks: (2,) int64, clicks that need no search.
    """

    sets: LayoutSets
    conflicts: Conflicts
    levels: Integers
    living: Cells
    scores: Integers
    keys: Words
    parts: Integers
    part_keys: Words
    counters: Integers
    table: Words
    columns: Cells
    slots: NDArray[np.int32]
    clicks: Integers

    def arrays(self) -> tuple[NDArray[Any], ...]:
        """Returns the arrays one by one, as kernels take them; `search_of` is the inverse."""
        return (*self.sets, *self.conflicts, *self[2:])


_SETS = len(LayoutSets._fields)
_CONFLICTS = _SETS + len(Conflicts._fields)


@inlined
def search_of(arrays: tuple[NDArray[Any], ...]) -> Search:
    """Returns the search with these arrays."""
    return Search(LayoutSets(*arrays[:_SETS]), Conflicts(*arrays[_SETS:_CONFLICTS]), *arrays[_CONFLICTS:])


def make_search(layouts: int, cells: int, max_count: int = 8, *, images: int = 1, table: Words | None = None) -> Search:
    """Returns the arrays of a search in up to `layouts` layouts over `cells` cells with counts up to `max_count`.

    The `images` symmetric images of a set have one key. By default the transposition table is a new one.
    """
    # A level tells apart layouts that the one above does not, by a cell that it has not opened.
    levels = min(layouts, cells) + 2
    return Search(
        make_layout_sets(layouts, cells, max_count, images),
        make_conflicts(layouts, max_count),
        np.empty((levels, 14), np.int64),
        np.empty((levels, cells), np.uint32),
        np.empty((levels, cells), np.int64),
        np.empty((levels, 2), np.uint64),
        np.empty((layouts + levels, 3), np.int64),
        np.empty((layouts + levels, 2), np.uint64),
        np.zeros(7, np.int64),
        np.zeros((TABLE_ENTRIES, 2), np.uint64) if table is None else table,
        np.empty(cells, np.uint32),
        np.empty(1 << (2 * layouts - 1).bit_length(), np.int32),
        np.empty(2, np.int64),
    )


@inlined
def _matrix_in_use(counters: Integers) -> int:
    """Returns the matrix of conflicts that has the layouts of the present set, COARSE or FINE, or NONE."""
    if counters[FINE_LEVEL] != NONE:
        return FINE
    return COARSE if counters[COARSE_LEVEL] != NONE else NONE


@inlined
def _make_matrix(search: Search, depth: int) -> None:
    """Computes a matrix of conflicts for the set of a level if that pays, and lowers the bound of the level."""
    counters, level, sets, conflicts = search.counters, search.levels[depth], search.sets, search.conflicts
    first, size = level[FIRST], level[SIZE]
    no_coarse = counters[COARSE_LEVEL] == NONE
    if counters[FINE_LEVEL] != NONE:
        return
    # Below a coarse matrix, a fine one pays only if its rows are much shorter.
    if size <= FINE_LAYOUTS and (no_coarse or counters[WORDS] >= 2 * FINE_WORDS):
        which = FINE
        counters[FINE_LEVEL] = depth
    elif no_coarse and size <= len(conflicts.coarse):
        which = COARSE
        counters[COARSE_LEVEL] = depth
        counters[WORDS] = (size + 63) // 64
    else:
        return
    find_conflicts(conflicts, which, sets, first, size, search.living[depth, : level[LIVING]])
    level[BOUND] = min(level[BOUND], count_cliques(conflicts, which, sets, first, size, counters[WORDS]))


@inlined
def _list_living(search: Search, depth: int) -> None:
    """Lists the living cells of the surveyed set, or only its safe cells if there are any."""
    sets, level = search.sets, search.levels[depth]
    living, scores, source = search.living[depth], search.scores[depth], search.living[level[SOURCE]]
    number, safe, most = 0, 0, 0
    for i in range(search.levels[level[SOURCE], LIVING]):
        cell = source[i]
        if is_dead(sets, cell):
            continue
        free = level[SIZE] - sets.mines[cell]
        # The first safe cell ends the list of candidates: safe cells overwrite it from the front.
        if free == level[SIZE]:
            living[safe] = cell
            safe += 1
        elif safe == 0:
            living[number] = cell
            # The range of counts is below 256, so it decides only between cells that are free in equally many layouts.
            scores[number] = free * 256 + sets.past[cell] - sets.least[cell]
            most = max(most, free)
            number += 1
    level[SAFE_CELLS] = safe
    level[LIVING] = number
    # With safe cells `living` lacks the other cells, so the parts still take theirs from the level above.
    if safe == 0:
        level[SOURCE] = depth
        level[BOUND] = min(level[BOUND], most)


@inlined
def _close_level(search: Search, depth: int, value: int, exact: bool) -> None:
    """Stores the bound of a level in the transposition table, and releases the matrices of conflicts of its set."""
    counters, key = search.counters, search.keys[depth]
    work = counters[NODES] - search.levels[depth, BEGUN]
    store(search.table, key[0], key[1], np.uint64(counters[GENERATION]), value, exact, work)
    if counters[FINE_LEVEL] == depth:
        counters[FINE_LEVEL] = NONE
    if counters[COARSE_LEVEL] == depth:
        counters[COARSE_LEVEL] = NONE


@inlined
def _open_part(search: Search, depth: int) -> int:
    """Opens a level for the last pending part of a level.

    Returns PENDING if the part must be searched; otherwise its value 1, or an upper bound that makes the trial fail.
    """
    counters, level, below = search.counters, search.levels[depth], search.levels[depth + 1]
    # Parts are listed largest first, so the last one is the smallest. A small part can make the trial fail at little
    # cost.
    part, key = search.parts[level[END] - 1], search.part_keys[level[END] - 1]
    # With a value of at most this goal, the part would lower TOTAL to BEST or less, and the trial fails.
    goal = level[BEST] - level[TOTAL] + part[PART_BOUND]
    below[FIRST], below[SIZE], below[BOUND] = part[START], part[EXTENT], part[PART_BOUND]
    # `parts` is a stack: the parts of the new level lie above all pending ones.
    below[SOURCE], below[PARTS], below[END] = level[SOURCE], level[END], level[END]
    # Play wins at least one layout of any set, so FAILED begins at 1, and an upper bound of 1 is the value.
    below[BEST], below[FAILED], below[CELL], below[TRIAL] = goal, 1, NONE, NONE
    below[BEGUN] = counters[NODES]
    search.keys[depth + 1, 0], search.keys[depth + 1, 1] = key[0], key[1]
    counters[NODES] += 1
    counters[READ] += below[SIZE] * search.levels[0, LIVING]
    survey(search.sets, below[FIRST], below[SIZE], search.levels[0, LIVING])
    _list_living(search, depth + 1)
    if below[SAFE_CELLS] > 0:
        return PENDING
    if below[LIVING] == 0:
        return 1
    if below[BOUND] > goal:
        _make_matrix(search, depth + 1)
        if below[BOUND] <= max(goal, 1):
            _close_level(search, depth + 1, below[BOUND], below[BOUND] == 1)
    return below[BOUND] if below[BOUND] <= max(goal, 1) else PENDING


@inlined
def _list_parts(search: Search, depth: int, cells: Cells) -> None:
    """Lists the parts of a sorted set whose value is not obvious, largest first, with their sizes as bounds."""
    sets, level, parts = search.sets, search.levels[depth], search.parts
    which = _matrix_in_use(search.counters)
    at, end = level[FIRST], level[FIRST] + level[SIZE]
    level[END] = level[PARTS]
    level[TOTAL] = 0
    # The click loses the layouts with a mine in the first cell; they are sorted last. Further cells are safe in all
    # layouts.
    while at < end and sets.codes[sets.order[at], cells[0]] != MINE_CODE:
        begin = at
        at = end_of_part(sets, begin, end, cells)
        extent = at - begin
        if extent == 1:
            level[TOTAL] += 1
        elif extent == 2 and which != NONE:
            # Without a conflict some click tells the two layouts apart and wins both, so the value is exact.
            one, other = sets.order[begin], sets.order[begin + 1]
            level[TOTAL] += 1 if are_in_conflict(search.conflicts, which, one, other) else 2
        else:
            level[TOTAL] += extent
            i = level[END]
            while i > level[PARTS] and parts[i - 1, EXTENT] < extent:
                parts[i, START], parts[i, EXTENT] = parts[i - 1, START], parts[i - 1, EXTENT]
                i -= 1
            parts[i, START], parts[i, EXTENT] = begin, extent
            level[END] += 1


@inlined
def _bound_parts(search: Search, depth: int) -> None:
    """Tightens the bounds of the parts until the trial must fail or all are done; keeps the parts still pending.

    A part that is exact in the transposition table, or has the bound 1, needs no search.
    """
    sets, counters, level, parts = search.sets, search.counters, search.levels[depth], search.parts
    which = _matrix_in_use(counters)
    listed, kept = level[PARTS], level[PARTS]
    while listed < level[END] and level[TOTAL] > level[BEST]:
        begin, extent = parts[listed, START], parts[listed, EXTENT]
        key, check = find_key(sets, begin, extent)
        bound, exact = look_up(search.table, key, check, np.uint64(counters[GENERATION]))
        if bound < 0:
            bound = extent
        # A clique cover costs far more than a look-up, so it is left out where the bound already makes the trial fail.
        if not exact and which != NONE and level[TOTAL] - extent + bound > level[BEST]:
            bound = min(bound, count_cliques(search.conflicts, which, sets, begin, extent, counters[WORDS]))
        level[TOTAL] += bound - extent
        if not exact and bound > 1:
            parts[kept, START], parts[kept, EXTENT], parts[kept, PART_BOUND] = begin, extent, bound
            search.part_keys[kept, 0], search.part_keys[kept, 1] = key, check
            kept += 1
        listed += 1
    # An early end leaves parts out of the list. That is safe: TOTAL no longer exceeds BEST, so none of them is opened.
    level[END] = kept


@inlined
def _choose(search: Search, depth: int) -> int:
    """Returns the index in `living` of the candidate to try next, or NONE if no other can be better."""
    level, scores = search.levels[depth], search.scores[depth]
    if level[BEST] >= level[BOUND]:
        return NONE
    best, choice = 0, NONE
    for i in range(level[LIVING]):
        if scores[i] > best:
            best, choice = scores[i], i
    # A candidate wins at most the layouts in which it is free. The score sorts by this number, so no later one is
    # better.
    free = best >> 8
    if choice != NONE and free <= level[BEST]:
        level[FAILED] = max(level[FAILED], free)
        return NONE
    return choice


@inlined
def _try_next(search: Search, depth: int) -> bool:
    """Splits the set of a level by its safe cells, or by the next candidate; returns False if none is left."""
    level = search.levels[depth]
    if level[SAFE_CELLS] > 0:
        begin, end = 0, min(level[SAFE_CELLS], _MAX_SAFE_CELLS)
        if level[TRIAL] == DONE:
            return False
    else:
        begin = _choose(search, depth)
        end = begin + 1
        if begin == NONE:
            return False
        search.scores[depth, begin] = 0
    cells = search.living[depth, begin:end]
    sort_by_cells(search.sets, level[FIRST], level[SIZE], cells)
    _list_parts(search, depth, cells)
    _bound_parts(search, depth)
    level[TRIAL] = cells[0]
    return True


@inlined
def _end_trial(level: Integers) -> None:
    """Records the result of the trial of a level."""
    if level[TRIAL] >= 0:
        if level[TOTAL] > level[BEST]:
            level[BEST], level[CELL] = level[TOTAL], level[TRIAL]
        else:
            level[FAILED] = max(level[FAILED], level[TOTAL])
        level[TRIAL] = DONE


@inlined
def _record_part(search: Search, depth: int, value: int) -> None:
    """Replaces the bound of the last pending part by its value, or by an upper bound that makes the trial fail."""
    level = search.levels[depth]
    level[END] -= 1
    level[TOTAL] += value - search.parts[level[END], PART_BOUND]


@inlined
def begin_search(search: Search, size: int, cells: int, goal: int, generation: int) -> None:
    """Begins a search in the first layouts of the sets, which are distinct and have `codes` and `keys`.

    If their value does not exceed the goal, the search ends with an upper bound. Entries of the table from searches
    over other layouts must have another generation.
    """
    counters, top = search.counters, search.levels[0]
    counters[NODES], counters[READ], counters[DEPTH], counters[GENERATION] = 0, 0, 0, generation
    counters[COARSE_LEVEL], counters[FINE_LEVEL], counters[WORDS] = NONE, NONE, 0
    for i in range(size):
        search.sets.order[i] = i
    for cell in range(cells):
        search.living[0, cell] = cell
    # The whole set is the only part of a trial on level 0.
    top[LIVING], top[SOURCE], top[TRIAL], top[BEST], top[TOTAL], top[PARTS], top[END] = cells, 0, 0, goal, size, 0, 1
    search.parts[0, START], search.parts[0, EXTENT], search.parts[0, PART_BOUND] = 0, size, size
    search.part_keys[0, 0], search.part_keys[0, 1] = find_key(search.sets, 0, size)
    # `search_loaded` reads this entry even if the goal rules out the whole set and level 1 is never opened.
    search.levels[1, CELL] = NONE


@inlined
def _is_under_way(level: Integers) -> bool:
    """Returns whether the trial of a level has pending parts and may still succeed."""
    return level[TRIAL] >= 0 and level[END] > level[PARTS] and level[TOTAL] > level[BEST]


@inlined
def continue_search(search: Search, max_nodes: int) -> bool:
    """Continues a search until it is over or has examined `max_nodes` sets in all; returns whether it is over.

    Then `levels[0, TOTAL]` is the value if that exceeds the goal, otherwise an upper bound; and `levels[1, CELL]` is
    the cell to click, or NONE if all cells are dead. Before that, `levels[1, CELL]` is the best cell so far, or NONE,
    and `levels[1, BEST]` its value.
    """
    counters = search.counters
    while counters[DEPTH] > 0 or _is_under_way(search.levels[0]):
        depth = counters[DEPTH]
        level = search.levels[depth]
        if _is_under_way(level):
            if counters[NODES] >= max_nodes:
                return False
            value = _open_part(search, depth)
            if value == PENDING:
                counters[DEPTH] = depth + 1
            else:
                _record_part(search, depth, value)
            continue
        _end_trial(level)
        if not _try_next(search, depth):
            # A candidate exceeded the goal, so BEST is the value. Otherwise only the largest failed bound is known; at
            # 1 it is exact, because play always wins some layout.
            exact = level[CELL] != NONE
            value = level[BEST] if exact else min(level[FAILED], level[BOUND])
            _close_level(search, depth, value, exact or value == 1)
            counters[DEPTH] = depth - 1
            _record_part(search, depth - 1, value)
    return True
