"""Kernel that plays a layout by logic alone, up to the win or to the first position where logic is stuck."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.compiled import subroutine
from minesweeper_env.engine.state import Int
from minesweeper_env.inference.kernels import Workspace
from minesweeper_env.no_guess.arrays import (
    MINES_LEFT,
    RECORDING,
    SUBSET,
    UNKNOWN_LEFT,
    Closure,
    Log,
    Logic,
    Packing,
)
from minesweeper_env.no_guess.knowledge import cover, follow_clues, follow_total, open_cell
from minesweeper_env.no_guess.oracle_rule import ask_oracle
from minesweeper_env.no_guess.packings import PROGRESS, pack_sentences
from minesweeper_env.no_guess.sentences import CERTAIN, apply_certain, close_sentences


@subroutine
def play(
    truth: NDArray[np.uint8],
    first: Int,
    mines: Int,
    level: Int,
    logic: Logic,
    closure: Closure,
    packing: Packing,
    log: Log,
    workspace: Workspace,
) -> bool:
    """Plays a layout from a first cell; returns whether logic wins.

    Args:
        truth: (n + 1,) uint8, the clue of each safe cell; only cells that are opened are read.
        first: the first cell, without a mine.
        mines: the number of mines.
        level: SUBSET or EXACT.
        logic: the player's knowledge, which begins empty.
        closure: scratch.
        packing: scratch.
        log: records the steps.
        workspace: the oracle's memory.
    """
    cover(logic, mines)
    open_cell(truth, logic, first)
    while logic.counts[UNKNOWN_LEFT] > logic.counts[MINES_LEFT]:
        found = follow_clues(logic, log)
        if found == 0 and logic.counts[UNKNOWN_LEFT] > logic.counts[MINES_LEFT]:
            found = follow_total(logic, log)
            if found == 0:
                found = reason(mines, level, logic, closure, packing, log, workspace)
            if found == 0:
                return False
        for i in range(found):
            open_cell(truth, logic, np.int64(logic.found[i]))
    return True


@subroutine
def reason(
    mines: Int, level: Int, logic: Logic, closure: Closure, packing: Packing, log: Log, workspace: Workspace
) -> int:
    """Applies the rules for several clues; returns the number of safe cells, PROGRESS, or 0 where logic is stuck."""
    # Without a record the oracle, which finds all that sentences find, is faster alone.
    if level == SUBSET or log.counts[RECORDING] == 1:
        complete = close_sentences(logic, closure)
        if closure.counts[CERTAIN] > 0:
            found = apply_certain(logic, closure, log)
            return found if found > 0 else PROGRESS
        if level == SUBSET:
            return pack_sentences(logic, closure, packing, log, workspace, mines) if complete else 0
    return ask_oracle(logic, log, workspace, mines)
