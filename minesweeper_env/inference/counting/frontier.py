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
from minesweeper_env.inference.counting.workspace import OK, Frontier, Workspace, frontier_of
from minesweeper_env.inference.reading import NOWHERE, OPEN, UNKNOWN, Clues, Ints, follow_clues, read_clues

CONTRADICTION = 4
"""Outcome c + CONTRADICTION: cell c contradicts the rest of the board."""


@inlined
def read_board(work: Workspace, board: NDArray[np.int8]) -> int:
    """Reads a board, (n,) int8, and applies single clues; returns OK, or CONTRADICTION + a cell at fault."""
    frontier = frontier_of(work)
    scratch = frontier.scratch
    clues = Clues(frontier.neighbours, frontier.known, frontier.missing, frontier.unknown, scratch[0], scratch[1])
    fault = read_clues(board, frontier.neighbours.shape[1], clues)
    if fault == NOWHERE:
        fault = follow_clues(clues)
    return OK if fault == NOWHERE else CONTRADICTION + fault


@inlined
def merge_cells(frontier: Frontier) -> tuple[int, int, int]:
    """Fills the lists of constraints and groups; returns the numbers of both, and of the unknown cells outside."""
    cells, degree = frontier.neighbours.shape
    over_start, group_at, over = frontier.over_start, frontier.group_at, frontier.over
    num_constraints = _list_constraints(frontier)
    # Groups with the same first constraint form a chain: `first_group` of a constraint, then `next_group` of a group.
    first_group, next_group = frontier.scratch[0], frontier.scratch[1]
    first_group[:num_constraints] = -1
    num_groups, num_outside, begin = 0, 0, 0
    for cell in range(cells):
        group_at[cell] = -1
        if frontier.known[cell] != UNKNOWN:
            continue
        # The constraints over the cell are written behind those of the last group, and stay there if the group is new.
        end = begin
        for j in range(degree):
            constraint = frontier.constraint_at[frontier.neighbours[cell, j]]
            if constraint >= 0:
                over[end] = constraint
                end += 1
        if end == begin:
            num_outside += 1
            continue
        group = int(first_group[over[begin]])
        while group >= 0 and not _have_same_constraints(over, over_start[group], over_start[group + 1], begin, end):
            group = int(next_group[group])
        if group < 0:
            group = num_groups
            num_groups += 1
            over_start[group], over_start[group + 1] = begin, end
            frontier.size[group] = 0
            next_group[group] = first_group[over[begin]]
            first_group[over[begin]] = group
            begin = end
        group_at[cell] = group
        frontier.size[group] += 1
    _list_groups(frontier, num_constraints, num_groups, begin)
    return num_constraints, num_groups, num_outside


@inlined
def _list_constraints(frontier: Frontier) -> int:
    """Makes a constraint of each clue with unknown neighbours, in reading order; returns their number."""
    num_constraints = 0
    for cell in range(len(frontier.neighbours) + 1):  # the last one stands for cells off the board
        frontier.constraint_at[cell] = -1
        if cell < len(frontier.neighbours) and frontier.known[cell] == OPEN and frontier.unknown[cell] > 0:
            frontier.constraint_at[cell] = num_constraints
            frontier.cell_of[num_constraints] = cell
            num_constraints += 1
    return num_constraints


@inlined
def _have_same_constraints(over: Ints, other_begin: int, other_end: int, begin: int, end: int) -> bool:
    """Returns whether over[other_begin:other_end] and over[begin:end] are the same constraints; both ascend."""
    same = other_end - other_begin == end - begin
    i = 0
    while same and i < end - begin:
        same = over[other_begin + i] == over[begin + i]
        i += 1
    return bool(same)


@inlined
def _list_groups(frontier: Frontier, num_constraints: int, num_groups: int, num_entries: int) -> None:
    """Fills `under` and `under_start` with the transpose of `over`, of `num_entries` entries, by a counting sort."""
    under_start = frontier.under_start
    for constraint in range(num_constraints + 1):
        under_start[constraint] = 0
    for i in range(num_entries):
        under_start[frontier.over[i]] += 1
    for constraint in range(num_constraints):
        under_start[constraint + 1] += under_start[constraint]
    # Here each start is still the end of its list; it moves back as the list fills, from the last group to the first.
    for group in range(num_groups - 1, -1, -1):
        for i in range(frontier.over_start[group], frontier.over_start[group + 1]):
            constraint = frontier.over[i]
            under_start[constraint] -= 1
            frontier.under[under_start[constraint]] = group


UNSEEN, OPENED, DONE = range(3)

_OPENING_COST = 1 << 16
"""Cost of opening a constraint; placing a group costs 1."""


@subroutine
def order_groups(frontier: Frontier, num_constraints: int, num_groups: int) -> tuple[int, int]:
    """Fills `order` with the groups, component by component; constraints connect the groups of a component.

    A component begins at its rim. Then, again and again, all groups under the cheapest open constraint are placed. That
    is the one whose unplaced groups lie under the fewest constraints that are not open yet.

    Returns the number of components, and an upper bound on the constraints that are open at once.
    """
    stage, active = frontier.stage, frontier.active
    for constraint in range(num_constraints):
        stage[constraint] = UNSEEN
        frontier.unplaced_groups[constraint] = frontier.under_start[constraint + 1] - frontier.under_start[constraint]
    for group in range(num_groups):
        frontier.placed[group] = 0
    num_components, num_placed, peak = 0, 0, 0
    for seed in range(num_constraints):
        if stage[seed] == UNSEEN:
            # The seed may lie in the middle of its component, where more constraints are open at once than at its rim.
            active[0] = _farthest_constraint(frontier, seed)
            stage[active[0]] = OPENED
            num_active = 1
            while num_active > 0:
                constraint = _cheapest_constraint(frontier, num_active)
                num_placed, num_active = _place_groups_under(frontier, constraint, num_active, num_placed)
                # Counted before finished constraints are dropped, since all of them are open for a moment.
                peak = max(peak, num_active)
                num_active = _drop_finished(frontier, num_active)
            frontier.component_end[num_components] = num_placed
            num_components += 1
    return num_components, peak


@inlined
def _place_groups_under(frontier: Frontier, constraint: int, num_active: int, num_placed: int) -> tuple[int, int]:
    """Places all groups under a constraint; returns the new numbers of groups in `order` and of active constraints."""
    while frontier.unplaced_groups[constraint] > 0:
        group = _next_group(frontier, constraint)
        frontier.placed[group] = 1
        frontier.order[num_placed] = group
        num_placed += 1
        for i in range(frontier.over_start[group], frontier.over_start[group + 1]):
            other = frontier.over[i]
            frontier.unplaced_groups[other] -= 1
            if frontier.stage[other] == UNSEEN:
                frontier.stage[other] = OPENED
                frontier.active[num_active] = other
                num_active += 1
    return num_placed, num_active


@inlined
def _drop_finished(frontier: Frontier, num_active: int) -> int:
    """Removes the constraints without unplaced groups from `active`; returns the number that stays."""
    kept = 0
    for i in range(num_active):
        constraint = frontier.active[i]
        if frontier.unplaced_groups[constraint] > 0:
            frontier.active[kept] = constraint
            kept += 1
        else:
            frontier.stage[constraint] = DONE
    return kept


@inlined
def _farthest_constraint(frontier: Frontier, seed: int) -> int:
    """Returns the constraint that a breadth-first search over UNSEEN constraints from `seed` visits last."""
    stage, queue = frontier.stage, frontier.scratch[0]
    queue[0] = seed
    stage[seed] = OPENED
    head, tail = 0, 1
    while head < tail:
        constraint = queue[head]
        head += 1
        for i in range(frontier.under_start[constraint], frontier.under_start[constraint + 1]):
            group = frontier.under[i]
            for j in range(frontier.over_start[group], frontier.over_start[group + 1]):
                other = frontier.over[j]
                if stage[other] == UNSEEN:
                    stage[other] = OPENED
                    queue[tail] = other
                    tail += 1
    # `order_groups` reads `stage` too, so the marks of this search are removed.
    for i in range(tail):
        stage[queue[i]] = UNSEEN
    return int(queue[tail - 1])


@inlined
def _cheapest_constraint(frontier: Frontier, num_active: int) -> int:
    """Returns the active constraint that is cheapest to finish; in a tie, the one opened first."""
    chosen = int(frontier.active[0])
    if num_active == 1:
        return chosen
    least = 1 << 40
    for i in range(num_active):
        constraint = frontier.active[i]
        # The number of groups only breaks ties: it is below _OPENING_COST.
        cost = int(frontier.unplaced_groups[constraint])
        for j in range(frontier.under_start[constraint], frontier.under_start[constraint + 1]):
            group = frontier.under[j]
            if frontier.placed[group] == 0:
                cost += _OPENING_COST * _count_unseen(frontier, group)
        if cost < least:
            least = cost
            chosen = int(constraint)
    return chosen


@inlined
def _next_group(frontier: Frontier, constraint: int) -> int:
    """Returns the unplaced group under a constraint whose placing opens the fewest other constraints."""
    chosen, least = -1, 1 << 40
    for j in range(frontier.under_start[constraint], frontier.under_start[constraint + 1]):
        group = frontier.under[j]
        if frontier.placed[group] == 0:
            cost = _count_unseen(frontier, group)
            if cost < least:
                least = cost
                chosen = int(group)
    return chosen


@inlined
def _count_unseen(frontier: Frontier, group: int) -> int:
    """Returns the number of UNSEEN constraints over a group: placing the group opens them."""
    unseen = 0
    for i in range(frontier.over_start[group], frontier.over_start[group + 1]):
        unseen += frontier.stage[frontier.over[i]] == UNSEEN
    return unseen


_MIN_WIDE_GROUPS = 40
"""Components of fewer groups are never wide."""

_WIDE_LOG_STATES = 12.0
"""A component is wide if the estimated number of states on a level exceeds 2 to this power."""


@subroutine
def reorder_wide_components(frontier: Frontier, num_components: int) -> int:
    """Orders the groups of wide components by rows or by columns, where that promises fewer states.

    Returns an upper bound on the constraints open at once in reordered components; 0 if there are none.
    """
    peak, begin = 0, 0
    for component in range(num_components):
        end = int(np.int64(frontier.component_end[component]))
        if end - begin >= _MIN_WIDE_GROUPS:
            log_states, _ = _estimate_states(frontier, frontier.order[begin:end])
            if log_states > _WIDE_LOG_STATES:
                peak = max(peak, _try_sweeps(frontier, frontier.order[begin:end], log_states))
        begin = end
    return peak


@inlined
def _try_sweeps(frontier: Frontier, order: Ints, log_states: float) -> int:
    """Sorts `order` by rows or by columns if that has fewer than 2**log_states states on a level, by estimate.

    Returns the most constraints open at once in the new order; 0 if `order` stays.
    """
    cells, degree = frontier.neighbours.shape
    sweep, keys = frontier.scratch[1, : len(order)], frontier.scratch[2]
    # A row of `neighbours` is in reading order, without the cell itself. So the cell straight below has the index
    # degree // 2 + 2 * radius, which is 6 for radius 1. Below cell 0 it is `cols`, or n = `cols` on a single row.
    cols = int(frontier.neighbours[0, degree // 2 + int(math.sqrt(degree + 1)) - 1])
    peak = 0
    for by_column in range(2):
        # Downwards, so that the key of a group comes from its first cell in reading order.
        for cell in range(cells - 1, -1, -1):
            if frontier.group_at[cell] >= 0:
                number_by_columns = cell % cols * (cells // cols) + cell // cols  # col * rows + row
                keys[frontier.group_at[cell]] = number_by_columns if by_column == 1 else cell
        for i in range(len(order)):
            j = i
            while j > 0 and keys[sweep[j - 1]] > keys[order[i]]:
                sweep[j] = sweep[j - 1]
                j -= 1
            sweep[j] = order[i]
        sweep_log_states, max_open = _estimate_states(frontier, sweep)
        if sweep_log_states < log_states:
            log_states, peak = sweep_log_states, max_open
            for i in range(len(order)):
                order[i] = sweep[i]
    return peak


@inlined
def _estimate_states(frontier: Frontier, order: Ints) -> tuple[float, int]:
    """Returns the base-2 logarithm of the most states on a level of an order, and the most constraints open at once.

    The number of states on a level is estimated as the product of `_count_possible_sums` over all constraints.
    """
    placed_cells = frontier.scratch[0]  # constraint: the number of its cells in the groups so far
    for group in order:
        for i in range(frontier.over_start[group], frontier.over_start[group + 1]):
            placed_cells[frontier.over[i]] = 0
    log_states, max_log_states, num_open, max_open = 0.0, 0.0, 0, 0
    for group in order:
        begin, end = frontier.over_start[group], frontier.over_start[group + 1]
        for i in range(begin, end):
            constraint = frontier.over[i]
            # The factor of each constraint changes: the old one leaves the product, and the new one enters it.
            log_states -= math.log2(_count_possible_sums(frontier, constraint, placed_cells[constraint]))
            num_open += placed_cells[constraint] == 0
            placed_cells[constraint] += frontier.size[group]
            log_states += math.log2(_count_possible_sums(frontier, constraint, placed_cells[constraint]))
        max_open = max(max_open, num_open)
        for i in range(begin, end):
            constraint = frontier.over[i]
            num_open -= placed_cells[constraint] == frontier.unknown[frontier.cell_of[constraint]]
        max_log_states = max(max_log_states, log_states)
    return max_log_states, max_open


@inlined
def _count_possible_sums(frontier: Frontier, constraint: int, num_placed: int) -> int:
    """Returns how many mine counts are possible for the first `num_placed` cells of a constraint.

    Example: a constraint lacks 2 mines in 3 cells. Its first 2 cells hold 1 or 2 of them, so 2 counts are possible.
    """
    cell = frontier.cell_of[constraint]
    missing, unknown = frontier.missing[cell], frontier.unknown[cell]
    return int(min(missing, num_placed) - max(0, missing - (unknown - num_placed)) + 1)
