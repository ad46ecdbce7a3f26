"""Elimination order of the groups: along the frontier, so that few constraints are open at once.

See "Complexity and bounds" in docs/studies/inference.md.
"""

from __future__ import annotations

from minesweeper_env.compiled import inlined, subroutine
from minesweeper_env.inference.counting.frontier import Frontier, Ints

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
