"""Games that stand at guesses: a kernel opens all cells that are certainly free."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from baselines.learned.value.advance_kernel import NO_CLICK, click_and_advance
from baselines.policy import Policy
from minesweeper_env.config import BoardConfig
from minesweeper_env.engine.games import Games
from minesweeper_env.engine.state import PLAYING, TRUNCATED, WON, RewardWeights
from minesweeper_env.inference import PositionTooHardError
from minesweeper_env.inference.kernels import OK, Workspace, failure, run_with_workspace
from minesweeper_env.vector_env import MinesweeperVectorEnv

Boards = NDArray[np.int8]
Cells = NDArray[np.int64]
Flags = NDArray[np.bool_]


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
        done, config = 0, self.config

        def advance(workspace: Workspace) -> int:
            nonlocal done
            done, outcome = click_and_advance(
                clicks, done, self.risks, self.log_layouts, *self._games.arrays, *workspace
            )
            return outcome

        while done < len(clicks):
            try:
                outcome = run_with_workspace(advance, config.rows, config.cols, config.radius)
                if outcome != OK:
                    board = self.boards()[done].reshape(config.rows, config.cols)
                    raise failure(board, config.mines, config.radius, outcome, done)
            except PositionTooHardError:
                self._games.status[done] = TRUNCATED
                clicks[done] = NO_CLICK


def clicks_of(policy: Policy, config: BoardConfig, boards: Boards) -> Cells:
    """Returns the clicks (N,) of a policy on boards (N, n)."""
    masks = (boards > config.codes.max_count).astype(np.int8)
    return np.asarray(policy.act(boards.reshape(-1, config.rows, config.cols), masks), np.int64)


def first_click(policy: Policy, config: BoardConfig) -> int:
    """Returns the first click of a policy."""
    return int(clicks_of(policy, config, np.full((1, config.cells), config.codes.hidden, np.int8))[0])


def seeded_layouts(config: BoardConfig, seeds: range, cell: int) -> Flags:
    """Returns the layouts (N, rows, cols) of the games that `evaluate.py` plays on these seeds after a first click."""
    env = MinesweeperVectorEnv.of_config(config, len(seeds))
    env.reset(seed=list(seeds))
    env.step(np.full(len(seeds), cell, np.int64))
    return env.get_state()["mines"]


def begun_games(config: BoardConfig, layouts: Flags, cell: int) -> GuessGames:
    """Returns games after a first click on one cell of covered boards; none of the layouts has a mine there."""
    games = GuessGames(config, np.full(config.cells, config.codes.hidden, np.int8), layouts)
    games.click(np.arange(len(layouts)), np.full(len(layouts), cell))
    return games
