"""Probabilities of winning: of positions, and of the clicks that a player may choose there.

| position | probability | kind |
|---|---|---|
| won or lost | 1 or 0 | "over" |
| few layouts left | exact, by search | "exact" |
| before the first click of a small board | exact, by search | "exact" |
| on a board that needs no guess | 1 | "logic" |
| any other | estimated by playouts | "playouts" |
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from baselines.scripted.oracle_play.first_click import first_cell
from baselines.scripted.oracle_play.outcomes import Outcomes, Positions, outcomes_of
from minesweeper_env.config import BoardConfig
from minesweeper_env.inference import OptimalPlay
from minesweeper_env.inference.kernels import infer_posteriors
from minesweeper_play.playouts import Endgame, EndgameSolver, Playouts

Cell = tuple[int, int]

SMALL = 3_000
"""The largest number of layouts after a first click for which the best first click is searched."""

LEAST_GAMES, CELLS_AT_ONCE = 30, 1 << 22
"""The least number of playouts per position, and the most cells that all of them have together beyond it."""

SLACK, BREADTH, DISCOUNT = 0.15, 20, 0.02
"""The options of `lookahead:clicks=1`: candidates are the BREADTH least risky cells, within SLACK of the least risk."""


class Estimate(NamedTuple):
    """A probability of winning.

    Attributes:
        probability: the probability.
        kind: "over", "exact", "logic", "playouts", or "between" on a line between two other points of a curve.
        error: the standard error of playouts, 0.0 for the others.
    """

    probability: float
    kind: str
    error: float = 0.0


class Choice(NamedTuple):
    """A click and what it is worth.

    Attributes:
        cell: (row, col).
        risk: the probability that it is a mine.
        win: the probability of winning with it and good play after it.
    """

    cell: Cell
    risk: float
    win: float


class Winning:
    """Probabilities of winning on boards of one configuration; what is found is kept for the next question.

    Attributes:
        config: the games, of radius 1, with a first-click rule under which layouts are equally likely.
    """

    def __init__(self, config: BoardConfig, games: int = 200, seed: int = 0, *, needs_no_guess: bool = False) -> None:
        """Prepares to answer.

        Args:
            config: the board and its rules; its moves play no part.
            games: the number of playouts per position, at least 2; boards above 4000 cells get fewer, but 30.
            seed: seed of the playouts.
            needs_no_guess: whether logic solves every board from the first click on.
        """
        self.config = replace(config, moves=("click",), max_steps=None)
        self._games = min(games, max(LEAST_GAMES, CELLS_AT_ONCE // config.cells))
        self._needs_no_guess = needs_no_guess
        self._playouts = Playouts(self.config, np.random.default_rng(seed))
        self._solver = EndgameSolver(self.config)
        self._known: dict[bytes, Estimate] = {}
        self._endgames: dict[bytes, Endgame | None] = {}

    def win(self, board: NDArray[np.int8]) -> Estimate:
        """Returns the probability of winning from a position, the best click included.

        Args:
            board: (rows, cols) int8 codes.

        Raises:
            InconsistentBoardError: no layout fits the board.
            PositionTooHardError: an exact answer would take too much time or memory.
        """
        board = self._without_marks(board)
        key = board.tobytes()
        if key not in self._known:
            self._known[key] = self._estimate(board)
        return self._known[key]

    def start(self, cell: Cell) -> Estimate:
        """Returns the probability of winning before the first click, which is on a given cell.

        Raises:
            PositionTooHardError: the positions that follow are too hard.
        """
        config = self.config
        if self._needs_no_guess:
            return Estimate(1.0, "logic")
        zone = 4 if config.first_click == "opening" else 1
        if math.comb(max(config.cells - zone, 0), config.mines) <= SMALL:
            values = OptimalPlay(config.rows, config.cols, config.mines, config.first_click).first_cell_values()
            return Estimate(float(values[cell]), "exact")
        found = self._playouts.start(cell[0] * config.cols + cell[1], self._games)
        return Estimate(found.mean, "playouts", found.error)

    def win_after(self, board: NDArray[np.int8], opened: Collection[Cell], risk: float) -> float:
        """Returns the probability of winning if covered cells are opened at once and good play follows.

        Where it is not exact, the probability before the click is scaled: by the value of the click in relation to
        the best one if it opens a single cell, and by its safety otherwise.

        Args:
            board: (rows, cols) int8 codes.
            opened: the cells, at least one.
            risk: the probability that one of them is a mine.

        Raises:
            PositionTooHardError: an exact answer would take too much time or memory.
        """
        win = self.win(board).probability
        if risk in (0.0, 1.0):
            return win * (1.0 - risk)
        board = self._without_marks(board)
        if endgame := self._endgame(board):
            return endgame.win_probability_after(opened)
        best = self._weigh(board)
        if self._needs_no_guess or len(opened) > 1 or not best:
            least = min(self._risks(board)[board > self.config.codes.max_count].tolist())
            return win * (1.0 - risk) / (1.0 - least)
        (cell,) = opened
        ((_, value),) = self._weigh(board, cell)
        return win * min(1.0, value / best[0][1])

    def choices(self, board: NDArray[np.int8], most: int = 8) -> list[Choice]:
        """Returns the clicks worth considering at a guess, the best one first.

        They are cells within `SLACK` of the least risk, and the best one where it is known exactly. Of two that win
        equally often the less risky one comes first.

        Args:
            board: (rows, cols) int8 codes of a game under way.
            most: the largest number of clicks, at least 1.

        Raises:
            InconsistentBoardError: no layout fits the board.
            PositionTooHardError: an exact answer would take too much time or memory.
        """
        board = self._without_marks(board)
        risks, win = self._risks(board), self.win(board).probability
        weighed = self._weigh(board)
        if endgame := self._endgame(board):
            cells = list(dict.fromkeys([endgame.best, *(cell for cell, _ in weighed)]))[:most]
            values = [(cell, endgame.win_probability_after([cell])) for cell in cells]
            values.sort(key=lambda value: (-value[1], risks[value[0]]))
        else:
            values = [(cell, win * value / weighed[0][1]) for cell, value in weighed[:most]]
        return [Choice(cell, float(risks[cell]), value) for cell, value in values]

    def _estimate(self, board: NDArray[np.int8]) -> Estimate:
        codes = self.config.codes
        covered = board > codes.max_count
        if (board == codes.mine).any():
            return Estimate(0.0, "over")
        if covered.sum() == self.config.mines:
            return Estimate(1.0, "over")
        if covered.all():
            return self.start(divmod(first_cell(self.config), self.config.cols))
        if self._needs_no_guess and (self._risks(board)[covered] == 0.0).any():
            return Estimate(1.0, "logic")
        if endgame := self._endgame(board):
            return Estimate(endgame.win_probability, "exact")
        found = self._playouts.play(board, self._games)
        return Estimate(found.mean, "playouts", found.error)

    def _weigh(self, board: NDArray[np.int8], cell: Cell | None = None) -> list[tuple[Cell, float]]:
        """Returns the candidates of `lookahead:clicks=1`, or one cell, with comparable values, the best first."""
        legal = board > self.config.codes.max_count
        slack, breadth = SLACK, BREADTH
        if cell is not None:
            slack, breadth = 1.0, 1
            legal = np.zeros_like(legal)
            legal[cell] = True
        values: dict[Cell, float] = {}
        flat = board.reshape(1, -1).copy()
        for outcomes in outcomes_of(self.config, flat, legal.reshape(1, -1), slack, breadth):
            for each, value in zip(outcomes.cells.tolist(), self._values(outcomes), strict=True):
                at = divmod(each, self.config.cols)
                values[at] = values.get(at, 0.0) + value
        return sorted(values.items(), key=lambda entry: -entry[1])

    def _values(self, outcomes: Outcomes) -> list[float]:
        """Returns the value of each outcome, times its probability."""
        after = outcomes.after
        risks = np.where(after.codes > self.config.codes.max_count, after.probabilities, 1.0).min(axis=(1, 2))
        safety = np.where(risks >= 1.0, 1.0, 1.0 - risks)
        return (outcomes.weights * safety * np.exp(-DISCOUNT * after.log_layouts)).tolist()

    def _endgame(self, board: NDArray[np.int8]) -> Endgame | None:
        key = board.tobytes()
        if key not in self._endgames:
            posterior = self._posterior(board)
            self._endgames[key] = self._solver.solve(board, float(posterior.log_layouts[0]))
        return self._endgames[key]

    def _risks(self, board: NDArray[np.int8]) -> NDArray[np.float64]:
        return self._posterior(board).probabilities[0]

    def _posterior(self, board: NDArray[np.int8]) -> Positions:
        probabilities = np.zeros((1, *board.shape))
        log_layouts = infer_posteriors(board[None], self.config.mines, self.config.radius, probabilities)
        return Positions(board[None], probabilities, log_layouts)

    def _without_marks(self, board: NDArray[np.int8]) -> NDArray[np.int8]:
        codes = self.config.codes
        return np.where((board > codes.max_count) & (board < codes.mine), codes.hidden, board).astype(np.int8)
