"""Closure of the clues under differences and overlaps.

A sentence gives the number of mines in a set of cells. Each clue makes one. If one sentence lies within another, their
difference is a sentence too, as in the knowledge base of Harvard's course CS50 AI. Overlaps of two sentences come next.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.compiled import inlined, subroutine
from minesweeper_env.inference.reading import OPEN, UNKNOWN, Clues

MAX_SENTENCES = 20_000
"""The largest closure."""

NOTHING, REST_IS_SAFE, REST_IS_MINED, TOO_HARD, SOME_DIFFER, SOME_OVERLAP = range(6)
"""Results of `look_further`: nothing follows; a packing accounts for all mines left, or for all free cells; the search
takes too long; some sentences are certain by differences, or by overlaps."""

SENTENCES, CERTAIN, NODES = range(3)
"""Entries of `Closure.counts`: the sentences, the certain ones, and the choices tried."""

START, MINES, SIGNATURE, PARENT, OTHER_PARENT, NEXT_FIRST, NEXT_HEAD, LISTED, SEEN, STACK = range(10)
"""Columns of `Closure.sentences`.

    START         the start of its cells in `entries`; they end where those of the next sentence start
    MINES         the number of mines in them
    SIGNATURE     a bit for each cell modulo 64: a subset has a subset of the bits
    PARENT        the sentence that it comes from; -1 - c for the sentence of the clue c
    OTHER_PARENT  the other one
    NEXT_FIRST    the sentence before it in the list of FIRST, or -1
    NEXT_HEAD     the sentence to try after it in the list of HEAD, or -1
    LISTED        a list of the certain sentences
    SEEN, STACK   scratch
"""

CELL, NEXT_MEMBER, OWNER = range(3)
"""Columns of `Closure.entries`: the cell, the entry before it in the list of MEMBER or -1, and its sentence."""

FIRST, MEMBER, MARK, ORDER, PLACE, TAKEN, CHOICE, HEAD, SCORE, BEST = range(10)
"""Columns of `Closure.cells`. In the last seven, a packing goes through the unknown cells of sentences in some order.

    FIRST   the latest sentence that begins with the cell, or -1
    MEMBER  the latest of the entries with the cell, or -1
    MARK    1 for a clue of a reason
    ORDER   the cell at a place
    PLACE   the place of the cell, or -1
    TAKEN   1 for a cell of a sentence of the packing
    CHOICE  the sentence that is chosen at a place; negative if none is
    HEAD    the first sentence to try at a place, the first of its cells; or -1
    SCORE   the score of the choices before a place
    BEST    the best score of a packing of the cells from a place on
"""

Longs = NDArray[np.int64]


class Closure(NamedTuple):
    """Up to S sentences on a board of n cells with up to `degree` neighbours each; all arrays int64.

    Attributes:
        sentences: (S, 10), a row per sentence; see START.
        entries: (S * degree, 3), the cells of the sentences, in ascending order for each; see CELL.
        cells: (n + 1, 10), a row per cell or place; see FIRST.
        counts: (3,); see SENTENCES.
    """

    sentences: Longs
    entries: Longs
    cells: Longs
    counts: Longs


def make_closure(cells: int, degree: int) -> Closure:
    """Returns uninitialised arrays."""
    shapes = ((MAX_SENTENCES, 10), (MAX_SENTENCES * degree, 3), (cells + 1, 10), (3,))
    return Closure(*(np.empty(shape, np.int64) for shape in shapes))


@inlined
def length(closure: Closure, sentence: int) -> int:
    """Returns the number of cells of a sentence."""
    return closure.sentences[sentence + 1, START] - closure.sentences[sentence, START]


@inlined
def is_certain(closure: Closure, sentence: int) -> bool:
    """Returns whether all cells of a sentence are free, or all are mines."""
    mines = closure.sentences[sentence, MINES]
    return bool(mines == 0 or mines == length(closure, sentence))


@subroutine
def close_sentences(clues: Clues, closure: Closure) -> bool:
    """Closes the sentences of all clues; returns whether the closure is complete, not cut off at its limit.

    Certain sentences are listed in LISTED, and take no part in differences.
    """
    cells, degree = clues.neighbours.shape
    closure.counts[:] = 0
    closure.sentences[0, START] = 0
    for cell in range(cells):
        closure.cells[cell, FIRST] = -1
        closure.cells[cell, MEMBER] = -1
    for clue in range(cells):
        if clues.known[clue] == OPEN and clues.unknown[clue] > 0:
            at = closure.sentences[closure.counts[SENTENCES], START]
            for k in range(degree):
                other = int(np.int64(clues.neighbours[clue, k]))
                if clues.known[other] == UNKNOWN:
                    closure.entries[at, CELL] = other
                    at += 1
            _add(closure, at, int(np.int64(clues.missing[clue])), -1 - clue, -1)
    sentence = 0
    while sentence < closure.counts[SENTENCES] and not _is_full(closure):
        _pair(closure, sentence)
        sentence += 1
    return not _is_full(closure)


@inlined
def _is_full(closure: Closure) -> bool:
    return bool(closure.counts[SENTENCES] + 2 >= len(closure.sentences))


@inlined
def _pair(closure: Closure, sentence: int) -> None:
    """Adds the differences of a sentence and all earlier ones."""
    begin, end = closure.sentences[sentence, START], closure.sentences[sentence + 1, START]
    if is_certain(closure, sentence):
        return
    # Sentences around this one have its first cell among theirs.
    entry = closure.cells[closure.entries[begin, CELL], MEMBER]
    while entry >= 0:
        other = closure.entries[entry, OWNER]
        larger = other < sentence and length(closure, other) > end - begin
        if larger and _lies_within(closure, sentence, other):
            _subtract(closure, other, sentence)
        entry = closure.entries[entry, NEXT_MEMBER]
    # Sentences within this one begin with one of its cells.
    for i in range(begin, end):
        other = closure.cells[closure.entries[i, CELL], FIRST]
        while other >= 0:
            smaller = other < sentence and length(closure, other) < end - begin and not is_certain(closure, other)
            if smaller and _lies_within(closure, other, sentence):
                _subtract(closure, sentence, other)
            other = closure.sentences[other, NEXT_FIRST]


@inlined
def _lies_within(closure: Closure, inner: int, outer: int) -> bool:
    if closure.sentences[inner, SIGNATURE] & ~closure.sentences[outer, SIGNATURE] != 0:
        return False
    at, end = closure.sentences[outer, START], closure.sentences[outer + 1, START]
    for i in range(closure.sentences[inner, START], closure.sentences[inner + 1, START]):
        cell = closure.entries[i, CELL]
        while at < end and closure.entries[at, CELL] < cell:
            at += 1
        if at == end or closure.entries[at, CELL] != cell:
            return False
        at += 1
    return True


@inlined
def _subtract(closure: Closure, outer: int, inner: int) -> None:
    """Adds the difference of two sentences."""
    mines = closure.sentences[outer, MINES] - closure.sentences[inner, MINES]
    _add(closure, _write_rest(closure, outer, inner), mines, outer, inner)


@inlined
def _write_rest(closure: Closure, one: int, other: int) -> int:
    """Writes the cells of one sentence that another lacks behind the last sentence; returns their end."""
    at = closure.sentences[closure.counts[SENTENCES], START]
    i, end = closure.sentences[other, START], closure.sentences[other + 1, START]
    for j in range(closure.sentences[one, START], closure.sentences[one + 1, START]):
        while i < end and closure.entries[i, CELL] < closure.entries[j, CELL]:
            i += 1
        if i == end or closure.entries[i, CELL] != closure.entries[j, CELL]:
            closure.entries[at, CELL] = closure.entries[j, CELL]
            at += 1
    return at


@subroutine
def _add(closure: Closure, end: int, mines: int, one: int, other: int) -> None:
    """Adds the sentence about the cells behind the last sentence up to `end`, unless there is one or no space."""
    if _is_full(closure):
        return
    new = closure.counts[SENTENCES]
    begin = closure.sentences[new, START]
    signature = 0
    for i in range(begin, end):
        signature |= 1 << (closure.entries[i, CELL] & 63)
    closure.sentences[new + 1, START] = end
    closure.sentences[new, SIGNATURE] = signature
    twin = closure.cells[closure.entries[begin, CELL], FIRST]
    while twin >= 0:
        if length(closure, twin) == end - begin and _lies_within(closure, new, twin):
            return
        twin = closure.sentences[twin, NEXT_FIRST]
    closure.sentences[new, MINES] = mines
    closure.sentences[new, PARENT], closure.sentences[new, OTHER_PARENT] = one, other
    closure.sentences[new, NEXT_FIRST] = closure.cells[closure.entries[begin, CELL], FIRST]
    closure.cells[closure.entries[begin, CELL], FIRST] = new
    closure.counts[SENTENCES] += 1
    if mines == 0 or mines == end - begin:
        closure.sentences[closure.counts[CERTAIN], LISTED] = new
        closure.counts[CERTAIN] += 1
        return
    for i in range(begin, end):
        closure.entries[i, OWNER] = new
        closure.entries[i, NEXT_MEMBER] = closure.cells[closure.entries[i, CELL], MEMBER]
        closure.cells[closure.entries[i, CELL], MEMBER] = i


@subroutine
def find_overlaps(closure: Closure) -> int:
    """Adds the certain sentences that overlaps of two others prove; returns their number.

    Of two sentences that share cells, let one have as many mines more than the other as it has cells of its own. Then
    the cells of its own are all mines, and those of the other one are free (the "1-2 pattern").
    """
    many = closure.counts[SENTENCES]
    closure.sentences[:many, SEEN] = 0
    for one in range(many):
        top = 0
        for i in range(closure.sentences[one, START], closure.sentences[one + 1, START]):
            entry = closure.cells[closure.entries[i, CELL], MEMBER]
            while entry >= 0:
                other = closure.entries[entry, OWNER]
                if other < one and closure.sentences[other, SEEN] == 0:
                    closure.sentences[top, STACK] = other
                    top += 1
                closure.sentences[other, SEEN] += other < one
                entry = closure.entries[entry, NEXT_MEMBER]
        for k in range(top):
            other = closure.sentences[k, STACK]
            shared = closure.sentences[other, SEEN]
            closure.sentences[other, SEEN] = 0
            own, foreign = length(closure, one) - shared, length(closure, other) - shared
            more = closure.sentences[one, MINES] - closure.sentences[other, MINES]
            if own > 0 and foreign > 0 and (more == own or more == -foreign):
                _add(closure, _write_rest(closure, one, other), own if more > 0 else 0, one, other)
                _add(closure, _write_rest(closure, other, one), 0 if more > 0 else foreign, one, other)
    return int(closure.counts[CERTAIN])


@subroutine
def mark_reason(closure: Closure, sentence: int) -> int:
    """Marks the clues that a sentence comes from; returns how many of them were not marked before."""
    closure.sentences[: closure.counts[SENTENCES], SEEN] = 0
    closure.sentences[0, STACK] = sentence
    closure.sentences[sentence, SEEN] = 1
    top, new = 1, 0
    while top > 0:
        top -= 1
        present = closure.sentences[top, STACK]
        clue = -1 - closure.sentences[present, PARENT]
        if clue >= 0:
            new += closure.cells[clue, MARK] == 0
            closure.cells[clue, MARK] = 1
            continue
        for side in range(2):
            parent = closure.sentences[present, PARENT + side]
            if closure.sentences[parent, SEEN] == 0:
                closure.sentences[parent, SEEN] = 1
                closure.sentences[top, STACK] = parent
                top += 1
    return new


@subroutine
def easiest_certain(closure: Closure) -> int:
    """Returns the certain sentence with the fewest clues, safe cells first, and marks these clues; there is one."""
    easiest, least = -1, 0
    for k in range(closure.counts[CERTAIN]):
        sentence = closure.sentences[k, LISTED]
        closure.cells[:, MARK] = 0
        difficulty = 2 * mark_reason(closure, sentence) + (closure.sentences[sentence, MINES] > 0)
        if easiest < 0 or difficulty < least:
            easiest, least = sentence, difficulty
    closure.cells[:, MARK] = 0
    mark_reason(closure, easiest)
    return easiest
