"""Arrays of the search for boards without guesses, and the constants by which its kernels read them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.compiled import inlined
from minesweeper_env.engine.state import RULE_FIELDS, Boards, Int, Rules
from minesweeper_env.inference.kernels import Workspace

Ints = NDArray[np.int32]
Bytes = NDArray[np.int8]

SUBSET, EXACT = range(2)
"""The levels, in the order of `generation.LEVELS`."""

UNKNOWN, SAFE, MINE, OPEN = range(4)
"""Values of `Logic.state`; a SAFE cell is opened before the next rule is tried. OPEN includes cells off the board."""

WAITING, UNKNOWN_LEFT, MINES_LEFT = range(3)
"""Entries of `Logic.counts`.

    WAITING       the height of the stack `waiting`
    UNKNOWN_LEFT  the covered cells, without the mines that are known
    MINES_LEFT    the mines in these cells
"""

COUNT_RULE, SUBSET_RULE, EXACT_RULE = range(3)
"""The rules of a step, in the order of `minesweeper_env.inference.deduction.steps.LEVELS`."""

STEPS, LOG_CELLS, LOG_CLUES, RECORDING = range(4)
"""Entries of `Log.counts`: the steps, their cells and their clues so far, and whether steps are recorded at all."""


class Logic(NamedTuple):
    """Knowledge of a player on a board of n cells with up to `degree` neighbours each; it never holds the mines.

    Attributes:
        neighbours: (n, degree) uint32, the neighbours of each cell; n stands for a cell off the board.
        board: (n + 1,) int8, the codes that the player sees.
        state: (n + 1,) int8, UNKNOWN, SAFE, MINE or OPEN.
        missing: (n + 1,) int32, at an open cell the number of mines among its unknown neighbours.
        unknown: (n + 1,) int32, at an open cell the number of its unknown neighbours.
        waiting: (n,) int32, a stack of clues that decide their neighbours.
        queued: (n + 1,) int8, 1 for a clue on the stack.
        found: (n,) int32, the safe cells that the last rule found.
        flood: (n,) int32, scratch for the flood fill.
        counts: (3,) int64; see WAITING.
        probabilities: (n,) float64, scratch for the oracle.
    """

    neighbours: NDArray[np.uint32]
    board: Bytes
    state: Bytes
    missing: Ints
    unknown: Ints
    waiting: Ints
    queued: Bytes
    found: Ints
    flood: Ints
    counts: NDArray[np.int64]
    probabilities: NDArray[np.float64]


class Closure(NamedTuple):
    """Sentences, each the number of mines in a set of cells, and their differences.

    Attributes:
        start: (S + 1,) int32, the start of the cells of each sentence in `cells`.
        mines: (S,) int32, the number of mines in each sentence.
        signature: (S,) uint64, a bit for each cell modulo 64: a subset has a subset of the bits.
        parent: (2, S) int32, the sentences whose difference it is; -1 - c for the sentence of the clue c.
        cells: (P,) int32, the cells of the sentences, in ascending order.
        first: (n,) int32, the latest sentence that begins with each cell, or -1.
        next_first: (S,) int32, the sentence before it in the list of `first`, or -1.
        member: (n,) int32, the latest entry of `cells` with each cell, or -1.
        next_member: (P,) int32, the entry before it in the list of `member`, or -1.
        sentence_of: (P,) int32, the sentence of an entry of `cells`.
        certain: (S,) int32, the sentences whose cells are all mines or all free.
        seen: (S,) int8, scratch for the walk through parents.
        stack: (S,) int32, scratch for the same, and for packings.
        counts: (2,) int64, the number of sentences and of certain ones.
    """

    start: Ints
    mines: Ints
    signature: NDArray[np.uint64]
    parent: Ints
    cells: Ints
    first: Ints
    next_first: Ints
    member: Ints
    next_member: Ints
    sentence_of: Ints
    certain: Ints
    seen: Bytes
    stack: Ints
    counts: NDArray[np.int64]


class Packing(NamedTuple):
    """Scratch of the search for disjoint sentences that account for the total.

    Attributes:
        order: (n,) int32, the cells that sentences are about, in reading order.
        place: (n,) int32, the place of such a cell in `order`.
        taken: (n,) int8, 1 for a cell of a chosen sentence.
        choice: (n + 1,) int32, the sentence that is tried at a place; negative for a cell that begins none.
        weight: (n + 1,) int32, the weight of the choices before a place.
        head: (n,) int32, the latest sentence whose first cell in `order` is at a place, or -1.
        next_head: (S,) int32, the sentence before it in the list of `head`, or -1.
    """

    order: Ints
    place: Ints
    taken: Bytes
    choice: Ints
    weight: Ints
    head: Ints
    next_head: Ints


class Log(NamedTuple):
    """The steps of a proof.

    Attributes:
        steps: (n + 1, 4) int32, a row per step: the rule, whether it uses the total, the ends of its cells and clues.
        cells: (n,) int32, the cells that the steps find, step after step.
        is_mine: (n,) int8, 1 for a mine.
        clues: (C,) int32, the clues of the steps, step after step.
        marks: (n + 1,) int8, scratch, all 0 between steps.
        visited: (n + 1,) int8, the same.
        counts: (4,) int64; see STEPS.
    """

    steps: Ints
    cells: Ints
    is_mine: Bytes
    clues: Ints
    marks: Bytes
    visited: Bytes
    counts: NDArray[np.int64]


class Arena(NamedTuple):
    """All arrays of the search.

    Attributes:
        rules: the rules of the games; "any" becomes "safe", since the first cell must be free.
        boards: one game, whose `truth` holds the layout and whose `rng` draws it.
        zone: (n,) int8, 1 for a cell that must stay free.
        cells: (n,) int64, scratch for lists of cells.
        logic: the player's knowledge.
        closure: sentences.
        packing: scratch.
        log: the proof.
        workspace: the oracle's memory.
    """

    rules: Rules
    boards: Boards
    zone: Bytes
    cells: NDArray[np.int64]
    logic: Logic
    closure: Closure
    packing: Packing
    log: Log
    workspace: Workspace

    def flat(self) -> tuple[Any, ...]:
        """Returns the arrays one by one, as kernels take them."""
        nested = (self.rules, self.boards, (self.zone, self.cells), *self[4:])
        return tuple(array for part in nested for array in part)


BOARDS_AT = RULE_FIELDS
ZONE_AT = BOARDS_AT + len(Boards._fields)
CELLS_AT = ZONE_AT + 1
LOGIC_AT = CELLS_AT + 1
CLOSURE_AT = LOGIC_AT + len(Logic._fields)
PACKING_AT = CLOSURE_AT + len(Closure._fields)
LOG_AT = PACKING_AT + len(Packing._fields)
WORKSPACE_AT = LOG_AT + len(Log._fields)
"""The places of the parts in `Arena.flat`."""


@inlined
def log_cell(log: Log, cell: Int, is_mine: bool) -> None:
    """Adds a cell to the step that is being recorded."""
    if log.counts[RECORDING] == 1:
        log.cells[log.counts[LOG_CELLS]] = cell
        log.is_mine[log.counts[LOG_CELLS]] = is_mine
        log.counts[LOG_CELLS] += 1


@inlined
def log_clue(log: Log, clue: Int) -> None:
    """Adds a clue to the reason of the step that is being recorded; beyond the memory clues are only counted."""
    if log.counts[RECORDING] == 1:
        if log.counts[LOG_CLUES] < len(log.clues):
            log.clues[log.counts[LOG_CLUES]] = clue
        log.counts[LOG_CLUES] += 1


@inlined
def end_step(log: Log, rule: Int, uses_total: bool) -> None:
    """Ends a step."""
    if log.counts[RECORDING] == 1:
        step = log.counts[STEPS]
        log.steps[step, 0] = rule
        log.steps[step, 1] = uses_total
        log.steps[step, 2] = log.counts[LOG_CELLS]
        log.steps[step, 3] = log.counts[LOG_CLUES]
        log.counts[STEPS] += 1
