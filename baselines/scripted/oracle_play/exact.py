"""`exact`: certain clicks where there are any, else the least risk there is."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from baselines.scripted.base import click_where_legal, count_risky
from baselines.scripted.oracle_play.first_click import first_cell
from baselines.scripted.oracle_play.least_risk import CERTAIN, choose_clicks
from minesweeper_env.config import BoardConfig
from minesweeper_env.inference.kernels import OK, Workspace, failure, run_with_workspace

Boards = NDArray[np.int8]
Cells = NDArray[np.int64]


class ExactPolicy:
    """Plays to survive the next click, by the exact probability of a mine in each cell.

    Of cells of equal risk it prefers those with the most open neighbours, then those most likely to show 0, then
    the first one; there is no randomness in it. Under the first-click rule "corners" layouts are not equally
    likely, and it plays as if they were.

    Attributes:
        config: the games.
        counters: "guesses", the clicks on cells that were not known to be free; see `count_risky` for the first one.
    """

    batch_size = 1000

    def __init__(self, config: BoardConfig) -> None:
        """Prepares to play games of this configuration, and has the kernels compiled."""
        self.config = config
        self._max_count = config.codes.max_count
        self._first_cell = first_cell(config)
        covered = np.full((1, config.rows, config.cols), config.codes.hidden, np.int8)
        self.counters = {"guesses": 0}
        self.act(covered, np.ones((1, config.actions), np.int8))
        self.counters["guesses"] = 0

    def reset(self, seed: int) -> None:
        """Does nothing: there is nothing random about the play."""

    def act(self, observations: Boards, action_masks: NDArray[np.int8]) -> Cells:
        """Chooses a click in each of N games; see `baselines.policy.Policy`.

        Raises:
            InconsistentBoardError: no layout fits one of the boards.
            PositionTooHardError: one of the boards is too hard.
        """
        boards = observations.reshape(len(observations), -1)
        # The kernels write to the boards; these copies are theirs.
        return click_where_legal(
            lambda games, legal: self._choose(boards[games], legal), action_masks, self.config.cells
        )

    def _choose(self, boards: Boards, legal: NDArray[np.bool_]) -> Cells:
        """Returns the clicks on (N, n) boards, each of which has one that is legal."""
        return self._least_risks(boards, legal)[0]

    def _least_risks(self, boards: Boards, legal: NDArray[np.bool_]) -> tuple[Cells, NDArray[np.float64]]:
        """Returns certain clicks, or those of least risk; and what `choose_clicks` reports of the layouts."""
        clicks, log_layouts = np.empty(len(boards), np.int64), np.full(len(boards), CERTAIN)
        chances = np.empty(boards.shape[1])
        config = self.config

        def choose(workspace: Workspace, begin: int) -> tuple[int, int]:
            return choose_clicks(
                boards,
                legal,
                self._max_count,
                config.mines,
                self._first_cell,
                begin,
                clicks,
                log_layouts,
                chances,
                *workspace,
            )

        self._run(choose, boards)
        begun = np.any(boards <= self._max_count, axis=1)
        self.counters["guesses"] += count_risky(begun[(log_layouts != CERTAIN) | ~begun], config)
        return clicks, log_layouts

    def _run(self, kernel: Callable[[Workspace, int], tuple[int, int]], boards: Boards) -> None:
        """Runs a kernel over all boards, with as much memory as it needs; raises what has gone wrong."""
        done = 0

        def go_on(workspace: Workspace) -> int:
            nonlocal done
            done, outcome = kernel(workspace, done)
            return outcome

        config = self.config
        outcome = run_with_workspace(go_on, config.rows, config.cols, config.radius)
        if outcome != OK:
            board = boards[done].reshape(config.rows, config.cols)
            raise failure(board, config.mines, config.radius, outcome, done)
