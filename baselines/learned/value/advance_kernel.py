"""The kernel that plays games on to where a risk must be taken."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.compiled import inlined, kernel
from minesweeper_env.engine.moves import CLICK, make_move
from minesweeper_env.engine.state import PLAYING, REMAINING, STATUS, WON, Boards, Rules
from minesweeper_env.inference.counting.forward_pass import GIVEN_TOTAL
from minesweeper_env.inference.counting.frontier import SAFE, Ints
from minesweeper_env.inference.counting.posterior import read_board, settled_posterior
from minesweeper_env.inference.counting.states import FINE, Floats
from minesweeper_env.inference.counting.workspace import Room, Work, carve_work

NO_CLICK, CLICKED = -1, -2
"""What stands in place of a cell to click: the game is to stay as it is, or its click is made but not what follows."""

_RULES = len(Rules._fields)
_GAMES = _RULES + len(Boards._fields)


@kernel
def click_and_advance(
    clicks: NDArray[np.int64], begin: int, chances: Floats, log_layouts: Floats, *arrays: Any
) -> tuple[int, int]:
    """Makes a click in each game, and then opens what is certainly free, up to the first game that it cannot do.

    A game that is neither won nor lost afterwards has no cell that is certainly free.

    Args:
        clicks: (N,) int64, the cells to click, NO_CLICK or CLICKED; set to NO_CLICK where a game is done.
        begin: the game to begin with.
        chances: (N, n) filled with the chance of a mine in each cell where a game goes on.
        log_layouts: (N,) filled with the natural logarithm of the number of layouts where a game goes on.
        *arrays: the fields of a `Rules`, of a `Boards` and of a `Room`.

    Returns:
        N and FINE, or the game that could not be done and why.
    """
    rules, boards = Rules(*arrays[:_RULES]), Boards(*arrays[_RULES:_GAMES])
    room = Room(*arrays[_GAMES:])
    work = carve_work(room)
    for i in range(begin, len(clicks)):
        if clicks[i] == NO_CLICK:
            continue
        if clicks[i] != CLICKED:
            make_move(rules, boards, i, CLICK, clicks[i])
            clicks[i] = CLICKED
        outcome, log_layouts[i] = _advance(rules, boards, i, work, room, chances[i])
        if outcome != FINE:
            return i, outcome
        clicks[i] = NO_CLICK
    return len(clicks), FINE


@inlined
def _advance(rules: Rules, boards: Boards, i: int, work: Work, room: Room, chances: Floats) -> tuple[int, float]:
    """Opens what is certainly free in a game; returns the outcome and the logarithm of the number of layouts."""
    outcome, layouts, opened = FINE, 0.0, 1
    while outcome == FINE and opened > 0 and boards.games[i, STATUS] == PLAYING:
        if boards.games[i, REMAINING] == 0:
            boards.games[i, STATUS] = WON
            break
        outcome = read_board(work, boards.shown[i, : len(chances)], room.around, rules.neighbours.shape[1])
        if outcome == FINE:
            opened = _open_known(rules, boards, i, work.frontier.known, len(chances))
            if opened == 0:
                outcome, layouts = settled_posterior(work, room.around, rules.mines, 0.0, GIVEN_TOTAL, chances)
                if outcome == FINE:
                    opened = _open_free(rules, boards, i, chances)
    return outcome, layouts


@inlined
def _open_known(rules: Rules, boards: Boards, i: int, known: Ints, cells: int) -> int:
    """Opens the cells that a count by itself shows to be free; returns how many have opened."""
    opened = 0
    for cell in range(cells):
        if known[cell] == SAFE and boards.shown[i, cell] > rules.neighbours.shape[1]:
            opened += make_move(rules, boards, i, CLICK, cell)
    return opened


@inlined
def _open_free(rules: Rules, boards: Boards, i: int, chances: Floats) -> int:
    """Opens the cells that cannot be mines; returns how many have opened."""
    opened = 0
    for cell in range(len(chances)):
        if chances[cell] == 0.0 and boards.shown[i, cell] > rules.neighbours.shape[1]:
            opened += make_move(rules, boards, i, CLICK, cell)
    return opened
