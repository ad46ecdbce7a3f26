"""How the mines are laid at the first click, by the first-click rule."""

from __future__ import annotations

import numpy as np

from minesweeper_env.compiled import inlined
from minesweeper_env.engine.random import random_below
from minesweeper_env.engine.state import CORNERS, COUNT_BITS, MINE_BIT, OPENING, SAFE, Boards, Int, Rules


@inlined
def add_mine(rules: Rules, boards: Boards, i: int, cell: Int) -> None:
    """Lays a mine in a free cell, and counts it in the cells around."""
    boards.truth[i, cell] |= MINE_BIT
    for k in range(rules.neighbours.shape[1]):
        boards.truth[i, rules.neighbours[cell, k]] += 1


@inlined
def _remove_mine(rules: Rules, boards: Boards, i: int, cell: Int) -> None:
    boards.truth[i, cell] &= COUNT_BITS
    for k in range(rules.neighbours.shape[1]):
        boards.truth[i, rules.neighbours[cell, k]] -= 1


@inlined
def _mark_zone(rules: Rules, boards: Boards, i: int, first: Int, bit: int) -> int:
    """Sets the mine bits of the first click's protected cells to `bit`; returns how many they are."""
    truth = boards.truth
    truth[i, first] = (truth[i, first] & COUNT_BITS) | bit
    if rules.first_click == SAFE:
        return 1
    marked = 1
    for k in range(rules.neighbours.shape[1]):
        cell = rules.neighbours[first, k]
        truth[i, cell] = (truth[i, cell] & COUNT_BITS) | bit
        marked += cell != rules.neighbours.shape[0]
    return marked


@inlined
def _draw_unmarked(boards: Boards, i: int, cells: int) -> np.int64:
    while True:
        cell = random_below(boards.rng, i, cells)
        if not boards.truth[i, cell] & MINE_BIT:
            return cell


@inlined
def _scatter(rules: Rules, boards: Boards, i: int, free: int) -> None:
    """Lays the mines on the `free` cells without a mark, all layouts being equally likely.

    On a crowded board it draws the cells that stay free, which takes fewer draws.
    """
    cells = rules.neighbours.shape[0]
    if 2 * rules.mines <= free:
        for _ in range(rules.mines):
            add_mine(rules, boards, i, _draw_unmarked(boards, i, cells))
        return
    for _ in range(free - rules.mines):
        boards.truth[i, _draw_unmarked(boards, i, cells)] |= MINE_BIT
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
def _clear_zone(rules: Rules, boards: Boards, i: int, first: Int) -> None:
    """Moves each mine on or beside the cell `first` to the first refuge that is free and not there."""
    truth = boards.truth
    refuge = 0
    for cell in range(rules.neighbours.shape[0]):
        if truth[i, cell] & MINE_BIT and _in_zone(rules, first, cell):
            while truth[i, rules.refuges[refuge]] & MINE_BIT or _in_zone(rules, first, rules.refuges[refuge]):
                refuge += 1
            _remove_mine(rules, boards, i, cell)
            add_mine(rules, boards, i, rules.refuges[refuge])


@inlined
def place_mines(rules: Rules, boards: Boards, i: int, first: Int) -> None:
    """Lays the mines by the first-click rule, the first click being on the cell `first`.

    "opening" and "safe" are uniform over the layouts that leave the cell with its neighbours, or the
    cell alone, free; "any" is uniform over all; "corners" is too, and then clears the neighbourhood.
    """
    cells = rules.neighbours.shape[0]
    boards.truth[i, :] = 0
    if rules.first_click == OPENING or rules.first_click == SAFE:
        zone = _mark_zone(rules, boards, i, first, MINE_BIT)
        _scatter(rules, boards, i, cells - zone)
        _mark_zone(rules, boards, i, first, 0)
    else:
        _scatter(rules, boards, i, cells)
        if rules.first_click == CORNERS:
            _clear_zone(rules, boards, i, first)
