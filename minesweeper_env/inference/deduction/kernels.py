"""Kernels that deduce from boards by single clues, by several, and by the number of mines."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.cell_sets import neighbour_table
from minesweeper_env.compiled import inlined, kernel, subroutine
from minesweeper_env.inference.deduction.packings import pack_sentences
from minesweeper_env.inference.deduction.sentences import (
    CELL,
    CERTAIN,
    LISTED,
    MINES,
    NOTHING,
    REST_IS_MINED,
    SOME_DIFFER,
    SOME_OVERLAP,
    START,
    TAKEN,
    TOO_HARD,
    Closure,
    close_sentences,
    easiest_certain,
    find_overlaps,
    make_closure,
)
from minesweeper_env.inference.reading import (
    MINE,
    NOWHERE,
    SAFE,
    UNKNOWN,
    Clues,
    follow_clues,
    make_clues,
    read_clues,
    settle,
)
from minesweeper_env.threads import Lender


@subroutine
def look_further(clues: Clues, closure: Closure, mines: int, unknown: int) -> int:
    """Looks for what several clues prove, once no single clue proves anything; negative `mines` leave out the total.

    It returns SOME_DIFFER or SOME_OVERLAP, with the certain sentences in LISTED, or what `pack_sentences` returns.
    """
    found = _combine_clues(clues, closure)
    return pack_sentences(clues, closure, mines, unknown) if found == NOTHING and mines >= 0 else found


@inlined
def _combine_clues(clues: Clues, closure: Closure) -> int:
    is_complete = close_sentences(clues, closure)
    if closure.counts[CERTAIN] > 0:
        return SOME_DIFFER
    if not is_complete:
        return TOO_HARD
    return SOME_OVERLAP if find_overlaps(closure) > 0 else NOTHING


@inlined
def is_left_over(clues: Clues, closure: Closure, cell: int) -> bool:
    """Returns whether a packing leaves over an unknown cell."""
    return bool(clues.known[cell] == UNKNOWN and closure.cells[cell, TAKEN] == 0)


SINGLE, SEVERAL, WITH_TOTAL = range(3)
"""Levels of `deduce_boards`: single clues, several clues too, and the number of mines too."""


@kernel
def read_board(board: NDArray[np.int8], max_count: int, further: bool, *arrays: Any) -> tuple[int, int]:
    """Reads a board, (n,) int8 as in `read_clues`, and can look for the easiest step from several clues.

    The arrays are the fields of `Clues` and `Closure`. It returns SOME_DIFFER, SOME_OVERLAP, NOTHING or TOO_HARD, and
    the easiest certain sentence or -1, whose clues are marked.
    """
    clues, closure = Clues(*arrays[:6]), Closure(*arrays[6:])
    read_clues(board, max_count, clues)
    found = _combine_clues(clues, closure) if further else NOTHING
    return found, easiest_certain(closure) if found >= SOME_DIFFER else -1


@kernel
def pack_board(mines: int, unknown: int, *arrays: Any) -> int:
    """Returns what `pack_sentences` does; few boards need this kernel, so it is compiled apart from `read_board`."""
    return pack_sentences(Clues(*arrays[:6]), Closure(*arrays[6:]), mines, unknown)


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
