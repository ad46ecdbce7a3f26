"""Kernels that record the steps of a proof."""

from __future__ import annotations

from minesweeper_env.compiled import inlined
from minesweeper_env.engine.state import Int
from minesweeper_env.no_guess.arrays import LOG_CELLS, LOG_CLUES, RECORDING, STEPS, Log


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
