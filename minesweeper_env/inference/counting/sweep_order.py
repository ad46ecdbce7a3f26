"""Another order for parts that are wide: a sweep across the board, where that has fewer states."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.compiled import inlined, subroutine
from minesweeper_env.inference.counting.frontier import Frontier, Ints
from minesweeper_env.inference.counting.workspace import Plan

_MANY = 40
"""Parts of fewer groups are never wide."""

_WIDE = 12.0
"""A part is wide if it may have more than two to this power states on a level."""


@subroutine
def reorder_wide_parts(frontier: Frontier, neighbours: NDArray[np.uint32], plan: Plan, parts: int) -> int:
    """Puts the groups of wide parts in reading order, or column by column, where that promises fewer states.

    Args:
        frontier: with its groups.
        neighbours: (n, degree) uint32, the neighbours of each cell.
        plan: whose order may be changed within a part; its room is used.
        parts: how many there are.

    Returns:
        A number that the constraints open at once in reordered parts do not exceed; 0 if there are no such parts.
    """
    peak, begin = 0, 0
    for part in range(parts):
        end = int(plan.part_end[part])
        if end - begin >= _MANY:
            present, _ = _rate(frontier, plan.order[begin:end], plan.room)
            if present > _WIDE:
                peak = max(peak, _try_sweeps(frontier, neighbours, plan.order[begin:end], plan.room, present))
        begin = end
    return peak


@inlined
def _try_sweeps(frontier: Frontier, neighbours: NDArray[np.uint32], order: Ints, room: Ints, present: float) -> int:
    """Tries both sweeps for the groups in `order`; returns the constraints open at once in what it changed to, or 0."""
    cells = len(neighbours)
    sweep, keys = room[2 * cells : 2 * cells + len(order)], room[3 * cells : 4 * cells]
    cols = _columns(neighbours)
    rows = cells // cols
    peak = 0
    for by_column in range(2):
        for cell in range(cells - 1, -1, -1):
            if frontier.group_of[cell] >= 0:
                keys[frontier.group_of[cell]] = cell % cols * rows + cell // cols if by_column == 1 else cell
        for i in range(len(order)):
            sweep[i] = order[i]
        _sort(sweep, keys)
        states, open_at_once = _rate(frontier, sweep, room)
        if states < present:
            present, peak = states, open_at_once
            for i in range(len(order)):
                order[i] = sweep[i]
    return peak


@inlined
def _columns(neighbours: NDArray[np.uint32]) -> int:
    """Returns the number of columns: that is how far the cell below the first one is, or the end of the only row."""
    degree = neighbours.shape[1]
    return int(neighbours[0, degree // 2 + int(math.sqrt(degree + 1)) - 1])


@inlined
def _sort(groups: Ints, keys: Ints) -> None:
    """Sorts groups by their keys; by insertion, since reading order is nearly sorted already."""
    for i in range(1, len(groups)):
        group = groups[i]
        j = i
        while j > 0 and keys[groups[j - 1]] > keys[group]:
            groups[j] = groups[j - 1]
            j -= 1
        groups[j] = group


@inlined
def _rate(frontier: Frontier, order: Ints, room: Ints) -> tuple[float, int]:
    """Estimates an order of the groups of a part.

    An open constraint can lack so many different numbers of mines; on each level these are multiplied.

    Args:
        frontier: with its groups.
        order: the groups.
        room: the first n entries are used, for the number of cells placed under each constraint.

    Returns:
        The logarithm to the base 2 of the most states on a level, and the most constraints open at once.
    """
    placed = room[: len(frontier.cell_of)]
    for group in order:
        for i in range(frontier.above_start[group], frontier.above_start[group + 1]):
            placed[frontier.above[i]] = 0
    states, most_states, active, most_active = 0.0, 0.0, 0, 0
    for group in order:
        begin, end = frontier.above_start[group], frontier.above_start[group + 1]
        for i in range(begin, end):
            constraint = frontier.above[i]
            states -= math.log2(_choices(frontier, constraint, placed[constraint]))
            active += placed[constraint] == 0
            placed[constraint] += frontier.size[group]
            states += math.log2(_choices(frontier, constraint, placed[constraint]))
        most_active = max(most_active, active)
        for i in range(begin, end):
            constraint = frontier.above[i]
            active -= placed[constraint] == frontier.unknown[frontier.cell_of[constraint]]
        most_states = max(most_states, states)
    return most_states, most_active


@inlined
def _choices(frontier: Frontier, constraint: int, placed: int) -> int:
    """Returns how many different numbers of mines can lie under a constraint in `placed` of its cells."""
    cell = frontier.cell_of[constraint]
    missing, unknown = frontier.missing[cell], frontier.unknown[cell]
    return int(min(missing, placed) - max(0, missing - (unknown - placed)) + 1)
