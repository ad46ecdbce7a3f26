"""Probabilities of winning: of positions, and of the clicks that a player may choose there.

docs/how-to/coach.md says which probabilities are exact.
"""

import math
from collections.abc import Collection
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from baselines.scripted.oracle_play.click_values import click_values
from baselines.scripted.oracle_play.exact import choose_least_risks, first_cell
from baselines.scripted.oracle_play.guess_games import CLICKED, GuessGames
from baselines.scripted.oracle_play.lookahead import BREADTH, SLACK, Ending, Endings
from minesweeper_env.cell_sets import neighbour_table
from minesweeper_env.codes import FLAGGED, HIDDEN, MINE
from minesweeper_env.config import BoardConfig
from minesweeper_env.engine.games import Games
from minesweeper_env.engine.state import LOST, PLAYING, TRUNCATED, WAIT, RewardWeights
from minesweeper_env.inference import OptimalPlay, PositionTooHardError, sample_layouts
from minesweeper_env.inference.kernels import infer_posteriors

Cell = tuple[int, int]

LAYOUTS, NODES = 5_000, 200_000
"""Limits on the layouts of an endgame, and on the sets of layouts that one search examines."""

LAST_LAYOUTS, LAST_NODES = 500, 20_000
"""The same limits for the end of a playout, which counts with its exact win probability."""

DRAWS = 8
"""The number of layouts drawn at a time, until one of them has no mine in the guessed cell."""

SMALL = 3_000
"""The largest number of layouts after a first click for which the best first click is searched."""

LEAST_GAMES, CELLS_AT_ONCE = 30, 1 << 22
"""The least number of playouts per position, and the limit on cells times playouts beyond that number."""

DISCOUNT = 0.02
"""The discount of `lookahead:clicks=1`, whose values weigh guesses here."""


class Estimate(NamedTuple):
    """A probability of winning, and its standard error."""

    probability: float
    kind: str  # "over", "exact" by search, "logic" where no luck is needed, "playouts", "between" two of a curve
    error: float = 0.0


class Choice(NamedTuple):
    """A click, the probability that its cell is a mine, and the win probability with good play after the click."""

    cell: Cell
    risk: float
    win: float


class Winning:
    """Probabilities of winning on boards of one configuration; a cache keeps what was computed for a board."""

    def __init__(self, config: BoardConfig, games: int, *, needs_no_guess: bool = False) -> None:
        """Takes a board whose first-click rule makes layouts equally likely, and at least 2 `games` per position.

        `games` is the number of playouts; large boards get fewer, but at least `LEAST_GAMES`. Logic alone solves a
        board that `needs_no_guess`. If `config.luck` is False, good play always wins after the first click.
        """
        self.config = replace(config, moves=("click",), max_steps=None)
        self._games = min(games, max(LEAST_GAMES, CELLS_AT_ONCE // config.cells))
        self._needs_no_guess = needs_no_guess
        self._playouts = Playouts(self.config, np.random.default_rng(0))
        self._endings = Endings(self.config, LAYOUTS, NODES)
        self._estimates: dict[bytes, Estimate] = {}
        self._endgames: dict[bytes, Ending | None] = {}

    def win(self, board: NDArray[np.int8]) -> Estimate:
        """Returns the probability of winning from a (rows, cols) int8 board of codes, with the best click there.

        Raises an InconsistentBoardError or a PositionTooHardError.
        """
        board = self._without_marks(board)
        key = board.tobytes()
        if key not in self._estimates:
            self._estimates[key] = self._estimate(board)
        return self._estimates[key]

    def start(self, cell: Cell) -> Estimate:
        """Returns the probability of winning before the first click, which is on `cell`."""
        config = self.config
        if self._needs_no_guess or (not config.luck and config.first_click != "any"):
            return Estimate(1.0, "logic")
        if not config.luck:  # Luck decides a first click that no rule protects, and no later one.
            return Estimate(1.0 - config.mines / config.cells, "exact")
        protected = 4 if config.first_click == "opening" else 1  # cells of a corner, which leaves the most layouts
        if math.comb(max(config.cells - protected, 0), config.mines) <= SMALL:
            values = OptimalPlay(config.rows, config.cols, config.mines, config.first_click).first_cell_values()
            return Estimate(float(values[cell]), "exact")
        return self._playouts.start(cell[0] * config.cols + cell[1], self._games)

    def win_after(self, board: NDArray[np.int8], opened: Collection[Cell], risk: float) -> float:
        """Returns the probability of winning if the covered cells `opened` are opened at once and good play follows.

        `risk` is the probability that one of these cells is a mine. A result that is not exact scales the win
        probability before the click. The factor is the value of a single cell divided by that of the best cell, or
        else the safety of the click divided by that of the safest cell.
        """
        win = self.win(board).probability
        if risk in (0.0, 1.0):
            return win * (1.0 - risk)
        board = self._without_marks(board)
        if endgame := self._endgame(board):
            return self._win_after_endgame(endgame, opened)
        weighed = self._weigh(board)
        if self._needs_no_guess or len(opened) > 1 or not weighed:
            least_risk = self._posterior(board)[0][board >= FLAGGED].min()
            return win * (1.0 - risk) / (1.0 - least_risk)
        (cell,) = opened
        ((_, value),) = self._weigh(board, cell)
        return win * min(1.0, value / weighed[0][1])

    def choices(self, board: NDArray[np.int8], most: int = 8) -> list[Choice]:
        """Returns at most `most` clicks to consider at a guess, the best one first.

        They are the candidates of `lookahead:clicks=1`, and the best click where an endgame search proves it.
        Of two clicks that win equally often the less risky one comes first.
        """
        board = self._without_marks(board)
        (risks, _), win, weighed = self._posterior(board), self.win(board).probability, self._weigh(board)
        if endgame := self._endgame(board):
            cells = list(dict.fromkeys([divmod(endgame.cell, self.config.cols), *(cell for cell, _ in weighed)]))[:most]
            values = [(cell, self._win_after_endgame(endgame, [cell])) for cell in cells]
            values.sort(key=lambda value: (-value[1], risks[value[0]]))
        else:
            values = [(cell, win * value / weighed[0][1]) for cell, value in weighed[:most]]
        return [Choice(cell, float(risks[cell]), value) for cell, value in values]

    def _estimate(self, board: NDArray[np.int8]) -> Estimate:
        """Returns the win probability of a board without marks, in the first way that gives it."""
        covered = board >= FLAGGED
        if (board == MINE).any():
            return Estimate(0.0, "over")
        if covered.sum() == self.config.mines:
            return Estimate(1.0, "over")
        if covered.all():
            return self.start(divmod(first_cell(self.config), self.config.cols))
        if not self.config.luck:
            return Estimate(1.0, "logic")
        if self._needs_no_guess and (self._posterior(board)[0][covered] == 0.0).any():
            return Estimate(1.0, "logic")
        if endgame := self._endgame(board):
            return Estimate(endgame.win_probability, "exact")
        return self._playouts.play(board, self._games)

    def _weigh(self, board: NDArray[np.int8], cell: Cell | None = None) -> list[tuple[Cell, float]]:
        """Returns the cells and values of the candidates of `lookahead:clicks=1`, or of one cell, the best first."""
        legal = board >= FLAGGED
        slack, breadth = SLACK[1], BREADTH[1]
        if cell is not None:
            slack, breadth, legal = 1.0, 1, np.zeros_like(legal)
            legal[cell] = True
        values = click_values(self.config, board.ravel(), legal.ravel(), slack, breadth, DISCOUNT)
        cells = np.flatnonzero(values >= 0.0).tolist()
        weighed = [(divmod(each, self.config.cols), float(values[each])) for each in cells]
        return sorted(weighed, key=lambda entry: -entry[1])

    def _endgame(self, board: NDArray[np.int8]) -> Ending | None:
        """Returns the ending of a board if its best play is known exactly, else None; caches both."""
        key = board.tobytes()
        if key not in self._endgames:
            ending = self._endings.find(board, self._posterior(board)[1])
            self._endgames[key] = ending if ending is not None and ending.exact else None
        return self._endgames[key]

    def _win_after_endgame(self, endgame: Ending, opened: Collection[Cell]) -> float:
        """Returns the probability of winning if covered cells are opened, all at once, and the best play follows."""
        covered, mines, clues = endgame.layouts
        columns = np.searchsorted(covered, [row * self.config.cols + col for row, col in opened])
        surviving = np.flatnonzero(~mines[:, columns].any(axis=1))
        # Layouts of one outcome show the same clues in the opened cells, so a player cannot tell them apart.
        _, outcomes = np.unique(clues[surviving][:, columns], axis=0, return_inverse=True)
        wins = 0
        for outcome in range(int(outcomes.max(initial=-1)) + 1):
            layouts = surviving[outcomes.ravel() == outcome]
            # The opened cells are the same in all of these layouts, so the search leaves them out.
            result = self._endings.searcher.search(mines[layouts], clues[layouts], NODES)
            if not result.exact:
                raise PositionTooHardError(f"the best click was not found among {NODES} sets of layouts")
            wins += result.wins
        return wins / len(mines)

    def _posterior(self, board: NDArray[np.int8]) -> tuple[NDArray[np.float64], float]:
        """Returns the mine probabilities, (rows, cols), and the natural logarithm of the number of layouts that fit."""
        probabilities = np.zeros((1, *board.shape))
        log_layouts = infer_posteriors(board[None], self.config.mines, 1, probabilities)
        return probabilities[0], float(log_layouts[0])

    def _without_marks(self, board: NDArray[np.int8]) -> NDArray[np.int8]:
        """Returns a copy where flagged and questioned cells are hidden: marks are no evidence."""
        return np.where((board >= FLAGGED) & (board < MINE), HIDDEN, board).astype(np.int8)


class Playouts:
    """Plays positions of one configuration on to their end, and estimates from that the probability of winning.

    The player is `exact`: it opens certain cells, then guesses a cell of least risk. Every guess is made safe: if the
    cell holds a mine, another layout is drawn from those that fit the board and have no mine there. In return the game
    counts with the product of the safeties of its guesses, times the exact win probability once few layouts are left.
    The mean over the games is an unbiased estimate for this player, and perfect play wins at least as often.
    """

    def __init__(self, config: BoardConfig, rng: np.random.Generator) -> None:
        self._config, self._rng = config, rng
        self._neighbours = neighbour_table(config.rows, config.cols, 1)
        self._endings = Endings(config, LAST_LAYOUTS, LAST_NODES)

    def play(self, board: NDArray[np.int8], games: int) -> Estimate:
        """Plays at least 2 games from a position under way, a (rows, cols) int8 board of codes without flags."""
        layouts = sample_layouts(board, self._config.mines, games, self._rng)
        return self._finish(GuessGames.at(self._config, board.ravel(), layouts))

    def start(self, cell: int, games: int) -> Estimate:
        """Plays games from the first click on, which is on `cell`, row * cols + col."""
        batch = Games(self._config, games, RewardWeights())
        batch.seed(self._rng.integers(0, 1 << 64, games, np.uint64, endpoint=False))
        batch.reset(np.ones(games, np.bool_))
        batch.play(np.full(games, cell), WAIT)
        return self._finish(GuessGames(batch))

    def _finish(self, games: GuessGames) -> Estimate:
        """Plays games to their end; `wins` is the win probability of each, (N,), and NaN where the oracle gives up."""
        wins = np.where(games.status == LOST, 0.0, 1.0)
        active = np.flatnonzero(games.status == PLAYING)
        games.click(active, CLICKED)  # Opens what is certainly free.
        while len(active := self._end_games(games, active, wins)):
            games.click(active, self._guess(games, active, wins))
        wins = wins[~np.isnan(wins)]
        if len(wins) < 2:
            raise PositionTooHardError("the positions that follow are too hard to be played on")
        return Estimate(float(wins.mean()), "playouts", float(wins.std(ddof=1) / np.sqrt(len(wins))))

    def _guess(self, games: GuessGames, active: NDArray[np.int64], wins: NDArray[np.float64]) -> NDArray[np.int64]:
        """Returns the guess of each active game; makes its cell free of mines, and scales `wins` by its safety."""
        boards, cells, risks = games.boards()[active], np.empty(len(active), np.int64), games.risks[active]
        max_count = self._config.codes.max_count
        choose_least_risks(boards, boards > max_count, max_count, 0, risks, self._neighbours, cells)
        wins[active] *= 1.0 - risks[np.arange(len(active)), cells]
        mined = games.games.mines().reshape(len(wins), -1)[active, cells]
        for game, board, cell in zip(active[mined], boards[mined], cells[mined], strict=True):
            safe_layouts: list[NDArray[np.bool_]] = []
            while not safe_layouts:
                layouts = sample_layouts(board.reshape(self._config.rows, -1), self._config.mines, DRAWS, self._rng)
                safe_layouts = [layout for layout in layouts if not layout.flat[cell]]
            games.games.set_mines(safe_layouts[0][None], np.array([game]))
        return cells

    def _end_games(self, games: GuessGames, active: NDArray[np.int64], wins: NDArray[np.float64]) -> NDArray[np.int64]:
        """Ends games that are won, given up or near their end, in `wins`; returns the indices of the others."""
        wins[active[games.status[active] == TRUNCATED]] = np.nan
        boards = games.boards()
        playing = []
        for game in active[games.status[active] == PLAYING].tolist():
            ending = self._endings.find(boards[game], games.log_layouts[game])
            if ending is None or not ending.exact:
                playing.append(game)
            else:
                wins[game] *= ending.win_probability
        return np.array(playing, np.int64)
