"""Elimination order of the groups: along the frontier, so that few constraints are open at once.

See "Complexity and bounds" in docs/studies/inference.md.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.compiled import inlined, subroutine
from minesweeper_env.inference.counting.frontier import Frontier
from minesweeper_env.inference.counting.workspace import Plan
from minesweeper_env.inference.reading import Ints

UNSEEN, ACTIVE, DONE = 0, 1, 2

_FRESH = 1 << 16
"""Cost of opening a constraint; placing a group costs 1."""


@subroutine
def order_groups(
    frontier: Frontier, constraints: int, groups: int, order: Ints, component_end: Ints, scratch: Ints
) -> tuple[int, int]:  # fmt: skip
    """Lists the groups component by component; a component is a set of groups connected by constraints.

    Each component begins at its rim. From there the cheapest open constraint is finished, again and again: the one
    whose remaining groups lie under the fewest constraints that are not open yet.

    Args:
        frontier: with its groups.
        constraints: the number of constraints.
        groups: the number of groups.
        order: (groups,) filled with the groups.
        component_end: (groups,) filled with the end of each component in `order`.
        scratch: (5 * n + 1,) int32.

    Returns:
        The number of components, and an upper bound on the constraints that are open at once.
    """
    cells = len(frontier.cell_of)
    stage, left = scratch[:cells], scratch[cells : 2 * cells]
    placed, active = scratch[2 * cells : 3 * cells], scratch[3 * cells : 4 * cells]
    queue = scratch[4 * cells :]
    for constraint in range(constraints):
        stage[constraint] = UNSEEN
        left[constraint] = frontier.below_start[constraint + 1] - frontier.below_start[constraint]
    for group in range(groups):
        placed[group] = 0
    components = 0
    done = 0
    peak = 0
    for seed in range(constraints):
        if stage[seed] == UNSEEN:
            # The seed may lie in the middle of its component, where more constraints are open at once than at its rim.
            active[0] = _farthest(frontier, seed, stage, queue)
            stage[active[0]] = ACTIVE
            many = 1
            while many > 0:
                chosen = _cheapest(frontier, stage, left, placed, active, many)
                done, many = _finish(frontier, chosen, stage, left, placed, active, many, order, done)
                # Counted before finished constraints are dropped, since all of them are open for a moment.
                peak = max(peak, many)
                many = _drop_finished(stage, left, active, many)
            component_end[components] = done
            components += 1
    return components, peak


@inlined
def _finish(
    frontier: Frontier, chosen: int, stage: Ints, left: Ints, placed: Ints, active: Ints, many: int, order: Ints,
    done: int,
) -> tuple[int, int]:  # fmt: skip
    """Places all groups under a constraint; returns the number of placed groups and of active constraints."""
    while left[chosen] > 0:
        group = _next_group(frontier, chosen, stage, placed)
        placed[group] = 1
        order[done] = group
        done += 1
        for i in range(frontier.above_start[group], frontier.above_start[group + 1]):
            constraint = frontier.above[i]
            left[constraint] -= 1
            if stage[constraint] == UNSEEN:
                stage[constraint] = ACTIVE
                active[many] = constraint
                many += 1
    return done, many


@inlined
def _drop_finished(stage: Ints, left: Ints, active: Ints, many: int) -> int:
    kept = 0
    for i in range(many):
        if left[active[i]] > 0:
            active[kept] = active[i]
            kept += 1
        else:
            stage[active[i]] = DONE
    return kept


@inlined
def _farthest(frontier: Frontier, seed: int, stage: Ints, queue: Ints) -> int:
    """Returns the constraint that a breadth-first search from `seed` visits last."""
    queue[0] = seed
    stage[seed] = ACTIVE
    tail = 1
    head = 0
    while head < tail:
        constraint = queue[head]
        head += 1
        for i in range(frontier.below_start[constraint], frontier.below_start[constraint + 1]):
            group = frontier.below[i]
            for j in range(frontier.above_start[group], frontier.above_start[group + 1]):
                other = frontier.above[j]
                if stage[other] == UNSEEN:
                    stage[other] = ACTIVE
                    queue[tail] = other
                    tail += 1
    # The search borrowed `stage` for its marks.
    for i in range(tail):
        stage[queue[i]] = UNSEEN
    return int(queue[tail - 1])


@inlined
def _cheapest(frontier: Frontier, stage: Ints, left: Ints, placed: Ints, active: Ints, many: int) -> int:
    """Returns the active constraint that is cheapest to finish; the earliest one in a tie."""
    chosen = int(active[0])
    if many == 1:
        return chosen
    least = 1 << 40
    for i in range(many):
        constraint = active[i]
        # _FRESH outweighs any number of groups, so that this number only breaks ties.
        cost = int(left[constraint])
        for j in range(frontier.below_start[constraint], frontier.below_start[constraint + 1]):
            group = frontier.below[j]
            if placed[group] == 0:
                cost += _FRESH * _unseen_above(frontier, group, stage)
        if cost < least:
            least = cost
            chosen = int(constraint)
    return chosen


@inlined
def _next_group(frontier: Frontier, constraint: int, stage: Ints, placed: Ints) -> int:
    """Returns the group under a constraint, not yet placed, that opens the fewest others."""
    chosen = -1
    least = 1 << 40
    for j in range(frontier.below_start[constraint], frontier.below_start[constraint + 1]):
        group = frontier.below[j]
        if placed[group] == 0:
            fresh = _unseen_above(frontier, group, stage)
            if fresh < least:
                least = fresh
                chosen = int(group)
    return chosen


@inlined
def _unseen_above(frontier: Frontier, group: int, stage: Ints) -> int:
    unseen = 0
    for i in range(frontier.above_start[group], frontier.above_start[group + 1]):
        unseen += stage[frontier.above[i]] == UNSEEN
    return unseen


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
