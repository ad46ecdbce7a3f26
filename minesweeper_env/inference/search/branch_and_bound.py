"""Internal: branch-and-bound search for the number of equally likely layouts that perfect play wins.

Let V(S) be that number for a set S of layouts that agree in all open cells and have equally many mines. A single
layout is won: V({s}) = 1. Otherwise a click on a cell c loses the layouts with a mine in c, and splits the others by
the count of c. So V(S) is the maximum over c of the sum of V(T) over the parts T of S.

- A cell that is free in all of S costs nothing and is opened first. Flood fills need no code of their own.
- A dead cell has the same count wherever it is free, in S and in all its parts. Perfect play never needs it while a
  living cell is left; without a living cell no click tells the layouts apart, and V(S) = 1.
- Upper bounds of V(S): the size of a clique cover (see `clique_bound`), and the largest number of layouts in which
  one cell is free. The value of a cell is at most the sum of the bounds of its parts. The search skips cells that
  cannot exceed the best value so far, and passes to each part the value that it must exceed to matter.

The search is a loop with an explicit stack (see `stack`) and a transposition table.
"""

from __future__ import annotations

import numpy as np

from minesweeper_env.compiled import inlined, subroutine
from minesweeper_env.inference.search.clique_bound import Conflicts, are_in_conflict, count_cliques
from minesweeper_env.inference.search.layout_sets import (
    MINE_CODE,
    Cells,
    LayoutSets,
    end_of_part,
    find_key,
    sort_by_cells,
)
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
    PART_BOUND,
    PARTS,
    PENDING,
    READ,
    SAFE_CELLS,
    SIZE,
    SOURCE,
    START,
    TOTAL,
    TRIAL,
    WORDS,
    Integers,
    Search,
    close_level,
    look_up,
    matrix_in_use,
    open_level,
)

_MAX_SAFE_CELLS = 8
"""The most safe cells to open at once; the others are safe cells of the parts."""


@inlined
def _list_parts(sets: LayoutSets, conflicts: Conflicts, search: Search, depth: int, cells: Cells) -> None:
    """Lists the parts of a sorted set whose value is not obvious, largest first, with their sizes as bounds."""
    level, parts = search.levels[depth], search.parts
    which = matrix_in_use(search.counters)
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
    """Tightens the bounds of the parts until the trial must fail or all are done; keeps the parts still pending.

    A part that is exact in the transposition table, or has the bound 1, needs no search.
    """
    counters, level, parts = search.counters, search.levels[depth], search.parts
    which = matrix_in_use(counters)
    listed, kept = level[PARTS], level[PARTS]
    while listed < level[END] and level[TOTAL] > level[BEST]:
        begin, extent = parts[listed, START], parts[listed, EXTENT]
        key, check = find_key(sets, begin, extent)
        bound, exact = look_up(search.table, key, check, np.uint64(counters[GENERATION]))
        if bound < 0:
            bound = extent
        # A clique cover costs far more than a look-up, so it is left out where the bound already makes the trial fail.
        if not exact and which != NONE and level[TOTAL] - extent + bound > level[BEST]:
            bound = min(bound, count_cliques(conflicts, which, sets, begin, extent, counters[WORDS]))
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
def _try_next(sets: LayoutSets, conflicts: Conflicts, search: Search, depth: int) -> bool:
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
    sort_by_cells(sets, level[FIRST], level[SIZE], cells)
    _list_parts(sets, conflicts, search, depth, cells)
    _bound_parts(sets, conflicts, search, depth)
    level[TRIAL] = cells[0]
    return True


@inlined
def _end_trial(level: Integers) -> None:
    """Records the result of the trial of a level."""
    if level[TRIAL] >= 0 and level[TOTAL] > level[BEST]:
        level[BEST] = level[TOTAL]
        level[CELL] = level[TRIAL]
    elif level[TRIAL] >= 0:
        level[FAILED] = max(level[FAILED], level[TOTAL])
    level[TRIAL] = DONE if level[TRIAL] >= 0 else level[TRIAL]


@inlined
def _open_part(sets: LayoutSets, conflicts: Conflicts, search: Search, depth: int) -> int:
    """Opens a level for the last pending part of a level; returns the result of `open_level`."""
    level, below = search.levels[depth], search.levels[depth + 1]
    # Parts are listed largest first, so the last one is the smallest. A small part can make the trial fail at little
    # cost.
    part = search.parts[level[END] - 1]
    below[FIRST], below[SIZE], below[BOUND] = part[START], part[EXTENT], part[PART_BOUND]
    # `parts` is a stack: the parts of the new level lie above all pending ones.
    below[SOURCE], below[PARTS] = level[SOURCE], level[END]
    search.keys[depth + 1, 0] = search.part_keys[level[END] - 1, 0]
    search.keys[depth + 1, 1] = search.part_keys[level[END] - 1, 1]
    # With a value of at most this goal, the part would lower TOTAL to BEST or less, and the trial fails.
    return open_level(sets, conflicts, search, depth + 1, level[BEST] - level[TOTAL] + part[PART_BOUND])


@inlined
def _record_part(search: Search, depth: int, value: int) -> None:
    """Replaces the bound of the last pending part by its value, or by an upper bound that makes the trial fail."""
    level = search.levels[depth]
    level[END] -= 1
    level[TOTAL] += value - search.parts[level[END], PART_BOUND]


@inlined
def _return_to_parent(search: Search, depth: int) -> None:
    """Closes a level without further candidates, and passes its value to the level above."""
    level = search.levels[depth]
    # A candidate exceeded the goal, so BEST is the value. Otherwise only the largest failed bound is known; at 1 it is
    # exact, because play always wins some layout.
    exact = level[CELL] != NONE
    value = level[BEST] if exact else min(level[FAILED], level[BOUND])
    close_level(search, depth, value, exact or value == 1)
    search.counters[DEPTH] = depth - 1
    _record_part(search, depth - 1, value)


@inlined
def begin_search(sets: LayoutSets, search: Search, size: int, cells: int, goal: int, generation: int) -> None:
    """Begins a search in the first layouts of `sets`.

    Args:
        sets: layouts with `codes` and `keys`; they are distinct and have equally many mines.
        search: the arrays of the search, large enough for these layouts and cells.
        size: the number of layouts, at least 1.
        cells: the number of cells, at least 1.
        goal: the value to exceed. If the set does not exceed it, the search ends with an upper bound.
        generation: 1 to 2**23 - 1; entries of the table from searches over other layouts must have other generations.
    """
    counters, top = search.counters, search.levels[0]
    counters[NODES], counters[READ], counters[DEPTH], counters[GENERATION] = 0, 0, 0, generation
    counters[COARSE_LEVEL], counters[FINE_LEVEL], counters[WORDS] = NONE, NONE, 0
    for i in range(size):
        sets.order[i] = i
    for cell in range(cells):
        search.living[0, cell] = cell
    # The whole set is the only part of a trial on level 0.
    top[LIVING], top[SOURCE], top[TRIAL], top[BEST], top[TOTAL], top[PARTS], top[END] = cells, 0, 0, goal, size, 0, 1
    search.parts[0, START], search.parts[0, EXTENT], search.parts[0, PART_BOUND] = 0, size, size
    search.part_keys[0, 0], search.part_keys[0, 1] = find_key(sets, 0, size)
    # `search_loaded` reads this entry even if the goal rules out the whole set and level 1 is never opened.
    search.levels[1, CELL] = NONE


@inlined
def _is_under_way(level: Integers) -> bool:
    """Returns whether the trial of a level has pending parts and may still succeed."""
    return level[TRIAL] >= 0 and level[END] > level[PARTS] and level[TOTAL] > level[BEST]


@subroutine
def continue_search(sets: LayoutSets, conflicts: Conflicts, search: Search, max_nodes: int) -> bool:
    """Continues a search until it is over or has examined a number of sets.

    Args:
        sets: the layouts, as `begin_search` left them.
        conflicts: the matrices of conflicts.
        search: the search.
        max_nodes: the total number of sets to examine before the search pauses; it can be continued with a larger one.

    Returns:
        Whether the search is over. Then `levels[0, TOTAL]` is the value if that exceeds the goal, otherwise an upper
        bound; and `levels[1, CELL]` is the cell to click, or NONE if all cells are dead. Before that, `levels[1, CELL]`
        is the best cell so far, or NONE, and `levels[1, BEST]` its value.
    """
    counters = search.counters
    while counters[DEPTH] > 0 or _is_under_way(search.levels[0]):
        depth = counters[DEPTH]
        level = search.levels[depth]
        if _is_under_way(level):
            if counters[NODES] >= max_nodes:
                return False
            value = _open_part(sets, conflicts, search, depth)
            if value == PENDING:
                counters[DEPTH] = depth + 1
            else:
                _record_part(search, depth, value)
        else:
            _end_trial(level)
            if not _try_next(sets, conflicts, search, depth):
                _return_to_parent(search, depth)
    return True
