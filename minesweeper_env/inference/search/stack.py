"""Internal: stack of the branch-and-bound search, and the steps that open and close a level of it."""

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
    count_cliques,
    find_conflicts,
)
from minesweeper_env.inference.search.layout_sets import Cells, LayoutSets, Words, is_dead, survey

Int = int | np.integer[Any]

# The transposition table has a fixed size. A key can lie in any of `WAYS` entries that follow each other.
#
#     word 0 of an entry      second word of the key
#     word 1, bits 0 to 31    upper bound of the value
#             bits 32 to 39   log2 of the work that it took, plus 1
#             bit 40          whether the bound is the value
#             bits 41 to 63   generation, never 0; entries of another generation count as empty

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


class Search(NamedTuple):
    """The arrays of a search in N layouts over C cells with up to D levels.

    Level 0 lies above the root: it lists all cells, and the whole set is the only part of its trial.

    Attributes:
        levels: (D, 14) int64, see the table of columns.
        living: (D, C) uint32, the candidates of each level; only its safe cells if it has any.
        scores: (D, C) int64, of a candidate: 256 * (number of layouts that leave it free) + (range of its counts); 0
            once it has been tried.
        keys: (D, 2) uint64, the keys of the sets.
        parts: (N + D, 3) int64, the pending parts of all levels, one level after the other.
        part_keys: (N + D, 2) uint64, the keys of the parts.
        counters: (7,) int64, see the table of entries.
        table: (T, 2) uint64, see `transposition_table`.
    """

    levels: Integers
    living: Cells
    scores: Integers
    keys: Words
    parts: Integers
    part_keys: Words
    counters: Integers
    table: Words


def make_search(layouts: int, cells: int, table: Words) -> Search:
    """Returns the arrays of a search in this many layouts over this many cells."""
    # A level tells apart layouts that the one above does not, by a cell that it has not opened.
    levels = min(layouts, cells) + 2
    return Search(
        np.empty((levels, 14), np.int64),
        np.empty((levels, cells), np.uint32),
        np.empty((levels, cells), np.int64),
        np.empty((levels, 2), np.uint64),
        np.empty((layouts + levels, 3), np.int64),
        np.empty((layouts + levels, 2), np.uint64),
        np.zeros(7, np.int64),
        table,
    )


@inlined
def matrix_in_use(counters: Integers) -> int:
    """Returns the matrix of conflicts that has the layouts of the present set, COARSE or FINE, or NONE."""
    if counters[FINE_LEVEL] != NONE:
        return FINE
    return COARSE if counters[COARSE_LEVEL] != NONE else NONE


@inlined
def _matrix_to_make(counters: Integers, conflicts: Conflicts, size: int) -> int:
    """Returns the matrix to compute for a set of this size, or NONE."""
    if counters[FINE_LEVEL] != NONE:
        return NONE
    # Below a coarse matrix, a fine one pays only if its rows are much shorter.
    if size <= FINE_LAYOUTS and (counters[COARSE_LEVEL] == NONE or counters[WORDS] >= 2 * FINE_WORDS):
        return FINE
    return COARSE if counters[COARSE_LEVEL] == NONE and size <= len(conflicts.coarse) else NONE


@inlined
def _make_matrix(sets: LayoutSets, conflicts: Conflicts, search: Search, depth: int) -> None:
    """Computes a matrix of conflicts for the set of a level if that pays, and lowers the bound of the level."""
    counters, level = search.counters, search.levels[depth]
    first, size = level[FIRST], level[SIZE]
    which = _matrix_to_make(counters, conflicts, size)
    if which == NONE:
        return
    if which == COARSE:
        counters[WORDS] = (size + 63) // 64
    counters[FINE_LEVEL if which == FINE else COARSE_LEVEL] = depth
    find_conflicts(conflicts, which, sets, first, size, search.living[depth, : level[LIVING]])
    level[BOUND] = min(level[BOUND], count_cliques(conflicts, which, sets, first, size, counters[WORDS]))


@inlined
def _list_living(sets: LayoutSets, search: Search, depth: int) -> None:
    """Lists the living cells of the surveyed set, or only its safe cells if there are any."""
    level = search.levels[depth]
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
def close_level(search: Search, depth: int, value: int, exact: bool) -> None:
    """Stores the bound of a level in the transposition table, and releases the matrices of conflicts of its set."""
    counters, key = search.counters, search.keys[depth]
    work = counters[NODES] - search.levels[depth, BEGUN]
    store(search.table, key[0], key[1], np.uint64(counters[GENERATION]), value, exact, work)
    if counters[FINE_LEVEL] == depth:
        counters[FINE_LEVEL] = NONE
    if counters[COARSE_LEVEL] == depth:
        counters[COARSE_LEVEL] = NONE


@inlined
def open_level(sets: LayoutSets, conflicts: Conflicts, search: Search, depth: int, goal: int) -> int:
    """Examines the set of a level.

    Args:
        sets: the layouts.
        conflicts: the matrices of conflicts.
        search: the search; FIRST, SIZE, BOUND, SOURCE and PARTS of the level are set.
        depth: the level.
        goal: the value that the set must exceed to matter.

    Returns:
        PENDING if the set must be searched. Otherwise an upper bound of its value that is at most `goal`, or the
        value 1.
    """
    counters, level = search.counters, search.levels[depth]
    # Play wins at least one layout of any set, so FAILED begins at 1, and an upper bound of 1 is the value.
    level[BEST], level[FAILED], level[CELL], level[TRIAL] = goal, 1, NONE, NONE
    level[BEGUN] = counters[NODES]
    counters[NODES] += 1
    counters[READ] += level[SIZE] * search.levels[0, LIVING]
    level[END] = level[PARTS]
    survey(sets, level[FIRST], level[SIZE], search.levels[0, LIVING])
    _list_living(sets, search, depth)
    if level[SAFE_CELLS] > 0:
        return PENDING
    if level[LIVING] == 0:
        return 1
    if level[BOUND] > goal:
        _make_matrix(sets, conflicts, search, depth)
        if level[BOUND] <= max(goal, 1):
            close_level(search, depth, level[BOUND], level[BOUND] == 1)
    return level[BOUND] if level[BOUND] <= max(goal, 1) else PENDING
