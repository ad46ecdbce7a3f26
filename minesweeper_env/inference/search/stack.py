"""The levels of the search of `set_search`: its memory, and what becomes of a set when it is first examined."""

from __future__ import annotations

from typing import NamedTuple

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
from minesweeper_env.inference.search.transposition_table import keep

Integers = NDArray[np.int64]

FIRST, SIZE, BOUND, BEST, FAILED, CELL, TRIAL, SAFE, LIVING, SOURCE, PARTS, END, TOTAL, BEGUN = range(14)
"""The columns of `Search.levels`: where the set begins and its size, an upper bound of its value, the value that is to
be exceeded, the largest bound of a candidate that failed to, the cell that did, the cell under trial, the number of
cells that are free in the whole set, the number of cells in `Search.living`, the level whose living cells are all that
can live in the parts, where the open parts begin and end in `Search.parts`, the sum of the bounds of all parts of the
cell under trial, and the number of nodes before this one."""

START, EXTENT, WORTH = range(3)
"""The columns of `Search.parts`: where a part begins, its size, and an upper bound of its value."""

NODES, DEPTH, GENERATION, COARSE_LEVEL, FINE_LEVEL, WORDS = range(6)
"""The entries of `Search.tally`: the sets examined, the level of the search, the generation of the entries
of the table, the levels whose sets the matrices of conflicts are of, and the words of the coarse one."""

NONE, DONE, OPEN = -1, -2, -1


class Search(NamedTuple):
    """The memory of a search in N layouts over C cells with up to D levels.

    Attributes:
        levels: (D, 14) int64, see above; level 0 is above the root, and has all cells.
        living: (D, C) uint32, the candidates of each level, or its safe cells if it has any.
        scores: (D, C) int64, the number of layouts in which a candidate is free, times 256, plus the number of counts
            that it may show; 0 once it has been tried.
        keys: (D, 2) uint64, the keys of the sets.
        parts: (N + D, 3) int64, see above.
        part_keys: (N + D, 2) uint64, the keys of the parts.
        tally: (6,) int64, see above.
        table: (T, 2) uint64, see `transpositions`.
    """

    levels: Integers
    living: Cells
    scores: Integers
    keys: Words
    parts: Integers
    part_keys: Words
    tally: Integers
    table: Words


def make_search(layouts: int, cells: int, table: Words) -> Search:
    """Returns the memory for a search in this many layouts over this many cells."""
    # A level tells apart layouts that the one above does not, by a cell that it has not opened.
    levels = min(layouts, cells) + 2
    return Search(
        np.empty((levels, 14), np.int64),
        np.empty((levels, cells), np.uint32),
        np.empty((levels, cells), np.int64),
        np.empty((levels, 2), np.uint64),
        np.empty((layouts + levels, 3), np.int64),
        np.empty((layouts + levels, 2), np.uint64),
        np.zeros(6, np.int64),
        table,
    )


@inlined
def matrix_in_use(tally: Integers) -> int:
    """Returns which matrix of conflicts has the layouts of the present set, or NONE."""
    if tally[FINE_LEVEL] != NONE:
        return FINE
    return COARSE if tally[COARSE_LEVEL] != NONE else NONE


@inlined
def _matrix_to_make(tally: Integers, conflicts: Conflicts, size: int) -> int:
    if tally[FINE_LEVEL] != NONE:
        return NONE
    if size <= FINE_LAYOUTS and (tally[COARSE_LEVEL] == NONE or tally[WORDS] >= 2 * FINE_WORDS):
        return FINE
    return COARSE if tally[COARSE_LEVEL] == NONE and size <= len(conflicts.coarse) else NONE


@inlined
def _make_matrix(sets: LayoutSets, conflicts: Conflicts, search: Search, depth: int) -> None:
    """Finds the conflicts in the set of a level where it is time to, and lowers its bound to what they allow."""
    tally, level = search.tally, search.levels[depth]
    first, size = level[FIRST], level[SIZE]
    which = _matrix_to_make(tally, conflicts, size)
    if which == NONE:
        return
    if which == COARSE:
        tally[WORDS] = (size + 63) // 64
    tally[FINE_LEVEL if which == FINE else COARSE_LEVEL] = depth
    find_conflicts(conflicts, which, sets, first, size, search.living[depth, : level[LIVING]])
    level[BOUND] = min(level[BOUND], count_cliques(conflicts, which, sets, first, size, tally[WORDS]))


@inlined
def _list_living(sets: LayoutSets, search: Search, depth: int) -> None:
    """Lists the living cells of the surveyed set, or those of them that are safe, if any are."""
    level = search.levels[depth]
    living, scores, source = search.living[depth], search.scores[depth], search.living[level[SOURCE]]
    number, safe, most = 0, 0, 0
    for i in range(search.levels[level[SOURCE], LIVING]):
        cell = source[i]
        if is_dead(sets, cell):
            continue
        free = level[SIZE] - sets.mines[cell]
        if free == level[SIZE]:
            living[safe] = cell
            safe += 1
        elif safe == 0:
            living[number] = cell
            scores[number] = free * 256 + sets.past[cell] - sets.least[cell]
            most = max(most, free)
            number += 1
    level[SAFE] = safe
    level[LIVING] = number
    if safe == 0:
        level[SOURCE] = depth
        level[BOUND] = min(level[BOUND], most)


@inlined
def close(search: Search, depth: int, value: int, exact: bool) -> None:
    """Keeps what has been found out about the set of a level."""
    tally, key = search.tally, search.keys[depth]
    work = tally[NODES] - search.levels[depth, BEGUN]
    keep(search.table, key[0], key[1], np.uint64(tally[GENERATION]), value, exact, work)
    if tally[FINE_LEVEL] == depth:
        tally[FINE_LEVEL] = NONE
    if tally[COARSE_LEVEL] == depth:
        tally[COARSE_LEVEL] = NONE


@inlined
def enter(sets: LayoutSets, conflicts: Conflicts, search: Search, depth: int, goal: int) -> int:
    """Examines the set of a level.

    Returns:
        OPEN, or at once an upper bound of the value that is at most `goal`, or 1, which is the value.
    """
    tally, level = search.tally, search.levels[depth]
    level[BEST], level[FAILED], level[CELL], level[TRIAL] = goal, 1, NONE, NONE
    level[BEGUN] = tally[NODES]
    tally[NODES] += 1
    level[END] = level[PARTS]
    survey(sets, level[FIRST], level[SIZE], search.levels[0, LIVING])
    _list_living(sets, search, depth)
    if level[SAFE] > 0:
        return OPEN
    if level[LIVING] == 0:
        return 1
    if level[BOUND] > goal:
        _make_matrix(sets, conflicts, search, depth)
        if level[BOUND] <= max(goal, 1):
            close(search, depth, level[BOUND], level[BOUND] == 1)
    return level[BOUND] if level[BOUND] <= max(goal, 1) else OPEN
