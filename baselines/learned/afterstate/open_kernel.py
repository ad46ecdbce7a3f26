"""Kernel that opens many cells of many games at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.compiled import kernel
from minesweeper_env.engine.moves import CLICK, make_move
from minesweeper_env.engine.state import PLAYING, REMAINING, STATUS, WON, Boards, Rules

_RULES = len(Rules._fields)


@kernel
def open_cells(chosen: NDArray[np.bool_], *arrays: Any) -> None:
    """Clicks the chosen cells of each game in reading order, until the game is over.

    Args:
        chosen: (N, n) bool; cells that are open, or that an earlier click opens, are left out.
        *arrays: the fields of a `Rules`, then of a `Boards`.
    """
    rules, boards = Rules(*arrays[:_RULES]), Boards(*arrays[_RULES:])
    covered = rules.neighbours.shape[1] + 2
    for i in range(len(chosen)):
        for cell in range(chosen.shape[1]):
            if chosen[i, cell] and boards.progress[i, STATUS] <= PLAYING and boards.shown[i, cell] >= covered:
                make_move(rules, boards, i, CLICK, cell)
                if boards.progress[i, STATUS] == PLAYING and boards.progress[i, REMAINING] == 0:
                    boards.progress[i, STATUS] = WON
