"""Values of clicks at a guess by playouts on common layouts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from baselines.rollouts.guess_games import Boards, Cells, Flags, Floats, GuessGames
from baselines.rollouts.players import Player
from baselines.scripted.oracle_play.endgame import Endings
from minesweeper_env.config import BoardConfig

NODES = 100_000
"""The number of sets of layouts that the search of an ending examines before its best play so far counts."""


class Playouts:
    """Continues positions with one player; a game with few layouts left counts its exact probability of winning."""

    def __init__(self, config: BoardConfig, player: Player, layouts: int) -> None:
        """Prepares to play.

        Args:
            config: the games.
            player: makes the guesses.
            layouts: the largest number of layouts of a position whose value is exact.
        """
        self.config = config
        self._player, self._endings = player, Endings(config, layouts, NODES)

    def play(self, board: Boards, layouts: Flags, cells: Sequence[int]) -> tuple[Floats, Floats]:
        """Plays each click on each layout.

        Args:
            board: (n,) int8, cell codes.
            layouts: (L, rows, cols) bool, layouts that fit the board.
            cells: M covered cells.

        Returns:
            values: (M, L) float64, the probability of winning on each layout; 0 where the cell has a mine, and NaN
                where the oracle gave up.
            luck: (M, L) float64, the sum over later guesses of 1, or 0 for a mine, minus the safety of the cell. Its
                mean over all layouts is 0, so it serves as a control variate.
        """
        many = len(cells) * len(layouts)
        games = GuessGames(self.config, board, np.tile(layouts, (len(cells), 1, 1)))
        games.click(np.arange(many), np.repeat(np.asarray(cells, np.int64), len(layouts)))
        values, luck = self._finish(games)
        return values.reshape(len(cells), len(layouts)), luck.reshape(len(cells), len(layouts))

    def _finish(self, games: GuessGames) -> tuple[Floats, Floats]:
        """Plays games to their end; returns the value and the luck of each."""
        values, luck = np.zeros((2, len(games.risks)))
        known: dict[bytes, float] = {}
        playing = np.flatnonzero(games.under_way)
        while len(playing):
            boards = games.boards()
            playing = self._end_exactly(games, boards, playing, values, known)
            if len(playing):
                self._guess(games, playing, self._player(boards[playing]), luck)
                playing = playing[games.under_way[playing]]
        values[games.won] = 1.0
        values[games.given_up] = np.nan
        return values, luck

    def _guess(self, games: GuessGames, playing: Cells, cells: Cells, luck: Floats) -> None:
        """Clicks cells in games under way, and adds to their luck."""
        safety = 1.0 - games.risks[playing, cells]
        games.click(playing, cells)
        luck[playing] += ~games.lost[playing] - safety

    def _end_exactly(
        self,
        games: GuessGames,
        boards: Boards,
        playing: Cells,
        values: Floats,
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
