"""Closure of constraints under differences and overlaps.

A constraint is a set of cells and the number of their mines. Each clue gives one. If the cells of one constraint lie
within those of another, their difference is a constraint too:

    {a, b}: 1 mine    within    {a, b, c}: 2 mines    gives    {c}: 1 mine

This is the inference of the knowledge base in Harvard's course CS50 AI, repeated until nothing new follows. Solvers by
constraint satisfaction compare clues in the same way (Studholme 2000; Becerra 2015). Overlaps of two constraints come
next; see `find_overlaps`.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.compiled import inlined, subroutine
from minesweeper_env.inference.reading import OPEN, UNKNOWN, Clues

MAX_CONSTRAINTS = 20_000
"""The most constraints of a closure."""

NOTHING, REST_IS_SAFE, REST_IS_MINED, TOO_HARD, BY_DIFFERENCE, BY_OVERLAP = range(6)
"""Results of `look_further`: nothing follows; a packing accounts for all mines left, or for all free cells; the search
takes too long; some constraints are certain by differences, or by overlaps."""

Longs = NDArray[np.int64]


class Memory(NamedTuple):
    """The arrays of deduction, few as each slows a call; `closure_of` and `packing_of` name their rows at no cost."""

    constraints: Longs  # (10, S) int64, a column for each constraint
    entries: Longs  # (3, S * degree) int64, a column for each cell of a constraint
    cells: Longs  # (10, n + 1) int64, a column for each cell
    counts: Longs  # (3,) int64, single numbers


class Closure(NamedTuple):
    """Up to S constraints on a board of n cells with up to `degree` neighbours each; views of `Memory`.

    The cells of a constraint c, in ascending order, are `cell[start[c] : start[c + 1]]`. The indices of `cell` are
    called entries. A chain is a linked list, from the latest item to the first; -1 ends it.
    """

    memory: Memory  # the arrays, which functions that are not inlined take
    size: Longs  # (1,), the number of constraints
    start: Longs  # (S,), the first entry of a constraint
    mines: Longs  # (S,), the number of mines in its cells
    signature: Longs  # (S,), the bits (cell & 63) of its cells; a subset of the cells has a subset of the bits
    parent: Longs  # (S,), the constraint that it comes from; -1 - c for the constraint of the clue c
    other_parent: Longs  # (S,), the second constraint that it comes from
    next_beginning: Longs  # (S,), the constraint after it in the chain of those that begin with the same cell
    number_certain: Longs  # (1,), the number of certain constraints: all their cells are free, or all are mines
    certain: Longs  # (S,), a list of the certain constraints
    seen: Longs  # (S,), scratch
    stack: Longs  # (S,), scratch
    cell: Longs  # (S * degree,), the cell of an entry
    owner: Longs  # (S * degree,), the constraint of an entry
    next_containing: Longs  # (S * degree,), the entry after it in the chain of those with the same cell
    beginning: Longs  # (n + 1,), the head of the chain of constraints whose first cell is this one
    containing: Longs  # (n + 1,), the head of the chain of entries with this cell; certain constraints are in none
    in_reason: Longs  # (n + 1,), 1 for a clue of the reason that `mark_reason` marks


def make_memory(cells: int, degree: int) -> Memory:
    """Returns uninitialised arrays for boards of n = `cells` cells with up to `degree` neighbours each."""
    shapes = ((10, MAX_CONSTRAINTS), (3, MAX_CONSTRAINTS * degree), (10, cells + 1), (3,))
    return Memory(*(np.empty(shape, np.int64) for shape in shapes))


def view_closure(memory: Memory) -> Closure:
    """Returns the closure in the arrays of a memory; `view_packing` takes the other rows."""
    rows, entries, cells, counts = memory
    return Closure(
        memory,
        counts[:1], rows[0], rows[1], rows[2], rows[3], rows[4], rows[5],
        counts[1:2], rows[6], rows[7], rows[8],
        entries[0], entries[1], entries[2],
        cells[0], cells[1], cells[2],
    )  # fmt: skip


closure_of = inlined(view_closure)


@inlined
def length(closure: Closure, constraint: int) -> int:
    """Returns the number of cells of a constraint."""
    return closure.start[constraint + 1] - closure.start[constraint]


@inlined
def is_certain(closure: Closure, constraint: int) -> bool:
    """Returns whether all cells of a constraint are free, or all are mines."""
    mines = closure.mines[constraint]
    return bool(mines == 0 or mines == length(closure, constraint))


@subroutine
def close_constraints(clues: Clues, memory: Memory) -> bool:
    """Lists the constraints of all clues and their differences; returns whether the list is complete, not cut off.

    Certain constraints are listed in `certain`, and take no part in differences.
    """
    closure = closure_of(memory)
    cells, degree = clues.neighbours.shape
    closure.size[0], closure.number_certain[0] = 0, 0
    closure.start[0] = 0
    for cell in range(cells):
        closure.beginning[cell] = -1
        closure.containing[cell] = -1
    for clue in range(cells):
        if clues.known[clue] == OPEN and clues.unknown[clue] > 0:
            end = closure.start[closure.size[0]]
            for k in range(degree):
                neighbour = int(np.int64(clues.neighbours[clue, k]))
                if clues.known[neighbour] == UNKNOWN:
                    closure.cell[end] = neighbour
                    end += 1
            _add_constraint(memory, end, int(np.int64(clues.missing[clue])), -1 - clue, -1)  # the parent is the clue
    # A difference goes to the end of the list, so the loop reaches it too.
    constraint = 0
    while constraint < closure.size[0] and not _is_full(closure):
        _add_differences(closure, constraint)
        constraint += 1
    return not _is_full(closure)


@inlined
def _is_full(closure: Closure) -> bool:
    # The constraint that `_write_rest` writes is not yet counted in `size`; its end is the start of the next one.
    return bool(closure.size[0] + 2 >= len(closure.start))


@inlined
def _add_differences(closure: Closure, constraint: int) -> None:
    """Adds the differences of a constraint and all earlier ones."""
    begin, end = closure.start[constraint], closure.start[constraint + 1]
    if is_certain(closure, constraint):
        return
    # The constraints around this one contain its first cell.
    entry = closure.containing[closure.cell[begin]]
    while entry >= 0:
        other = closure.owner[entry]
        larger = other < constraint and length(closure, other) > end - begin
        if larger and _lies_within(closure, constraint, other):
            _subtract(closure, other, constraint)
        entry = closure.next_containing[entry]
    # The constraints within this one begin with one of its cells.
    for i in range(begin, end):
        other = closure.beginning[closure.cell[i]]
        while other >= 0:
            smaller = other < constraint and length(closure, other) < end - begin and not is_certain(closure, other)
            if smaller and _lies_within(closure, other, constraint):
                _subtract(closure, constraint, other)
            other = closure.next_beginning[other]


@inlined
def _lies_within(closure: Closure, inner: int, outer: int) -> bool:
    """Returns whether the cells of the inner constraint are a subset of those of the outer one."""
    # A bit that only the inner constraint has belongs to a cell that only it has; most pairs end here.
    if closure.signature[inner] & ~closure.signature[outer] != 0:
        return False
    j, end = closure.start[outer], closure.start[outer + 1]
    for i in range(closure.start[inner], closure.start[inner + 1]):
        cell = closure.cell[i]
        while j < end and closure.cell[j] < cell:
            j += 1
        if j == end or closure.cell[j] != cell:
            return False
        j += 1
    return True


@inlined
def _subtract(closure: Closure, outer: int, inner: int) -> None:
    """Adds the difference of two constraints, of which the inner one lies within the outer one."""
    mines = closure.mines[outer] - closure.mines[inner]
    _add_constraint(closure.memory, _write_rest(closure, outer, inner), mines, outer, inner)


@inlined
def _write_rest(closure: Closure, constraint: int, other: int) -> int:
    """Writes the cells that only `constraint`, not `other`, has behind the last constraint; returns their end."""
    end = closure.start[closure.size[0]]
    i, other_end = closure.start[other], closure.start[other + 1]
    for j in range(closure.start[constraint], closure.start[constraint + 1]):
        while i < other_end and closure.cell[i] < closure.cell[j]:
            i += 1
        if i == other_end or closure.cell[i] != closure.cell[j]:
            closure.cell[end] = closure.cell[j]
            end += 1
    return end


@subroutine
def _add_constraint(memory: Memory, end: int, mines: int, parent: int, other_parent: int) -> None:
    """Adds the constraint of the cells written behind the last constraint, up to entry `end`, if it is new and fits."""
    closure = closure_of(memory)
    if _is_full(closure):
        return
    constraint = closure.size[0]
    begin = closure.start[constraint]
    signature = 0
    for i in range(begin, end):
        signature |= 1 << (closure.cell[i] & 63)
    closure.start[constraint + 1] = end
    closure.signature[constraint] = signature
    # Two constraints with the same cells begin with the same cell, and have the same mines unless the board is wrong.
    twin = closure.beginning[closure.cell[begin]]
    while twin >= 0:
        if length(closure, twin) == end - begin and _lies_within(closure, constraint, twin):
            return
        twin = closure.next_beginning[twin]
    closure.mines[constraint] = mines
    closure.parent[constraint], closure.other_parent[constraint] = parent, other_parent
    closure.next_beginning[constraint] = closure.beginning[closure.cell[begin]]
    closure.beginning[closure.cell[begin]] = constraint
    closure.size[0] += 1
    if mines == 0 or mines == end - begin:
        closure.certain[closure.number_certain[0]] = constraint
        closure.number_certain[0] += 1
        # A certain constraint joins no chain of its cells, so no difference and no overlap meets it.
        return
    for i in range(begin, end):
        closure.owner[i] = constraint
        closure.next_containing[i] = closure.containing[closure.cell[i]]
        closure.containing[closure.cell[i]] = i


@subroutine
def find_overlaps(memory: Memory) -> int:
    """Adds the certain constraints that overlaps of two others prove; returns their number.

    Of two constraints that share cells, let one have k mines more than the other, and k cells that the other lacks.
    Then these k cells are mines, and the cells that only the other has are free. Players call this the 1-2 pattern:

        {a, b, c}: 1 mine    and    {b, c, d}: 2 mines    give    {d}: 1 mine    and    {a}: 0 mines
    """
    closure = closure_of(memory)
    num_constraints = closure.size[0]
    closure.seen[:num_constraints] = 0
    for first in range(num_constraints):
        # `stack` lists the earlier constraints that share cells with the first one; `seen` counts the shared cells.
        num_overlapping = 0
        for i in range(closure.start[first], closure.start[first + 1]):
            entry = closure.containing[closure.cell[i]]
            while entry >= 0:
                second = closure.owner[entry]
                if second < first and closure.seen[second] == 0:
                    closure.stack[num_overlapping] = second
                    num_overlapping += 1
                closure.seen[second] += second < first
                entry = closure.next_containing[entry]
        for k in range(num_overlapping):
            second = closure.stack[k]
            shared = closure.seen[second]
            closure.seen[second] = 0
            first_only, second_only = length(closure, first) - shared, length(closure, second) - shared
            excess = closure.mines[first] - closure.mines[second]
            if first_only > 0 and second_only > 0 and (excess == first_only or excess == -second_only):
                first_mines = first_only if excess > 0 else 0
                second_mines = 0 if excess > 0 else second_only
                _add_constraint(memory, _write_rest(closure, first, second), first_mines, first, second)
                _add_constraint(memory, _write_rest(closure, second, first), second_mines, first, second)
    return int(closure.number_certain[0])


@subroutine
def mark_reason(memory: Memory, constraint: int) -> int:
    """Marks in `in_reason` the clues that a constraint comes from; returns how many of them were not marked before."""
    closure = closure_of(memory)
    closure.seen[: closure.size[0]] = 0
    closure.stack[0] = constraint
    closure.seen[constraint] = 1
    top, newly_marked = 1, 0
    while top > 0:
        top -= 1
        current = closure.stack[top]
        clue = -1 - closure.parent[current]
        if clue >= 0:
            newly_marked += closure.in_reason[clue] == 0
            closure.in_reason[clue] = 1
            continue
        for parent in (closure.parent[current], closure.other_parent[current]):
            if closure.seen[parent] == 0:
                closure.seen[parent] = 1
                closure.stack[top] = parent
                top += 1
    return newly_marked


@subroutine
def easiest_certain(memory: Memory) -> int:
    """Returns the certain constraint, of at least one, from the fewest clues, safe cells first; marks these clues."""
    closure = closure_of(memory)
    easiest, min_difficulty = -1, 0
    for k in range(closure.number_certain[0]):
        constraint = closure.certain[k]
        closure.in_reason[:] = 0
        # Twice the number of clues, and one more for mines: safe cells break a tie.
        difficulty = 2 * mark_reason(memory, constraint) + (closure.mines[constraint] > 0)
        if easiest < 0 or difficulty < min_difficulty:
            easiest, min_difficulty = constraint, difficulty
    closure.in_reason[:] = 0
    mark_reason(memory, easiest)
    return easiest
