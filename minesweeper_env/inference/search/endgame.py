"""The click that wins the most of a set of equally likely layouts, found exactly: for the end of a game."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from minesweeper_env.compiled import inlined, kernel
from minesweeper_env.config import whole_number
from minesweeper_env.inference.search.branch_and_bound import continue_search
from minesweeper_env.inference.search.stack import BEST, CELL, NODES, NONE, TOTAL
from minesweeper_env.inference.search.workspace import (
    FREEST,
    SAFE,
    Bytes,
    SearchWorkspace,
    load,
    make_search_workspace,
    search_workspace_of,
)

MAX_NODES = 1_000_000
"""The sets that a search examines by default before it gives up: a few seconds."""


@inlined
def _search(room: SearchWorkspace, max_nodes: int) -> tuple[int, int, bool]:
    """Goes on with the search; returns what `solve_layouts` does."""
    search, loading = room.search, room.loading
    over = continue_search(room.sets, room.conflicts, search, max_nodes)
    best, click = search.levels[1, CELL], loading.clicks[SAFE]
    if click == NONE:
        click = loading.clicks[FREEST] if best == NONE else np.int64(loading.columns[best])
    if over:
        return click, search.levels[0, TOTAL], True
    return click, 1 if best == NONE else max(1, search.levels[1, BEST]), False


@inlined
def solve_layouts(mine: Bytes, count: Bytes, max_nodes: int, room: SearchWorkspace) -> tuple[int, int, bool]:
    """Finds the click that wins the most layouts; for kernels.

    Args:
        mine: (n, k) uint8, 1 for a mine; the layouts are distinct and have equally many mines.
        count: (n, k) uint8, what a cell shows where it is free.
        max_nodes: the number of sets to examine before giving up.
        room: for at least n layouts over k cells; `search.tally[NODES]` says afterwards how many sets were examined.

    Returns:
        The column of the cell to click, or NONE if all cells are mines; how many layouts the play from there on wins;
        and whether that is the most. If not, the search was given up: the play is the best found so far, and wins at
        least so many.
    """
    load(mine, count, room)
    return _search(room, max_nodes)


@kernel
def load_layouts(mine: Bytes, count: Bytes, *arrays: Any) -> None:
    """Does the first half of `solve_layouts`, in the room that consists of `arrays`."""
    load(mine, count, search_workspace_of(arrays))


@kernel
def search_loaded(max_nodes: int, *arrays: Any) -> tuple[int, int, bool]:
    """Does the other half of `solve_layouts`; may be called again with larger `max_nodes`, to go on."""
    return _search(search_workspace_of(arrays), max_nodes)


class Endgame(NamedTuple):
    """How a set of layouts is best played.

    Attributes:
        cell: the column of the cell to click.
        wins: how many layouts are won by clicking it and playing on in the same way.
        exact: whether no play wins more; else the search was given up, and this is the best that it found.
        nodes: the number of sets that were examined.
    """

    cell: int
    wins: int
    exact: bool
    nodes: int


@lru_cache(maxsize=4)
def _kept_room(layouts: int, cells: int, max_count: int) -> SearchWorkspace:
    return make_search_workspace(layouts, cells, max_count)


def solve_endgame(mine: ArrayLike, count: ArrayLike, *, max_nodes: int = MAX_NODES) -> Endgame:
    """Finds the click that wins the most of n equally likely layouts, by exact search.

    The time depends on the layouts more than on their number; for those at the end of a real game, see the
    documentation. A search is the same, and gives the same answer, whenever and wherever it is made.

    Args:
        mine: (n, k) bool or integers, 1 for a mine. The layouts are distinct, with equally many mines; the cells are
            the covered ones, or some of them, of which the others are the same in all layouts.
        count: (n, k) integers, what each cell shows where it is free, as `layouts.consistent_layouts` returns them.
        max_nodes: the number of sets of layouts to examine before giving up; at least 1.

    Raises:
        ValueError: an argument is not allowed; the message says what is.
    """
    max_nodes = whole_number("max_nodes", max_nodes, 1)
    mines, counts = _check_layouts(np.asarray(mine), np.asarray(count))
    layouts, cells = mines.shape
    room = _kept_room(1 << (layouts - 1).bit_length(), -(-cells // 64) * 64, 8 if counts.max() <= 8 else 120)
    arrays = room.arrays()
    load_layouts(mines, counts, *arrays)
    cell, wins, exact = search_loaded(max_nodes, *arrays)
    return Endgame(int(cell), int(wins), bool(exact), int(room.search.tally[NODES]))


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
