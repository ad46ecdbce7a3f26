"""Kernels for the closure of sentences under subset differences.

A sentence gives the number of mines in a set of cells; each clue makes one. If one sentence lies within another, their
difference is a sentence too. The closure holds every sentence that follows so, whatever the order: it finds what
`inference.deduce` finds with level "subset", except packings.
"""

from __future__ import annotations

import numpy as np

from minesweeper_env.compiled import inlined, subroutine
from minesweeper_env.engine.state import Int
from minesweeper_env.no_guess.arrays import (
    OPEN,
    RECORDING,
    SAFE,
    SUBSET_RULE,
    UNKNOWN,
    Closure,
    Log,
    Logic,
    end_step,
    log_cell,
    log_clue,
)
from minesweeper_env.no_guess.knowledge import mark_mine

SENTENCES, CERTAIN = range(2)
"""Entries of `Closure.counts`."""

_ONE = np.uint64(1)
_63 = np.uint64(63)


@inlined
def length(closure: Closure, sentence: Int) -> int:
    """Returns the number of cells of a sentence."""
    return closure.start[sentence + 1] - closure.start[sentence]


@subroutine
def close_sentences(logic: Logic, closure: Closure) -> bool:
    """Closes the sentences of all clues; returns whether the closure is complete, not cut off at its limit.

    Sentences whose cells are all mines or all free are listed in `closure.certain`, and take no part in differences.
    """
    cells, degree = logic.neighbours.shape
    closure.counts[:] = 0
    closure.start[0] = 0
    for cell in range(cells):
        closure.first[cell] = -1
        closure.member[cell] = -1
    for clue in range(cells):
        if logic.state[clue] == OPEN and logic.unknown[clue] > 0:
            at = closure.start[closure.counts[SENTENCES]]
            if at + degree > len(closure.cells) or closure.counts[SENTENCES] + 1 >= len(closure.mines):
                return False
            for k in range(degree):
                other = logic.neighbours[clue, k]
                if logic.state[other] == UNKNOWN:
                    closure.cells[at] = other
                    at += 1
            _add(closure, at, logic.missing[clue], -1 - clue, -1)
    sentence = 0
    while sentence < closure.counts[SENTENCES]:
        if not _pair(closure, sentence, degree):
            return False
        sentence += 1
    return True


@inlined
def _pair(closure: Closure, sentence: Int, degree: Int) -> bool:
    """Adds the differences of a sentence and all earlier ones; returns whether there was space."""
    begin, end = closure.start[sentence], closure.start[sentence + 1]
    if _is_certain(closure, sentence):
        return True
    # Sentences around this one have its first cell among theirs.
    entry = closure.member[closure.cells[begin]]
    while entry >= 0:
        other = np.int64(closure.sentence_of[entry])
        larger = other < sentence and length(closure, other) > end - begin
        if larger and _lies_within(closure, sentence, other) and not _subtract(closure, other, sentence, degree):
            return False
        entry = closure.next_member[entry]
    # Sentences within this one begin with one of its cells.
    for i in range(begin, end):
        other = np.int64(closure.first[closure.cells[i]])
        while other >= 0:
            smaller = other < sentence and length(closure, other) < end - begin and not _is_certain(closure, other)
            if smaller and _lies_within(closure, other, sentence) and not _subtract(closure, sentence, other, degree):
                return False
            other = np.int64(closure.next_first[other])
    return True


@inlined
def _is_certain(closure: Closure, sentence: Int) -> bool:
    return closure.mines[sentence] == 0 or closure.mines[sentence] == length(closure, sentence)


@inlined
def _lies_within(closure: Closure, inner: Int, outer: Int) -> bool:
    if closure.signature[inner] & ~closure.signature[outer] != 0:
        return False
    at, end = closure.start[outer], closure.start[outer + 1]
    for i in range(closure.start[inner], closure.start[inner + 1]):
        cell = closure.cells[i]
        while at < end and closure.cells[at] < cell:
            at += 1
        if at == end or closure.cells[at] != cell:
            return False
        at += 1
    return True


@inlined
def _subtract(closure: Closure, outer: Int, inner: Int, degree: Int) -> bool:
    """Adds the difference of two sentences; returns whether there was space."""
    at = closure.start[closure.counts[SENTENCES]]
    if at + degree > len(closure.cells) or closure.counts[SENTENCES] + 1 >= len(closure.mines):
        return False
    i, end = closure.start[inner], closure.start[inner + 1]
    for j in range(closure.start[outer], closure.start[outer + 1]):
        if i < end and closure.cells[i] == closure.cells[j]:
            i += 1
        else:
            closure.cells[at] = closure.cells[j]
            at += 1
    _add(closure, at, closure.mines[outer] - closure.mines[inner], outer, inner)
    return True


@subroutine
def _add(closure: Closure, end: Int, mines: Int, one: Int, other: Int) -> None:
    """Adds the sentence about the cells behind the last sentence up to `end`, unless there is one about them."""
    new = closure.counts[SENTENCES]
    begin = closure.start[new]
    signature = np.uint64(0)
    for i in range(begin, end):
        signature |= _ONE << (np.uint64(closure.cells[i]) & _63)
    closure.start[new + 1] = end
    closure.signature[new] = signature
    twin = np.int64(closure.first[closure.cells[begin]])
    while twin >= 0:
        if length(closure, twin) == end - begin and _lies_within(closure, new, twin):
            return
        twin = np.int64(closure.next_first[twin])
    closure.mines[new] = mines
    closure.parent[0, new], closure.parent[1, new] = one, other
    closure.next_first[new] = closure.first[closure.cells[begin]]
    closure.first[closure.cells[begin]] = new
    certain = mines == 0 or mines == end - begin
    for i in range(begin, end):
        if certain:
            continue
        closure.sentence_of[i] = new
        closure.next_member[i] = closure.member[closure.cells[i]]
        closure.member[closure.cells[i]] = i
    if certain:
        closure.certain[closure.counts[CERTAIN]] = new
        closure.counts[CERTAIN] += 1
    closure.counts[SENTENCES] += 1


@inlined
def apply_certain(logic: Logic, closure: Closure, log: Log) -> int:
    """Decides the cells of certain sentences; returns the number of safe cells, listed in `logic.found`."""
    found = 0
    for k in range(closure.counts[CERTAIN]):
        sentence = np.int64(closure.certain[k])
        is_mine = closure.mines[sentence] > 0
        new = 0
        for i in range(closure.start[sentence], closure.start[sentence + 1]):
            cell = np.int64(closure.cells[i])
            if logic.state[cell] != UNKNOWN:
                continue
            new += 1
            log_cell(log, cell, is_mine)
            if is_mine:
                mark_mine(logic, cell)
            else:
                logic.state[cell] = SAFE
                logic.found[found] = cell
                found += 1
        if new > 0:
            log_reason(closure, log, sentence)
            end_step(log, SUBSET_RULE, False)
            forget_reason(log)
        # A safe cell may show a 0 and open the cells of later steps, so a recorded proof takes one step at a time.
        if found > 0 and log.counts[RECORDING] == 1:
            break
    return found


@subroutine
def log_reason(closure: Closure, log: Log, sentence: Int) -> None:
    """Adds the clues that a sentence comes from to the reason of a step, each clue once."""
    if log.counts[RECORDING] == 0:
        return
    for k in range(closure.counts[SENTENCES]):
        closure.seen[k] = 0
    closure.stack[0] = sentence
    closure.seen[sentence] = 1
    top = 1
    while top > 0:
        top -= 1
        present = closure.stack[top]
        clue = -1 - np.int64(closure.parent[0, present])
        if clue >= 0:
            if log.marks[clue] == 0:
                log.marks[clue] = 1
                log_clue(log, clue)
            continue
        for side in range(2):
            parent = closure.parent[side, present]
            if closure.seen[parent] == 0:
                closure.seen[parent] = 1
                closure.stack[top] = parent
                top += 1


@subroutine
def forget_reason(log: Log) -> None:
    """Clears the marks of the clues of a step."""
    if log.counts[RECORDING] == 1:
        log.marks[:] = 0
