"""Exact probabilities of winning in positions with few layouts, for the best click and for any other."""

from __future__ import annotations

import math
from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.config import BoardConfig
from minesweeper_env.inference import PositionTooHardError
from minesweeper_env.inference.kernels import EndgameSearcher, consistent_layouts

Cell = tuple[int, int]

LAYOUTS = 5_000
"""Default limit on the number of layouts of an endgame."""

NODES = 200_000
"""Default limit on the sets of layouts that one search examines."""

_ROUNDING = 1e-6
"""Tolerance for the natural logarithm of a number of layouts."""


class Endgame:
    """A position whose best play is known exactly.

    Attributes:
        best: (row, col) of the best click.
        win_probability: the probability of winning with it.
    """

    def __init__(self, solver: EndgameSolver, board: NDArray[np.int8], limit: int) -> None:
        """Lists the layouts of a position, and searches for the best click; see `EndgameSolver.solve`."""
        config = solver.config
        self._solver, self._cols = solver, config.cols
        found = consistent_layouts(board, config.mines, limit, radius=config.radius)
        self._columns = {divmod(cell, config.cols): column for column, cell in enumerate(found.cells.tolist())}
        self._mines, self._counts = found.mines, found.counts
        column, wins = solver.search(found.mines, found.counts)
        self.best: Cell = divmod(int(found.cells[column]), config.cols)
        self.win_probability = wins / len(found.mines)

    def win_probability_after(self, opened: Collection[Cell]) -> float:
        """Returns the probability of winning if covered cells are opened, all at once, and the best play follows.

        Raises:
            PositionTooHardError: a search exceeds its limit.
        """
        columns = [self._columns[cell] for cell in opened]
        alive = np.flatnonzero(~self._mines[:, columns].any(axis=1))
        _, outcomes = np.unique(self._counts[alive][:, columns], axis=0, return_inverse=True)
        wins = 0
        for outcome in range(int(outcomes.max(initial=-1)) + 1):
            layouts = alive[outcomes.ravel() == outcome]
            # The opened cells are the same in all of these layouts, so the search leaves them out.
            wins += self._solver.search(self._mines[layouts], self._counts[layouts])[1]
        return wins / len(self._mines)


class EndgameSolver:
    """Searches endgames on boards of one configuration.

    The limits are numbers of layouts and of sets, so the result does not depend on the machine.

    Attributes:
        config: the games.
    """

    def __init__(self, config: BoardConfig, layouts: int = LAYOUTS, nodes: int = NODES) -> None:
        """Prepares to search.

        Args:
            config: the games.
            layouts: the largest number of layouts to search, at least 1.
            nodes: the number of sets of layouts after which a search gives up, at least 1.
        """
        self.config = config
        self._most = math.log(layouts + 0.5)
        self._nodes = nodes
        self._searcher = EndgameSearcher(layouts, config.cells, config.codes.max_count)

    def solve(self, board: NDArray[np.int8], log_layouts: float) -> Endgame | None:
        """Returns the endgame of a board; None if it has too many layouts, or its search takes too long.

        Args:
            board: (rows, cols) int8 codes; at least one covered cell is free.
            log_layouts: the natural logarithm of the number of layouts that fit the board.
        """
        if log_layouts > self._most:
            return None
        try:
            return Endgame(self, board, math.ceil(math.exp(log_layouts + _ROUNDING)))
        except PositionTooHardError:
            return None

    def search(self, mines: NDArray[np.uint8], counts: NDArray[np.uint8]) -> tuple[int, int]:
        """Returns the column of the best click in a set of layouts, and the number of layouts that it wins.

        Raises:
            PositionTooHardError: the search exceeds its limit.
        """
        found = self._searcher.search(np.ascontiguousarray(mines), np.ascontiguousarray(counts), self._nodes)
        if not found.exact:
            raise PositionTooHardError(f"the best click was not found among {self._nodes} sets of layouts")
        return found.cell, found.wins
