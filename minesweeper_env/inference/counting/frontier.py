"""From a settled board to what has to be counted: constraints, and groups of merged cells.

An open cell whose neighbours are not all known is a constraint: so many of its unknown neighbours are mines.
Unknown cells under the same constraints are one group, of which only the number of mines matters.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.compiled import inlined

UNKNOWN, SAFE, MINE, OPEN = 0, 1, 2, 3
"""What `Frontier.known` says of a cell: covered and not settled, free, a mine, open or off the board."""

Ints = NDArray[np.int32]


class Frontier(NamedTuple):
    """What is left of a board of n cells once each count has been applied by itself; all arrays int32.

    Attributes:
        known: (n + 1,) one of UNKNOWN, SAFE, MINE, OPEN; the last entry stands for cells off the board.
        missing: (n + 1,) of open cells, the mines among its unknown neighbours.
        unknown: (n + 1,) of open cells, the number of its unknown neighbours.
        constraint_of: (n + 1,) the constraint that an open cell is, or -1.
        group_of: (n + 1,) the group of an unknown cell, or -1.
        cell_of: (n,) the open cell of a constraint.
        size: (n,) the number of cells of a group.
        above_start: (n + 1,) where the constraints of a group begin in `above`.
        above: (n * degree,) the constraints over each group, group after group, in ascending order.
        below_start: (n + 1,) where the groups of a constraint begin in `below`.
        below: (n * degree,) the groups under each constraint.
        spare: (2 * n + 2,) room for stacks and lists.
    """

    known: Ints
    missing: Ints
    unknown: Ints
    constraint_of: Ints
    group_of: Ints
    cell_of: Ints
    size: Ints
    above_start: Ints
    above: Ints
    below_start: Ints
    below: Ints
    spare: Ints


def frontier_length(cells: int, degree: int) -> int:
    """Returns the number of int32 entries that the arrays of a `Frontier` take together."""
    return 11 * cells + 9 + 2 * cells * degree


@inlined
def carve_frontier(ints: Ints, cells: int, degree: int) -> Frontier:
    """Cuts the arrays of a `Frontier` out of one array of at least `frontier_length` entries."""
    n = cells + 1
    pairs = cells * degree
    at = 5 * n + 2 * cells
    return Frontier(
        ints[:n],
        ints[n : 2 * n],
        ints[2 * n : 3 * n],
        ints[3 * n : 4 * n],
        ints[4 * n : 5 * n],
        ints[5 * n : 5 * n + cells],
        ints[5 * n + cells : at],
        ints[at : at + n],
        ints[at + n : at + n + pairs],
        ints[at + n + pairs : at + 2 * n + pairs],
        ints[at + 2 * n + pairs : at + 2 * n + 2 * pairs],
        ints[at + 2 * n + 2 * pairs : at + 4 * n + 2 * pairs],
    )


@inlined
def merge_cells(frontier: Frontier, neighbours: NDArray[np.uint32]) -> tuple[int, int, int]:
    """Lists the constraints of a settled board and the groups of its unknown cells.

    Args:
        frontier: with `known`, `missing` and `unknown` filled by `settle`; the rest is filled here.
        neighbours: (n, degree) uint32, the neighbours of each cell.

    Returns:
        The number of constraints, of groups, and of unknown cells under no constraint.
    """
    cells, degree = neighbours.shape
    above, start, group_of = frontier.above, frontier.above_start, frontier.group_of
    first_group, next_group = frontier.spare[: cells + 1], frontier.spare[cells + 1 :]
    constraints = _list_constraints(frontier, first_group)
    groups, outside, end = 0, 0, 0
    for cell in range(cells):
        group_of[cell] = -1
        if frontier.known[cell] != UNKNOWN:
            continue
        top = end
        for j in range(degree):
            constraint = frontier.constraint_of[neighbours[cell, j]]
            if constraint >= 0:
                above[top] = constraint
                top += 1
        if top == end:
            outside += 1
            continue
        group = _find_group(frontier, next_group, first_group[above[end]], end, top)
        if group < 0:
            group = groups
            groups += 1
            start[group], start[group + 1] = end, top
            frontier.size[group] = 0
            next_group[group] = first_group[above[end]]
            first_group[above[end]] = group
            end = top
        group_of[cell] = group
        frontier.size[group] += 1
    _list_groups(frontier, constraints, groups)
    return constraints, groups, outside


@inlined
def _list_constraints(frontier: Frontier, first_group: Ints) -> int:
    constraints = 0
    for cell in range(len(frontier.known)):
        frontier.constraint_of[cell] = -1
        if cell < len(frontier.cell_of) and frontier.known[cell] == OPEN and frontier.unknown[cell] > 0:
            frontier.constraint_of[cell] = constraints
            frontier.cell_of[constraints] = cell
            first_group[constraints] = -1
            constraints += 1
    return constraints


@inlined
def _find_group(frontier: Frontier, next_group: Ints, group: int, begin: int, end: int) -> int:
    """Returns the group, `group` or one that follows it, under the constraints above[begin:end]; or -1.

    Equal groups begin with the same constraint, and have their constraints in the same order, that of the cells.
    """
    while group >= 0:
        at = frontier.above_start[group]
        same = frontier.above_start[group + 1] - at == end - begin
        i = 0
        while same and i < end - begin:
            same = frontier.above[at + i] == frontier.above[begin + i]
            i += 1
        if same:
            break
        group = next_group[group]
    return group


@inlined
def _list_groups(frontier: Frontier, constraints: int, groups: int) -> None:
    """Fills `below` from `above`."""
    start, end = frontier.below_start, frontier.above_start[groups] if groups > 0 else 0
    for constraint in range(constraints + 1):
        start[constraint] = 0
    for i in range(end):
        start[frontier.above[i]] += 1
    for constraint in range(constraints):
        start[constraint + 1] += start[constraint]
    for group in range(groups - 1, -1, -1):
        for i in range(frontier.above_start[group], frontier.above_start[group + 1]):
            constraint = frontier.above[i]
            start[constraint] -= 1
            frontier.below[start[constraint]] = group
