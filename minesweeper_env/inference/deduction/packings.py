"""Search for a packing, a family of sentences that share no cell, which accounts for the number of mines.

If a packing has all mines left, the other unknown cells are free. If it has all free cells, the others are mines. Simon
Tatham's Mines tries unions of up to ten sentences.
"""

from __future__ import annotations

import numpy as np

from minesweeper_env.compiled import inlined, subroutine
from minesweeper_env.inference.deduction.sentences import (
    BEST,
    CELL,
    CHOICE,
    HEAD,
    MARK,
    MEMBER,
    MINES,
    NEXT_HEAD,
    NEXT_MEMBER,
    NODES,
    NOTHING,
    ORDER,
    OWNER,
    PLACE,
    REST_IS_MINED,
    REST_IS_SAFE,
    SCORE,
    SENTENCES,
    START,
    TAKEN,
    TOO_HARD,
    Closure,
    length,
    mark_reason,
)
from minesweeper_env.inference.reading import OPEN, UNKNOWN, Clues

MAX_NODES = 100_000
"""The largest number of choices that a search for a packing tries."""

_OUT, _TAKEN = -1, -2
"""Values of CHOICE for a cell that no sentence takes, and for a cell of a sentence chosen before."""


@subroutine
def pack_sentences(clues: Clues, closure: Closure, mines: int, unknown: int) -> int:
    """Looks for a packing that accounts for the total, in a complete closure without a certain sentence.

    It returns NOTHING, REST_IS_SAFE, REST_IS_MINED or TOO_HARD; the rest are the cells that the packing leaves over,
    some. The cells of the packing are marked in TAKEN, and its clues in MARK.
    """
    cells = len(clues.neighbours)
    places = _list_cells(clues, closure)
    _list_sentences(closure)
    closure.counts[NODES] = 0
    for kind in range(REST_IS_SAFE, REST_IS_MINED + 1):
        target = mines if kind == REST_IS_SAFE else unknown - mines
        if _bound(closure, kind) < target:
            continue
        # The score counts the weight, then the cells that are left over.
        closure.cells[:, TAKEN] = 0
        for begin in range(places - 1, -1, -1):
            best = _search(closure, kind, begin, places, False)
            closure.cells[begin, BEST] = max(closure.cells[begin + 1, BEST], best)
        if closure.counts[NODES] > MAX_NODES:
            return TOO_HARD
        weight = (closure.cells[0, BEST] + cells) // (cells + 1)
        if weight == target and weight * (cells + 1) - closure.cells[0, BEST] < unknown:
            closure.cells[0, BEST] -= 1
            _search(closure, kind, 0, places, True)
            closure.cells[:, MARK] = 0
            for place in range(places):
                if closure.cells[place, CHOICE] >= 0:
                    mark_reason(closure, closure.cells[place, CHOICE])
            return kind
    return NOTHING


@inlined
def _list_cells(clues: Clues, closure: Closure) -> int:
    """Lists the unknown cells next to clues, breadth first, so that cells of one sentence are not far apart."""
    cells, degree = clues.neighbours.shape
    closure.cells[:, PLACE] = -1
    listed, done = 0, 0
    for seed in range(cells):
        if clues.known[seed] == OPEN and clues.unknown[seed] > 0:
            listed = _list_around(clues, closure, seed, listed)
        while done < listed:
            for k in range(degree):
                clue = int(np.int64(clues.neighbours[closure.cells[done, ORDER], k]))
                if clue < cells and clues.known[clue] == OPEN:
                    listed = _list_around(clues, closure, clue, listed)
            done += 1
    closure.cells[:, SCORE] = 0
    closure.cells[:, BEST] = 0
    return listed


@inlined
def _list_around(clues: Clues, closure: Closure, clue: int, listed: int) -> int:
    for k in range(clues.neighbours.shape[1]):
        cell = int(np.int64(clues.neighbours[clue, k]))
        if clues.known[cell] == UNKNOWN and closure.cells[cell, PLACE] < 0:
            closure.cells[cell, PLACE] = listed
            closure.cells[listed, ORDER] = cell
            listed += 1
    return listed


@inlined
def _list_sentences(closure: Closure) -> None:
    """Chains the sentences by their first place; those that were found first come first."""
    closure.cells[:, HEAD] = _OUT
    for sentence in range(closure.counts[SENTENCES] - 1, -1, -1):
        place = len(closure.cells)
        for i in range(closure.sentences[sentence, START], closure.sentences[sentence + 1, START]):
            place = min(place, closure.cells[closure.entries[i, CELL], PLACE])
        closure.sentences[sentence, NEXT_HEAD] = closure.cells[place, HEAD]
        closure.cells[place, HEAD] = sentence


@inlined
def _weigh(closure: Closure, sentence: int, kind: int) -> int:
    """Returns the number of mines of a sentence, or of its free cells."""
    mines = closure.sentences[sentence, MINES]
    return mines if kind == REST_IS_SAFE else length(closure, sentence) - mines


@inlined
def _bound(closure: Closure, kind: int) -> float:
    """Returns an upper bound on the weight of a packing: each cell takes part in the sentence where it weighs most."""
    bound = 0.0
    for cell in range(len(closure.cells) - 1):
        most, entry = 0.0, closure.cells[cell, MEMBER]
        while entry >= 0:
            sentence = closure.entries[entry, OWNER]
            most = max(most, _weigh(closure, sentence, kind) / length(closure, sentence))
            entry = closure.entries[entry, NEXT_MEMBER]
        bound += most
    return bound + 1e-6


@subroutine
def _search(closure: Closure, kind: int, begin: int, places: int, is_last: bool) -> int:
    """Returns the score of a packing of the cells from a place on that exceeds `best` of the places behind it.

    Depth first with the bounds of the places behind ("Russian doll search": Verfaillie et al. 1996). The last search
    stops at the first packing whose score exceeds BEST of its place, and leaves it in CHOICE and TAKEN.
    """
    cells = len(closure.cells) - 1
    goal = closure.cells[begin, BEST] if is_last else closure.cells[begin + 1, BEST]
    place, entering = begin, True
    closure.cells[begin, SCORE] = 0
    while place >= begin and closure.counts[NODES] <= MAX_NODES:
        closure.counts[NODES] += 1
        if entering and (
            place == places or (place > begin and closure.cells[place, SCORE] + closure.cells[place, BEST] <= goal)
        ):
            if closure.cells[place, SCORE] > goal and place == places:
                goal = closure.cells[place, SCORE]
                if is_last:
                    return goal
            entering = False
            place -= 1
            continue
        if entering:
            chosen = closure.cells[place, HEAD] if closure.cells[closure.cells[place, ORDER], TAKEN] == 0 else _TAKEN
        elif closure.cells[place, CHOICE] < 0:
            # To leave the cell out was the last of the choices.
            place -= 1
            continue
        else:
            _take(closure, closure.cells[place, CHOICE], 0)
            chosen = closure.sentences[closure.cells[place, CHOICE], NEXT_HEAD]
        while chosen >= 0 and not _is_free(closure, chosen):
            chosen = closure.sentences[chosen, NEXT_HEAD]
        closure.cells[place, CHOICE] = chosen
        closure.cells[place + 1, SCORE] = closure.cells[place, SCORE]
        if chosen >= 0:
            _take(closure, chosen, 1)
            closure.cells[place + 1, SCORE] += _weigh(closure, chosen, kind) * (cells + 1) - length(closure, chosen)
        entering = True
        place += 1
    return goal


@inlined
def _is_free(closure: Closure, sentence: int) -> bool:
    free = True
    for i in range(closure.sentences[sentence, START], closure.sentences[sentence + 1, START]):
        free &= closure.cells[closure.entries[i, CELL], TAKEN] == 0
    return free


@inlined
def _take(closure: Closure, sentence: int, taken: int) -> None:
    """Marks the cells of a sentence as taken (1) or not (0)."""
    for i in range(closure.sentences[sentence, START], closure.sentences[sentence + 1, START]):
        closure.cells[closure.entries[i, CELL], TAKEN] = taken
