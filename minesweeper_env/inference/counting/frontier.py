"""Frontier of a propagated board: constraints, and groups of equivalent cells.

Step 2 of docs/studies/inference.md. A clue whose neighbours are not all known is a constraint: it fixes the number of
mines in its unknown neighbours. Unknown cells under the same constraints form a group; only its mine count matters.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.compiled import inlined
from minesweeper_env.inference.reading import OPEN, UNKNOWN, Clues, Ints


class Frontier(NamedTuple):
    """The constraints and groups of a board of n cells after propagation; all arrays int32.

    Attributes:
        known, missing, unknown: (n + 1,) each, as in `Clues`.
        constraint_of: (n + 1,) the constraint of an open cell, or -1.
        group_of: (n + 1,) the group of an unknown cell, or -1.
        cell_of: (n,) the open cell of a constraint.
        size: (n,) the number of cells in a group.
        above_start: (n + 1,) the start of a group's constraints in `above`.
        above: (n * degree,) the constraints over each group, group after group, in ascending order.
        below_start: (n + 1,) the start of a constraint's groups in `below`.
        below: (n * degree,) the groups under each constraint.
        spare: (2 * n + 2,) scratch for stacks and lists.
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


@inlined
def clues_of(frontier: Frontier, neighbours: NDArray[np.uint32]) -> Clues:
    """Returns the part of a frontier that `read_clues` fills; its stack takes `spare`."""
    cells = len(neighbours) + 1
    return Clues(
        neighbours, frontier.known, frontier.missing, frontier.unknown, frontier.spare[:cells], frontier.spare[cells:]
    )


@inlined
def merge_cells(frontier: Frontier, neighbours: NDArray[np.uint32]) -> tuple[int, int, int]:
    """Lists the constraints of a propagated board and the groups of its unknown cells.

    Args:
        frontier: with `known`, `missing` and `unknown` filled by `read_clues`; the rest is filled here.
        neighbours: (n, degree) uint32, the neighbours of each cell.

    Returns:
        The number of constraints, of groups, and of unknown cells under no constraint.
    """
    cells, degree = neighbours.shape
    above, start, group_of = frontier.above, frontier.above_start, frontier.group_of
    # Groups are chained by their first constraint: the head of each chain, and the successor of each group.
    first_group, next_group = frontier.spare[: cells + 1], frontier.spare[cells + 1 :]
    constraints = _list_constraints(frontier, first_group)
    groups, outside, end = 0, 0, 0
    for cell in range(cells):
        group_of[cell] = -1
        if frontier.known[cell] != UNKNOWN:
            continue
        # The cell's constraints are written behind the last group, and stay there if they form a new one.
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
    """Returns the group under the constraints above[begin:end], or -1; the search starts at `group`.

    Candidates are chained by their first constraint. Each lists its constraints in ascending order, so that equal sets
    are equal lists.
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
    """Fills `below`, the transpose of `above`."""
    start, end = frontier.below_start, frontier.above_start[groups] if groups > 0 else 0
    for constraint in range(constraints + 1):
        start[constraint] = 0
    for i in range(end):
        start[frontier.above[i]] += 1
    for constraint in range(constraints):
        start[constraint + 1] += start[constraint]
    # Each start is the end of its list here, and moves back as the list fills.
    for group in range(groups - 1, -1, -1):
        for i in range(frontier.above_start[group], frontier.above_start[group + 1]):
            constraint = frontier.above[i]
            start[constraint] -= 1
            frontier.below[start[constraint]] = group
