"""Exact win rates of policies on tiny boards, where every layout is played."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations, islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from baselines.guesses.games import begun_games, first_click
from baselines.policy import Policy
from baselines.rollouts.guess_games import Boards, GuessGames
from baselines.rollouts.players import clicks_of
from baselines.scripted.oracle_play.endgame import Endings
from baselines.support.board_names import name_of
from minesweeper_env.config import BoardConfig
from minesweeper_env.inference import PositionTooHardError, first_cell_values

OPTIMA = {("5x5/5", "safe"): 27_271, ("5x5/6", "safe"): 67_263, ("5x5/7", "safe"): 128_683, ("5x6/5", "safe"): 93_674}
"""Numbers of layouts that perfect play wins after a first click in the corner; a search for them takes minutes."""

BLOCK = 20_000
"""The number of layouts that are played side by side."""

NODES = 10_000_000
"""The number of sets of layouts that the search of an ending may examine."""


class EveryLayout(NamedTuple):
    """Result of a rule on every layout.

    Attributes:
        layouts: the number of layouts.
        wins: the expected number of wins; a whole number up to rounding.
        guesses: the number of guesses of the policy, over all layouts.
        boards: the number of different boards at these guesses.
    """

    layouts: int
    wins: float
    guesses: int
    boards: int


class EveryLayoutPlayer:
    """Plays a policy on every layout that is possible after its first click."""

    def __init__(self, config: BoardConfig, policy: Policy, layouts: int) -> None:
        """Prepares to play.

        Args:
            config: the games, under a first-click rule that makes layouts equally likely.
            policy: acts alike on equal boards.
            layouts: a position that at most this many layouts fit counts as many wins as perfect play has; 1 lets the
                policy play to the end.
        """
        self.config, self.cell = config, first_click(policy, config)
        self._policy, self._endings = policy, Endings(config, layouts, NODES)
        self._clicks: dict[bytes, int] = {}
        self._values: dict[bytes, float] = {}

    def play(self, on_played: Callable[[int], object] | None = None) -> EveryLayout:
        """Plays every layout, in blocks, and calls `on_played` with the number of layouts of each block.

        Raises:
            PositionTooHardError: the oracle or a search gave up.
        """
        free = free_cells(self.config, self.cell)
        mined = np.setdiff1d(np.arange(self.config.cells), free)
        chosen = combinations(mined.tolist(), self.config.mines)
        wins, guesses, played = 0.0, 0, 0
        while block := list(islice(chosen, BLOCK)):
            layouts = np.zeros((len(block), self.config.cells), np.bool_)
            layouts[np.arange(len(block))[:, None], block] = True
            won, guessed = self._play(layouts.reshape(-1, self.config.rows, self.config.cols))
            wins, guesses, played = wins + won, guesses + guessed, played + len(block)
            if on_played is not None:
                on_played(len(block))
        return EveryLayout(played, wins, guesses, len(self._clicks))

    def _play(self, layouts: NDArray[np.bool_]) -> tuple[float, int]:
        """Returns the wins and the guesses on some layouts."""
        games = begun_games(self.config, layouts, self.cell)
        wins, guesses = 0.0, 0
        playing = np.flatnonzero(games.under_way)
        while len(playing):
            boards = games.boards()
            near = games.log_layouts[playing] <= self._endings.most
            wins += sum(self._value(boards[game], games.log_layouts[game]) for game in playing[near])
            playing = playing[~near]
            if len(playing):
                guesses += len(playing)
                games.click(playing, self._choose(boards[playing]))
                playing = playing[games.under_way[playing]]
        self._check(games)
        return wins + int(games.won.sum()), guesses

    def _check(self, games: GuessGames) -> None:
        if games.given_up.any():
            raise PositionTooHardError("a position of this board is too hard for the oracle")

    def _value(self, board: Boards, log_layouts: float) -> float:
        """Returns the probability that perfect play wins."""
        key = board.tobytes()
        if key not in self._values:
            ending = self._endings.find(board, log_layouts)
            if ending is None or not ending.exact:
                raise PositionTooHardError("the search of an ending gave up")
            self._values[key] = ending.win_probability
        return self._values[key]

    def _choose(self, boards: Boards) -> NDArray[np.int64]:
        """Returns the clicks (N,); the policy is asked once per board."""
        keys = [board.tobytes() for board in boards]
        unknown = {key: i for i, key in enumerate(keys) if key not in self._clicks}
        if unknown:
            found = clicks_of(self._policy, self.config, boards[list(unknown.values())])
            self._clicks.update(zip(unknown, found.tolist(), strict=True))
        return np.array([self._clicks[key] for key in keys], np.int64)


def free_cells(config: BoardConfig, cell: int) -> NDArray[np.int64]:
    """Returns the cells that the first-click rule keeps free of mines after a first click.

    Raises:
        ValueError: the rule is neither "opening" nor "safe".
    """
    if config.first_click not in ("opening", "safe"):
        raise ValueError(f"first_click must be opening or safe, not {config.first_click}")
    reach = config.radius if config.first_click == "opening" else 0
    rows, cols = np.indices((config.rows, config.cols)).reshape(2, -1)
    row, col = divmod(cell, config.cols)
    return np.flatnonzero((abs(rows - row) <= reach) & (abs(cols - col) <= reach))


def layouts_after(config: BoardConfig, cell: int) -> int:
    """Returns the number of layouts that are possible after a first click."""
    return math.comb(config.cells - len(free_cells(config, cell)), config.mines)


def optimum(config: BoardConfig, cell: int) -> Fraction:
    """Returns the probability that perfect play wins after a first click.

    Raises:
        PositionTooHardError: the board is not small enough.
    """
    wins = OPTIMA.get((name_of(config), config.first_click))
    if wins is not None and cell == 0:
        return Fraction(wins, layouts_after(config, cell))
    values = first_cell_values(config.rows, config.cols, config.mines, config.first_click, radius=config.radius)
    return values.reshape(-1)[cell]
