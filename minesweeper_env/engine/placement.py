"""Placement of the mines at the first click, by the first-click rule, and the random numbers that place them."""

from __future__ import annotations

import numpy as np

from minesweeper_env.compiled import inlined
from minesweeper_env.engine.state import (
    COUNT_BITS,
    FIRST_CORNERS,
    FIRST_OPENING,
    FIRST_SAFE,
    MINE_BIT,
    Boards,
    Generators,
    Int,
    Rules,
)
from minesweeper_env.splitmix import GOLDEN, mix

_32 = np.uint64(32)
_2_TO_32 = np.uint64(1 << 32)
_LOW_32 = np.uint64((1 << 32) - 1)


@inlined
def random_below(rng: Generators, i: Int, bound: Int) -> np.int64:
    """Draws one of 0..bound-1, exactly uniformly, from the SplitMix64 generator in row i (Lemire 2019)."""
    limit = np.uint64(bound)
    while True:
        product = (mix(rng[i]) >> _32) * limit
        rng[i] += GOLDEN
        low = product & _LOW_32
        # The first comparison decides most draws without the slow remainder. The second rejects the surplus values
        # that would make some results likelier than others.
        if low >= limit or low >= (_2_TO_32 - limit) % limit:
            return np.int64(product >> _32)


@inlined
def add_mine(rules: Rules, boards: Boards, i: Int, cell: Int) -> None:
    """Places a mine in a free cell, and counts it in the neighbours."""
    boards.truth[i, cell] |= MINE_BIT
    # Neighbours off the board are counted in column n, which nothing reads.
    for k in range(rules.neighbours.shape[1]):
        boards.truth[i, rules.neighbours[cell, k]] += 1


@inlined
def remove_mine(rules: Rules, boards: Boards, i: Int, cell: Int) -> None:
    """Takes a mine out of a cell, and out of the counts of the neighbours."""
    boards.truth[i, cell] &= COUNT_BITS
    for k in range(rules.neighbours.shape[1]):
        boards.truth[i, rules.neighbours[cell, k]] -= 1


@inlined
def _mark_zone(rules: Rules, boards: Boards, i: Int, first: Int, bit: Int) -> int:
    """Sets the mine bits of the cells that the first click protects to `bit`; returns the number of these cells."""
    truth = boards.truth
    truth[i, first] = (truth[i, first] & COUNT_BITS) | bit
    if rules.first_click == FIRST_SAFE:
        return 1
    marked = 1
    for k in range(rules.neighbours.shape[1]):
        cell = rules.neighbours[first, k]
        truth[i, cell] = (truth[i, cell] & COUNT_BITS) | bit
        marked += cell != rules.neighbours.shape[0]
    return marked


@inlined
def _draw_unmarked(boards: Boards, i: Int, cells: Int) -> np.int64:
    while True:
        cell = random_below(boards.rng, i, cells)
        if not boards.truth[i, cell] & MINE_BIT:
            return cell


@inlined
def _scatter(rules: Rules, boards: Boards, i: Int, free: Int) -> None:
    """Places the mines on the `free` cells without a mark; all layouts are equally likely.

    On a crowded board it draws the cells that stay free, which takes fewer draws.
    """
    cells = rules.neighbours.shape[0]
    if 2 * rules.mines <= free:
        for _ in range(rules.mines):
            add_mine(rules, boards, i, _draw_unmarked(boards, i, cells))
        return
    for _ in range(free - rules.mines):
        boards.truth[i, _draw_unmarked(boards, i, cells)] |= MINE_BIT
    # Marked cells are the ones to keep free, so the marks of all cells change places with the mines.
    for cell in range(cells):
        boards.truth[i, cell] ^= MINE_BIT
    for cell in range(cells):
        if boards.truth[i, cell] & MINE_BIT:
            add_mine(rules, boards, i, cell)


@inlined
def _in_zone(rules: Rules, first: Int, cell: Int) -> bool:
    inside = first == cell
    for k in range(rules.neighbours.shape[1]):
        inside |= rules.neighbours[first, k] == cell
    return inside


@inlined
def _clear_zone(rules: Rules, boards: Boards, i: Int, first: Int) -> None:
    """Moves each mine in the neighbourhood of the cell `first` to the first refuge that is free and outside it."""
    truth = boards.truth
    refuge = 0
    for cell in range(rules.neighbours.shape[0]):
        if truth[i, cell] & MINE_BIT and _in_zone(rules, first, cell):
            while truth[i, rules.refuges[refuge]] & MINE_BIT or _in_zone(rules, first, rules.refuges[refuge]):
                # A skipped refuge stays unusable, so the search for the next mine starts here.
                refuge += 1
            remove_mine(rules, boards, i, cell)
            add_mine(rules, boards, i, rules.refuges[refuge])


@inlined
def place_mines(rules: Rules, boards: Boards, i: Int, first: Int) -> None:
    """Places the mines by the first-click rule, for a first click on the cell `first`.

    "any" draws uniformly from all layouts. "safe" draws from those that leave the cell free, "opening" from those
    that leave its neighbours free too. "corners" draws from all, and then moves the mines out of the neighbourhood.
    The board has no mines yet.
    """
    protects = rules.first_click == FIRST_OPENING or rules.first_click == FIRST_SAFE
    free = rules.neighbours.shape[0]
    # While the mines are drawn, a mine bit also marks each protected cell, so that no draw accepts it.
    if protects:
        free -= _mark_zone(rules, boards, i, first, np.int64(MINE_BIT))
    _scatter(rules, boards, i, free)
    if protects:
        _mark_zone(rules, boards, i, first, np.int64(0))
    elif rules.first_click == FIRST_CORNERS:
        _clear_zone(rules, boards, i, first)
