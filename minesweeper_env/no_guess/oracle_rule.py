"""Kernel for the last rule: the oracle finds every cell that is the same in all layouts."""

from __future__ import annotations

import numpy as np

from minesweeper_env.compiled import inlined, subroutine
from minesweeper_env.engine.state import Int
from minesweeper_env.inference.kernels import OK, Workspace, certainty, local_certainty
from minesweeper_env.no_guess.arrays import EXACT_RULE, OPEN, RECORDING, SAFE, UNKNOWN, Log, Logic
from minesweeper_env.no_guess.knowledge import mark_mine
from minesweeper_env.no_guess.proof_log import end_step, log_cell, log_clue

UNCERTAIN, NEW_SAFE, NEW_MINE = range(3)
"""Marks of cells: those that the oracle has found, until a step decides them, and all others."""

PRESENT = 2
"""Entry of `Log.visited` for the present component; 1 stands for earlier ones."""


@subroutine
def ask_oracle(logic: Logic, log: Log, workspace: Workspace, mines: Int) -> int:
    """Decides the cells that are the same in all layouts, if one of them is free.

    A proof that is recorded takes only the cells of one reason at a time.

    Args:
        logic: no clue is waiting.
        log: records the steps.
        workspace: the oracle's memory.
        mines: the number of mines of the board.

    Returns:
        The number of safe cells, listed in `logic.found`; 0 too where the board is too hard for the workspace.
    """
    cells, degree = logic.neighbours.shape
    if certainty(logic.board[:cells], degree, int(mines), logic.probabilities, workspace) != OK:
        return 0
    if _mark_certain(logic, log) == 0:
        return 0
    if log.counts[RECORDING] == 0:
        return _decide_marked(logic, log, False)
    found = 0
    if local_certainty(logic.board[:cells], degree, logic.probabilities, workspace) == OK:
        found = _take_component(logic, log)
    if found == 0:
        for clue in range(cells):
            if logic.state[clue] == OPEN and logic.unknown[clue] > 0:
                log_clue(log, clue)
        found = _decide_marked(logic, log, False)
        end_step(log, EXACT_RULE, True)
    log.marks[:] = UNCERTAIN
    log.visited[:] = 0
    return found


@inlined
def _mark_certain(logic: Logic, log: Log) -> int:
    """Marks the cells that the oracle has found, or none if all of them are mines; returns the number of safe ones."""
    safe = 0
    for cell in range(len(logic.neighbours)):
        safe += logic.state[cell] == UNKNOWN and logic.probabilities[cell] == 0.0
    for cell in range(len(logic.neighbours)):
        log.marks[cell] = UNCERTAIN
        if safe > 0 and logic.state[cell] == UNKNOWN:
            if logic.probabilities[cell] == 0.0:
                log.marks[cell] = NEW_SAFE
            elif logic.probabilities[cell] == 1.0:
                log.marks[cell] = NEW_MINE
    return safe


@subroutine
def _decide_marked(logic: Logic, log: Log, of_component: bool) -> int:
    """Decides the marked cells, or those that the present component decides by itself; returns the safe ones."""
    found = 0
    for cell in range(len(logic.neighbours)):
        mark = log.marks[cell]
        if mark == UNCERTAIN or (of_component and (log.visited[cell] != PRESENT or not _is_local(logic, log, cell))):
            continue
        log_cell(log, cell, mark == NEW_MINE)
        if mark == NEW_SAFE:
            logic.state[cell] = SAFE
            logic.found[found] = cell
            found += 1
        else:
            mark_mine(logic, cell)
        log.marks[cell] = UNCERTAIN
    return found


@inlined
def _is_local(logic: Logic, log: Log, cell: Int) -> bool:
    """Returns whether a cell is certain without the number of mines."""
    probability = logic.probabilities[cell]
    return log.marks[cell] != UNCERTAIN and (probability == 0.0 or probability == 1.0)


@inlined
def _take_component(logic: Logic, log: Log) -> int:
    """Decides cells component by component, up to one with a safe cell; returns the number of safe cells."""
    for seed in range(len(logic.neighbours)):
        if log.visited[seed] == 0 and _is_local(logic, log, seed):
            _visit_component(logic, log, seed)
            found = _decide_marked(logic, log, True)
            end_step(log, EXACT_RULE, False)
            for cell in range(len(logic.neighbours)):
                log.visited[cell] = min(log.visited[cell], 1)
            if found > 0:
                return found
    return 0


@inlined
def _visit_component(logic: Logic, log: Log, seed: Int) -> None:
    """Visits the cells and the clues of a component, and names the clues as the reason of the step."""
    cells, degree = logic.neighbours.shape
    stack, top = logic.flood, 1
    stack[0] = seed
    log.visited[seed] = PRESENT
    while top > 0:
        top -= 1
        present = np.int64(stack[top])
        is_clue = logic.state[present] == OPEN
        if is_clue:
            log_clue(log, present)
        for k in range(degree):
            other = np.int64(logic.neighbours[present, k])
            joins = logic.state[other] == UNKNOWN if is_clue else logic.state[other] == OPEN
            if joins and other < cells and log.visited[other] == 0:
                log.visited[other] = PRESENT
                stack[top] = other
                top += 1
