"""The best click in a set of equally likely layouts, by exact search, for the end of a game.

    best click  =  argmax over cells c of  sum of V(T) over the parts T into which c splits the set

V is the value of `branch_and_bound`. Before the search, cells that tell no layouts apart are left out, and then all
but one of the layouts that agree in the other cells. Internal: `minesweeper_env.inference.kernels` exports
`EndgameSearcher`.
"""

from functools import lru_cache, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.compiled import inlined, kernel
from minesweeper_env.inference.search.branch_and_bound import NONE, begin_search, continue_search
from minesweeper_env.inference.search.layout_sets import MINE_CODE, LayoutSets, is_dead, survey
from minesweeper_env.inference.search.memory import Search, make_search, search_of
from minesweeper_env.splitmix import mix
from minesweeper_env.threads import ObjectPool

Bytes = NDArray[np.uint8]

MAX_NODES = 1_000_000
"""Default number of sets that a search examines before it gives up: a few seconds."""

MAX_READ = 1 << 34
"""The number of codes that a search reads before it gives up, whatever `max_nodes` is: some 10 seconds."""

_SLICE = 1 << 28
"""The most codes to read in a call of a kernel: Python hears an interrupt only between two calls."""

# The generation has 23 bits in the transposition table; see `layout_sets.WAYS`. The prime is that of the FNV hash.
_GENERATIONS = (1 << 23) - 1
_PRIME = np.uint64(0x100000001B3)


@inlined
def find_clicks(search: Search, layouts: int, cells: int) -> None:
    """Surveys the first `layouts` layouts over the first `cells` cells, and sets `safe_click` and `freest_click`."""
    sets = search.sets
    for i in range(layouts):
        sets.order[i] = i
    survey(sets, 0, layouts, cells)
    safe_click, freest_click, min_mines = NONE, NONE, layouts
    for cell in range(cells):
        # A dead cell tells no layouts apart, so a safe cell that is not dead is the better click.
        if sets.mines[cell] == 0 and (safe_click == NONE or (is_dead(sets, safe_click) and not is_dead(sets, cell))):
            safe_click = cell
        if sets.mines[cell] < min_mines:
            freest_click, min_mines = cell, int(np.int64(sets.mines[cell]))
    search.safe_click[0], search.freest_click[0] = safe_click, freest_click


@inlined
def _leave_out_dead_cells(search: Search, layouts: int, cells: int) -> int:
    """Moves the codes of living cells to the front, and returns the number of living cells."""
    sets, columns = search.sets, search.columns
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
    """Returns the slot of a stored layout whose first `cells` codes equal those of `layout`, or else an empty slot."""
    mask = np.uint64(len(slots) - 1)
    row = sets.codes[layout]
    hashed = np.uint64(cells)
    for cell in range(cells):
        hashed = (hashed ^ np.uint64(row[cell])) * _PRIME
    slot = np.int64(mix(hashed) & mask)
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
    """Keeps one of each class of layouts with equal codes, gives it new keys, and returns the number of classes."""
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


@kernel
def load_layouts(mine: Bytes, count: Bytes, *arrays: Any) -> None:
    """Begins the search for the click that wins the most layouts.

    Dead cells are left out, and so are all but one of the layouts that agree in the living cells: play wins at most one
    of these. `mine` and `count` are as for `solve_endgame`, and fit into the arrays of the search.
    """
    search = search_of(arrays)
    sets, (layouts, cells) = search.sets, mine.shape
    for i in range(layouts):
        for cell in range(cells):
            sets.codes[i, cell] = MINE_CODE if mine[i, cell] else count[i, cell]
    # Clicks are columns of all cells, so they are found before dead cells are left out.
    find_clicks(search, layouts, cells)
    living = _leave_out_dead_cells(search, layouts, cells)
    distinct = _leave_out_equal_layouts(sets, layouts, living, search.slots)
    # Keys number the layouts of this call, so entries from other calls must not be found.
    generation = search.generation[0] % _GENERATIONS + 1
    if generation == 1:
        search.table[:] = 0
    begin_search(search, distinct, living, 0, generation)


@kernel
def search_loaded(max_nodes: int, *arrays: Any) -> tuple[int, int, bool]:
    """Continues the search that `load_layouts` began; a later call may have a larger `max_nodes`.

    Returns the column of the cell to click, or NONE if all cells are mines; the number of layouts that this click wins;
    and whether that is the maximum. If not, the search can go on, and the number is a lower bound for this click.
    """
    search = search_of(arrays)
    over = continue_search(search, max_nodes)
    # A safe click comes first: it loses nothing, and the search may have left it out as dead. The search numbers living
    # cells only, and `columns` has their columns.
    best_cell, click = search.levels.best_cell[1], search.safe_click[0]
    if click == NONE:
        click = search.freest_click[0] if best_cell == NONE else np.int64(search.columns[best_cell])
    if over:
        return click, search.levels.total[0], True
    # Any play wins at least one layout.
    wins = 1 if best_cell == NONE else max(1, search.levels.best[1])
    return click, wins, False


class Endgame(NamedTuple):
    """The best click in a set of layouts."""

    cell: int  # the column of the cell to click
    wins: int  # the number of layouts that are won by this click and the best play after it
    exact: bool  # whether no play wins more; False if the search gave up, and `cell` is the best click that it found
    nodes: int  # the number of sets of layouts that were examined


class EndgameSearcher:
    """Searches for the best click in sets of layouts up to a size; threads may share a searcher."""

    def __init__(self, layouts: int, cells: int, max_count: int) -> None:
        """Prepares for sets of up to `layouts` layouts over `cells` cells, whose counts are at most `max_count`."""
        self._pool = ObjectPool(partial(make_search, layouts, cells, max_count))

    def search(self, mines: Bytes, counts: Bytes, max_nodes: int) -> Endgame:
        """Returns the best click; the arguments are those of `solve_endgame`."""
        with self._pool.lend() as search:
            arrays = search.arrays
            load_layouts(mines, counts, *arrays)
            nodes, exact = 0, False
            while not exact and nodes < max_nodes and search.codes_read[0] <= MAX_READ:
                nodes = min(nodes + max(1, _SLICE // mines.size), max_nodes)  # one set has up to `mines.size` codes
                cell, wins, exact = search_loaded(nodes, *arrays)
            return Endgame(int(cell), int(wins), bool(exact), int(search.nodes[0]))


_searcher = lru_cache(maxsize=4)(EndgameSearcher)


def solve_endgame(mines: Bytes, counts: Bytes, *, max_nodes: int = MAX_NODES) -> Endgame:
    """Returns the click that wins the most of n equally likely layouts, by exact search among up to `max_nodes` sets.

    `mines` and `counts` are (n, k) uint8 as in `Layouts`. The layouts are distinct and have equally many mines. The k
    columns are the covered cells, or only those that differ between layouts.
    """
    # The memory of a search grows with the square of the number of columns. Only columns whose count differs between
    # layouts, and the first one that is free in the most layouts, are ever clicked. A mine counts as 255 in the minimum
    # and as 0 in the maximum, so it never makes a difference.
    min_counts = np.where(mines, np.uint8(255), counts).min(axis=0)
    is_needed = min_counts < np.where(mines, np.uint8(0), counts).max(axis=0)
    is_needed[mines.sum(axis=0, dtype=np.int64).argmin()] = True
    columns = np.flatnonzero(is_needed)
    mines, counts = np.ascontiguousarray(mines[:, columns]), np.ascontiguousarray(counts[:, columns])
    layouts, cells = mines.shape
    # Sizes are rounded up, and counts to the most for radius 1 or 5, so that similar calls share a searcher.
    searcher = _searcher(1 << (layouts - 1).bit_length(), -(-cells // 64) * 64, 8 if counts.max() <= 8 else 120)
    endgame = searcher.search(mines, counts, max_nodes)
    return endgame._replace(cell=int(columns[endgame.cell]))
