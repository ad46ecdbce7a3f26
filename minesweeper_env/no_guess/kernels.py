"""Kernels that Python calls: the search for layouts, and the record of a proof."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.compiled import inlined, kernel
from minesweeper_env.engine.state import MINE_BIT, Boards, Rules
from minesweeper_env.inference.kernels import Workspace
from minesweeper_env.no_guess.arrays import (
    BOARDS_AT,
    CELLS_AT,
    CLOSURE_AT,
    LOG_AT,
    LOGIC_AT,
    PACKING_AT,
    WORKSPACE_AT,
    ZONE_AT,
    Arena,
    Closure,
    Log,
    Logic,
    Packing,
)
from minesweeper_env.no_guess.repair import attempt, draw_layout, mix_layout, repair
from minesweeper_env.splitmix import mix

REJECTION, REPAIR, GIVEN = range(3)
"""Tasks of a call: draw layouts until logic solves one, repair one, or play the given layouts."""


@kernel
def search_layouts(
    task: int,
    level: int,
    limit: int,
    max_attempts: int,
    moves: int,
    firsts: NDArray[np.int64],
    states: NDArray[np.uint64],
    layouts: NDArray[np.bool_],
    attempts: NDArray[np.int64],
    solved: NDArray[np.bool_],
    *arrays: Any,
) -> None:
    """Searches a layout for each of M jobs that is not solved yet.

    Args:
        task: REJECTION, REPAIR or GIVEN.
        level: SUBSET or EXACT.
        limit: the number of layouts to play for each job in this call; the mixing comes on top.
        max_attempts: the number of layouts to play for each job in all calls.
        moves: the number of moves that mix a repaired layout.
        firsts: (M,) int64, the first cells.
        states: (M,) uint64, the states of the games' generators; from the second call on, what the call before left.
        layouts: (M, n) bool, filled with the layout of a job that is solved; read if the task is GIVEN.
        attempts: (M,) int64, grows by the number of layouts played.
        solved: (M,) bool, set for each job that is solved.
        *arrays: the arrays of an `Arena`.
    """
    arena = Arena(
        Rules(*arrays[:BOARDS_AT]),
        Boards(*arrays[BOARDS_AT:ZONE_AT]),
        arrays[ZONE_AT],
        arrays[CELLS_AT],
        Logic(*arrays[LOGIC_AT:CLOSURE_AT]),
        Closure(*arrays[CLOSURE_AT:PACKING_AT]),
        Packing(*arrays[PACKING_AT:LOG_AT]),
        Log(*arrays[LOG_AT:WORKSPACE_AT]),
        Workspace(*arrays[WORKSPACE_AT:]),
    )
    for job in range(len(firsts)):
        if solved[job]:
            continue
        first = firsts[job]
        arena.boards.rng[0] = states[job] if attempts[job] > 0 else begin_stream(states[job], first)
        if task == GIVEN:
            _lay_out(arena, layouts[job])
            solved[job] = attempt(arena, first, level)
            attempts[job] += 1
            continue
        most, played = min(limit, max_attempts - attempts[job]), 0
        if most <= 0:
            continue
        if task == REJECTION:
            while not solved[job] and played < most:
                draw_layout(arena, first)
                solved[job] = attempt(arena, first, level)
                played += 1
        else:
            solved[job], played = repair(arena, first, level, most)
            if solved[job]:
                mix_layout(arena, first, level, moves)
        attempts[job] += played
        states[job] = arena.boards.rng[0]
        if solved[job]:
            for cell in range(layouts.shape[1]):
                layouts[job, cell] = arena.boards.truth[0, cell] & MINE_BIT != 0


@inlined
def _lay_out(arena: Arena, layout: NDArray[np.bool_]) -> None:
    """Replaces the mines."""
    truth, neighbours = arena.boards.truth, arena.rules.neighbours
    truth[0, :] = 0
    for cell in range(len(layout)):
        if layout[cell]:
            truth[0, cell] |= MINE_BIT
            for k in range(neighbours.shape[1]):
                truth[0, neighbours[cell, k]] += 1


@inlined
def begin_stream(state: np.uint64, first: np.int64) -> np.uint64:
    """Returns the state of the generator that draws the layouts of a game with a first cell.

    Mixed, the streams of two first cells have nothing in common.
    """
    return mix(mix(state) + np.uint64(first))
