"""Frontier of a board as linear equations over groups, and the order in which the groups are eliminated.

    sum of k_g over the groups g under c  =  r_c        for each constraint c, with 0 <= k_g <= s_g

A constraint is the equation of a clue: its unknown neighbours hold the r_c mines that the clue still lacks. A group is
the set of s_g unknown cells under the same constraints; only its mine count k_g matters. The order follows the
frontier, so that few constraints are open at once, as in bucket elimination along a path (Dechter 1999). Steps 2 and 3
of docs/studies/inference.md.
"""

import math

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.compiled import inlined, subroutine
from minesweeper_env.inference.counting.workspace import Frontier, Workspace, frontier_of
from minesweeper_env.inference.reading import NOWHERE, OPEN, UNKNOWN, Clues, Ints, follow_clues, read_clues

CONTRADICTION = 4
"""Outcome c + CONTRADICTION: cell c contradicts the rest of the board."""


@inlined
def read_board(work: Workspace, board: NDArray[np.int8]) -> int:
    """Reads a board and applies single clues; returns the outcome."""
    frontier = frontier_of(work)
    scratch = frontier.scratch
    clues = Clues(frontier.neighbours, frontier.known, frontier.missing, frontier.covered, scratch[0], scratch[1])
    fault = read_clues(board, frontier.neighbours.shape[1], clues)
    if fault == NOWHERE:
        fault = follow_clues(clues)
    return 0 if fault == NOWHERE else CONTRADICTION + fault


@inlined
def merge_cells(frontier: Frontier) -> tuple[int, int, int]:
    """Lists the constraints and groups of a board; returns their numbers, and that of the cells under no constraint."""
    cells, degree = frontier.neighbours.shape
    start, group_of, above = frontier.above, frontier.group_at, frontier.over
    constraints = _list_constraints(frontier)
    # Groups are chained by their first constraint: the head of each chain, and the successor of each group.
    head, successor = frontier.scratch[0], frontier.scratch[1]
    head[:constraints] = -1
    groups, outside, end = 0, 0, 0
    for cell in range(cells):
        group_of[cell] = -1
        if frontier.known[cell] != UNKNOWN:
            continue
        # The cell's constraints are written behind the last group, and stay there if they form a new one.
        top = end
        for j in range(degree):
            constraint = frontier.constraint_at[frontier.neighbours[cell, j]]
            if constraint >= 0:
                above[top] = constraint
                top += 1
        if top == end:
            outside += 1
            continue
        group = int(head[above[end]])
        while group >= 0 and not _is_listed(above, start[group], start[group + 1], end, top):
            group = int(successor[group])
        if group < 0:
            group = groups
            groups += 1
            start[group], start[group + 1] = end, top
            frontier.size[group] = 0
            successor[group] = head[above[end]]
            head[above[end]] = group
            end = top
        group_of[cell] = group
        frontier.size[group] += 1
    _list_groups(frontier, constraints, groups, end)
    return constraints, groups, outside


@inlined
def _list_constraints(frontier: Frontier) -> int:
    """Lists the constraints; returns their number."""
    constraints = 0
    for cell in range(len(frontier.neighbours) + 1):
        frontier.constraint_at[cell] = -1
        if cell < len(frontier.neighbours) and frontier.known[cell] == OPEN and frontier.covered[cell] > 0:
            frontier.constraint_at[cell] = constraints
            frontier.cell_of[constraints] = cell
            constraints += 1
    return constraints


@inlined
def _is_listed(above: Ints, at: int, following: int, begin: int, end: int) -> bool:
    """Returns whether above[at:following] are the constraints above[begin:end]; both are in ascending order."""
    same = following - at == end - begin
    i = 0
    while same and i < end - begin:
        same = above[at + i] == above[begin + i]
        i += 1
    return bool(same)


@inlined
def _list_groups(frontier: Frontier, constraints: int, groups: int, end: int) -> None:
    """Fills frontier.under, the transpose of frontier.over."""
    start = frontier.below
    for constraint in range(constraints + 1):
        start[constraint] = 0
    for i in range(end):
        start[frontier.over[i]] += 1
    for constraint in range(constraints):
        start[constraint + 1] += start[constraint]
    # Each start is the end of its list here, and moves back as the list fills.
    for group in range(groups - 1, -1, -1):
        for i in range(frontier.above[group], frontier.above[group + 1]):
            constraint = frontier.over[i]
            start[constraint] -= 1
            frontier.under[start[constraint]] = group


UNSEEN, OPENED, DONE = range(3)

_FRESH = 1 << 16
"""Cost of opening a constraint; placing a group costs 1."""


@subroutine
def order_groups(frontier: Frontier, constraints: int, groups: int) -> tuple[int, int]:
    """Lists the groups component by component; a component is a set of groups connected by constraints.

    Each component begins at its rim. From there the cheapest open constraint is finished, again and again: the one
    whose remaining groups lie under the fewest constraints that are not open yet.

    Returns the number of components, and an upper bound on the constraints that are open at once.
    """
    stage, active = frontier.stage, frontier.active
    for constraint in range(constraints):
        stage[constraint] = UNSEEN
        frontier.waiting[constraint] = frontier.below[constraint + 1] - frontier.below[constraint]
    for group in range(groups):
        frontier.placed[group] = 0
    components, done, peak = 0, 0, 0
    for seed in range(constraints):
        if stage[seed] == UNSEEN:
            # The seed may lie in the middle of its component, where more constraints are open at once than at its rim.
            active[0] = _farthest(frontier, seed)
            stage[active[0]] = OPENED
            active_count = 1
            while active_count > 0:
                done, active_count = _finish(frontier, _cheapest(frontier, active_count), active_count, done)
                # Counted before finished constraints are dropped, since all of them are open for a moment.
                peak = max(peak, active_count)
                active_count = _drop_finished(frontier, active_count)
            frontier.end[components] = done
            components += 1
    return components, peak


@inlined
def _finish(frontier: Frontier, chosen: int, active_count: int, done: int) -> tuple[int, int]:
    """Places all groups under a constraint; returns the number of placed groups and of active constraints."""
    while frontier.waiting[chosen] > 0:
        group = _next_group(frontier, chosen)
        frontier.placed[group] = 1
        frontier.order[done] = group
        done += 1
        for i in range(frontier.above[group], frontier.above[group + 1]):
            constraint = frontier.over[i]
            frontier.waiting[constraint] -= 1
            if frontier.stage[constraint] == UNSEEN:
                frontier.stage[constraint] = OPENED
                frontier.active[active_count] = constraint
                active_count += 1
    return done, active_count


@inlined
def _drop_finished(frontier: Frontier, active_count: int) -> int:
    kept = 0
    for i in range(active_count):
        constraint = frontier.active[i]
        if frontier.waiting[constraint] > 0:
            frontier.active[kept] = constraint
            kept += 1
        else:
            frontier.stage[constraint] = DONE
    return kept


@inlined
def _farthest(frontier: Frontier, seed: int) -> int:
    """Returns the constraint that a breadth-first search from `seed` visits last."""
    stage, queue = frontier.stage, frontier.scratch[0]
    queue[0] = seed
    stage[seed] = OPENED
    head, tail = 0, 1
    while head < tail:
        constraint = queue[head]
        head += 1
        for i in range(frontier.below[constraint], frontier.below[constraint + 1]):
            group = frontier.under[i]
            for j in range(frontier.above[group], frontier.above[group + 1]):
                other = frontier.over[j]
                if stage[other] == UNSEEN:
                    stage[other] = OPENED
                    queue[tail] = other
                    tail += 1
    # The search borrowed `stage` for its marks.
    for i in range(tail):
        stage[queue[i]] = UNSEEN
    return int(queue[tail - 1])


@inlined
def _cheapest(frontier: Frontier, active_count: int) -> int:
    """Returns the active constraint that is cheapest to finish; the earliest one in a tie."""
    chosen = int(frontier.active[0])
    if active_count == 1:
        return chosen
    least = 1 << 40
    for i in range(active_count):
        constraint = frontier.active[i]
        # The number of groups only breaks ties: it is below _FRESH, the cost of a constraint to open.
        cost = int(frontier.waiting[constraint])
        for j in range(frontier.below[constraint], frontier.below[constraint + 1]):
            group = frontier.under[j]
            if frontier.placed[group] == 0:
                cost += _FRESH * _unseen_above(frontier, group)
        if cost < least:
            least = cost
            chosen = int(constraint)
    return chosen


@inlined
def _next_group(frontier: Frontier, constraint: int) -> int:
    """Returns the group under a constraint, not yet placed, that opens the fewest others."""
    chosen, least = -1, 1 << 40
    for j in range(frontier.below[constraint], frontier.below[constraint + 1]):
        group = frontier.under[j]
        if frontier.placed[group] == 0:
            fresh = _unseen_above(frontier, group)
            if fresh < least:
                least = fresh
                chosen = int(group)
    return chosen


@inlined
def _unseen_above(frontier: Frontier, group: int) -> int:
    unseen = 0
    for i in range(frontier.above[group], frontier.above[group + 1]):
        unseen += frontier.stage[frontier.over[i]] == UNSEEN
    return unseen


_MANY = 40
"""Components of fewer groups are never wide."""

_WIDE = 12.0
"""A component is wide if it may have more than 2 to this power states on a level."""


@subroutine
def reorder_wide_components(frontier: Frontier, components: int) -> int:
    """Orders the groups of wide components by rows or by columns, where that promises fewer states.

    Returns an upper bound on the constraints open at once in reordered components; 0 if there are none.
    """
    peak, begin = 0, 0
    for component in range(components):
        end = int(np.int64(frontier.end[component]))
        if end - begin >= _MANY:
            states, _ = _rate(frontier, frontier.order[begin:end])
            if states > _WIDE:
                peak = max(peak, _try_sweeps(frontier, frontier.order[begin:end], states))
        begin = end
    return peak


@inlined
def _try_sweeps(frontier: Frontier, order: Ints, least: float) -> int:
    """Sorts `order` by rows or columns if this has under 2**least states; returns the constraints open at once or 0."""
    cells, degree = frontier.neighbours.shape
    sweep, keys = frontier.scratch[1, : len(order)], frontier.scratch[2]
    # Neighbours are in reading order without the cell itself, so the one below comes 2 * radius after the middle. For
    # the first cell it is the number of columns: on a single row, too, where it is the cell off the board.
    cols = int(frontier.neighbours[0, degree // 2 + int(math.sqrt(degree + 1)) - 1])
    peak = 0
    for by_column in range(2):
        # Downwards, so that a group's key is its first cell in the sweep's order by rows.
        for cell in range(cells - 1, -1, -1):
            if frontier.group_at[cell] >= 0:
                keys[frontier.group_at[cell]] = cell % cols * (cells // cols) + cell // cols if by_column == 1 else cell
        # By insertion, because reading order is nearly sorted already.
        for i in range(len(order)):
            j = i
            while j > 0 and keys[sweep[j - 1]] > keys[order[i]]:
                sweep[j] = sweep[j - 1]
                j -= 1
            sweep[j] = order[i]
        states, open_at_once = _rate(frontier, sweep)
        if states < least:
            least, peak = states, open_at_once
            for i in range(len(order)):
                order[i] = sweep[i]
    return peak


@inlined
def _rate(frontier: Frontier, order: Ints) -> tuple[float, int]:
    """Estimates the cost of an elimination order.

    It takes the product of `_choices`, over the open constraints, as the number of states of a level.
    Returns the base-2 logarithm of the most states on a level, and the most constraints open at once.
    """
    placed = frontier.scratch[0]
    for group in order:
        for i in range(frontier.above[group], frontier.above[group + 1]):
            placed[frontier.over[i]] = 0
    states, most_states, active, most_active = 0.0, 0.0, 0, 0
    for group in order:
        begin, end = frontier.above[group], frontier.above[group + 1]
        for i in range(begin, end):
            constraint = frontier.over[i]
            # The factor of each constraint changes: the old one leaves the product, and the new one enters it.
            states -= math.log2(_choices(frontier, constraint, placed[constraint]))
            active += placed[constraint] == 0
            placed[constraint] += frontier.size[group]
            states += math.log2(_choices(frontier, constraint, placed[constraint]))
        most_active = max(most_active, active)
        for i in range(begin, end):
            constraint = frontier.over[i]
            active -= placed[constraint] == frontier.covered[frontier.cell_of[constraint]]
        most_states = max(most_states, states)
    return most_states, most_active


@inlined
def _choices(frontier: Frontier, constraint: int, placed: int) -> int:
    """Returns the number of mine counts that are possible in the `placed` first cells of a constraint.

    Example: a constraint lacks 2 mines in 3 cells. Its first 2 cells hold 1 or 2 of them, which are 2 choices.
    """
    cell = frontier.cell_of[constraint]
    missing, unknown = frontier.missing[cell], frontier.covered[cell]
    return int(min(missing, placed) - max(0, missing - (unknown - placed)) + 1)
