"""Internal: the best click in a set of equally likely layouts, by exact search, for the end of a game.

`minesweeper_env.inference.kernels` exports `EndgameSearcher`.
"""

from __future__ import annotations

from functools import lru_cache, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from minesweeper_env.compiled import kernel
from minesweeper_env.config import whole_number
from minesweeper_env.inference.search.branch_and_bound import continue_search
from minesweeper_env.inference.search.stack import BEST, CELL, NODES, NONE, READ, TOTAL
from minesweeper_env.inference.search.workspace import (
    FREEST_CLICK,
    SAFE_CLICK,
    Bytes,
    load,
    make_search_workspace,
    search_workspace_of,
)
from minesweeper_env.threads import Lender

MAX_NODES = 1_000_000
"""Default number of sets to examine before a search gives up: a few seconds."""

MAX_READ = 1 << 34
"""The number of codes to read before a search gives up, whatever the number of sets: some 10 seconds."""

_SLICE = 1 << 28
"""Codes that a search reads at most between two moments at which it hears an interrupt."""


@kernel
def load_layouts(mine: Bytes, count: Bytes, *arrays: Any) -> None:
    """Begins the search for the click that wins the most layouts.

    Args:
        mine: (n, k) uint8, 1 for a mine; the layouts are distinct and have equally many mines.
        count: (n, k) uint8, the number of mines in the neighbours of each cell.
        *arrays: the arrays of a workspace for at least n layouts over k cells.
    """
    load(mine, count, search_workspace_of(arrays))


@kernel
def search_loaded(max_nodes: int, *arrays: Any) -> tuple[int, int, bool]:
    """Continues the search that `load_layouts` began; a later call may have a larger `max_nodes`.

    Args:
        max_nodes: the number of sets to examine before the search gives up.
        *arrays: the arrays of the workspace; `Search.counters[NODES]` is the number of sets that were examined.

    Returns:
        The column of the cell to click, or NONE if all cells are mines; the number of layouts that are won by it; and
        whether that is the maximum. If not, the search gave up, and the number is a lower bound from its best click.
    """
    workspace = search_workspace_of(arrays)
    search, loading = workspace.search, workspace.loading
    over = continue_search(workspace.sets, workspace.conflicts, search, max_nodes)
    # A safe click comes first: it loses nothing, and the search may have left it out as dead. The search numbers living
    # cells only, and `columns` maps them back.
    best, click = search.levels[1, CELL], loading.clicks[SAFE_CLICK]
    if click == NONE:
        click = loading.clicks[FREEST_CLICK] if best == NONE else np.int64(loading.columns[best])
    if over:
        return click, search.levels[0, TOTAL], True
    # Any play wins at least one layout.
    return click, 1 if best == NONE else max(1, search.levels[1, BEST]), False


class Endgame(NamedTuple):
    """The best click in a set of layouts.

    Attributes:
        cell: the column of the cell to click.
        wins: the number of layouts that are won by this click and the best play after it.
        exact: whether no play wins more; False if the search gave up, and `cell` is the best click that it found.
        nodes: the number of sets of layouts that were examined.
    """

    cell: int
    wins: int
    exact: bool
    nodes: int


class EndgameSearcher:
    """Searches sets of layouts up to a size; threads may share a searcher."""

    def __init__(self, layouts: int, cells: int, max_count: int) -> None:
        """Prepares for sets of up to `layouts` layouts over `cells` cells, whose counts are at most `max_count`."""
        self._workspaces = Lender(partial(make_search_workspace, layouts, cells, max_count))

    def search(self, mines: Bytes, counts: Bytes, max_nodes: int) -> Endgame:
        """Finds the best click, as `solve_endgame` does, without checks of the arguments."""
        with self._workspaces.lend() as workspace:
            arrays, counters = workspace.arrays(), workspace.search.counters
            load_layouts(mines, counts, *arrays)
            nodes, exact = 0, False
            # Python hears an interrupt between two slices.
            while not exact and nodes < max_nodes and counters[READ] <= MAX_READ:
                nodes = min(nodes + max(1, _SLICE // mines.size), max_nodes)
                cell, wins, exact = search_loaded(nodes, *arrays)
            return Endgame(int(cell), int(wins), bool(exact), int(counters[NODES]))


_searcher = lru_cache(maxsize=4)(EndgameSearcher)


def solve_endgame(mine: ArrayLike, count: ArrayLike, *, max_nodes: int = MAX_NODES) -> Endgame:
    """Finds the click that wins the most of n equally likely layouts, by exact search.

    The time depends on the layouts more than on their number. The answer depends on the arguments alone.

    Args:
        mine: (n, k) bool or integers, 1 for a mine. The layouts are distinct and have equally many mines. The k columns
            are the covered cells, or only the covered cells that differ between layouts.
        count: (n, k) integers, the number of mines in the neighbours of each cell, as in `Layouts.counts`.
        max_nodes: the number of sets of layouts to examine before the search gives up; at least 1.

    Raises:
        ValueError: an argument is not allowed; the message names the allowed values.
    """
    max_nodes = whole_number("max_nodes", max_nodes, 1)
    mines, counts = _check_layouts(np.asarray(mine), np.asarray(count))
    columns = _telling_columns(mines, counts)
    mines, counts = mines[:, columns], counts[:, columns]
    layouts, cells = mines.shape
    # Rounded up, so that calls of similar sizes share a searcher.
    searcher = _searcher(1 << (layouts - 1).bit_length(), -(-cells // 64) * 64, 8 if counts.max() <= 8 else 120)
    found = searcher.search(np.ascontiguousarray(mines), np.ascontiguousarray(counts), max_nodes)
    return found._replace(cell=int(columns[found.cell]))


def _telling_columns(mines: Bytes, counts: Bytes) -> NDArray[np.int64]:
    """Returns the columns whose count differs between layouts, and the first one that is free in the most layouts.

    The memory of a search grows with the square of the number of columns, and no other one is ever clicked.
    """
    least = np.where(mines, np.uint8(255), counts).min(axis=0)
    most = np.where(mines, np.uint8(0), counts).max(axis=0)
    tells = least < most
    tells[mines.sum(axis=0, dtype=np.int64).argmin()] = True
    return np.flatnonzero(tells)


def _check_layouts(mine: NDArray[Any], count: NDArray[Any]) -> tuple[Bytes, Bytes]:
    if mine.ndim != 2 or 0 in mine.shape or mine.shape != count.shape:
        raise ValueError(
            "mine and count must be of one shape (layouts, cells), with at least one of each, "
            f"not {mine.shape} and {count.shape}"
        )
    for name, array, most in (("mine", mine, 1), ("count", count, 120)):
        if array.dtype.kind not in "biu" or array.min() < 0 or array.max() > most:
            raise ValueError(f"{name} must hold whole numbers from 0 to {most}")
    if len(np.unique(mine.sum(axis=1))) > 1:
        raise ValueError("all layouts must have the same number of mines")
    if mine.all():
        raise ValueError("a layout must have a cell that is not a mine")
    if len(np.unique(mine, axis=0)) < len(mine):
        raise ValueError("no two layouts may be the same")
    return np.require(mine, np.uint8, "C"), np.require(count, np.uint8, "C")
