"""Arrays of the search for boards without guesses, and the constants by which its kernels read them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.compiled import inlined
from minesweeper_env.engine.state import RULE_FIELDS, Boards, Int, Rules
from minesweeper_env.inference.deduction.sentences import MARK, Closure
from minesweeper_env.inference.kernels import Workspace
from minesweeper_env.inference.reading import Clues

Ints = NDArray[np.int32]
Bytes = NDArray[np.int8]

SUBSET, EXACT = range(2)
"""The levels, in the order of `generation.LEVELS`."""

COVERED_LEFT, MINES_LEFT = range(2)
"""Entries of `Logic.counts`: the covered cells without the known mines, and the mines in these cells."""

COUNT_RULE, SUBSET_RULE, OVERLAP_RULE, EXACT_RULE = range(4)
"""The rules of a step, in the order of `minesweeper_env.inference.deduction.steps.RULES`."""

STEPS, LOG_CELLS, LOG_CLUES, RECORDING = range(4)
"""Entries of `Log.counts`: the steps, their cells and their clues so far, and whether steps are recorded at all."""


class Logic(NamedTuple):
    """Knowledge of a player on a board of n cells; it never holds the mines.

    Attributes:
        board: (n + 1,) int8, the codes that the player sees.
        found: (n,) int32, the safe cells that the last rule found, which are opened before the next rule is tried.
        flood: (n,) int32, scratch for the flood fill.
        counts: (2,) int64; see COVERED_LEFT.
        probabilities: (n,) float64, scratch for the oracle.
    """

    board: Bytes
    found: Ints
    flood: Ints
    counts: NDArray[np.int64]
    probabilities: NDArray[np.float64]


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
        clues: what the player's board says.
        logic: the player's other knowledge.
        closure: sentences.
        log: the proof.
        workspace: the oracle's memory.
    """

    rules: Rules
    boards: Boards
    zone: Bytes
    cells: NDArray[np.int64]
    clues: Clues
    logic: Logic
    closure: Closure
    log: Log
    workspace: Workspace

    def flat(self) -> tuple[Any, ...]:
        """Returns the arrays one by one, as kernels take them."""
        nested = (self.rules, self.boards, (self.zone, self.cells), *self[4:])
        return tuple(array for part in nested for array in part)


BOARDS_AT = RULE_FIELDS
ZONE_AT = BOARDS_AT + len(Boards._fields)
CELLS_AT = ZONE_AT + 1
CLUES_AT = CELLS_AT + 1
LOGIC_AT = CLUES_AT + len(Clues._fields)
CLOSURE_AT = LOGIC_AT + len(Logic._fields)
LOG_AT = CLOSURE_AT + len(Closure._fields)
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
def log_reason(log: Log, closure: Closure) -> None:
    """Adds the marked clues of a closure to the reason of the step."""
    if log.counts[RECORDING] == 1:
        for clue in range(len(closure.cells)):
            if closure.cells[clue, MARK] == 1:
                log_clue(log, clue)


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
