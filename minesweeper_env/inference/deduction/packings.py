"""Set packing: constraints that share no cell, and together have all mines or all free cells of the board.

If a packing has all mines left, the other unknown cells are free. If it has all free cells, the others are mines. With
three mines left on the board, {a, b}: 1 mine and {c, d, e}: 2 mines make each cell but these five free. Simon Tatham's
Mines tries unions of up to ten constraints. Here a branch and bound finds the heaviest packing; see `_search`.
"""

from typing import NamedTuple

import numpy as np

from minesweeper_env.compiled import inlined, subroutine
from minesweeper_env.inference.deduction import constraints
from minesweeper_env.inference.deduction.constraints import Closure, Longs, Memory, closure_of, length
from minesweeper_env.inference.reading import OPEN, UNKNOWN, Clues

MAX_NODES = 100_000
"""The most nodes of the search trees for a packing, all together."""

_OUT, _TAKEN = -1, -2
"""Values of `Packing.choice`: the cell is in no constraint of the packing, or in one chosen at an earlier position."""


class Packing(NamedTuple):
    """Memory of the search, which goes through the unknown cells of constraints in an order; views of `Memory`."""

    order: Longs  # (n + 1,), position: its cell
    position: Longs  # (n + 1,), cell: its position in `order`, or -1
    taken: Longs  # (n + 1,), cell: 1 if a constraint of the packing has it
    choice: Longs  # (n + 1,), position: the constraint chosen there, _OUT or _TAKEN
    first_candidate: Longs  # (n + 1,), position: the first constraint to try of those whose first cell it is, or -1
    next_candidate: Longs  # (S,), constraint: the one to try after it, or -1
    score: Longs  # (n + 1,), position: the score of the choices before it
    best: Longs  # (n + 1,), position: the best score of a packing of the cells from it on
    nodes: Longs  # (1,), the number of nodes searched


def view_packing(memory: Memory) -> Packing:
    """Returns the packing in the arrays of a memory; `view_closure` takes the other rows."""
    rows, _, cells, counts = memory
    return Packing(cells[3], cells[4], cells[5], cells[6], cells[7], rows[9], cells[8], cells[9], counts[2:])


packing_of = inlined(view_packing)


@subroutine
def pack_constraints(clues: Clues, memory: Memory, mines: int, unknown: int) -> int:
    """Looks for a packing with all `mines` mines, or all free cells, of the `unknown` cells, but not with all cells.

    The closure must be complete, without a certain constraint. The result is NOTHING, REST_IS_SAFE, REST_IS_MINED or
    TOO_HARD; the rest are the cells outside the packing. `taken` gets its cells, and `in_reason` its clues.
    """
    closure, packing = closure_of(memory), packing_of(memory)
    cells = len(clues.neighbours)
    positions = _list_cells(clues, packing)
    _list_candidates(closure, packing)
    packing.score[:] = 0
    packing.best[:] = 0
    packing.nodes[0] = 0
    for kind in range(constraints.REST_IS_SAFE, constraints.REST_IS_MINED + 1):
        target = mines if kind == constraints.REST_IS_SAFE else unknown - mines
        if _bound_weight(closure, kind) < target:
            continue
        # The heaviest packing is best, then one of fewer cells: the score is weight * (cells + 1) - cells_taken.
        packing.taken[:] = 0
        for begin in range(positions - 1, -1, -1):
            best = _search(memory, kind, begin, positions, False)
            packing.best[begin] = max(packing.best[begin + 1], best)
        if packing.nodes[0] > MAX_NODES:
            return constraints.TOO_HARD
        # On a board of 9 cells, weight 3 on 5 cells scores 25: (25 + 9) // 10 = 3 and 30 - 25 = 5.
        weight = (packing.best[0] + cells) // (cells + 1)
        cells_taken = weight * (cells + 1) - packing.best[0]
        if weight == target and cells_taken < unknown:
            # One less, so that the last search finds the best packing again and stops there.
            packing.best[0] -= 1
            _search(memory, kind, 0, positions, True)
            closure.in_reason[:] = 0
            for position in range(positions):
                if packing.choice[position] >= 0:
                    constraints.mark_reason(memory, packing.choice[position])
            return kind
    return constraints.NOTHING


@inlined
def _list_cells(clues: Clues, packing: Packing) -> int:
    """Fills `order` with the unknown cells next to clues, those of a clue close together; returns their number."""
    cells, degree = clues.neighbours.shape
    packing.position[:] = -1
    num_listed, num_expanded = 0, 0
    for seed in range(cells):
        if clues.known[seed] == OPEN and clues.unknown[seed] > 0:
            num_listed = _list_around(clues, packing, seed, num_listed)
        while num_expanded < num_listed:
            for k in range(degree):
                clue = int(np.int64(clues.neighbours[packing.order[num_expanded], k]))
                if clue < cells and clues.known[clue] == OPEN:
                    num_listed = _list_around(clues, packing, clue, num_listed)
            num_expanded += 1
    return num_listed


@inlined
def _list_around(clues: Clues, packing: Packing, clue: int, num_listed: int) -> int:
    """Adds the unknown neighbours of a clue to the `num_listed` cells in `order`; returns the new number."""
    for k in range(clues.neighbours.shape[1]):
        cell = int(np.int64(clues.neighbours[clue, k]))
        if clues.known[cell] == UNKNOWN and packing.position[cell] < 0:
            packing.position[cell] = num_listed
            packing.order[num_listed] = cell
            num_listed += 1
    return num_listed


@inlined
def _list_candidates(closure: Closure, packing: Packing) -> None:
    """Chains the constraints by their first position in `order`; in a chain, constraints found earlier come first."""
    packing.first_candidate[:] = _OUT
    for constraint in range(closure.size[0] - 1, -1, -1):
        position = len(packing.position)
        for i in range(closure.start[constraint], closure.start[constraint + 1]):
            position = min(position, packing.position[closure.cell[i]])
        packing.next_candidate[constraint] = packing.first_candidate[position]
        packing.first_candidate[position] = constraint


@inlined
def _weigh(closure: Closure, constraint: int, kind: int) -> int:
    """Returns the weight of a constraint: the number of its mines for REST_IS_SAFE, else of its free cells."""
    mines = closure.mines[constraint]
    return mines if kind == constraints.REST_IS_SAFE else length(closure, constraint) - mines


@inlined
def _bound_weight(closure: Closure, kind: int) -> float:
    """Returns an upper bound on the weight of a packing: each cell counts where it weighs most.

    A cell of {a, b, c}: 2 mines weighs 2/3, and the weights of its three cells add up to the weight of the constraint.
    """
    bound = 0.0
    for cell in range(len(closure.containing) - 1):
        max_weight, entry = 0.0, closure.containing[cell]
        while entry >= 0:
            constraint = closure.owner[entry]
            max_weight = max(max_weight, _weigh(closure, constraint, kind) / length(closure, constraint))
            entry = closure.next_containing[entry]
        bound += max_weight
    # Sums of fractions are not exact, and a bound must never be too low.
    return bound + 1e-6


@subroutine
def _search(memory: Memory, kind: int, begin: int, end: int, is_last: bool) -> int:
    """Returns the best score of a packing of the cells from position `begin` on; at least `best` of the next position.

    Depth first with the best scores of later positions as bounds ("Russian doll search": Verfaillie et al. 1996). The
    last search stops at the first packing whose score exceeds `best[begin]`, and leaves it in `choice` and `taken`.

    With {a, b}, {b, c} and {c, d}, one mine each, and the order a, b, c, d, the searches find:

        from c: {c, d}            weight 1
        from b: {b, c}            weight 1, which is not more than from c
        from a: {a, b}, {c, d}    weight 2: at c, one mine and the best from c, one more, exceed the goal of 1
    """
    closure, packing = closure_of(memory), packing_of(memory)
    cells = len(packing.order) - 1
    goal = packing.best[begin] if is_last else packing.best[begin + 1]
    depth, entering = begin, True
    packing.score[begin] = 0
    while depth >= begin and packing.nodes[0] <= MAX_NODES:
        packing.nodes[0] += 1
        # The choices so far and the best later ones do not exceed the goal: go back. `begin` itself has no bound yet.
        if entering and (depth == end or (depth > begin and packing.score[depth] + packing.best[depth] <= goal)):
            if packing.score[depth] > goal and depth == end:
                goal = packing.score[depth]
                if is_last:
                    return goal
            entering = False
            depth -= 1
            continue
        if entering:
            constraint = packing.first_candidate[depth] if packing.taken[packing.order[depth]] == 0 else _TAKEN
        elif packing.choice[depth] < 0:
            # To leave the cell out was the last choice here.
            depth -= 1
            continue
        else:
            # Back at a position with a chosen constraint: release its cells, and try the next candidate.
            _mark_cells(closure, packing, packing.choice[depth], 0)
            constraint = packing.next_candidate[packing.choice[depth]]
        while constraint >= 0 and not _has_no_taken_cell(closure, packing, constraint):
            constraint = packing.next_candidate[constraint]
        packing.choice[depth] = constraint
        packing.score[depth + 1] = packing.score[depth]
        if constraint >= 0:
            _mark_cells(closure, packing, constraint, 1)
            packing.score[depth + 1] += _weigh(closure, constraint, kind) * (cells + 1) - length(closure, constraint)
        entering = True
        depth += 1
    return goal


@inlined
def _has_no_taken_cell(closure: Closure, packing: Packing, constraint: int) -> bool:
    """Returns whether no cell of a constraint is taken."""
    none_taken = True
    for i in range(closure.start[constraint], closure.start[constraint + 1]):
        none_taken &= packing.taken[closure.cell[i]] == 0
    return none_taken


@inlined
def _mark_cells(closure: Closure, packing: Packing, constraint: int, taken: int) -> None:
    """Marks the cells of a constraint as taken (1) or not (0)."""
    for i in range(closure.start[constraint], closure.start[constraint + 1]):
        packing.taken[closure.cell[i]] = taken
