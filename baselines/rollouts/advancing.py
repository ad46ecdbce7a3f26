"""Clicks in many games at once, each followed by all clicks that are then certain."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from baselines.rollouts.advance_kernel import NO_CLICK, click_and_advance
from minesweeper_env.engine.games import Games
from minesweeper_env.engine.state import TRUNCATED
from minesweeper_env.inference import PositionTooHardError
from minesweeper_env.inference.kernels import OK, Workspace, failure, run_with_workspace


def advance(
    games: Games, clicks: NDArray[np.int64], probabilities: NDArray[np.float64], log_layouts: NDArray[np.float64]
) -> None:
    """Makes a click in each game, and opens what is then certain; truncates games that are too hard for the oracle.

    Args:
        games: N games.
        clicks: (N,) int64, as `click_and_advance` takes them; NO_CLICK everywhere afterwards.
        probabilities: (N, n) float64, filled with the probability of a mine in each cell of games under way.
        log_layouts: (N,) float64, filled with the natural logarithm of the number of layouts of games under way.

    Raises:
        InconsistentBoardError: no layout matches one of the boards.
    """
    done, config = 0, games.config

    def go_on(workspace: Workspace) -> int:
        nonlocal done
        done, outcome = click_and_advance(clicks, done, probabilities, log_layouts, *games.arrays, *workspace)
        return outcome

    while done < len(clicks):
        try:
            outcome = run_with_workspace(go_on, config.rows, config.cols, config.radius)
            if outcome != OK:
                board = games.show()[0][done].reshape(config.rows, config.cols)
                raise failure(board, config.mines, config.radius, outcome, done)
        except PositionTooHardError:
            games.status[done] = TRUNCATED
            clicks[done] = NO_CLICK
