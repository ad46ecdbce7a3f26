"""Arrays of the search for boards without guesses, and the constants by which its kernels read them."""

from __future__ import annotations

from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.compiled import inlined
from minesweeper_env.engine.state import Boards, Rules
from minesweeper_env.inference.counting.workspace import Workspace
from minesweeper_env.inference.deduction.sentences import Closure
from minesweeper_env.inference.reading import Clues

Ints = NDArray[np.int32]
Bytes = NDArray[np.int8]
Longs = NDArray[np.int64]

SUBSET, EXACT = range(2)
"""The levels, in the order of `config.NO_GUESS_LEVELS`."""

COVERED_LEFT, MINES_LEFT = range(2)
"""Entries of `Logic.counts`: the covered cells without the known mines, and the mines in these cells."""

COUNT_RULE, SUBSET_RULE, OVERLAP_RULE, EXACT_RULE = range(4)
"""The rules of a step, in the order of `inference.deduction.steps.RULES`."""

STEPS, LOG_CELLS, LOG_CLUES, RECORDING = range(4)
"""Entries of `Log.counts`: the steps, their cells and their clues so far, and whether steps are recorded at all."""


class Logic(NamedTuple):
    """Knowledge of a player on a board of n cells; it never holds the mines.

    Attributes:
        board: (n + 1,) int8, the codes that the player sees.
        found: (n,) int32, the safe cells that the last rule found, which are opened before the next rule is tried.
        flood: (n,) int32, scratch for the flood fill.
        counts: (2,) int64; see COVERED_LEFT.
        probabilities: (2, n) float64, scratch for the oracle.
    """

    board: Bytes
    found: Ints
    flood: Ints
    counts: Longs
    probabilities: NDArray[np.float64]


class Log(NamedTuple):
    """The steps of a proof.

    Attributes:
        steps: (n + 1, 4) int32, a row per step: the rule, whether it uses the total, the ends of its cells and clues.
        cells: (n,) int32, the cells that the steps find, step after step.
        is_mine: (n,) int8, 1 for a mine.
        clues: (C,) int32, the clues of the steps, step after step; those beyond the memory are only counted.
        visited: (n + 1,) int8, scratch, all 0 between steps.
        counts: (4,) int64; see STEPS.
    """

    steps: Ints
    cells: Ints
    is_mine: Bytes
    clues: Ints
    visited: Bytes
    counts: Longs


class Repair(NamedTuple):
    """Attributes: zone: (n,) int8, 1 for a cell that must stay free; cells: (n,) int64, a list of cells."""

    zone: Bytes
    cells: Longs


class Arena(NamedTuple):
    """All arrays of the search.

    Attributes:
        rules: the rules of the games; "any" becomes "safe", since the first cell must be free.
        boards: one game, whose `truth` holds the layout and whose `rng` draws it.
        repair: scratch of the repair.
        clues: what the player's board says.
        logic: the player's other knowledge.
        closure: sentences.
        log: the proof.
        workspace: the oracle's memory.
    """

    rules: Rules
    boards: Boards
    repair: Repair
    clues: Clues
    logic: Logic
    closure: Closure
    log: Log
    workspace: Workspace

    def arrays(self) -> tuple[Any, ...]:
        """Returns the arrays one by one, as kernels take them; `arena_of` is the inverse."""
        return tuple(array for part in self for array in part)


_BOARDS, _REPAIR, _CLUES, _LOGIC, _CLOSURE, _LOG, _WORKSPACE = accumulate(
    len(part._fields) for part in (Rules, Boards, Repair, Clues, Logic, Closure, Log)
)


@inlined
def arena_of(arrays: tuple[Any, ...]) -> Arena:
    """Returns the arena with these arrays."""
    return Arena(
        Rules(*arrays[:_BOARDS]),
        Boards(*arrays[_BOARDS:_REPAIR]),
        Repair(*arrays[_REPAIR:_CLUES]),
        Clues(*arrays[_CLUES:_LOGIC]),
        Logic(*arrays[_LOGIC:_CLOSURE]),
        Closure(*arrays[_CLOSURE:_LOG]),
        Log(*arrays[_LOG:_WORKSPACE]),
        Workspace(*arrays[_WORKSPACE:]),
    )
