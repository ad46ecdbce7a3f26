"""Games that stand at guesses: a kernel opens all cells that are certainly free."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from baselines.rollouts.advance_kernel import NO_CLICK
from baselines.rollouts.advancing import advance
from minesweeper_env.config import BoardConfig
from minesweeper_env.engine.games import Games
from minesweeper_env.engine.state import LOST, PLAYING, TRUNCATED, WON, RewardWeights

Boards = NDArray[np.int8]
Cells = NDArray[np.int64]
Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]


class GuessGames:
    """N games with given layouts on boards of n cells. Between clicks no covered cell of a game is certainly free.

    Attributes:
        config: the games; its moves play no part.
        log_layouts: (N,) float64, the natural logarithms of the numbers of layouts of games under way.
        risks: (N, n) float64, the probability of a mine in each cell of games under way.
    """

    def __init__(self, config: BoardConfig, boards: Boards, layouts: Flags) -> None:
        """Prepares games at given positions; `click` opens the first cells.

        Args:
            config: the games.
            boards: (N, n) or (n,) int8, cell codes, which the layouts fit.
            layouts: (N, rows, cols) bool, the mines.
        """
        self.config = config
        count = len(layouts)
        self._games = Games(config, count, RewardWeights())
        self._games.restore(
            {
                "codes": np.broadcast_to(boards, (count, config.cells)),
                "mines": layouts,
                "status": np.full(count, PLAYING),
                "steps": np.zeros(count, np.int64),
                "generator": np.zeros(count, np.uint64),
                "next_generator": np.zeros(count, np.uint64),
            }
        )
        self.risks, self.log_layouts = np.zeros((count, config.cells)), np.zeros(count)

    @property
    def under_way(self) -> Flags:
        """(N,) bool: neither won nor lost nor given up."""
        return self._games.status == PLAYING

    @property
    def won(self) -> Flags:
        """(N,) bool: every free cell is open."""
        return self._games.status == WON

    @property
    def lost(self) -> Flags:
        """(N,) bool: a mine was clicked."""
        return self._games.status == LOST

    @property
    def given_up(self) -> Flags:
        """(N,) bool: the position was too hard for the oracle."""
        return self._games.status == TRUNCATED

    def boards(self) -> Boards:
        """Returns the visible boards, (N, n) int8 cell codes, in a fresh array."""
        return self._games.show()[0]

    def click(self, games: Cells, cells: Cells) -> None:
        """Makes a click in some games, and opens what is then certain; gives up games that are too hard.

        Args:
            games: (K,) the indices of the games, which are under way.
            cells: (K,) the cells.
        """
        clicks = np.full(len(self.risks), NO_CLICK)
        clicks[games] = cells
        advance(self._games, clicks, self.risks, self.log_layouts)
