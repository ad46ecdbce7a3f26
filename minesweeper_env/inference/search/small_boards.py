"""Exact search on boards with few layouts; all positions and their symmetric images share a transposition table.

    V(S)  =  V(image of S)    for each symmetry of the board

V is the value of `branch_and_bound`. So the key of a set is the least of the keys of its images.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.cell_sets import neighbour_table, symmetry_table
from minesweeper_env.codes import Codes
from minesweeper_env.compiled import inlined, kernel
from minesweeper_env.inference.boards import PositionTooHardError
from minesweeper_env.inference.search.branch_and_bound import begin_search
from minesweeper_env.inference.search.endgame import find_clicks, search_loaded
from minesweeper_env.inference.search.layout_sets import MINE_CODE, Cells, LayoutSets, Words
from minesweeper_env.inference.search.layouts import Layouts
from minesweeper_env.inference.search.memory import SearchMemory, make_search, search_of
from minesweeper_env.splitmix import mix

MAX_LAYOUTS = 1_000_000
"""The most layouts of a position; this many take up to 350 MB, the transposition table included."""

MAX_POSITION_NODES = 10_000_000
"""The most sets to examine in the search of a position: about two minutes."""

SLICE = 100_000
"""The number of sets to examine in a call of a kernel, about a second: Python hears an interrupt only between calls."""

_MAX_ENTRIES = 1 << 22
"""The most entries of the transposition table."""


@kernel
def lay_out_everywhere(columns: Cells, mines: int, chosen: Cells, codes: NDArray[np.uint8]) -> None:
    """Writes all layouts with `mines` mines in the m `columns`, (m,), into `codes`, in lexicographic order.

    `codes` is (N, cells) with N = comb(m, mines), and 1 for a mine. `chosen`, (mines,), is scratch.
    """
    for k in range(mines):
        chosen[k] = k
    codes[:] = 0
    for i in range(len(codes)):
        for k in range(mines):
            codes[i, columns[chosen[k]]] = 1
        # The next combination: the last mine that can move right does, and the mines after it follow closely. Example:
        # 0, 3, 4 of 5 columns is followed by 1, 2, 3. After the last layout nothing reads `chosen`.
        k = mines - 1
        while k > 0 and chosen[k] == len(columns) - mines + k:
            k -= 1
        chosen[k] += np.uint32(1)
        for j in range(k + 1, mines):
            chosen[j] = chosen[j - 1] + np.uint32(1)


@inlined
def _encode(codes: NDArray[np.uint8], cells: Cells, neighbours: Cells, mined: NDArray[np.uint8]) -> None:
    """Replaces the entries of one layout in `codes`, 1 for a mine, by MINE_CODE and the counts of the free cells."""
    for k in range(len(cells)):
        mined[cells[k]] = codes[k]
    for k in range(len(cells)):
        count = np.uint8(0)
        for j in range(neighbours.shape[1]):
            # The entry for cells off the board stays 0.
            count += mined[neighbours[cells[k], j]]
        codes[k] = MINE_CODE if codes[k] else count


@inlined
def _write_keys(sets: LayoutSets, layout: int, cells: Cells, images: Cells, words: Words) -> None:
    """Writes the keys of a layout: for each symmetric image, two hashes of the positions of its mines."""
    keys = sets.keys[layout]
    for k in range(len(keys)):
        keys[k] = 0
    for k in range(len(cells)):
        if sets.codes[layout, k] == MINE_CODE:
            for image in range(len(images)):
                cell = images[image, cells[k]]
                keys[2 * image] += words[cell, 0]
                keys[2 * image + 1] += words[cell, 1]
    for k in range(len(keys)):
        # `find_key` adds the keys of a set. Without mixing, sets with equally many mines in each cell collide.
        keys[k] = mix(keys[k])


@kernel
def begin_on_board(
    size: int, cells: Cells, goal: int, neighbours: Cells, images: Cells, words: Words, mined: NDArray[np.uint8],
    *arrays: Any,
) -> None:  # fmt: skip
    """Begins the search for the value of the set of the first `size` layouts in `codes`.

    Args:
        size: the number of layouts; their codes are 1 for a mine and 0 elsewhere.
        cells: (k,) uint32, the cells of the first k columns.
        goal: as for `begin_search`.
        neighbours: (n, degree) uint32, the neighbours of each cell of the board.
        images: (8 or 4, n) uint32, the symmetric images of the cells.
        words: (n, 2) uint64, random words of each cell.
        mined: (n + 1,) uint8, scratch, all 0.
        *arrays: the arrays of the search.
    """
    search = search_of(arrays)
    for i in range(size):
        _encode(search.sets.codes[i], cells, neighbours, mined)
        _write_keys(search.sets, i, cells, images, words)
    mined[:] = 0
    for k in range(len(cells)):
        search.columns[k] = k
    find_clicks(search, size, len(cells))
    # One generation serves all positions: keys depend on the mines alone, so earlier entries stay valid.
    begin_search(search, size, len(cells), goal, 1)


class SmallBoard:
    """Searches for the values of positions on boards of one size, with one transposition table for all of them.

    A search raises a PositionTooHardError beyond MAX_LAYOUTS layouts or MAX_POSITION_NODES sets.
    """

    def __init__(self, rows: int, cols: int, radius: int, layouts: int) -> None:
        """Prepares for positions of up to `layouts` layouts; the memory grows for a larger position."""
        self.cells = rows * cols
        self.images = symmetry_table(rows, cols).astype(np.uint32)
        self._neighbours = neighbour_table(rows, cols, radius)
        self._max_count = Codes.of_radius(radius).max_count
        self._zobrist = np.random.default_rng(0).integers(0, 2**64, (self.cells, 2), np.uint64)
        self._mined = np.zeros(self.cells + 1, np.uint8)
        self._layouts = layouts
        # The transposition table has 4 to 8 entries for each layout: a power of two, _MAX_ENTRIES at most.
        self._table = np.zeros((min(1 << (4 * layouts).bit_length(), _MAX_ENTRIES), 2), np.uint64)
        self._search: SearchMemory | None = None

    def solve_everywhere(self, covered: NDArray[np.int64], mines: int, goal: int) -> int:
        """Returns the number of wins over all layouts with `mines` mines in the `covered` cells.

        All other cells are free, and their counts are not known. A result of at most `goal` is only an upper bound.
        """
        size = math.comb(len(covered), mines)
        search = self._memory_for(size)
        lay_out_everywhere(covered.astype(np.uint32), mines, np.empty(mines, np.uint32), search.sets.codes[:size])
        _, wins = self._solve(search, size, np.arange(self.cells, dtype=np.uint32), goal)
        return wins

    def solve(self, layouts: Layouts) -> tuple[int, int]:
        """Returns the cell to click, and the number of these layouts that are won."""
        size, covered = layouts.mines.shape
        search = self._memory_for(size)
        search.sets.codes[:size, :covered] = layouts.mines
        column, wins = self._solve(search, size, layouts.cells.astype(np.uint32), 0)
        return int(layouts.cells[column]), wins

    def _memory_for(self, layouts: int) -> SearchMemory:
        """Returns the memory for a search over this many layouts; raises a PositionTooHardError beyond MAX_LAYOUTS."""
        if layouts > MAX_LAYOUTS:
            raise PositionTooHardError(
                f"a position has {layouts} layouts, and at most {MAX_LAYOUTS} can be searched for the best play; "
                "choose a smaller board, or fewer mines"
            )
        if self._search is None or layouts > len(self._search.sets.codes):
            # Released first, so that the old and the new arrays are never in memory together.
            self._search = None
            self._search = make_search(
                max(layouts, self._layouts), self.cells, self._max_count, images=len(self.images), table=self._table
            )
        return self._search

    def _solve(self, search: SearchMemory, size: int, cells: Cells, goal: int) -> tuple[int, int]:
        """Returns the column to click and the number of wins, for `size` layouts in `codes`; see `begin_on_board`."""
        arrays = search.arrays
        begin_on_board(size, cells, goal, self._neighbours, self.images, self._zobrist, self._mined, *arrays)
        for max_nodes in range(SLICE, MAX_POSITION_NODES + 1, SLICE):
            column, wins, over = search_loaded(max_nodes, *arrays)
            if over:
                return int(column), int(wins)
        raise PositionTooHardError(
            f"the best play of a position with {size} layouts was not found among {MAX_POSITION_NODES} sets of "
            "layouts; choose a smaller board, or fewer mines"
        )
