"""Frontier of a board: constraints, groups of equivalent cells, and the order in which the groups are eliminated.

Steps 2 and 3 of docs/studies/inference.md. A clue whose neighbours are not all known is a constraint: it fixes the
number of mines in its unknown neighbours. Unknown cells under the same constraints form a group; only its mine count
matters. The order follows the frontier, so that few constraints are open at once; see "Complexity and bounds" there.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.compiled import inlined, subroutine
from minesweeper_env.inference.counting import workspace as ws
from minesweeper_env.inference.counting.workspace import Workspace
from minesweeper_env.inference.reading import NOWHERE, OPEN, UNKNOWN, Clues, Ints, follow_clues, read_clues

CONTRADICTION = 4
"""Outcome c + CONTRADICTION: cell c contradicts the rest of the board."""


@inlined
def read_board(work: Workspace, board: NDArray[np.int8]) -> int:
    """Reads a board and applies single clues; returns the outcome."""
    cells = work.cells
    clues = Clues(
        work.neighbours, cells[ws.KNOWN], cells[ws.MISSING], cells[ws.COVERED], cells[ws.SPARE], cells[ws.SPARE + 1]
    )
    fault = read_clues(board, work.neighbours.shape[1], clues)
    if fault == NOWHERE:
        fault = follow_clues(clues)
    return 0 if fault == NOWHERE else CONTRADICTION + fault


@inlined
def merge_cells(work: Workspace) -> tuple[int, int, int]:
    """Lists the constraints and groups of a board; returns their numbers, and that of the cells under no constraint."""
    cells, degree = work.neighbours.shape
    start, group_of, above = work.cells[ws.ABOVE], work.cells[ws.GROUP], work.lists[ws.OVER]
    # Groups are chained by their first constraint: the head of each chain, and the successor of each group.
    head, successor = work.cells[ws.SPARE], work.cells[ws.SPARE + 1]
    constraints = _list_constraints(work)
    groups, outside, end = 0, 0, 0
    for cell in range(cells):
        group_of[cell] = -1
        if work.cells[ws.KNOWN, cell] != UNKNOWN:
            continue
        # The cell's constraints are written behind the last group, and stay there if they form a new one.
        top = end
        for j in range(degree):
            constraint = work.cells[ws.CONSTRAINT, work.neighbours[cell, j]]
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
            work.cells[ws.SIZE, group] = 0
            successor[group] = head[above[end]]
            head[above[end]] = group
            end = top
        group_of[cell] = group
        work.cells[ws.SIZE, group] += 1
    _list_groups(work, constraints, groups, end)
    return constraints, groups, outside


@inlined
def _list_constraints(work: Workspace) -> int:
    """Lists the constraints, and begins an empty chain of groups for each; returns their number."""
    constraints = 0
    for cell in range(len(work.neighbours) + 1):
        work.cells[ws.CONSTRAINT, cell] = -1
        if cell < len(work.neighbours) and work.cells[ws.KNOWN, cell] == OPEN and work.cells[ws.COVERED, cell] > 0:
            work.cells[ws.CONSTRAINT, cell] = constraints
            work.cells[ws.CELL, constraints] = cell
            work.cells[ws.SPARE, constraints] = -1
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
def _list_groups(work: Workspace, constraints: int, groups: int, end: int) -> None:
    """Fills lists[UNDER], the transpose of lists[OVER]."""
    start = work.cells[ws.BELOW]
    for constraint in range(constraints + 1):
        start[constraint] = 0
    for i in range(end):
        start[work.lists[ws.OVER, i]] += 1
    for constraint in range(constraints):
        start[constraint + 1] += start[constraint]
    # Each start is the end of its list here, and moves back as the list fills.
    for group in range(groups - 1, -1, -1):
        for i in range(work.cells[ws.ABOVE, group], work.cells[ws.ABOVE, group + 1]):
            constraint = work.lists[ws.OVER, i]
            start[constraint] -= 1
            work.lists[ws.UNDER, start[constraint]] = group


STAGE, WAITING, PLACED, ACTIVE, QUEUE = range(ws.SPARE, ws.SPARE + 5)
"""Scratch rows of `order_groups`.

    STAGE    of a constraint: UNSEEN, OPENED or DONE
    WAITING  of a constraint: the number of its groups that are not placed
    PLACED   of a group: whether it is placed
    ACTIVE   the opened constraints
    QUEUE    of a breadth-first search
"""

UNSEEN, OPENED, DONE = range(3)

_FRESH = 1 << 16
"""Cost of opening a constraint; placing a group costs 1."""


@subroutine
def order_groups(work: Workspace, constraints: int, groups: int) -> tuple[int, int]:
    """Lists the groups component by component; a component is a set of groups connected by constraints.

    Each component begins at its rim. From there the cheapest open constraint is finished, again and again: the one
    whose remaining groups lie under the fewest constraints that are not open yet.

    Returns the number of components, and an upper bound on the constraints that are open at once.
    """
    stage, active = work.cells[STAGE], work.cells[ACTIVE]
    for constraint in range(constraints):
        stage[constraint] = UNSEEN
        work.cells[WAITING, constraint] = work.cells[ws.BELOW, constraint + 1] - work.cells[ws.BELOW, constraint]
    for group in range(groups):
        work.cells[PLACED, group] = 0
    components, done, peak = 0, 0, 0
    for seed in range(constraints):
        if stage[seed] == UNSEEN:
            # The seed may lie in the middle of its component, where more constraints are open at once than at its rim.
            active[0] = _farthest(work, seed)
            stage[active[0]] = OPENED
            many = 1
            while many > 0:
                done, many = _finish(work, _cheapest(work, many), many, done)
                # Counted before finished constraints are dropped, since all of them are open for a moment.
                peak = max(peak, many)
                many = _drop_finished(work, many)
            work.cells[ws.END, components] = done
            components += 1
    return components, peak


@inlined
def _finish(work: Workspace, chosen: int, many: int, done: int) -> tuple[int, int]:
    """Places all groups under a constraint; returns the number of placed groups and of active constraints."""
    while work.cells[WAITING, chosen] > 0:
        group = _next_group(work, chosen)
        work.cells[PLACED, group] = 1
        work.cells[ws.ORDER, done] = group
        done += 1
        for i in range(work.cells[ws.ABOVE, group], work.cells[ws.ABOVE, group + 1]):
            constraint = work.lists[ws.OVER, i]
            work.cells[WAITING, constraint] -= 1
            if work.cells[STAGE, constraint] == UNSEEN:
                work.cells[STAGE, constraint] = OPENED
                work.cells[ACTIVE, many] = constraint
                many += 1
    return done, many


@inlined
def _drop_finished(work: Workspace, many: int) -> int:
    kept = 0
    for i in range(many):
        constraint = work.cells[ACTIVE, i]
        if work.cells[WAITING, constraint] > 0:
            work.cells[ACTIVE, kept] = constraint
            kept += 1
        else:
            work.cells[STAGE, constraint] = DONE
    return kept


@inlined
def _farthest(work: Workspace, seed: int) -> int:
    """Returns the constraint that a breadth-first search from `seed` visits last."""
    stage, queue = work.cells[STAGE], work.cells[QUEUE]
    queue[0] = seed
    stage[seed] = OPENED
    head, tail = 0, 1
    while head < tail:
        constraint = queue[head]
        head += 1
        for i in range(work.cells[ws.BELOW, constraint], work.cells[ws.BELOW, constraint + 1]):
            group = work.lists[ws.UNDER, i]
            for j in range(work.cells[ws.ABOVE, group], work.cells[ws.ABOVE, group + 1]):
                other = work.lists[ws.OVER, j]
                if stage[other] == UNSEEN:
                    stage[other] = OPENED
                    queue[tail] = other
                    tail += 1
    # The search borrowed `stage` for its marks.
    for i in range(tail):
        stage[queue[i]] = UNSEEN
    return int(queue[tail - 1])


@inlined
def _cheapest(work: Workspace, many: int) -> int:
    """Returns the active constraint that is cheapest to finish; the earliest one in a tie."""
    chosen = int(work.cells[ACTIVE, 0])
    if many == 1:
        return chosen
    least = 1 << 40
    for i in range(many):
        constraint = work.cells[ACTIVE, i]
        # _FRESH outweighs any number of groups, so that this number only breaks ties.
        cost = int(work.cells[WAITING, constraint])
        for j in range(work.cells[ws.BELOW, constraint], work.cells[ws.BELOW, constraint + 1]):
            group = work.lists[ws.UNDER, j]
            if work.cells[PLACED, group] == 0:
                cost += _FRESH * _unseen_above(work, group)
        if cost < least:
            least = cost
            chosen = int(constraint)
    return chosen


@inlined
def _next_group(work: Workspace, constraint: int) -> int:
    """Returns the group under a constraint, not yet placed, that opens the fewest others."""
    chosen, least = -1, 1 << 40
    for j in range(work.cells[ws.BELOW, constraint], work.cells[ws.BELOW, constraint + 1]):
        group = work.lists[ws.UNDER, j]
        if work.cells[PLACED, group] == 0:
            fresh = _unseen_above(work, group)
            if fresh < least:
                least = fresh
                chosen = int(group)
    return chosen


@inlined
def _unseen_above(work: Workspace, group: int) -> int:
    unseen = 0
    for i in range(work.cells[ws.ABOVE, group], work.cells[ws.ABOVE, group + 1]):
        unseen += work.cells[STAGE, work.lists[ws.OVER, i]] == UNSEEN
    return unseen


_MANY = 40
"""Components of fewer groups are never wide."""

_WIDE = 12.0
"""A component is wide if it may have more than 2 to this power states on a level."""

_COUNT, _SWEEP, _KEY = range(ws.SPARE, ws.SPARE + 3)
"""Scratch rows: the cells placed under each constraint, the groups in the order of a sweep, and their sort keys."""


@subroutine
def reorder_wide_components(work: Workspace, components: int) -> int:
    """Orders the groups of wide components by rows or by columns, where that promises fewer states.

    Returns an upper bound on the constraints open at once in reordered components; 0 if there are none.
    """
    peak, begin = 0, 0
    for component in range(components):
        end = int(np.int64(work.cells[ws.END, component]))
        if end - begin >= _MANY:
            present, _ = _rate(work, work.cells[ws.ORDER, begin:end])
            if present > _WIDE:
                peak = max(peak, _try_sweeps(work, work.cells[ws.ORDER, begin:end], present))
        begin = end
    return peak


@inlined
def _try_sweeps(work: Workspace, order: Ints, present: float) -> int:
    """Tries both sweeps; returns the constraints open at once if it changes `order`, else 0."""
    cells, degree = work.neighbours.shape
    sweep, keys = work.cells[_SWEEP, : len(order)], work.cells[_KEY]
    # Neighbours are in reading order without the cell itself, so the one below comes 2 * radius after the middle. For
    # the first cell it is the number of columns: on a single row, too, where it is the cell off the board.
    cols = int(work.neighbours[0, degree // 2 + int(math.sqrt(degree + 1)) - 1])
    peak = 0
    for by_column in range(2):
        # Downwards, so that a group's key is its first cell in the sweep's order by rows.
        for cell in range(cells - 1, -1, -1):
            if work.cells[ws.GROUP, cell] >= 0:
                keys[work.cells[ws.GROUP, cell]] = (
                    cell % cols * (cells // cols) + cell // cols if by_column == 1 else cell
                )
        # By insertion, because reading order is nearly sorted already.
        for i in range(len(order)):
            j = i
            while j > 0 and keys[sweep[j - 1]] > keys[order[i]]:
                sweep[j] = sweep[j - 1]
                j -= 1
            sweep[j] = order[i]
        states, open_at_once = _rate(work, sweep)
        if states < present:
            present, peak = states, open_at_once
            for i in range(len(order)):
                order[i] = sweep[i]
    return peak


@inlined
def _rate(work: Workspace, order: Ints) -> tuple[float, int]:
    """Estimates an elimination order.

    The states of a level are the product, over open constraints, of the number of values that their lack can take.
    Returns the base-2 logarithm of the most states on a level, and the most constraints open at once.
    """
    placed = work.cells[_COUNT]
    for group in order:
        for i in range(work.cells[ws.ABOVE, group], work.cells[ws.ABOVE, group + 1]):
            placed[work.lists[ws.OVER, i]] = 0
    states, most_states, active, most_active = 0.0, 0.0, 0, 0
    for group in order:
        begin, end = work.cells[ws.ABOVE, group], work.cells[ws.ABOVE, group + 1]
        for i in range(begin, end):
            constraint = work.lists[ws.OVER, i]
            # The factor of each constraint changes: the old one leaves the product, and the new one enters it.
            states -= math.log2(_choices(work, constraint, placed[constraint]))
            active += placed[constraint] == 0
            placed[constraint] += work.cells[ws.SIZE, group]
            states += math.log2(_choices(work, constraint, placed[constraint]))
        most_active = max(most_active, active)
        for i in range(begin, end):
            constraint = work.lists[ws.OVER, i]
            active -= placed[constraint] == work.cells[ws.COVERED, work.cells[ws.CELL, constraint]]
        most_states = max(most_states, states)
    return most_states, most_active


@inlined
def _choices(work: Workspace, constraint: int, placed: int) -> int:
    """Returns the number of mine counts that are possible in the `placed` first cells of a constraint."""
    cell = work.cells[ws.CELL, constraint]
    missing, unknown = work.cells[ws.MISSING, cell], work.cells[ws.COVERED, cell]
    return int(min(missing, placed) - max(0, missing - (unknown - placed)) + 1)
