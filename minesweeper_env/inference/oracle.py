"""Exact mine probabilities for all boards of a game, as far as they can be computed."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.codes import HIDDEN
from minesweeper_env.config import UNIFORM_FIRST_CLICKS, BoardConfig, whole_number
from minesweeper_env.inference.errors import PositionTooHardError
from minesweeper_env.inference.probability import mine_probabilities_batch


class Answers(NamedTuple):
    """The probabilities of N boards.

    Attributes:
        probabilities: (N, rows, cols) float64, the probability of a mine in each cell; NaN where it is unknown.
        exact: (N,) bool, True if the probabilities of all cells are known.
    """

    probabilities: NDArray[np.float64]
    exact: NDArray[np.bool_]


class Oracle:
    """Answers for the boards of one configuration, including won and lost boards.

    All layouts that fit a board count as equally likely, and flags are no evidence. Before the first click every cell
    is a mine with probability mines / cells, under every first-click rule. A lost board shows every mine without a
    flag, so its other cells without a flag are free. Its flags are known only where the number of mines decides them.
    """

    def __init__(self, config: BoardConfig, threads: int = 1) -> None:
        """Prepares for the boards of a configuration.

        Args:
            config: the games.
            threads: the number of threads that divide a batch of boards.

        Raises:
            ValueError: the first-click rule makes some layouts likelier than others.
        """
        if config.first_click not in UNIFORM_FIRST_CLICKS:
            raise ValueError(
                f"exact mine probabilities need first_click {', '.join(UNIFORM_FIRST_CLICKS)}, under which all layouts "
                f"that fit a board are equally likely, not {config.first_click!r}"
            )
        self.config = config
        self._threads = whole_number("threads", threads, 1)
        _compile_kernels()

    def ask(self, boards: NDArray[np.int8]) -> Answers:
        """Returns the probabilities of boards, (N, rows, cols) int8 codes.

        Raises:
            InconsistentBoardError: no layout fits a board.
        """
        lost = (boards == self.config.codes.mine).any(axis=(1, 2))
        if not lost.any():
            probabilities = self._infer(boards)
        else:
            probabilities = self._read_lost(boards)
            if not lost.all():
                probabilities[~lost] = self._infer(boards[~lost])
        return Answers(probabilities, np.logical_not(np.isnan(probabilities).any(axis=(1, 2))))

    def _infer(self, boards: NDArray[np.int8]) -> NDArray[np.float64]:
        try:
            return self._count(boards, self._threads)
        except PositionTooHardError:
            return np.stack([self._count_where_possible(board) for board in boards])

    def _count(self, boards: NDArray[np.int8], threads: int) -> NDArray[np.float64]:
        return mine_probabilities_batch(boards, self.config.mines, radius=self.config.radius, threads=threads)

    def _count_where_possible(self, board: NDArray[np.int8]) -> NDArray[np.float64]:
        try:
            return self._count(board[None], 1)[0]
        except PositionTooHardError:
            return np.where(board > self.config.codes.max_count, np.nan, 0.0)

    def _read_lost(self, boards: NDArray[np.int8]) -> NDArray[np.float64]:
        shown, flagged = boards == self.config.codes.mine, boards == self.config.codes.flagged
        under_flags = self.config.mines - shown.sum(axis=(1, 2))
        each = np.where(under_flags == 0, 0.0, np.where(under_flags == flagged.sum(axis=(1, 2)), 1.0, np.nan))
        return np.where(flagged, each[:, None, None], shown)


@cache
def _compile_kernels() -> None:
    """Compiles or loads the kernels, before the first question and before processes start."""
    mine_probabilities_batch(np.full((1, 1, 2), HIDDEN, np.int8), 1)
