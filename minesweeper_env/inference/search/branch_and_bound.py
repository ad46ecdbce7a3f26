"""Branch-and-bound search for the number of equally likely layouts that perfect play wins.

    V({s})  =  1
    V(S)    =  max over cells c of  sum of V(T) over the parts T into which the count of c splits S

V(S) is that number for a set S of layouts that agree in all open cells and have equally many mines. A click on c loses
the layouts with a mine in c; they are in no part.

- A cell that is free in all of S costs nothing and is opened first. Flood fills need no code of their own.
- A dead cell has the same count wherever it is free, in S and in all its parts. Perfect play never needs it while a
  living cell is left; without a living cell no click tells the layouts apart, and V(S) = 1.
- Upper bounds of V(S): the size of a clique cover (see `clique_bound`), and the largest number of layouts in which
  one cell is free. The value of a cell is at most the sum of the bounds of its parts. The search skips cells that
  cannot exceed the best value so far, and passes to each part the value that it must exceed to matter.

The search is a loop with an explicit stack, the levels, and a transposition table.
"""

import numpy as np

from minesweeper_env.compiled import inlined
from minesweeper_env.inference.search import clique_bound, layout_sets
from minesweeper_env.inference.search.layout_sets import Cells
from minesweeper_env.inference.search.memory import Levels, Search

NONE, DONE, PENDING = -1, -2, -1
"""No cell, level or matrix; in `Levels.trial`, an ended trial; from `_open_part`, a part that must be searched."""

_MAX_SAFE_CELLS = 8
"""The most safe cells to open at once; the others are safe in the parts too, and are opened there."""


@inlined
def _matrix_in_use(search: Search) -> int:
    """Returns which matrix of conflicts has the layouts of the present set: COARSE, FINE or NONE."""
    if search.fine_level[0] != NONE:
        return clique_bound.FINE
    return clique_bound.COARSE if search.coarse_level[0] != NONE else NONE


@inlined
def _make_matrix(search: Search, depth: int) -> None:
    """Computes a matrix of conflicts for the set of a level if that pays, and lowers the bound by a clique cover."""
    levels, sets, conflicts = search.levels, search.sets, search.conflicts
    # A fine matrix has the conflicts of all layouts of the set already.
    if search.fine_level[0] != NONE:
        return
    first, size = levels.first[depth], levels.size[depth]
    no_coarse = search.coarse_level[0] == NONE
    # Below a coarse matrix, a fine one pays only if its rows are much shorter.
    if size <= clique_bound.FINE_LAYOUTS and (no_coarse or search.coarse_words[0] >= 2 * clique_bound.FINE_WORDS):
        matrix = clique_bound.FINE
        search.fine_level[0] = depth
    elif no_coarse and size <= len(conflicts.coarse):
        matrix = clique_bound.COARSE
        search.coarse_level[0] = depth
        search.coarse_words[0] = (size + 63) // 64
    else:
        return
    living = search.living[depth, : levels.living_count[depth]]
    clique_bound.find_conflicts(conflicts, matrix, sets, first, size, living)
    cliques = clique_bound.count_cliques(conflicts, matrix, sets, first, size, search.coarse_words[0])
    levels.bound[depth] = min(levels.bound[depth], cliques)


@inlined
def _list_living(search: Search, depth: int) -> None:
    """Fills `living` and `scores` of a level with the living cells of the surveyed set, or only with its safe cells."""
    sets, levels = search.sets, search.levels
    source_level = levels.living_level[depth]
    living, scores, source = search.living[depth], search.scores[depth], search.living[source_level]
    num_living, num_safe, max_free = 0, 0, 0
    for i in range(levels.living_count[source_level]):
        cell = source[i]
        if layout_sets.is_dead(sets, cell):
            continue
        free = levels.size[depth] - sets.mines[cell]
        # From the first safe cell on, safe cells overwrite the list of candidates from the front.
        if free == levels.size[depth]:
            living[num_safe] = cell
            num_safe += 1
        elif num_safe == 0:
            living[num_living] = cell
            # The range of counts is below 256, so it only breaks ties between cells free in equally many layouts.
            scores[num_living] = free * 256 + sets.past_max[cell] - sets.min_count[cell]
            max_free = max(max_free, free)
            num_living += 1
    levels.safe_count[depth] = num_safe
    levels.living_count[depth] = num_living
    # With safe cells `living` lacks the other cells, so the parts take theirs from a level above.
    if num_safe == 0:
        levels.living_level[depth] = depth
        levels.bound[depth] = min(levels.bound[depth], max_free)


@inlined
def _close_level(search: Search, depth: int, bound: int, exact: bool) -> None:
    """Stores the bound of a level in the transposition table, and releases the matrices of conflicts of its set."""
    key = search.keys[depth]
    work = search.nodes[0] - search.levels.nodes_before[depth]
    layout_sets.store(search.table, key[0], key[1], np.uint64(search.generation[0]), bound, exact, work)
    if search.fine_level[0] == depth:
        search.fine_level[0] = NONE
    if search.coarse_level[0] == depth:
        search.coarse_level[0] = NONE


@inlined
def _open_part(search: Search, depth: int) -> int:
    """Opens the next level for the last pending part of a level.

    Returns PENDING if the part must be searched; otherwise its value 1, or an upper bound that makes the trial fail.
    """
    levels, parts, below = search.levels, search.parts, depth + 1
    # The last part is the smallest, as parts are listed largest first; it can make the trial fail at little cost.
    part = levels.parts_end[depth] - 1
    # With a value of at most this goal, the part would lower `total` to `best` or less, and the trial fails. Example:
    # `best` is 5, `total` 7, and the bound of the part 3. With a value of 1 the trial wins 5, which is no better.
    goal = levels.best[depth] - levels.total[depth] + parts.bound[part]
    levels.first[below], levels.size[below] = parts.first[part], parts.size[part]
    levels.bound[below], levels.living_level[below] = parts.bound[part], levels.living_level[depth]
    # `parts` is a stack: the parts of the new level lie above all pending ones.
    levels.parts_begin[below], levels.parts_end[below] = levels.parts_end[depth], levels.parts_end[depth]
    # Play wins at least one layout of any set, so `failed_bound` begins at 1, and an upper bound of 1 is the value.
    levels.best[below], levels.failed_bound[below] = goal, 1
    levels.best_cell[below], levels.trial[below] = NONE, NONE
    levels.nodes_before[below] = search.nodes[0]
    search.keys[below, 0], search.keys[below, 1] = search.part_keys[part, 0], search.part_keys[part, 1]
    search.nodes[0] += 1
    search.codes_read[0] += levels.size[below] * levels.living_count[0]
    layout_sets.survey(search.sets, levels.first[below], levels.size[below], levels.living_count[0])
    _list_living(search, below)
    if levels.safe_count[below] > 0:
        return PENDING
    if levels.living_count[below] == 0:
        return 1
    if levels.bound[below] > goal:
        _make_matrix(search, below)
        if levels.bound[below] <= max(goal, 1):
            _close_level(search, below, levels.bound[below], levels.bound[below] == 1)
    return levels.bound[below] if levels.bound[below] <= max(goal, 1) else PENDING


@inlined
def _list_parts(search: Search, depth: int, cells: Cells) -> None:
    """Lists the parts of a sorted set whose value is unknown, largest first; `total` takes their sizes as bounds."""
    sets, levels, parts = search.sets, search.levels, search.parts
    matrix = _matrix_in_use(search)
    position, end = levels.first[depth], levels.first[depth] + levels.size[depth]
    levels.parts_end[depth] = levels.parts_begin[depth]
    levels.total[depth] = 0
    # Layouts with a mine in the first cell, which the click loses, are sorted last. Further cells are safe in the set.
    while position < end and sets.codes[sets.order[position], cells[0]] != layout_sets.MINE_CODE:
        begin = position
        position = layout_sets.end_of_part(sets, begin, end, cells)
        size = position - begin
        if size == 1:
            levels.total[depth] += 1
        elif size == 2 and matrix != NONE:
            # Without a conflict some click tells the two layouts apart and wins both, so the value is exact.
            first, second = sets.order[begin], sets.order[begin + 1]
            levels.total[depth] += 1 if clique_bound.are_in_conflict(search.conflicts, matrix, first, second) else 2
        else:
            levels.total[depth] += size
            i = levels.parts_end[depth]
            while i > levels.parts_begin[depth] and parts.size[i - 1] < size:
                parts.first[i], parts.size[i] = parts.first[i - 1], parts.size[i - 1]
                i -= 1
            parts.first[i], parts.size[i] = begin, size
            levels.parts_end[depth] += 1


@inlined
def _bound_parts(search: Search, depth: int) -> None:
    """Tightens the bounds of the listed parts, until the trial must fail; keeps the parts that must be searched.

    A part needs no search if its value is in the transposition table, or its bound is 1.
    """
    sets, levels, parts = search.sets, search.levels, search.parts
    matrix = _matrix_in_use(search)
    part, kept = levels.parts_begin[depth], levels.parts_begin[depth]
    while part < levels.parts_end[depth] and levels.total[depth] > levels.best[depth]:
        begin, size = parts.first[part], parts.size[part]
        key, check = layout_sets.find_key(sets, begin, size)
        bound, exact = layout_sets.look_up(search.table, key, check, np.uint64(search.generation[0]))
        if bound < 0:
            bound = size
        # A clique cover costs far more than a look-up, so it is left out where the bound already makes the trial fail.
        if not exact and matrix != NONE and levels.total[depth] - size + bound > levels.best[depth]:
            cliques = clique_bound.count_cliques(search.conflicts, matrix, sets, begin, size, search.coarse_words[0])
            bound = min(bound, cliques)
        levels.total[depth] += bound - size
        if not exact and bound > 1:
            parts.first[kept], parts.size[kept], parts.bound[kept] = begin, size, bound
            search.part_keys[kept, 0], search.part_keys[kept, 1] = key, check
            kept += 1
        part += 1
    # An early end leaves parts out of the list. That is safe: `total` no longer exceeds `best`, so none is opened.
    levels.parts_end[depth] = kept


@inlined
def _choose_candidate(search: Search, depth: int) -> int:
    """Returns the index in `living` of the candidate to try next, or NONE if no other can exceed `best`."""
    levels, scores = search.levels, search.scores[depth]
    if levels.best[depth] >= levels.bound[depth]:
        return NONE
    best_score, chosen = 0, NONE
    for i in range(levels.living_count[depth]):
        if scores[i] > best_score:
            best_score, chosen = scores[i], i
    # A candidate wins at most the layouts in which it is free. The score sorts by their number first, so no other
    # candidate is free in more.
    free = best_score >> 8
    if chosen != NONE and free <= levels.best[depth]:
        levels.failed_bound[depth] = max(levels.failed_bound[depth], free)
        return NONE
    return chosen


@inlined
def _try_next(search: Search, depth: int) -> bool:
    """Begins a trial: splits a set by its safe cells, or by the next candidate; returns False if none is left."""
    levels = search.levels
    if levels.safe_count[depth] > 0:
        # One trial opens the safe cells together, and there is no second one.
        if levels.trial[depth] == DONE:
            return False
        begin, end = 0, min(levels.safe_count[depth], _MAX_SAFE_CELLS)
    else:
        begin = _choose_candidate(search, depth)
        end = begin + 1
        if begin == NONE:
            return False
        search.scores[depth, begin] = 0
    cells = search.living[depth, begin:end]
    layout_sets.sort_by_cells(search.sets, levels.first[depth], levels.size[depth], cells)
    _list_parts(search, depth, cells)
    _bound_parts(search, depth)
    levels.trial[depth] = cells[0]
    return True


@inlined
def _end_trial(levels: Levels, depth: int) -> None:
    """Records the result of the trial of a level."""
    if levels.trial[depth] >= 0:
        if levels.total[depth] > levels.best[depth]:
            levels.best[depth], levels.best_cell[depth] = levels.total[depth], levels.trial[depth]
        else:
            levels.failed_bound[depth] = max(levels.failed_bound[depth], levels.total[depth])
        levels.trial[depth] = DONE


@inlined
def _record_part(search: Search, depth: int, value: int) -> None:
    """Replaces the bound of the last pending part by its value, or by an upper bound that makes the trial fail."""
    levels = search.levels
    levels.parts_end[depth] -= 1
    levels.total[depth] += value - search.parts.bound[levels.parts_end[depth]]


@inlined
def begin_search(search: Search, size: int, cells: int, goal: int, generation: int) -> None:
    """Begins a search over the first `size` layouts in `search.sets`, distinct, with codes of the first `cells` cells.

    If their value does not exceed the goal, the search ends with an upper bound. Entries of the table from searches
    over other layouts must have another generation.
    """
    levels, parts = search.levels, search.parts
    search.nodes[0], search.codes_read[0], search.depth[0], search.generation[0] = 0, 0, 0, generation
    search.coarse_level[0], search.fine_level[0], search.coarse_words[0] = NONE, NONE, 0
    for i in range(size):
        search.sets.order[i] = i
    for cell in range(cells):
        search.living[0, cell] = cell
    # The whole set is the only part of a trial on level 0.
    levels.living_count[0], levels.living_level[0], levels.trial[0] = cells, 0, 0
    levels.best[0], levels.total[0], levels.parts_begin[0], levels.parts_end[0] = goal, size, 0, 1
    parts.first[0], parts.size[0], parts.bound[0] = 0, size, size
    search.part_keys[0, 0], search.part_keys[0, 1] = layout_sets.find_key(search.sets, 0, size)
    # `search_loaded` reads this entry even if the goal rules out the whole set and level 1 is never opened.
    levels.best_cell[1] = NONE


@inlined
def _is_under_way(levels: Levels, depth: int) -> bool:
    """Returns whether the trial of a level has pending parts, and may still exceed the best value of the level."""
    pending = levels.trial[depth] >= 0 and levels.parts_end[depth] > levels.parts_begin[depth]
    return pending and levels.total[depth] > levels.best[depth]


@inlined
def continue_search(search: Search, max_nodes: int) -> bool:
    """Continues a search until it is over or has examined `max_nodes` sets in all; returns whether it is over.

    After the end, `levels.total[0]` is the value if that exceeds the goal, otherwise an upper bound. The cell to click
    is `levels.best_cell[1]`, or NONE if all cells are dead. Before the end, `levels.best_cell[1]` is the best cell so
    far, or NONE, and `levels.best[1]` is its value.
    """
    levels = search.levels
    while search.depth[0] > 0 or _is_under_way(levels, 0):
        depth = search.depth[0]
        if _is_under_way(levels, depth):
            if search.nodes[0] >= max_nodes:
                return False
            value = _open_part(search, depth)
            if value == PENDING:
                search.depth[0] = depth + 1
            else:
                _record_part(search, depth, value)
            continue
        _end_trial(levels, depth)
        if not _try_next(search, depth):
            # A candidate exceeded the goal, so `best` is the value. Otherwise only the largest failed bound is known;
            # at 1 it is exact, because play always wins some layout.
            exact = levels.best_cell[depth] != NONE
            value = levels.best[depth] if exact else min(levels.failed_bound[depth], levels.bound[depth])
            _close_level(search, depth, value, exact or value == 1)
            search.depth[0] = depth - 1
            _record_part(search, depth - 1, value)
    return True
