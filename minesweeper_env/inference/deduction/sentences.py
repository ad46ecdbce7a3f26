"""Closure of the clues under differences and overlaps, and certain cells by the number of mines.

A sentence gives the number of mines in a set of cells. Each clue makes one. If one sentence lies within another, their
difference is a sentence too, as in the knowledge base of Harvard's course CS50 AI. Overlaps of two sentences come next.

A packing is a family of sentences that share no cell. If a packing has all mines left, the other unknown cells are
free. If it has all free cells, the others are mines. Simon Tatham's Mines tries unions of up to ten sentences.
"""

from __future__ import annotations

from functools import lru_cache, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.cell_sets import neighbour_table
from minesweeper_env.compiled import inlined, kernel, subroutine
from minesweeper_env.inference.reading import (
    MINE,
    NOWHERE,
    OPEN,
    SAFE,
    UNKNOWN,
    Clues,
    follow_clues,
    make_clues,
    read_clues,
    settle,
)
from minesweeper_env.threads import Lender

MAX_SENTENCES = 20_000
"""The largest closure."""

MAX_NODES = 100_000
"""The largest number of choices that a search for a packing tries."""

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

_OUT, _TAKEN = -1, -2
"""Values of CHOICE for a cell that no sentence takes, and for a cell of a sentence chosen before."""

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
    return bool(
        closure.sentences[sentence, MINES] == 0 or closure.sentences[sentence, MINES] == length(closure, sentence)
    )


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
            if not _has_space(closure, degree):
                return False
            at = closure.sentences[closure.counts[SENTENCES], START]
            for k in range(degree):
                other = int(np.int64(clues.neighbours[clue, k]))
                if clues.known[other] == UNKNOWN:
                    closure.entries[at, CELL] = other
                    at += 1
            _add(closure, at, int(np.int64(clues.missing[clue])), -1 - clue, -1)
    sentence = 0
    while sentence < closure.counts[SENTENCES]:
        if not _pair(closure, sentence, degree):
            return False
        sentence += 1
    return True


@inlined
def _has_space(closure: Closure, degree: int) -> bool:
    """Returns whether there is space for one more sentence of up to `degree` cells."""
    sentences = closure.counts[SENTENCES]
    return bool(
        closure.sentences[sentences, START] + degree <= len(closure.entries) and sentences + 2 < len(closure.sentences)
    )


@inlined
def _pair(closure: Closure, sentence: int, degree: int) -> bool:
    """Adds the differences of a sentence and all earlier ones; returns whether there was space."""
    begin, end = closure.sentences[sentence, START], closure.sentences[sentence + 1, START]
    if is_certain(closure, sentence):
        return True
    # Sentences around this one have its first cell among theirs.
    entry = closure.cells[closure.entries[begin, CELL], MEMBER]
    while entry >= 0:
        other = closure.entries[entry, OWNER]
        larger = other < sentence and length(closure, other) > end - begin
        if larger and _lies_within(closure, sentence, other) and not _subtract(closure, other, sentence, degree):
            return False
        entry = closure.entries[entry, NEXT_MEMBER]
    # Sentences within this one begin with one of its cells.
    for i in range(begin, end):
        other = closure.cells[closure.entries[i, CELL], FIRST]
        while other >= 0:
            smaller = other < sentence and length(closure, other) < end - begin and not is_certain(closure, other)
            if smaller and _lies_within(closure, other, sentence) and not _subtract(closure, sentence, other, degree):
                return False
            other = closure.sentences[other, NEXT_FIRST]
    return True


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
def _subtract(closure: Closure, outer: int, inner: int, degree: int) -> bool:
    """Adds the difference of two sentences; returns whether there was space."""
    if not _has_space(closure, degree):
        return False
    _add(
        closure,
        _write_rest(closure, outer, inner),
        closure.sentences[outer, MINES] - closure.sentences[inner, MINES],
        outer,
        inner,
    )
    return True


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
    """Adds the sentence about the cells behind the last sentence up to `end`, unless there is one about them."""
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
def find_overlaps(closure: Closure, degree: int) -> int:
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
                if not _has_space(closure, 2 * degree):
                    return int(closure.counts[CERTAIN])
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
            closure.cells[begin, BEST] = max(
                closure.cells[begin + 1, BEST], _search(closure, kind, begin, places, False)
            )
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


@subroutine
def look_further(clues: Clues, closure: Closure, mines: int, unknown: int) -> int:
    """Looks for what several clues prove, once no single clue proves anything; negative `mines` leave out the total.

    It returns SOME_DIFFER or SOME_OVERLAP, with the certain sentences in LISTED, or what `pack_sentences` returns.
    """
    is_complete = close_sentences(clues, closure)
    if closure.counts[CERTAIN] > 0:
        return SOME_DIFFER
    if not is_complete:
        return TOO_HARD
    if find_overlaps(closure, clues.neighbours.shape[1]) > 0:
        return SOME_OVERLAP
    return pack_sentences(clues, closure, mines, unknown) if mines >= 0 else NOTHING


@inlined
def is_left_over(clues: Clues, closure: Closure, cell: int) -> bool:
    """Returns whether a packing leaves over an unknown cell."""
    return bool(clues.known[cell] == UNKNOWN and closure.cells[cell, TAKEN] == 0)


SINGLE, SEVERAL, WITH_TOTAL = range(3)
"""Levels of `deduce_boards`: single clues, several clues too, and the number of mines too."""


@kernel
def read_board(
    board: NDArray[np.int8], max_count: int, mines: int, unknown: int, further: bool, *arrays: Any
) -> tuple[int, int]:
    """Reads a board and, where no single clue proves anything, can look for the easiest step from several clues.

    The board is (n,) int8, as in `read_clues`; the arrays are the fields of `Clues` and `Closure`. It returns what
    `look_further` does, and the easiest certain sentence or -1, whose clues are marked.
    """
    clues, closure = Clues(*arrays[:6]), Closure(*arrays[6:])
    read_clues(board, max_count, clues)
    found = look_further(clues, closure, mines, unknown) if further else NOTHING
    return found, easiest_certain(closure) if found >= SOME_DIFFER else -1


@kernel
def deduce_boards(
    boards: NDArray[np.int8], max_count: int, mines: int, level: int, known: NDArray[np.int8], *arrays: Any
) -> None:
    """Finds certain cells on N boards by single clues, and by several where these find no safe cell.

    Boards are (N, n) int8 cell codes, and the level is SINGLE, SEVERAL or WITH_TOTAL. It fills `known`, (N, n) int8,
    with UNKNOWN, SAFE, MINE or OPEN: at least one safe cell if there is any to find, and all mines otherwise; on a
    board that contradicts itself, what was found before that showed. The arrays are as in `read_board`.
    """
    clues, closure = Clues(*arrays[:6]), Closure(*arrays[6:])
    for i in range(len(boards)):
        fault = read_clues(boards[i], max_count, clues)
        if fault == NOWHERE:
            fault = follow_clues(clues)
        found = SOME_DIFFER
        while fault == NOWHERE and level > SINGLE and found != NOTHING and found != TOO_HARD:
            left, unknown, safe = mines, 0, 0
            for cell in range(boards.shape[1]):
                left -= clues.known[cell] == MINE
                unknown += clues.known[cell] == UNKNOWN
                safe += clues.known[cell] == SAFE
            if safe > 0:
                break
            found = look_further(clues, closure, max(left, 0) if level == WITH_TOTAL else -1, unknown)
            fault = _decide(clues, closure, found)
            if fault == NOWHERE:
                fault = follow_clues(clues)
        for cell in range(boards.shape[1]):
            known[i, cell] = clues.known[cell]


@inlined
def _decide(clues: Clues, closure: Closure, found: int) -> int:
    """Decides the cells that `look_further` has found; returns a clue that this contradicts, or NOWHERE."""
    if found >= SOME_DIFFER:
        for k in range(closure.counts[CERTAIN]):
            sentence = closure.sentences[k, LISTED]
            for i in range(closure.sentences[sentence, START], closure.sentences[sentence + 1, START]):
                fault = NOWHERE
                if clues.known[closure.entries[i, CELL]] == UNKNOWN:
                    fault = settle(clues, closure.entries[i, CELL], int(closure.sentences[sentence, MINES] > 0))
                if fault != NOWHERE:
                    return fault
    elif found != NOTHING and found != TOO_HARD:
        for cell in range(len(clues.neighbours)):
            if is_left_over(clues, closure, cell):
                settle(clues, cell, int(found == REST_IS_MINED))
    return NOWHERE


class Deducer(NamedTuple):
    """The memory of the kernels."""

    clues: Clues
    closure: Closure


def _make_deducer(rows: int, cols: int, radius: int) -> Deducer:
    neighbours = neighbour_table(rows, cols, radius)
    return Deducer(make_clues(neighbours), make_closure(*neighbours.shape))


@lru_cache(maxsize=16)
def deducers(rows: int, cols: int, radius: int) -> Lender[Deducer]:
    """Returns the memory for boards of a size, which threads borrow."""
    return Lender(partial(_make_deducer, rows, cols, radius))


def known_cells(boards: NDArray[np.int8], mines: int, radius: int, level: int) -> NDArray[np.int8]:
    """Returns (N, rows, cols) int8, what `deduce_boards` finds on (N, rows, cols) boards."""
    known = np.empty(boards.shape, np.int8)
    flat = np.ascontiguousarray(boards).reshape(len(boards), -1)
    with deducers(*boards.shape[1:], radius).lend() as deducer:
        max_count = deducer.clues.neighbours.shape[1]
        deduce_boards(flat, max_count, mines, level, known.reshape(flat.shape), *deducer.clues, *deducer.closure)
    return known
