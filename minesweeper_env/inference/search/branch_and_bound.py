"""The number of layouts of a set that perfect play wins, by exact search; the layouts are equally likely.

Let V(S) be that number for a set S of layouts that are the same in all that has been seen. All of them have equally
many mines, so that S = {s} is won: V(S) = 1. Else a click on a cell c loses where it is a mine, and shows a count
elsewhere, so that V(S) is the largest sum of V(T) over the parts T of S by what c shows.

- A cell that is free in all of S costs nothing: it is opened before any other. Floods over zeros come about by this.
- A cell that shows the same wherever it is free is dead, and stays so in all parts. Whatever is won after clicking it
  is won without, as long as a living cell is left; if none is, no click tells the layouts apart, and V(S) = 1.
- V(S) is at most the number of cliques of `conflicts` that cover S, and the value of c at most the number of layouts
  in which it is free, and at most the sum of such bounds over the parts. The search leaves out what cannot exceed the
  best value so far, and hands down the value that a part must exceed to matter.

The search is a loop with a stack: at level d, a set, the candidate under trial, and its parts that are still open.
"""

from __future__ import annotations

import numpy as np

from minesweeper_env.compiled import inlined, subroutine
from minesweeper_env.inference.search.clique_bound import Conflicts, are_in_conflict, count_cliques
from minesweeper_env.inference.search.layout_sets import MINED, Cells, LayoutSets, end_of_part, find_key, sort_by_cells
from minesweeper_env.inference.search.stack import (
    BEST,
    BOUND,
    CELL,
    COARSE_LEVEL,
    DEPTH,
    DONE,
    END,
    EXTENT,
    FAILED,
    FINE_LEVEL,
    FIRST,
    GENERATION,
    LIVING,
    NODES,
    NONE,
    OPEN,
    PARTS,
    SAFE,
    SIZE,
    SOURCE,
    START,
    TOTAL,
    TRIAL,
    WORDS,
    WORTH,
    Integers,
    Search,
    close,
    enter,
    matrix_in_use,
)
from minesweeper_env.inference.search.transposition_table import look_up

_MAX_SAFE = 8
"""The most safe cells that are opened at once; the others are safe in the parts."""


@inlined
def _list_parts(sets: LayoutSets, conflicts: Conflicts, search: Search, depth: int, cells: Cells) -> None:
    """Lists the parts of a sorted set whose value is not plain, largest first; the bounds are their sizes."""
    level, parts = search.levels[depth], search.parts
    which = matrix_in_use(search.tally)
    at, end = level[FIRST], level[FIRST] + level[SIZE]
    level[END] = level[PARTS]
    level[TOTAL] = 0
    while at < end and sets.codes[sets.order[at], cells[0]] != MINED:
        begin = at
        at = end_of_part(sets, begin, end, cells)
        extent = at - begin
        if extent == 1:
            level[TOTAL] += 1
        elif extent == 2 and which != NONE:
            level[TOTAL] += 1 if are_in_conflict(conflicts, which, sets.order[begin], sets.order[begin + 1]) else 2
        else:
            level[TOTAL] += extent
            i = level[END]
            while i > level[PARTS] and parts[i - 1, EXTENT] < extent:
                parts[i, START], parts[i, EXTENT] = parts[i - 1, START], parts[i - 1, EXTENT]
                i -= 1
            parts[i, START], parts[i, EXTENT] = begin, extent
            level[END] += 1


@inlined
def _bound_parts(sets: LayoutSets, conflicts: Conflicts, search: Search, depth: int) -> None:
    """Looks up the parts or bounds them, until it is clear that the cell under trial fails; leaves the open ones."""
    tally, level, parts = search.tally, search.levels[depth], search.parts
    which = matrix_in_use(tally)
    listed, kept = level[PARTS], level[PARTS]
    while listed < level[END] and level[TOTAL] > level[BEST]:
        begin, extent = parts[listed, START], parts[listed, EXTENT]
        key, check = find_key(sets, begin, extent)
        bound, exact = look_up(search.table, key, check, np.uint64(tally[GENERATION]))
        if bound < 0:
            bound = extent
        if not exact and which != NONE and level[TOTAL] - extent + bound > level[BEST]:
            bound = min(bound, count_cliques(conflicts, which, sets, begin, extent, tally[WORDS]))
        level[TOTAL] += bound - extent
        if not exact and bound > 1:
            parts[kept, START], parts[kept, EXTENT], parts[kept, WORTH] = begin, extent, bound
            search.part_keys[kept, 0], search.part_keys[kept, 1] = key, check
            kept += 1
        listed += 1
    level[END] = kept


@inlined
def _choose(search: Search, depth: int) -> int:
    """Returns the index in `living` of the candidate to try next, or NONE if no other can do better."""
    level, scores = search.levels[depth], search.scores[depth]
    if level[BEST] >= level[BOUND]:
        return NONE
    best, choice = 0, NONE
    for i in range(level[LIVING]):
        if scores[i] > best:
            best, choice = scores[i], i
    free = best >> 8
    if choice != NONE and free <= level[BEST]:
        level[FAILED] = max(level[FAILED], free)
        return NONE
    return choice


@inlined
def _try_next(sets: LayoutSets, conflicts: Conflicts, search: Search, depth: int) -> bool:
    """Splits the set of a level by its safe cells, or by the next candidate; returns whether there was one."""
    level = search.levels[depth]
    if level[SAFE] > 0:
        begin, end = 0, min(level[SAFE], _MAX_SAFE)
        if level[TRIAL] == DONE:
            return False
    else:
        begin = _choose(search, depth)
        end = begin + 1
        if begin == NONE:
            return False
        search.scores[depth, begin] = 0
    cells = search.living[depth, begin:end]
    sort_by_cells(sets, level[FIRST], level[SIZE], cells)
    _list_parts(sets, conflicts, search, depth, cells)
    _bound_parts(sets, conflicts, search, depth)
    level[TRIAL] = cells[0]
    return True


@inlined
def _end_trial(level: Integers) -> None:
    if level[TRIAL] >= 0 and level[TOTAL] > level[BEST]:
        level[BEST] = level[TOTAL]
        level[CELL] = level[TRIAL]
    elif level[TRIAL] >= 0:
        level[FAILED] = max(level[FAILED], level[TOTAL])
    level[TRIAL] = DONE if level[TRIAL] >= 0 else level[TRIAL]


@inlined
def _enter_part(sets: LayoutSets, conflicts: Conflicts, search: Search, depth: int) -> int:
    """Enters the last open part of a level; returns what `enter` does."""
    level, below = search.levels[depth], search.levels[depth + 1]
    part = search.parts[level[END] - 1]
    below[FIRST], below[SIZE], below[BOUND] = part[START], part[EXTENT], part[WORTH]
    below[SOURCE], below[PARTS] = level[SOURCE], level[END]
    search.keys[depth + 1, 0] = search.part_keys[level[END] - 1, 0]
    search.keys[depth + 1, 1] = search.part_keys[level[END] - 1, 1]
    return enter(sets, conflicts, search, depth + 1, level[BEST] - level[TOTAL] + part[WORTH])


@inlined
def _settle_part(search: Search, depth: int, value: int) -> None:
    """Takes down the value of the last open part of a level, or an upper bound by which the trial fails."""
    level = search.levels[depth]
    level[END] -= 1
    level[TOTAL] += value - search.parts[level[END], WORTH]


@inlined
def _leave(search: Search, depth: int) -> None:
    """Leaves a level for which nothing is left to try."""
    level = search.levels[depth]
    exact = level[CELL] != NONE
    value = level[BEST] if exact else min(level[FAILED], level[BOUND])
    close(search, depth, value, exact or value == 1)
    search.tally[DEPTH] = depth - 1
    _settle_part(search, depth - 1, value)


@inlined
def begin_search(sets: LayoutSets, search: Search, size: int, cells: int, goal: int, generation: int) -> None:
    """Begins a search in the first layouts of `sets`.

    Args:
        sets: with `codes` and `keys` filled in. The layouts are distinct and have equally many mines.
        search: room.
        size: the number of layouts, at least 1.
        cells: the number of cells, at least 1.
        goal: the search is for the value of the set if it is larger than this, else for an upper bound.
        generation: 1 to 2**23 - 1. Entries of the table with the same one must be of sets with the same keys.
    """
    tally, top = search.tally, search.levels[0]
    tally[NODES], tally[DEPTH], tally[GENERATION] = 0, 0, generation
    tally[COARSE_LEVEL], tally[FINE_LEVEL], tally[WORDS] = NONE, NONE, 0
    for i in range(size):
        sets.order[i] = i
    for cell in range(cells):
        search.living[0, cell] = cell
    # The whole set is the only part of a trial on level 0.
    top[LIVING], top[SOURCE], top[TRIAL], top[BEST], top[TOTAL], top[PARTS], top[END] = cells, 0, 0, goal, size, 0, 1
    search.parts[0, START], search.parts[0, EXTENT], search.parts[0, WORTH] = 0, size, size
    search.part_keys[0, 0], search.part_keys[0, 1] = find_key(sets, 0, size)
    search.levels[1, CELL] = NONE


@inlined
def _is_under_way(level: Integers) -> bool:
    """Says whether a trial on a level has open parts, and may still succeed."""
    return level[TRIAL] >= 0 and level[END] > level[PARTS] and level[TOTAL] > level[BEST]


@subroutine
def continue_search(sets: LayoutSets, conflicts: Conflicts, search: Search, max_nodes: int) -> bool:
    """Goes on with a search.

    Args:
        sets: as `begin_search` left them.
        conflicts: the same.
        search: the same.
        max_nodes: the most sets to examine in all; then the search pauses, and may be continued later.

    Returns:
        Whether it is over. Then `levels[0, TOTAL]` is the value if that is larger than the goal, and `levels[1, CELL]`
        the cell to click, or NONE if no cell tells anything; else it is an upper bound. Before, `levels[1, CELL]` is
        the best cell so far, or NONE, and `levels[1, BEST]` its value.
    """
    tally = search.tally
    while tally[DEPTH] > 0 or _is_under_way(search.levels[0]):
        depth = tally[DEPTH]
        level = search.levels[depth]
        if _is_under_way(level):
            if tally[NODES] >= max_nodes:
                return False
            value = _enter_part(sets, conflicts, search, depth)
            if value == OPEN:
                tally[DEPTH] = depth + 1
            else:
                _settle_part(search, depth, value)
        else:
            _end_trial(level)
            if not _try_next(sets, conflicts, search, depth):
                _leave(search, depth)
    return True
