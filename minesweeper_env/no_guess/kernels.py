"""Kernels that Python calls: the search for layouts, with their repair and mixing, and the record of a proof.

The repair moves mines at the place where logic is stuck: the idea of Simon Tatham's Mines (`mineperturb`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.compiled import inlined, kernel, subroutine
from minesweeper_env.engine.rules import add_mine, place_mines, random_below, remove_mine
from minesweeper_env.engine.state import FIRST_SAFE, MINE_BIT, Boards, Int, Rules
from minesweeper_env.inference.deduction.sentences import Closure
from minesweeper_env.inference.kernels import Workspace
from minesweeper_env.inference.reading import OPEN, UNKNOWN, Clues
from minesweeper_env.no_guess.arrays import (
    BOARDS_AT,
    CELLS_AT,
    CLOSURE_AT,
    CLUES_AT,
    COVERED_LEFT,
    LOG_AT,
    LOGIC_AT,
    MINES_LEFT,
    WORKSPACE_AT,
    ZONE_AT,
    Arena,
    Log,
    Logic,
)
from minesweeper_env.no_guess.play import play
from minesweeper_env.splitmix import mix

PATIENCE = 300
"""Layouts in a row without more opened cells, after which a repair starts over."""

FAR = 8
"""The partner of a frontier cell is any cell with probability 1 / FAR, and otherwise an unknown one."""

WORSE = 32
"""A layout is kept with probability 1 / WORSE although logic opens fewer cells."""

TRIES = 64
"""Draws of a partner before a repair gives up on a cell."""

_GAME = np.int64(0)


@subroutine
def draw_layout(arena: Arena, first: Int) -> None:
    """Draws a layout by the first-click rule, and marks the cells that the rule keeps free."""
    arena.boards.truth[0, :] = 0
    place_mines(arena.rules, arena.boards, _GAME, np.int64(first))
    arena.zone[:] = 0
    arena.zone[first] = 1
    if arena.rules.first_click != FIRST_SAFE:
        for k in range(arena.rules.neighbours.shape[1]):
            cell = arena.rules.neighbours[first, k]
            if cell < len(arena.zone):
                arena.zone[cell] = 1


@subroutine
def repair(arena: Arena, first: Int, level: Int, limit: int) -> tuple[bool, int]:
    """Draws a layout, and changes it until logic solves it; returns whether it does, and the layouts played."""
    draw_layout(arena, first)
    solved, played = play(arena, first, level), 1
    score = best = _opened(arena)
    frontier, unknown = _list_unknown(arena)
    idle = 0
    while not solved and played < limit and idle < PATIENCE:
        one, other = _choose_swap(arena, frontier, unknown)
        if one < 0:
            break
        _swap(arena, one, other)
        solved = play(arena, first, level)
        played += 1
        present = _opened(arena)
        if solved or present >= score or random_below(arena.boards.rng, _GAME, np.int64(WORSE)) == 0:
            score = present
            frontier, unknown = _list_unknown(arena)
        else:
            _swap(arena, one, other)
        idle = 0 if score > best else idle + 1
        best = max(best, score)
    return solved, played


@inlined
def _opened(arena: Arena) -> int:
    """Returns the number of open cells."""
    counts = arena.logic.counts
    return len(arena.zone) - counts[COVERED_LEFT] - (arena.rules.mines - counts[MINES_LEFT])


@inlined
def _list_unknown(arena: Arena) -> tuple[int, int]:
    """Lists the unknown cells, those next to clues first; returns the number of these, and of all."""
    clues, listed = arena.clues, arena.cells
    cells, degree = clues.neighbours.shape
    frontier, unknown = 0, 0
    for cell in range(cells):
        if clues.known[cell] != UNKNOWN:
            continue
        near = False
        for k in range(degree):
            other = clues.neighbours[cell, k]
            near |= other < cells and clues.known[other] == OPEN
        listed[unknown] = cell
        if near:
            listed[unknown], listed[frontier] = listed[frontier], cell
            frontier += 1
        unknown += 1
    return frontier, unknown


@inlined
def _choose_swap(arena: Arena, frontier: Int, unknown: Int) -> tuple[int, int]:
    """Returns an unknown cell next to a clue, and another cell; one of them is a mine. (-1, -1) if none is found."""
    rng, listed = arena.boards.rng, arena.cells
    if frontier > 0:
        for _ in range(TRIES):
            one = listed[random_below(rng, _GAME, np.int64(frontier))]
            if random_below(rng, _GAME, np.int64(FAR)) > 0:
                other = listed[random_below(rng, _GAME, np.int64(unknown))]
            else:
                other = random_below(rng, _GAME, np.int64(len(listed)))
            if _can_swap(arena, one, other):
                return one, other
    return -1, -1


@inlined
def _can_swap(arena: Arena, one: Int, other: Int) -> bool:
    """Returns whether one of two cells is a mine, and neither is protected."""
    differ = (arena.boards.truth[0, one] ^ arena.boards.truth[0, other]) & MINE_BIT != 0
    return differ and arena.zone[one] == 0 and arena.zone[other] == 0


@inlined
def _swap(arena: Arena, one: Int, other: Int) -> None:
    """Moves a mine between two cells, exactly one of them a mine."""
    if arena.boards.truth[0, one] & MINE_BIT:
        one, other = other, one
    remove_mine(arena.rules, arena.boards, _GAME, np.int64(other))
    add_mine(arena.rules, arena.boards, _GAME, np.int64(one))


@subroutine
def mix_layout(arena: Arena, first: Int, level: Int, moves: int) -> None:
    """Moves mines at random, one at a time, and takes back each move after which logic no longer solves the layout.

    The present layout is solved. In the long run all solved layouts that such moves connect are equally likely
    (Metropolis et al. 1953).
    """
    cells = np.int64(len(arena.zone))
    for _ in range(moves):
        one = random_below(arena.boards.rng, _GAME, cells)
        other = random_below(arena.boards.rng, _GAME, cells)
        if _can_swap(arena, one, other):
            _swap(arena, one, other)
            if not play(arena, first, level):
                _swap(arena, one, other)


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
        Clues(*arrays[CLUES_AT:LOGIC_AT]),
        Logic(*arrays[LOGIC_AT:CLOSURE_AT]),
        Closure(*arrays[CLOSURE_AT:LOG_AT]),
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
            solved[job] = play(arena, first, level)
            attempts[job] += 1
            continue
        most, played = min(limit, max_attempts - attempts[job]), 0
        if most <= 0:
            continue
        if task == REJECTION:
            while not solved[job] and played < most:
                draw_layout(arena, first)
                solved[job] = play(arena, first, level)
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
