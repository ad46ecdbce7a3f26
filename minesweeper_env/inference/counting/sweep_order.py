"""Sweeps across the board as elimination order of wide components, where they promise fewer states.

See "Complexity and bounds" in docs/studies/inference.md.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.compiled import inlined, subroutine
from minesweeper_env.inference.counting.frontier import Frontier, Ints
from minesweeper_env.inference.counting.workspace import Plan

_MANY = 40
"""Components of fewer groups are never wide."""

_WIDE = 12.0
"""A component is wide if it may have more than 2 to this power states on a level."""


@subroutine
def reorder_wide_components(frontier: Frontier, neighbours: NDArray[np.uint32], plan: Plan, components: int) -> int:
    """Orders the groups of wide components by rows or by columns, where that promises fewer states.

    Args:
        frontier: with its groups.
        neighbours: (n, degree) uint32, the neighbours of each cell.
        plan: the function may reorder the groups within a component, and overwrites the scratch arrays.
        components: the number of components.

    Returns:
        An upper bound on the constraints open at once in reordered components; 0 if there are none.
    """
    peak, begin = 0, 0
    for component in range(components):
        end = int(plan.component_end[component])
        if end - begin >= _MANY:
            present, _ = _rate(frontier, plan.order[begin:end], plan.scratch)
            if present > _WIDE:
                peak = max(peak, _try_sweeps(frontier, neighbours, plan.order[begin:end], plan.scratch, present))
        begin = end
    return peak


@inlined
def _try_sweeps(frontier: Frontier, neighbours: NDArray[np.uint32], order: Ints, scratch: Ints, present: float) -> int:
    """Tries both sweeps; returns the constraints open at once if it changes `order`, else 0."""
    cells = len(neighbours)
    sweep, keys = scratch[2 * cells : 2 * cells + len(order)], scratch[3 * cells : 4 * cells]
    cols = _columns(neighbours)
    rows = cells // cols
    peak = 0
    for by_column in range(2):
        # Downwards, so that a group's key is its first cell in the sweep's order by rows.
        for cell in range(cells - 1, -1, -1):
            if frontier.group_of[cell] >= 0:
                keys[frontier.group_of[cell]] = cell % cols * rows + cell // cols if by_column == 1 else cell
        for i in range(len(order)):
            sweep[i] = order[i]
        _sort(sweep, keys)
        states, open_at_once = _rate(frontier, sweep, scratch)
        if states < present:
            present, peak = states, open_at_once
            for i in range(len(order)):
                order[i] = sweep[i]
    return peak


@inlined
def _columns(neighbours: NDArray[np.uint32]) -> int:
    """Returns the number of columns: the cell below the first one; on a single row, the cell number off the board."""
    degree = neighbours.shape[1]
    # Neighbours are in reading order without the cell itself, so the one below comes 2 * radius after the middle.
    return int(neighbours[0, degree // 2 + int(math.sqrt(degree + 1)) - 1])


@inlined
def _sort(groups: Ints, keys: Ints) -> None:
    """Sorts groups by their keys; by insertion, because reading order is nearly sorted already."""
    for i in range(1, len(groups)):
        group = groups[i]
        j = i
        while j > 0 and keys[groups[j - 1]] > keys[group]:
            groups[j] = groups[j - 1]
            j -= 1
        groups[j] = group


@inlined
def _rate(frontier: Frontier, order: Ints, scratch: Ints) -> tuple[float, int]:
    """Estimates the states of an elimination order.

    The estimate for a level is the product, over open constraints, of the number of values that their lack can take.

    Args:
        frontier: with its groups.
        order: the groups.
        scratch: int32; the first n entries hold the number of cells placed under each constraint.

    Returns:
        The base-2 logarithm of the most states on a level, and the most constraints open at once.
    """
    placed = scratch[: len(frontier.cell_of)]
    for group in order:
        for i in range(frontier.above_start[group], frontier.above_start[group + 1]):
            placed[frontier.above[i]] = 0
    states, most_states, active, most_active = 0.0, 0.0, 0, 0
    for group in order:
        begin, end = frontier.above_start[group], frontier.above_start[group + 1]
        for i in range(begin, end):
            constraint = frontier.above[i]
            # The factor of each constraint changes: the old one leaves the product, and the new one enters it.
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
    """Returns the number of mine counts that are possible in the `placed` first cells of a constraint."""
    cell = frontier.cell_of[constraint]
    missing, unknown = frontier.missing[cell], frontier.unknown[cell]
    return int(min(missing, placed) - max(0, missing - (unknown - placed)) + 1)
