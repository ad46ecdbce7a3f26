"""Kernels that deduce from boards: by single clues, by several clues, and by the number of mines.

Cheap rules come first. Single clues cost a step each (`inference.reading`); differences and overlaps compare pairs of
constraints (`constraints`); a packing needs a search (`packings`).
"""

from functools import lru_cache, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.cell_sets import neighbour_table
from minesweeper_env.compiled import inlined, kernel, subroutine
from minesweeper_env.inference import reading
from minesweeper_env.inference.deduction import constraints
from minesweeper_env.inference.deduction.constraints import Memory, closure_of
from minesweeper_env.inference.deduction.packings import pack_constraints, packing_of
from minesweeper_env.inference.reading import Clues
from minesweeper_env.threads import ObjectPool


@subroutine
def look_further(clues: Clues, memory: Memory, mines: int, unknown: int) -> int:
    """Looks for what several clues prove, after single clues have proved all they can.

    Returns BY_DIFFERENCE or BY_OVERLAP, with the constraints in `certain`, or a result of `pack_constraints`. The
    `unknown` unknown cells hold `mines` mines; a negative number leaves out the total.
    """
    result = _combine_clues(clues, memory)
    return pack_constraints(clues, memory, mines, unknown) if result == constraints.NOTHING and mines >= 0 else result


@inlined
def _combine_clues(clues: Clues, memory: Memory) -> int:
    """Returns BY_DIFFERENCE, BY_OVERLAP, NOTHING or TOO_HARD; the first two leave constraints in `certain`."""
    is_complete = constraints.close_constraints(clues, memory)
    # Certain constraints hold even if the memory was full before the closure was complete.
    if closure_of(memory).number_certain[0] > 0:
        return constraints.BY_DIFFERENCE
    if not is_complete:
        return constraints.TOO_HARD
    return constraints.BY_OVERLAP if constraints.find_overlaps(memory) > 0 else constraints.NOTHING


@inlined
def is_left_over(clues: Clues, memory: Memory, cell: int) -> bool:
    """Returns whether a cell is unknown and outside the packing in `memory`."""
    return bool(clues.known[cell] == reading.UNKNOWN and packing_of(memory).taken[cell] == 0)


SINGLE, SEVERAL, WITH_TOTAL = range(3)
"""Levels of `deduce_boards`: single clues, several clues too, and the number of mines too."""


@kernel
def read_board(board: NDArray[np.int8], max_count: int, further: bool, *arrays: Any) -> tuple[int, int]:
    """Reads a board, (n,) int8 as in `read_clues`; if `further`, looks for the easiest step from several clues.

    The arrays are the fields of `Clues` and `Memory`. Returns BY_DIFFERENCE, BY_OVERLAP, NOTHING or TOO_HARD, and the
    easiest certain constraint or -1. Marks the clues of that constraint in `in_reason`.
    """
    clues, memory = Clues(*arrays[:6]), Memory(*arrays[6:])
    reading.read_clues(board, max_count, clues)
    result = _combine_clues(clues, memory) if further else constraints.NOTHING
    return result, constraints.easiest_certain(memory) if result >= constraints.BY_DIFFERENCE else -1


@kernel
def pack_board(mines: int, unknown: int, *arrays: Any) -> int:
    """Calls `pack_constraints`; a kernel of its own, so that only the few boards that need a packing compile it."""
    return pack_constraints(Clues(*arrays[:6]), Memory(*arrays[6:]), mines, unknown)


@kernel
def deduce_boards(
    boards: NDArray[np.int8], max_count: int, mines: int, level: int, find_all: bool, known: NDArray[np.int8],
    *arrays: Any,
) -> None:  # fmt: skip
    """Finds certain cells on N boards by single clues, and by several clues where single ones find no safe cell.

    Boards are (N, n) int8 cell codes, and the level is SINGLE, SEVERAL or WITH_TOTAL. The kernel fills `known`, (N, n)
    int8, with UNKNOWN, SAFE, MINE or OPEN. With `find_all` it finds all cells of the level; otherwise at least one
    safe cell or, if the level finds none, all mines. On a board that contradicts itself, `known` holds what was found
    before the contradiction. The arrays are the fields of `Clues` and `Memory`.
    """
    clues, memory = Clues(*arrays[:6]), Memory(*arrays[6:])
    for i in range(len(boards)):
        fault = reading.read_clues(boards[i], max_count, clues)
        if fault == reading.NOWHERE:
            fault = reading.follow_clues(clues)
        result = constraints.BY_DIFFERENCE  # stands for "something may follow" until the first look
        while fault == reading.NOWHERE and level > SINGLE and result not in (constraints.NOTHING, constraints.TOO_HARD):
            mines_left, unknown, safe = mines, 0, 0
            for cell in range(boards.shape[1]):
                mines_left -= clues.known[cell] == reading.MINE
                unknown += clues.known[cell] == reading.UNKNOWN
                safe += clues.known[cell] == reading.SAFE
            # A safe cell can be opened, and what it shows is worth more than further search.
            if safe > 0 and not find_all:
                break
            # Too many known mines count as none left, since a negative number would leave out the total.
            result = look_further(clues, memory, max(mines_left, 0) if level == WITH_TOTAL else -1, unknown)
            fault = _mark_found(clues, memory, result)
            if fault == reading.NOWHERE:
                fault = reading.follow_clues(clues)
        for cell in range(boards.shape[1]):
            known[i, cell] = clues.known[cell]


@inlined
def _mark_found(clues: Clues, memory: Memory, result: int) -> int:
    """Marks the cells that a `result` of `look_further` decides; returns a clue that this contradicts, or NOWHERE."""
    closure = closure_of(memory)
    if result >= constraints.BY_DIFFERENCE:
        for k in range(closure.number_certain[0]):
            constraint = closure.certain[k]
            for i in range(closure.start[constraint], closure.start[constraint + 1]):
                if clues.known[closure.cell[i]] == reading.UNKNOWN:
                    fault = reading.settle(clues, closure.cell[i], int(closure.mines[constraint] > 0))
                    if fault != reading.NOWHERE:
                        return fault
    elif result not in (constraints.NOTHING, constraints.TOO_HARD):
        for cell in range(len(clues.neighbours)):
            if is_left_over(clues, memory, cell):
                reading.settle(clues, cell, int(result == constraints.REST_IS_MINED))
    return reading.NOWHERE


class Deducer(NamedTuple):
    """The memory of the kernels for boards of one size."""

    clues: Clues
    memory: Memory


def _make_deducer(rows: int, cols: int, radius: int) -> Deducer:
    neighbours = neighbour_table(rows, cols, radius)
    return Deducer(reading.make_clues(neighbours), constraints.make_memory(*neighbours.shape))


@lru_cache(maxsize=16)
def deducers(rows: int, cols: int, radius: int) -> ObjectPool[Deducer]:
    """Returns the pool from which threads borrow the memory for boards of a size."""
    return ObjectPool(partial(_make_deducer, rows, cols, radius))


def known_cells(
    boards: NDArray[np.int8], mines: int, radius: int, level: int, find_all: bool = False
) -> NDArray[np.int8]:
    """Returns (N, rows, cols) int8, the `known` of `deduce_boards` for (N, rows, cols) boards."""
    known = np.empty(boards.shape, np.int8)
    flat = np.ascontiguousarray(boards).reshape(len(boards), -1)
    with deducers(*boards.shape[1:], radius).lend() as deducer:
        max_count = deducer.clues.neighbours.shape[1]
        arrays = (known.reshape(flat.shape), *deducer.clues, *deducer.memory)
        deduce_boards(flat, max_count, mines, level, find_all, *arrays)
    return known
