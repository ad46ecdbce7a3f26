"""Probabilities of winning: of positions, and of the clicks that a player may choose there.

docs/how-to/coach.md says which of them are exact.
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
"""The same for the end of a playout, which then has its exact probability."""

DRAWS = 8
"""Layouts drawn at once until one of them has no mine in the guessed cell."""

SMALL = 3_000
"""The largest number of layouts after a first click for which the best first click is searched."""

LEAST_GAMES, CELLS_AT_ONCE = 30, 1 << 22
"""The least number of playouts per position, and the most cells that all of them have together beyond it."""

DISCOUNT = 0.02
"""The discount of `lookahead:clicks=1`, whose values weigh guesses here."""


class Estimate(NamedTuple):
    """A probability of winning, and its standard error."""

    probability: float
    kind: str  # "over", "exact" by search, "logic" where no luck is needed, "playouts", "between" two of a curve
    error: float = 0.0


class Choice(NamedTuple):
    """A click, its probability of being a mine, and that of winning with it and good play after it."""

    cell: Cell
    risk: float
    win: float


class Winning:
    """Probabilities of winning on boards of one configuration; what is found is kept for the next question."""

    def __init__(self, config: BoardConfig, games: int, *, needs_no_guess: bool = False) -> None:
        """Takes a board whose first-click rule makes layouts equally likely, and at least 2 playouts per position.

        Large boards get fewer playouts, but `LEAST_GAMES`. Logic solves a board that `needs_no_guess`. Without luck
        good play wins after the first click.
        """
        self.config = replace(config, moves=("click",), max_steps=None)
        self._games = min(games, max(LEAST_GAMES, CELLS_AT_ONCE // config.cells))
        self._needs_no_guess = needs_no_guess
        self._playouts = Playouts(self.config, np.random.default_rng(0))
        self._endings = Endings(self.config, LAYOUTS, NODES)
        self._known: dict[bytes, Estimate] = {}
        self._endgames: dict[bytes, Ending | None] = {}

    def win(self, board: NDArray[np.int8]) -> Estimate:
        """Returns the probability of winning from int8 codes (rows, cols), the best click included.

        It raises an InconsistentBoardError or a PositionTooHardError.
        """
        board = self._without_marks(board)
        key = board.tobytes()
        if key not in self._known:
            self._known[key] = self._estimate(board)
        return self._known[key]

    def start(self, cell: Cell) -> Estimate:
        """Returns the probability of winning before the first click, which is on a given cell."""
        config = self.config
        if self._needs_no_guess or (not config.luck and config.first_click != "any"):
            return Estimate(1.0, "logic")
        if not config.luck:  # Luck decides a first click that no rule protects, and no later one.
            return Estimate(1.0 - config.mines / config.cells, "exact")
        zone = 4 if config.first_click == "opening" else 1
        if math.comb(max(config.cells - zone, 0), config.mines) <= SMALL:
            values = OptimalPlay(config.rows, config.cols, config.mines, config.first_click).first_cell_values()
            return Estimate(float(values[cell]), "exact")
        return self._playouts.start(cell[0] * config.cols + cell[1], self._games)

    def win_after(self, board: NDArray[np.int8], opened: Collection[Cell], risk: float) -> float:
        """Returns the probability of winning if covered cells are opened at once and good play follows.

        Where it is not exact, the probability before the click is scaled: by the value of the click in relation to the
        best one if it opens a single cell, and by its safety otherwise. `risk` is that of opening a mine.
        """
        win = self.win(board).probability
        if risk in (0.0, 1.0):
            return win * (1.0 - risk)
        board = self._without_marks(board)
        if endgame := self._endgame(board):
            return self._win_after_endgame(endgame, opened)
        best = self._weigh(board)
        if self._needs_no_guess or len(opened) > 1 or not best:
            least = self._posterior(board)[0][board >= FLAGGED].min()
            return win * (1.0 - risk) / (1.0 - least)
        (cell,) = opened
        ((_, value),) = self._weigh(board, cell)
        return win * min(1.0, value / best[0][1])

    def choices(self, board: NDArray[np.int8], most: int = 8) -> list[Choice]:
        """Returns the clicks to consider at a guess, the best one first.

        They are the candidates of `lookahead:clicks=1`, and the best one where it is known exactly. Of two that win
        equally often the less risky one comes first.
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
        """Returns the candidates of `lookahead:clicks=1`, or one cell, with comparable values, the best first."""
        legal = board >= FLAGGED
        slack, breadth = SLACK[1], BREADTH[1]
        if cell is not None:
            slack, breadth, legal = 1.0, 1, np.zeros_like(legal)
            legal[cell] = True
        values = click_values(self.config, board.ravel(), legal.ravel(), slack, breadth, DISCOUNT)
        cells = np.flatnonzero(values >= 0.0).tolist()
        found = [(divmod(each, self.config.cols), float(values[each])) for each in cells]
        return sorted(found, key=lambda entry: -entry[1])

    def _endgame(self, board: NDArray[np.int8]) -> Ending | None:
        """Returns the ending of a board, whose best play is known exactly; None if it is too hard."""
        key = board.tobytes()
        if key not in self._endgames:
            ending = self._endings.find(board, self._posterior(board)[1])
            self._endgames[key] = ending if ending is not None and ending.exact else None
        return self._endgames[key]

    def _win_after_endgame(self, endgame: Ending, opened: Collection[Cell]) -> float:
        """Returns the probability of winning if covered cells are opened, all at once, and the best play follows."""
        covered, mines, counts = endgame.layouts
        columns = np.searchsorted(covered, [row * self.config.cols + col for row, col in opened])
        alive = np.flatnonzero(~mines[:, columns].any(axis=1))
        _, outcomes = np.unique(counts[alive][:, columns], axis=0, return_inverse=True)
        wins = 0
        for outcome in range(int(outcomes.max(initial=-1)) + 1):
            layouts = alive[outcomes.ravel() == outcome]
            # The opened cells are the same in all of these layouts, so the search leaves them out.
            found = self._endings.searcher.search(mines[layouts], counts[layouts], NODES)
            if not found.exact:
                raise PositionTooHardError(f"the best click was not found among {NODES} sets of layouts")
            wins += found.wins
        return wins / len(mines)

    def _posterior(self, board: NDArray[np.int8]) -> tuple[NDArray[np.float64], float]:
        """Returns the mine probabilities, (rows, cols), and the natural logarithm of the number of layouts that fit."""
        probabilities = np.zeros((1, *board.shape))
        log_layouts = infer_posteriors(board[None], self.config.mines, 1, probabilities)
        return probabilities[0], float(log_layouts[0])

    def _without_marks(self, board: NDArray[np.int8]) -> NDArray[np.int8]:
        return np.where((board >= FLAGGED) & (board < MINE), HIDDEN, board).astype(np.int8)


class Playouts:
    """Plays positions of one configuration on to their end, and estimates from that the probability of winning.

    The player is `exact`: it opens certain cells, then guesses a cell of least risk. Every guess proves safe, and the
    game counts with the product of the safety of its guesses: if the cell holds a mine, another layout is drawn from
    those that fit the board and have no mine there. Once few layouts are left, the exact probability of winning ends
    the game. The mean over the games is free of bias for this way of playing, and perfect play wins at least as much.
    """

    def __init__(self, config: BoardConfig, rng: np.random.Generator) -> None:
        self._config, self._rng = config, rng
        self._neighbours = neighbour_table(config.rows, config.cols, 1)
        self._endings = Endings(config, LAST_LAYOUTS, LAST_NODES)

    def play(self, board: NDArray[np.int8], games: int) -> Estimate:
        """Plays at least 2 games from (rows, cols) int8 codes without flags of a game that is under way."""
        layouts = sample_layouts(board, self._config.mines, games, self._rng)
        return self._finish(GuessGames.at(self._config, board.ravel(), layouts))

    def start(self, cell: int, games: int) -> Estimate:
        """Plays games from the first click on, which is on a given cell, as row * cols + col."""
        batch = Games(self._config, games, RewardWeights())
        batch.seed(self._rng.integers(0, 1 << 64, games, np.uint64, endpoint=False))
        batch.reset(np.ones(games, np.bool_))
        batch.play(np.full(games, cell), WAIT)
        return self._finish(GuessGames(batch))

    def _finish(self, games: GuessGames) -> Estimate:
        """Plays games to their end; `won` is the probability that each is won, NaN where it is given up."""
        won = np.where(games.status == LOST, 0.0, 1.0)
        active = np.flatnonzero(games.status == PLAYING)
        games.click(active, CLICKED)
        while len(active := self._end_games(games, active, won)):
            games.click(active, self._guess(games, active, won))
        won = won[~np.isnan(won)]
        if len(won) < 2:
            raise PositionTooHardError("the positions that follow are too hard to be played on")
        return Estimate(float(won.mean()), "playouts", float(won.std(ddof=1) / np.sqrt(len(won))))

    def _guess(self, games: GuessGames, active: NDArray[np.int64], won: NDArray[np.float64]) -> NDArray[np.int64]:
        """Returns the guess of each active game, after its cell is made safe."""
        boards, cells, risks = games.boards()[active], np.empty(len(active), np.int64), games.risks[active]
        most = self._config.codes.max_count
        choose_least_risks(boards, boards > most, most, 0, risks, self._neighbours, cells)
        won[active] *= 1.0 - risks[np.arange(len(active)), cells]
        mined = games.games.mines().reshape(len(won), -1)[active, cells]
        for game, board, cell in zip(active[mined], boards[mined], cells[mined], strict=True):
            free: list[NDArray[np.bool_]] = []
            while not free:
                layouts = sample_layouts(board.reshape(self._config.rows, -1), self._config.mines, DRAWS, self._rng)
                free = [layout for layout in layouts if not layout.flat[cell]]
            games.games.set_mines(free[0][None], np.array([game]))
        return cells

    def _end_games(self, games: GuessGames, active: NDArray[np.int64], won: NDArray[np.float64]) -> NDArray[np.int64]:
        """Ends games that are won, given up or near their end; returns those that go on."""
        won[active[games.status[active] == TRUNCATED]] = np.nan
        boards = games.boards()
        going_on = []
        for game in active[games.status[active] == PLAYING].tolist():
            ending = self._endings.find(boards[game], games.log_layouts[game])
            if ending is None or not ending.exact:
                going_on.append(game)
            else:
                won[game] *= ending.win_probability
        return np.array(going_on, np.int64)
