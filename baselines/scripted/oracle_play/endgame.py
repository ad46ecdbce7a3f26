"""Exact play of the endgame, for the policies that look beyond the next click."""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from baselines.scripted.oracle_play.exact import CERTAIN, Boards, Cells, ExactPolicy
from minesweeper_env.config import BoardConfig, whole_number
from minesweeper_env.inference import PositionTooHardError
from minesweeper_env.inference.kernels import EndgameSearcher, consistent_layouts

_ROUNDING = 1e-6
"""Tolerance for the natural logarithm of a number of layouts."""


class Ending(NamedTuple):
    """The best click of an endgame.

    Attributes:
        cell: the cell to click, row * cols + col.
        win_probability: the probability of winning with this click; a lower bound if the search gave up.
        exact: whether the search was completed.
    """

    cell: int
    win_probability: float
    exact: bool = True


class Endings:
    """Searches for the click that wins the most layouts, on boards with few enough layouts.

    The limits are numbers of layouts and of sets, so the result does not depend on the machine.

    Attributes:
        config: the games.
        most: the natural logarithm of the largest number of layouts to search, plus a little.
    """

    def __init__(self, config: BoardConfig, layouts: int, nodes: int) -> None:
        """Prepares to search, and compiles the kernels.

        Args:
            config: the games.
            layouts: the largest number of layouts to search; 0 for none.
            nodes: the number of sets of layouts to examine before taking the best click so far.

        Raises:
            ValueError: an option is not allowed; the message names the allowed values.
        """
        self.config = config
        self.most = math.log(whole_number("layouts", layouts, 0) + 0.5)
        self._nodes = whole_number("nodes", nodes, 1)
        self._searcher = EndgameSearcher(max(1, layouts), config.cells, config.codes.max_count)
        self._warm_up()

    def _warm_up(self) -> None:
        covered = np.full(self.config.cells, self.config.codes.hidden, np.int8)
        self.find(covered, 0.0)
        self._searcher.search(np.zeros((1, 1), np.uint8), np.zeros((1, 1), np.uint8), 1)

    def find(self, board: NDArray[np.int8], log_layouts: float) -> Ending | None:
        """Returns the best click on a board; None if too many layouts fit it.

        Args:
            board: (rows, cols) or (rows * cols,) int8, cell codes; at least one covered cell is free.
            log_layouts: the natural logarithm of the number of layouts that fit the board.
        """
        if log_layouts > self.most:
            return None
        config, limit = self.config, math.ceil(math.exp(log_layouts + _ROUNDING))
        try:
            found = consistent_layouts(
                board.reshape(config.rows, config.cols), config.mines, limit, radius=config.radius
            )
        except PositionTooHardError:
            return None
        best = self._searcher.search(found.mines, found.counts, self._nodes)
        return Ending(int(found.cells[best.cell]), best.wins / len(found.mines), best.exact)


class EndingPolicy(ExactPolicy):
    """Base of policies that click certain cells as `exact` does, and play the endgame exactly."""

    batch_size = 100

    def __init__(self, config: BoardConfig, layouts: int, nodes: int, first: str | int | None = None) -> None:
        """Prepares to play games of this configuration, and compiles the kernels.

        Args:
            config: the games.
            layouts: see `Endings`.
            nodes: see `Endings`.
            first: see `ExactPolicy`.

        Raises:
            ValueError: an option is not allowed; the message names the allowed values.
        """
        self._endings = Endings(config, layouts, nodes)
        super().__init__(config, first)
        covered = np.full((1, config.cells), config.codes.hidden, np.int8)
        self._weigh(covered, np.ones(covered.shape, np.bool_), np.zeros(1, np.int64))

    def _choose(self, boards: Boards, legal: NDArray[np.bool_]) -> Cells:
        clicks, log_layouts = self._least_risks(boards, legal)
        open_ones = []
        for i in np.flatnonzero(log_layouts != CERTAIN):
            ending = self._endings.find(boards[i], log_layouts[i])
            if ending is not None and legal[i, ending.cell]:
                clicks[i] = ending.cell
            else:
                open_ones.append(i)
        if open_ones:
            clicks[open_ones] = self._weigh(boards[open_ones], legal[open_ones], clicks[open_ones])
        return clicks

    @abstractmethod
    def _weigh(self, boards: Boards, legal: NDArray[np.bool_], clicks: Cells) -> Cells:
        """Chooses clicks at a risk, on boards with too many layouts for exact search.

        Args:
            boards: (N, n) int8, cell codes; they may be written to if they are put back.
            legal: (N, n) bool, the clicks that are allowed; at least one on each board.
            clicks: (N,), the clicks of least risk; may be written to.

        Returns:
            (N,), the clicks.
        """
