"""Set packing: constraints that share no cell, and that account together for the number of mines.

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
"""The largest number of choices that a search for a packing tries."""

_OUT, _TAKEN = -1, -2
"""Values of `Packing.choice` for a cell that no constraint takes, and for a cell of a constraint chosen before."""


class Packing(NamedTuple):
    """Memory of the search, which goes through the unknown cells of constraints by their places; views of `Memory`."""

    order: Longs  # (n + 1,), the cell at a place
    place: Longs  # (n + 1,), the place of a cell, or -1
    taken: Longs  # (n + 1,), 1 for a cell of a constraint of the packing
    choice: Longs  # (n + 1,), the constraint that is chosen at a place; negative if none is
    candidate: Longs  # (n + 1,), the first constraint to try at a place, the first place of its cells; or -1
    next_candidate: Longs  # (S,), the constraint to try after it, or -1
    score: Longs  # (n + 1,), the score of the choices before a place
    best: Longs  # (n + 1,), the best score of a packing of the cells from a place on
    nodes: Longs  # (1,), the number of choices tried


def view_packing(memory: Memory) -> Packing:
    """Returns the packing in the arrays of a memory; `view_closure` takes the other rows."""
    rows, _, cells, counts = memory
    return Packing(cells[3], cells[4], cells[5], cells[6], cells[7], rows[9], cells[8], cells[9], counts[2:])


packing_of = inlined(view_packing)


@subroutine
def pack_constraints(clues: Clues, memory: Memory, mines: int, unknown: int) -> int:
    """Looks for a packing that accounts for the total, in a complete closure without a certain constraint.

    It returns NOTHING, REST_IS_SAFE, REST_IS_MINED or TOO_HARD; the rest are the cells that the packing leaves over,
    some. The cells of the packing are marked in `taken`, and its clues in `in_reason`.
    """
    closure, packing = closure_of(memory), packing_of(memory)
    cells = len(clues.neighbours)
    places = _list_cells(clues, packing)
    _list_candidates(closure, packing)
    packing.nodes[0] = 0
    for kind in range(constraints.REST_IS_SAFE, constraints.REST_IS_MINED + 1):
        target = mines if kind == constraints.REST_IS_SAFE else unknown - mines
        if _bound(closure, kind) < target:
            continue
        # The score counts the weight, then the cells that are left over: weight * (cells + 1) - cells taken.
        packing.taken[:] = 0
        for begin in range(places - 1, -1, -1):
            best = _search(memory, kind, begin, places, False)
            packing.best[begin] = max(packing.best[begin + 1], best)
        if packing.nodes[0] > MAX_NODES:
            return constraints.TOO_HARD
        # With 9 cells, weight 3 on 5 cells scores 25: (25 + 9) // 10 = 3 and 30 - 25 = 5.
        weight = (packing.best[0] + cells) // (cells + 1)
        if weight == target and weight * (cells + 1) - packing.best[0] < unknown:
            # One less, so that the last search meets the best packing again and stops there.
            packing.best[0] -= 1
            _search(memory, kind, 0, places, True)
            closure.in_reason[:] = 0
            for place in range(places):
                if packing.choice[place] >= 0:
                    constraints.mark_reason(memory, packing.choice[place])
            return kind
    return constraints.NOTHING


@inlined
def _list_cells(clues: Clues, packing: Packing) -> int:
    """Lists the unknown cells next to clues, breadth first, so that cells of one constraint are not far apart."""
    cells, degree = clues.neighbours.shape
    packing.place[:] = -1
    listed, done = 0, 0
    for seed in range(cells):
        if clues.known[seed] == OPEN and clues.unknown[seed] > 0:
            listed = _list_around(clues, packing, seed, listed)
        while done < listed:
            for k in range(degree):
                clue = int(np.int64(clues.neighbours[packing.order[done], k]))
                if clue < cells and clues.known[clue] == OPEN:
                    listed = _list_around(clues, packing, clue, listed)
            done += 1
    packing.score[:] = 0
    packing.best[:] = 0
    return listed


@inlined
def _list_around(clues: Clues, packing: Packing, clue: int, listed: int) -> int:
    for k in range(clues.neighbours.shape[1]):
        cell = int(np.int64(clues.neighbours[clue, k]))
        if clues.known[cell] == UNKNOWN and packing.place[cell] < 0:
            packing.place[cell] = listed
            packing.order[listed] = cell
            listed += 1
    return listed


@inlined
def _list_candidates(closure: Closure, packing: Packing) -> None:
    """Chains the constraints by their first place; those that were found first come first."""
    packing.candidate[:] = _OUT
    for constraint in range(closure.number[0] - 1, -1, -1):
        place = len(packing.place)
        for i in range(closure.start[constraint], closure.start[constraint + 1]):
            place = min(place, packing.place[closure.cell[i]])
        packing.next_candidate[constraint] = packing.candidate[place]
        packing.candidate[place] = constraint


@inlined
def _weigh(closure: Closure, constraint: int, kind: int) -> int:
    """Returns the number of mines of a constraint, or of its free cells."""
    mines = closure.mines[constraint]
    return mines if kind == constraints.REST_IS_SAFE else length(closure, constraint) - mines


@inlined
def _bound(closure: Closure, kind: int) -> float:
    """Returns an upper bound on the weight of a packing: each cell counts where it weighs most.

    A cell of {a, b, c}: 2 mines weighs 2/3, and the weights of its three cells add up to the weight of the constraint.
    """
    bound = 0.0
    for cell in range(len(closure.containing) - 1):
        most, entry = 0.0, closure.containing[cell]
        while entry >= 0:
            constraint = closure.owner[entry]
            most = max(most, _weigh(closure, constraint, kind) / length(closure, constraint))
            entry = closure.next_containing[entry]
        bound += most
    # Sums of fractions are not exact, and a bound must never be too low.
    return bound + 1e-6


@subroutine
def _search(memory: Memory, kind: int, begin: int, places: int, is_last: bool) -> int:
    """Returns the score of a packing of the cells from a place on that exceeds `best` of the places behind it.

    Depth first with the bounds of the places behind ("Russian doll search": Verfaillie et al. 1996). The last search
    stops at the first packing whose score exceeds `best` of its place, and leaves it in `choice` and `taken`.

    With {a, b}, {b, c} and {c, d}, one mine each, and the places a, b, c, d, the searches find:

        from c: {c, d}            weight 1
        from b: {b, c}            weight 1, which is not more than from c
        from a: {a, b}, {c, d}    weight 2: at c, one mine and the best from c, one more, exceed the goal of 1
    """
    closure, packing = closure_of(memory), packing_of(memory)
    cells = len(packing.order) - 1
    goal = packing.best[begin] if is_last else packing.best[begin + 1]
    place, entering = begin, True
    packing.score[begin] = 0
    while place >= begin and packing.nodes[0] <= MAX_NODES:
        packing.nodes[0] += 1
        # The choices so far and the best ones behind do not exceed the goal: go back. The first place has no bound yet.
        if entering and (place == places or (place > begin and packing.score[place] + packing.best[place] <= goal)):
            if packing.score[place] > goal and place == places:
                goal = packing.score[place]
                if is_last:
                    return goal
            entering = False
            place -= 1
            continue
        if entering:
            chosen = packing.candidate[place] if packing.taken[packing.order[place]] == 0 else _TAKEN
        elif packing.choice[place] < 0:
            # To leave the cell out was the last of the choices.
            place -= 1
            continue
        else:
            # Back at a place with a constraint: give its cells up, and try the next one.
            _take(closure, packing, packing.choice[place], 0)
            chosen = packing.next_candidate[packing.choice[place]]
        while chosen >= 0 and not _is_free(closure, packing, chosen):
            chosen = packing.next_candidate[chosen]
        packing.choice[place] = chosen
        packing.score[place + 1] = packing.score[place]
        if chosen >= 0:
            _take(closure, packing, chosen, 1)
            packing.score[place + 1] += _weigh(closure, chosen, kind) * (cells + 1) - length(closure, chosen)
        entering = True
        place += 1
    return goal


@inlined
def _is_free(closure: Closure, packing: Packing, constraint: int) -> bool:
    free = True
    for i in range(closure.start[constraint], closure.start[constraint + 1]):
        free &= packing.taken[closure.cell[i]] == 0
    return free


@inlined
def _take(closure: Closure, packing: Packing, constraint: int, taken: int) -> None:
    """Marks the cells of a constraint as taken (1) or not (0)."""
    for i in range(closure.start[constraint], closure.start[constraint + 1]):
        packing.taken[closure.cell[i]] = taken
