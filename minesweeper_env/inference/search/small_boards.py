"""Exact search on boards with few layouts; what it finds out serves all positions and their mirror images."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.codes import Codes
from minesweeper_env.compiled import inlined, kernel
from minesweeper_env.inference.errors import PositionTooHardError
from minesweeper_env.inference.search.bits import mix
from minesweeper_env.inference.search.branch_and_bound import begin_search
from minesweeper_env.inference.search.endgame import search_loaded
from minesweeper_env.inference.search.layout_sets import MINED, Cells, LayoutSets, Words
from minesweeper_env.inference.search.layouts import Layouts
from minesweeper_env.inference.search.stack import NODES
from minesweeper_env.inference.search.workspace import (
    SearchWorkspace,
    make_search_workspace,
    prepare,
    search_workspace_of,
)
from minesweeper_env.neighbours import neighbour_table

MAX_LAYOUTS = 1_000_000
"""The most layouts of a position. So many take up to 350 MB, with the table of the search."""

MAX_NODES = 10_000_000
"""The most sets that the search of a position examines: some two minutes."""

SLICE = 100_000
"""The sets that are examined between two reports of progress: about a second."""

_MOST_ENTRIES = 1 << 22


def mirror_images(rows: int, cols: int) -> Cells:
    """Returns the (8 or 4, rows * cols) cells to which the symmetries of a board move each cell."""
    cells = np.arange(rows * cols, dtype=np.uint32).reshape(rows, cols)
    turned = [cells, cells[::-1], cells[:, ::-1], cells[::-1, ::-1]]
    if rows == cols:
        turned += [image.T for image in turned]
    return np.stack([image.ravel() for image in turned])


@kernel
def lay_out_everywhere(columns: Cells, mines: int, chosen: Cells, codes: NDArray[np.uint8]) -> None:
    """Fills in the layouts with `mines` mines in some columns.

    Args:
        columns: (m,) uint32, the columns.
        mines: 1 to m.
        chosen: (mines,) uint32, room.
        codes: (N, C) uint8, N being the number of ways; filled with 1 for a mine and 0 elsewhere.
    """
    for k in range(mines):
        chosen[k] = k
    codes[:] = 0
    for i in range(len(codes)):
        for k in range(mines):
            codes[i, columns[chosen[k]]] = 1
        k = mines - 1
        while k > 0 and chosen[k] == len(columns) - mines + k:
            k -= 1
        chosen[k] += np.uint32(1)
        for j in range(k + 1, mines):
            chosen[j] = chosen[j - 1] + np.uint32(1)


@inlined
def _encode(codes: NDArray[np.uint8], cells: Cells, around: Cells, mined: NDArray[np.uint8]) -> None:
    """Turns the mines of a layout into its codes."""
    for k in range(len(cells)):
        mined[cells[k]] = codes[k]
    for k in range(len(cells)):
        count = np.uint8(0)
        for j in range(around.shape[1]):
            count += mined[around[cells[k], j]]
        codes[k] = MINED if codes[k] else count


@inlined
def _write_keys(sets: LayoutSets, layout: int, cells: Cells, images: Cells, words: Words) -> None:
    """Writes two words for each image of a layout, which depend on where the mines of the image are."""
    keys = sets.keys[layout]
    for k in range(len(keys)):
        keys[k] = 0
    for k in range(len(cells)):
        if sets.codes[layout, k] == MINED:
            for image in range(len(images)):
                cell = images[image, cells[k]]
                keys[2 * image] += words[cell, 0]
                keys[2 * image + 1] += words[cell, 1]
    for k in range(len(keys)):
        keys[k] = mix(keys[k])


@kernel
def begin_on_board(
    size: int,
    cells: Cells,
    goal: int,
    around: Cells,
    images: Cells,
    words: Words,
    mined: NDArray[np.uint8],
    *arrays: Any,
) -> None:
    """Begins the search for the value of a set of layouts.

    Args:
        size: the number of layouts, whose mines are in the first rows of the codes: 1 for a mine and 0 elsewhere.
        cells: (k,) uint32, the cells that the first k columns are.
        goal: as for `begin_search`.
        around: (n, degree) uint32, the neighbours of each cell of the board.
        images: see `mirror_images`.
        words: (n, 2) uint64, random words of each cell.
        mined: (n + 1,) uint8, room, all 0.
        *arrays: those of the room.
    """
    room = search_workspace_of(arrays)
    for i in range(size):
        _encode(room.sets.codes[i], cells, around, mined)
        _write_keys(room.sets, i, cells, images, words)
    mined[:] = 0
    for k in range(len(cells)):
        room.loading.columns[k] = k
    prepare(room, size, len(cells))
    begin_search(room.sets, room.search, size, len(cells), goal, 1)


class SmallBoard:
    """Finds the values of positions on boards of one size; what the search found out is kept for the next ones."""

    def __init__(
        self, rows: int, cols: int, radius: int, layouts: int, progress: Callable[[int], object] | None = None
    ) -> None:
        """Prepares to search.

        Args:
            rows: the number of rows.
            cols: the number of columns.
            radius: the reach of a count.
            layouts: how many there will be in the largest position; there may be more.
            progress: called now and then with the number of sets that the present search has examined.
        """
        self.cells = rows * cols
        self.images = mirror_images(rows, cols)
        self._around = neighbour_table(rows, cols, radius)
        self._max_count = Codes.of_radius(radius).max_count
        self._words = np.random.default_rng(0).integers(0, 2**64, (self.cells, 2), np.uint64)
        self._mined = np.zeros(self.cells + 1, np.uint8)
        self._layouts = layouts
        self._progress = progress
        self._table = np.zeros((min(1 << (4 * layouts).bit_length(), _MOST_ENTRIES), 2), np.uint64)
        self._room: SearchWorkspace | None = None

    def solve_everywhere(self, covered: NDArray[np.int64], mines: int, goal: int) -> int:
        """Returns how many of the layouts with all mines in some cells are won; if not more than `goal`, a bound.

        Args:
            covered: (m,) the cells where mines may be; all others are free, and what they show is not known.
            mines: 1 to m.
            goal: at least 0.

        Raises:
            PositionTooHardError: there are more than MAX_LAYOUTS, or it takes more than MAX_NODES.
        """
        size = math.comb(len(covered), mines)
        room = self._take_room(size)
        columns = covered.astype(np.uint32)
        lay_out_everywhere(columns, mines, np.empty(mines, np.uint32), room.sets.codes[:size])
        return self._search(room, size, np.arange(self.cells, dtype=np.uint32), goal)[1]

    def solve(self, layouts: Layouts) -> tuple[int, int]:
        """Returns the cell to click and how many of some layouts are won.

        Raises:
            PositionTooHardError: it takes more than MAX_NODES.
        """
        size, covered = layouts.mines.shape
        room = self._take_room(size)
        room.sets.codes[:size, :covered] = layouts.mines
        column, wins = self._search(room, size, layouts.cells.astype(np.uint32), 0)
        return int(layouts.cells[column]), wins

    def _take_room(self, layouts: int) -> SearchWorkspace:
        if layouts > MAX_LAYOUTS:
            raise PositionTooHardError(
                f"a position has {layouts} layouts, and at most {MAX_LAYOUTS} can be searched for the best play; "
                "choose a smaller board, or fewer mines"
            )
        if self._room is None or layouts > len(self._room.sets.codes):
            # The old room goes before the new one comes.
            self._room = None
            self._room = make_search_workspace(
                max(layouts, self._layouts), self.cells, self._max_count, images=len(self.images), table=self._table
            )
        return self._room

    def _search(self, room: SearchWorkspace, size: int, cells: Cells, goal: int) -> tuple[int, int]:
        arrays = room.arrays()
        begin_on_board(size, cells, goal, self._around, self.images, self._words, self._mined, *arrays)
        for nodes in range(SLICE, MAX_NODES + 1, SLICE):
            column, wins, over = search_loaded(nodes, *arrays)
            if over:
                return int(column), int(wins)
            if self._progress is not None:
                self._progress(int(room.search.tally[NODES]))
        raise PositionTooHardError(
            f"the best play of a position with {size} layouts was not found among {MAX_NODES} sets of layouts; "
            "choose a smaller board, or fewer mines"
        )
