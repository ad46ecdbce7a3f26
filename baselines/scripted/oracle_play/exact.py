"""`exact`: a certainly safe cell if there is one, else the cell of least exact mine probability.

The probabilities come from the oracle; docs/studies/inference.md explains the counting.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from baselines.scripted.base import click_where_legal, count_risky
from baselines.scripted.oracle_play.first_click import chosen_first_cell
from baselines.scripted.oracle_play.least_risk import CERTAIN, choose_clicks
from baselines.support.act_inputs import checked_act
from minesweeper_env.config import BoardConfig
from minesweeper_env.inference.kernels import OK, Workspace, failure, run_with_workspace

Boards = NDArray[np.int8]
Cells = NDArray[np.int64]


class ExactPolicy:
    """Minimises the probability of losing on the next click.

    Ties go to the cell with the most open neighbours, then to the likeliest 0, then to the first one in reading order.
    There is no randomness. It treats layouts as equally likely, which they are not under the
    first-click rule "corners".

    Attributes:
        config: the games.
        counters: "guesses", clicks on cells not known to be safe; see `count_risky` for the first click.
    """

    batch_size = 1000

    def __init__(self, config: BoardConfig, first: str | int | None = None) -> None:
        """Compiles the kernels with one click on a covered board.

        Args:
            config: the games.
            first: the first click: "exact" or None for the one of `first_cell`, "middle", or a cell, row * cols + col.

        Raises:
            ValueError: `first` is not allowed; the message names the allowed values.
        """
        self.config = config
        self._max_count = config.codes.max_count
        self._first_cell = chosen_first_cell(config, first)
        covered = np.full((1, config.rows, config.cols), config.codes.hidden, np.int8)
        self.counters = {"guesses": 0}
        self.act(covered, np.ones((1, config.actions), np.int8))
        self.counters["guesses"] = 0

    def reset(self, seed: int) -> None:
        """Does nothing: the policy has no randomness."""

    @checked_act
    def act(self, observations: Boards, action_masks: NDArray[np.int8]) -> Cells:
        """Returns a click for each of N games; see `baselines.policy.Policy`.

        Raises:
            InconsistentBoardError: no layout matches one of the boards.
            PositionTooHardError: one of the boards exceeds the limits of the oracle.
        """
        boards = observations.reshape(len(observations), -1)
        # The kernels write to the boards, so they get the copies that indexing makes.
        return click_where_legal(
            lambda games, legal: self._choose(boards[games], legal), action_masks, self.config.cells
        )

    def _choose(self, boards: Boards, legal: NDArray[np.bool_]) -> Cells:
        """Returns the clicks on (N, n) boards; each board has a legal click."""
        return self._least_risks(boards, legal)[0]

    def _least_risks(self, boards: Boards, legal: NDArray[np.bool_]) -> tuple[Cells, NDArray[np.float64]]:
        """Returns the clicks of least risk, and the log of the number of layouts; see `choose_clicks`."""
        clicks, log_layouts = np.empty(len(boards), np.int64), np.full(len(boards), CERTAIN)
        probabilities = np.empty(boards.shape[1])
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
                probabilities,
                *workspace,
            )

        self._run(choose, boards)
        begun = np.any(boards <= self._max_count, axis=1)
        self.counters["guesses"] += count_risky(begun[(log_layouts != CERTAIN) | ~begun], config)
        return clicks, log_layouts

    def _run(self, kernel: Callable[[Workspace, int], tuple[int, int]], boards: Boards) -> None:
        """Runs a kernel over all boards in a workspace that grows as needed; raises the error of a failed board."""
        done = 0

        def resume(workspace: Workspace) -> int:
            nonlocal done
            done, outcome = kernel(workspace, done)
            return outcome

        config = self.config
        outcome = run_with_workspace(resume, config.rows, config.cols, config.radius)
        if outcome != OK:
            board = boards[done].reshape(config.rows, config.cols)
            raise failure(board, config.mines, config.radius, outcome, done)
