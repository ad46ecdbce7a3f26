"""Training games of `value`: a kernel opens certain cells, and every guess proves safe."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.learned.value.positions import Positions, ask_oracle
from baselines.scripted.oracle_play.first_click import first_cell
from baselines.scripted.oracle_play.guess_games import NO_CLICK, advance
from minesweeper_env.config import BoardConfig
from minesweeper_env.engine.games import Games
from minesweeper_env.engine.state import PLAYING, TRUNCATED, RewardWeights
from minesweeper_env.inference import PositionTooHardError, sample_layouts

GIVE_UP_AFTER = 10_000
"""Give up if this many games in a row never reach a guess."""

_DRAWS = 8
"""Layouts drawn per call by the rejection sampler of `draw_layout_without`."""


class SafeGames:
    """N games, each at a guess: no cell is certainly free. A click on any possible cell proves safe.

    If the clicked cell holds a mine, the game gets another layout, drawn uniformly from those that fit the board and
    have no mine there. So the next boards follow their distribution given that the click was safe, and no game is
    wasted. The probability that a way of playing wins is the mean, over games, of the product of its clicks' safety.

    Under the first-click rule "corners" layouts are not equally likely. These games treat them as if they were.

    Attributes:
        config: the games.
        count: N.
    """

    def __init__(self, config: BoardConfig, count: int, rng: np.random.Generator, random_first: float = 0.2) -> None:
        """Starts the games and plays each to its first guess.

        Args:
            config: the games.
            count: N.
            rng: source of all randomness, now and later.
            random_first: probability that a first click is uniform over the board; otherwise it is the one of `exact`.

        Raises:
            ValueError: `GIVE_UP_AFTER` games in a row reach no guess.
        """
        self.config, self.count = config, count
        self._rng, self._random_first = rng, random_first
        self._games = Games(config, count, RewardWeights())
        self._games.seed(rng.integers(0, 1 << 64, count, np.uint64, endpoint=False))
        self._probabilities = np.zeros((count, config.cells))
        self._log_layouts = np.zeros(count)
        self.restart(np.ones(count, np.bool_))

    def restart(self, chosen: NDArray[np.bool_]) -> None:
        """Replaces games by new ones that reach a guess.

        Args:
            chosen: (N,) bool, True for each game to replace.

        Raises:
            ValueError: `GIVE_UP_AFTER` games in a row reach no guess.
        """
        begun = 0
        while chosen.any():
            if begun >= GIVE_UP_AFTER and chosen.all():
                config = self.config
                board = f"{config.rows} x {config.cols} with {config.mines} mines"
                raise ValueError(f"none of {begun} games on {board} came to a guess")
            begun += int(chosen.sum())
            self._games.reset(chosen)
            cells = np.full(self.count, first_cell(self.config))
            anywhere = self._rng.random(self.count) < self._random_first
            cells[anywhere] = self._rng.integers(self.config.cells, size=anywhere.sum())
            self._advance(np.where(chosen, cells, NO_CLICK))
            chosen = self._games.status != PLAYING

    def click(self, cells: NDArray[np.int64]) -> tuple[NDArray[np.int64], Positions]:
        """Makes one safe click in each game, then opens what is certain.

        Args:
            cells: (N,) int64, covered cells that may be free.

        Returns:
            statuses: (N,) int64, PLAYING, WON, or TRUNCATED where a position is too hard for the oracle. Games that
                are over must be restarted before the next click.
            after: the boards where the clicked cell shows its outcome and nothing else has been opened. For
                truncated games the probabilities mean nothing.

        Raises:
            ValueError: a cell is open or certainly a mine; no click is made.
        """
        everyone = np.arange(self.count)
        codes = self._codes()
        is_open = codes.reshape(self.count, -1)[everyone, cells] <= self.config.codes.max_count
        wrong = is_open | (self._probabilities[everyone, cells] >= 1.0)
        if wrong.any():
            raise ValueError(f"cell {cells[wrong][0]} of game {everyone[wrong][0]} is open or certainly a mine")
        clicks = cells.copy()
        for i in everyone[self._games.mines().reshape(self.count, -1)[everyone, cells]]:
            try:
                layout = draw_layout_without(self.config, codes[i], int(cells[i]), self._rng)
                self._games.lay_out(layout[None], np.array([i]))
            except PositionTooHardError:
                self._games.status[i], clicks[i] = TRUNCATED, NO_CLICK
        self._advance(clicks)
        # The games have moved on; copy only the clicked cells into the boards from before.
        codes.reshape(self.count, -1)[everyone, cells] = self._codes().reshape(self.count, -1)[everyone, cells]
        after = self._ask_oracle(codes)
        return self._games.status.copy(), after

    def _ask_oracle(self, codes: NDArray[np.int8]) -> Positions:
        """Returns the positions of games that are not truncated, and truncates those that are too hard."""
        positions = Positions(codes, np.zeros(codes.shape), np.zeros(self.count))
        going_on = np.flatnonzero(self._games.status != TRUNCATED)
        found, hard = ask_oracle(self.config, codes[going_on])
        positions.probabilities[going_on], positions.log_layouts[going_on] = found.probabilities, found.log_layouts
        self._games.status[going_on[hard]] = TRUNCATED
        return positions

    def guesses(self) -> Positions:
        """Returns the current positions in fresh arrays; no game may be over."""
        shape = (self.count, self.config.rows, self.config.cols)
        return Positions(self._codes(), self._probabilities.reshape(shape).copy(), self._log_layouts.copy())

    def save(self) -> dict[str, NDArray[Any]]:
        """Returns copies of the state of the games, for `restore`; the random generator is not included."""
        return {**self._games.save(), "chances": self._probabilities.copy(), "log_layouts": self._log_layouts.copy()}

    def restore(self, saved: dict[str, NDArray[Any]]) -> None:
        """Restores what `save` returned."""
        games = dict(saved)
        self._probabilities[:] = games.pop("chances")
        self._log_layouts[:] = games.pop("log_layouts")
        self._games.restore(games)

    def _codes(self) -> NDArray[np.int8]:
        return self._games.show()[0].reshape(self.count, self.config.rows, self.config.cols)

    def _advance(self, clicks: NDArray[np.int64]) -> None:
        advance(self._games, clicks, self._probabilities, self._log_layouts)


def draw_layout_without(
    config: BoardConfig, board: NDArray[np.int8], cell: int, rng: np.random.Generator
) -> NDArray[np.bool_]:
    """Draws a layout uniformly from those that fit a board and have no mine in a cell, by rejection.

    Args:
        config: the game.
        board: (rows, cols) int8, cell codes; some layout that fits has no mine in the cell.
        cell: row * cols + col.
        rng: source of randomness.

    Returns:
        (rows, cols) bool, True at the mines.

    Raises:
        PositionTooHardError: the frontier is too wide.
    """
    while True:
        layouts = sample_layouts(board, config.mines, _DRAWS, rng, radius=config.radius)
        free = np.flatnonzero(~layouts.reshape(_DRAWS, -1)[:, cell])
        if len(free) > 0:
            return layouts[free[0]]
