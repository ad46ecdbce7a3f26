"""Values of clicks at a guess by playouts on common layouts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from baselines.guesses.games import Boards, Cells, Flags, GuessGames, clicks_of
from baselines.policy import Policy
from baselines.scripted.oracle_play.endgame import Endings
from minesweeper_env.config import BoardConfig

NODES = 100_000
"""The number of sets of layouts that the search of an ending examines before its best play so far counts."""


class Playouts:
    """Continues positions with one policy; a game with few layouts left counts its exact probability of winning."""

    def __init__(self, config: BoardConfig, policy: Policy, layouts: int) -> None:
        """Prepares to play.

        Args:
            config: the games.
            policy: makes the guesses.
            layouts: the largest number of layouts of a position whose value is exact.
        """
        self.config = config
        self._policy, self._endings = policy, Endings(config, layouts, NODES)

    def values(self, board: Boards, layouts: Flags, cells: Sequence[int]) -> NDArray[np.float64]:
        """Plays each click on each layout.

        Args:
            board: (n,) int8, cell codes.
            layouts: (L, rows, cols) bool, layouts that fit the board.
            cells: M covered cells.

        Returns:
            (M, L) float64: the probability of winning on each layout; 0 where the cell has a mine, and NaN where the
            oracle gave up.
        """
        many = len(cells) * len(layouts)
        games = GuessGames(self.config, board, np.tile(layouts, (len(cells), 1, 1)))
        games.click(np.arange(many), np.repeat(np.asarray(cells, np.int64), len(layouts)))
        return self.finish(games).reshape(len(cells), len(layouts))

    def finish(self, games: GuessGames) -> NDArray[np.float64]:
        """Plays games to their end; returns (N,) as `values` does."""
        values = np.zeros(len(games.risks))
        known: dict[bytes, float] = {}
        playing = np.flatnonzero(games.under_way)
        while len(playing):
            boards = games.boards()
            playing = self._end_exactly(games, boards, playing, values, known)
            if len(playing):
                games.click(playing, clicks_of(self._policy, self.config, boards[playing]))
                playing = playing[games.under_way[playing]]
        values[games.won] = 1.0
        values[games.given_up] = np.nan
        return values

    def _end_exactly(
        self,
        games: GuessGames,
        boards: Boards,
        playing: Cells,
        values: NDArray[np.float64],
        known: dict[bytes, float],
    ) -> Cells:
        """Fills in the values of games near their end; returns the other games.

        Args:
            games: the games.
            boards: (N, n) their boards.
            playing: (K,) the indices of the games under way.
            values: (N,) filled where the value is exact.
            known: the values of boards so far, which grows.
        """
        others = []
        for game in playing:
            value = None
            if games.log_layouts[game] <= self._endings.most:
                key = boards[game].tobytes()
                value = known.get(key)
                if value is None:
                    ending = self._endings.find(boards[game], games.log_layouts[game])
                    value = None if ending is None else known.setdefault(key, ending.win_probability)
            if value is None:
                others.append(game)
            else:
                values[game] = value
        return np.array(others, np.int64)


def advantages(
    values: NDArray[np.float64], free: NDArray[np.bool_], safety: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Returns the value of each of M clicks less the value of the first one, (M,), from playouts on common layouts.

    The oracle gives the exact safety of a click. The value of the click is this safety times the mean over the layouts
    where it is safe. The expectation stays the same, and the luck of the draw at the click disappears.

    Args:
        values: (M, L) as `Playouts.values` returns them. A layout with a NaN counts for none of the clicks.
        free: (M, L) bool, whether the layout has no mine in the clicked cell.
        safety: (M,) the exact probability that the clicked cell is free.
    """
    known = np.isfinite(values).all(axis=0)
    values, free = values[:, known], free[:, known]
    means = (values * free).sum(axis=1) / np.maximum(free.sum(axis=1), 1)
    worth = safety * means
    return worth - worth[0]
