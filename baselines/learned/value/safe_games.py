"""Games in which the certain is done by itself and no guess loses: what the network of `value` learns from."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.learned.value.advance_kernel import NO_CLICK, click_and_advance
from baselines.learned.value.positions import Positions, ask_oracle
from baselines.scripted.oracle_play.first_click import first_cell
from minesweeper_env.config import BoardConfig
from minesweeper_env.engine.games import Games
from minesweeper_env.engine.state import PLAYING, TRUNCATED, RewardWeights
from minesweeper_env.inference import PositionTooHardError, sample_layouts
from minesweeper_env.inference.kernels import OK, Workspace, failure, run_with_workspace

MOST_IN_VAIN = 10_000
"""The games that are begun before it is taken that what none of them came to never happens."""

_DRAWS = 8
"""The layouts that are drawn at once in search of one in which a cell is free."""


class SafeGames:
    """N games that stand at a guess each, that is, without a cell that is certainly free; a click always proves safe.

    A layout in which the clicked cell is a mine is drawn anew among those that fit the board and have none there. So
    the boards that follow have the distribution that they have given that the click is safe, and no game is wasted.
    The chance that play of some kind wins is the mean of the product of the chances that its clicks were safe.

    Under the first-click rule "corners" layouts are not equally likely, and these games take it that they were.

    Attributes:
        config: the games.
        count: N.
    """

    def __init__(self, config: BoardConfig, count: int, rng: np.random.Generator, random_first: float = 0.2) -> None:
        """Begins the games.

        Args:
            config: the games.
            count: N.
            rng: where all randomness comes from, from here on.
            random_first: the share of games whose first click is anywhere, and not where `exact` clicks first.

        Raises:
            ValueError: no game seems ever to come to a guess.
        """
        self.config, self.count = config, count
        self._rng, self._random_first = rng, random_first
        self._games = Games(config, count, RewardWeights())
        self._games.seed(rng.integers(0, 1 << 64, count, np.uint64, endpoint=False))
        self._probabilities = np.zeros((count, config.cells))
        self._log_layouts = np.zeros(count)
        self.restart(np.ones(count, np.bool_))

    def restart(self, chosen: NDArray[np.bool_]) -> None:
        """Begins new games where `chosen`, (N,) bool; those count that come to a guess.

        Raises:
            ValueError: no game seems ever to come to one.
        """
        begun = 0
        while chosen.any():
            if begun >= MOST_IN_VAIN and chosen.all():
                config = self.config
                board = f"{config.rows} x {config.cols} with {config.mines} mines"
                raise ValueError(f"{begun} games of {board} were begun, and none of them came to a guess")
            begun += int(chosen.sum())
            self._games.reset(chosen)
            cells = np.full(self.count, first_cell(self.config))
            anywhere = self._rng.random(self.count) < self._random_first
            cells[anywhere] = self._rng.integers(self.config.cells, size=anywhere.sum())
            self._advance(np.where(chosen, cells, NO_CLICK))
            chosen = self._games.status != PLAYING

    def click(self, cells: NDArray[np.int64]) -> tuple[NDArray[np.int64], Positions]:
        """Clicks a cell in each game, and has it prove safe.

        Args:
            cells: (N,), covered cells that are not certainly mines.

        Returns:
            (N,), of `minesweeper_env.engine.state`: PLAYING, WON, or TRUNCATED where the game is given up, since its
            position is too hard for the oracle. Games that are over must be begun anew before the next click. And
            the boards on which each cell shows what it did, and nothing else has been opened; the oracle says nothing
            of those of games that were given up.

        Raises:
            ValueError: one of the cells is open, or a mine in all layouts; no click is made.
        """
        everyone = np.arange(self.count)
        codes = self._codes()
        is_open = codes.reshape(self.count, -1)[everyone, cells] <= self.config.codes.max_count
        wrong = is_open | (self._probabilities[everyone, cells] >= 1.0)
        if wrong.any():
            raise ValueError(f"cell {cells[wrong][0]} of game {everyone[wrong][0]} cannot prove safe")
        clicks = cells.copy()
        for i in everyone[self._games.mines().reshape(self.count, -1)[everyone, cells]]:
            try:
                self._games.lay_out(self._draw(codes[i], int(cells[i]))[None], np.array([i]))
            except PositionTooHardError:
                self._give_up(i, clicks)
        self._advance(clicks)
        # The cells that were clicked are open by now, and say what they did.
        codes.reshape(self.count, -1)[everyone, cells] = self._codes().reshape(self.count, -1)[everyone, cells]
        after = self._ask_oracle(codes)
        return self._games.status.copy(), after

    def _ask_oracle(self, codes: NDArray[np.int8]) -> Positions:
        """Returns what the oracle says of the boards of games that are not given up; gives those up that are hard."""
        positions = Positions(codes, np.zeros(codes.shape), np.zeros(self.count))
        going_on = np.flatnonzero(self._games.status != TRUNCATED)
        found, hard = ask_oracle(self.config, codes[going_on])
        positions.probabilities[going_on], positions.log_layouts[going_on] = found.probabilities, found.log_layouts
        self._games.status[going_on[hard]] = TRUNCATED
        return positions

    def guesses(self) -> Positions:
        """Returns the games as they stand, none of which is over; fresh arrays."""
        shape = (self.count, self.config.rows, self.config.cols)
        return Positions(self._codes(), self._probabilities.reshape(shape).copy(), self._log_layouts.copy())

    def save(self) -> dict[str, NDArray[Any]]:
        """Returns copies of all that the games need to go on; the random generator is the caller's."""
        return {**self._games.save(), "chances": self._probabilities.copy(), "log_layouts": self._log_layouts.copy()}

    def restore(self, saved: dict[str, NDArray[Any]]) -> None:
        """Goes back to the games that `save` returned."""
        games = dict(saved)
        self._probabilities[:] = games.pop("chances")
        self._log_layouts[:] = games.pop("log_layouts")
        self._games.restore(games)

    def _codes(self) -> NDArray[np.int8]:
        return self._games.show()[0].reshape(self.count, self.config.rows, self.config.cols)

    def _draw(self, board: NDArray[np.int8], cell: int) -> NDArray[np.bool_]:
        """Draws one of the layouts that fit a board and have no mine in a cell, all being equally likely."""
        while True:
            layouts = sample_layouts(board, self.config.mines, _DRAWS, self._rng, radius=self.config.radius)
            free = np.flatnonzero(~layouts.reshape(_DRAWS, -1)[:, cell])
            if len(free) > 0:
                return layouts[free[0]]

    def _advance(self, clicks: NDArray[np.int64]) -> None:
        """Clicks, and opens what is certainly free; gives those games up that are too hard."""
        done = 0

        def go_on(workspace: Workspace) -> int:
            nonlocal done
            done, outcome = click_and_advance(
                clicks, done, self._probabilities, self._log_layouts, *self._games.arrays, *workspace
            )
            return outcome

        while done < self.count:
            try:
                outcome = run_with_workspace(go_on, self.config.rows, self.config.cols, self.config.radius)
                if outcome != OK:
                    raise failure(self._codes()[done], self.config.mines, self.config.radius, outcome, done)
            except PositionTooHardError:
                self._give_up(done, clicks)

    def _give_up(self, game: int, clicks: NDArray[np.int64]) -> None:
        self._games.status[game] = TRUNCATED
        clicks[game] = NO_CLICK
