"""Probabilities of winning: exact ones of endgames, and estimates by playouts, which are games played on to their end.

The player of playouts is `exact`: it opens certain cells, then guesses a cell of least risk. Every guess proves safe,
and the game counts with the product of the safety of its guesses: if the
cell holds a mine, another layout is drawn from those that fit the board and have no mine there. Once few layouts are
left, the exact probability of winning ends the game. The mean over the games is free of bias for this way of playing,
and perfect play wins at least as much.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from baselines.scripted.oracle_play.exact import choose_least_risks
from baselines.scripted.oracle_play.guess_games import CLICKED, NO_CLICK, advance
from minesweeper_env.config import BoardConfig
from minesweeper_env.engine.games import Games
from minesweeper_env.engine.state import LOST, PLAYING, TRUNCATED, RewardWeights
from minesweeper_env.inference import PositionTooHardError, sample_layouts
from minesweeper_env.inference.kernels import EndgameSearcher, consistent_layouts
from minesweeper_env.neighbours import neighbour_table

Cell = tuple[int, int]

LAYOUTS, NODES = 5_000, 200_000
"""Default limits on the layouts of an endgame, and on the sets of layouts that one search examines."""

_ROUNDING = 1e-6
"""Tolerance for the natural logarithm of a number of layouts."""

_DRAWS = 8
"""Layouts drawn per call by the rejection sampler of `_draw_layout_without`."""

_NEAR_THE_END = 500
"""The largest number of layouts at which a game ends with its exact probability."""


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


class Playout(NamedTuple):
    """An estimate by playouts.

    Attributes:
        mean: the mean over the games of the probability that they are won.
        error: the standard error of the mean.
        games: the number of games that came to an end.
    """

    mean: float
    error: float
    games: int


class Playouts:
    """Plays positions of one configuration to their end."""

    def __init__(self, config: BoardConfig, rng: np.random.Generator) -> None:
        """Prepares to play.

        Args:
            config: the board; its moves play no part.
            rng: source of all randomness.
        """
        self.config = BoardConfig(config.rows, config.cols, config.mines, config.first_click, ("click",), config.radius)
        self._rng = rng
        self._neighbours = neighbour_table(config.rows, config.cols, config.radius)
        self._endgames = EndgameSolver(self.config, _NEAR_THE_END, 20_000)

    def play(self, board: NDArray[np.int8], games: int) -> Playout:
        """Plays games from a position.

        Args:
            board: (rows, cols) int8 codes of a game that is under way; its flags do not matter.
            games: the number of games, at least 2.

        Raises:
            PositionTooHardError: the frontier is too wide, here or in all games that follow.
        """
        codes = np.where(board > self.config.codes.max_count, self.config.codes.hidden, board).astype(np.int8)
        layouts = sample_layouts(codes, self.config.mines, games, self._rng, radius=self.config.radius)
        batch = self._new_games(games)
        saved = {
            "codes": np.broadcast_to(codes, layouts.shape),
            "mines": layouts,
            "status": np.full(games, PLAYING),
            "steps": np.zeros(games, np.int64),
            "generator": np.zeros(games, np.uint64),
            "next_generator": np.zeros(games, np.uint64),
        }
        batch.restore(saved)
        return self._finish(batch)

    def start(self, cell: int, games: int) -> Playout:
        """Plays games from the first click on, which is on a given cell, as row * cols + col.

        Raises:
            PositionTooHardError: the positions that follow are too hard.
        """
        batch = self._new_games(games)
        batch.seed(self._rng.integers(0, 1 << 64, games, np.uint64, endpoint=False))
        batch.reset(np.ones(games, np.bool_))
        batch.step(np.full(games, cell), False)
        return self._finish(batch)

    def _new_games(self, count: int) -> Games:
        return Games(self.config, count, RewardWeights())

    def _finish(self, games: Games) -> Playout:
        batch = _Batch(self, games)
        batch.run()
        won = batch.won[~np.isnan(batch.won)]
        if len(won) < 2:
            raise PositionTooHardError("the positions that follow are too hard to be played on")
        return Playout(float(won.mean()), float(won.std(ddof=1) / np.sqrt(len(won))), len(won))


class _Batch:
    """Games under way, side by side.

    Attributes:
        won: (N,) float64, the probability that each game is won; NaN where it is given up.
    """

    def __init__(self, owner: Playouts, games: Games) -> None:
        self._owner, self._config, self._rng, self._games = owner, owner.config, owner._rng, games
        self._probabilities = np.zeros((games.count, games.config.cells))
        self._log_layouts = np.zeros(games.count)
        self.won = np.where(games.status == LOST, 0.0, 1.0)

    def run(self) -> None:
        """Plays all games to their end."""
        active = np.flatnonzero(self._games.status == PLAYING)
        opening = np.where(self._games.status == PLAYING, CLICKED, NO_CLICK)
        advance(self._games, opening, self._probabilities, self._log_layouts)
        active = self._end_games(active)
        while len(active):
            active = self._end_games(self._guess(active))

    def _guess(self, active: NDArray[np.int64]) -> NDArray[np.int64]:
        """Makes one guess in each active game, and opens what is then certain."""
        boards = self._games.show()[0][active]
        cells = np.empty(len(active), np.int64)
        risks = self._probabilities[active]
        covered = boards > self._config.codes.max_count
        most = self._config.codes.max_count
        choose_least_risks(boards, covered, most, 0, risks, self._owner._neighbours, cells)
        self.won[active] *= 1.0 - risks[np.arange(len(active)), cells]
        clicks = np.full(len(self.won), NO_CLICK)
        clicks[active] = cells
        mined = self._games.mines().reshape(len(self.won), -1)[active, cells]
        for game, board, cell in zip(active[mined], boards[mined], cells[mined], strict=True):
            layout = _draw_layout_without(self._config, board.reshape(self._config.rows, -1), int(cell), self._rng)
            self._games.lay_out(layout[None], np.array([game]))
        advance(self._games, clicks, self._probabilities, self._log_layouts)
        return active

    def _end_games(self, active: NDArray[np.int64]) -> NDArray[np.int64]:
        """Ends games that are won, given up or near their end; returns those that go on."""
        status = self._games.status
        self.won[active[status[active] == TRUNCATED]] = np.nan
        playing = active[status[active] == PLAYING]
        boards = self._games.show()[0].reshape(-1, self._config.rows, self._config.cols)
        going_on = []
        for game in playing.tolist():
            endgame = self._owner._endgames.solve(boards[game], self._log_layouts[game])
            if endgame is None:
                going_on.append(game)
            else:
                self.won[game] *= endgame.win_probability
        return np.array(going_on, np.int64)


def _draw_layout_without(
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
