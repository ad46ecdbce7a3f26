"""Kernel that plays games on until a click must take a risk."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.compiled import inlined, kernel
from minesweeper_env.engine.moves import CLICK, make_move
from minesweeper_env.engine.state import PLAYING, REMAINING, STATUS, WON, Boards, Rules
from minesweeper_env.inference.kernels import OK, Workspace, is_known_safe, posterior_after_propagation, propagate

Floats = NDArray[np.float64]

NO_CLICK, CLICKED = -1, -2
"""Entries of `clicks` that are no cells: leave the game alone, or continue after a click already made."""

_RULES = len(Rules._fields)
_GAMES = _RULES + len(Boards._fields)


@kernel
def click_and_advance(
    clicks: NDArray[np.int64], begin: int, probabilities: Floats, log_layouts: Floats, *arrays: Any
) -> tuple[int, int]:
    """Makes a click in each game, and opens all cells that are then certainly free, up to the first game that fails.

    A game that is still under way afterwards has no cell that is certainly free.

    Args:
        clicks: (N,) int64, cells to click, NO_CLICK or CLICKED; set to NO_CLICK where a game is done.
        begin: the first game to do.
        probabilities: (N, n) filled with the probability of a mine in each cell of games under way.
        log_layouts: (N,) filled with the natural logarithm of the number of layouts of games under way.
        *arrays: the fields of a `Rules`, of a `Boards` and of a `Workspace`.

    Returns:
        N and OK, or the failed game and its outcome.
    """
    rules, boards = Rules(*arrays[:_RULES]), Boards(*arrays[_RULES:_GAMES])
    workspace = Workspace(*arrays[_GAMES:])
    for i in range(begin, len(clicks)):
        if clicks[i] == NO_CLICK:
            continue
        if clicks[i] != CLICKED:
            make_move(rules, boards, i, CLICK, clicks[i])
            clicks[i] = CLICKED
        outcome, log_layouts[i] = _advance(rules, boards, i, workspace, probabilities[i])
        if outcome != OK:
            return i, outcome
        clicks[i] = NO_CLICK
    return len(clicks), OK


@inlined
def _advance(rules: Rules, boards: Boards, i: int, workspace: Workspace, probabilities: Floats) -> tuple[int, float]:
    """Opens certainly free cells in a game until none is left; returns the outcome and the logarithm of the layouts."""
    outcome, layouts, opened = OK, 0.0, 1
    while outcome == OK and opened > 0 and boards.progress[i, STATUS] == PLAYING:
        if boards.progress[i, REMAINING] == 0:
            boards.progress[i, STATUS] = WON
            break
        outcome = propagate(boards.shown[i, : len(probabilities)], rules.neighbours.shape[1], workspace)
        if outcome == OK:
            opened = _open_known(rules, boards, i, workspace, len(probabilities))
            if opened == 0:
                outcome, layouts = posterior_after_propagation(workspace, rules.mines, probabilities)
                if outcome == OK:
                    opened = _open_free(rules, boards, i, probabilities)
    return outcome, layouts


@inlined
def _open_known(rules: Rules, boards: Boards, i: int, workspace: Workspace, cells: int) -> int:
    """Opens the cells that single clues prove safe; returns the number of opened cells."""
    opened = 0
    for cell in range(cells):
        if is_known_safe(cell, workspace) and boards.shown[i, cell] > rules.neighbours.shape[1]:
            opened += make_move(rules, boards, i, CLICK, cell)
    return opened


@inlined
def _open_free(rules: Rules, boards: Boards, i: int, probabilities: Floats) -> int:
    """Opens the cells with probability 0 of a mine; returns the number of opened cells."""
    opened = 0
    for cell in range(len(probabilities)):
        if probabilities[cell] == 0.0 and boards.shown[i, cell] > rules.neighbours.shape[1]:
            opened += make_move(rules, boards, i, CLICK, cell)
    return opened
