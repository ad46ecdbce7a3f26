"""A policy at play, one step after the other, in games that a person watches."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from baselines.evaluation.games import check_built_for, choose_actions
from baselines.registry import PolicyMaker
from minesweeper_env.codes import MOVE_NAMES, Move
from minesweeper_env.config import BoardConfig
from minesweeper_env.env import MinesweeperEnv
from minesweeper_env.texts import printable
from minesweeper_play.terminal.watching.ratings import Rater, Ratings

Status = Literal["playing", "won", "lost", "truncated"]
Cell = tuple[int, int]


@dataclass(frozen=True)
class Choice:
    """The next move of a policy.

    Attributes:
        action: the action.
        move: the move.
        cell: its cell.
        ratings: the ratings of the cells before the move; None if nobody asked for them.
    """

    action: int
    move: Move
    cell: Cell
    ratings: Ratings | None


@dataclass
class Score:
    """Games that a policy has finished.

    Attributes:
        games: their number.
        wins: the number of games won.
    """

    games: int = 0
    wins: int = 0


@dataclass
class Player:
    """A policy, the game that it plays, and its score.

    `begin` starts a game. `choose` asks for the next move, and `play` makes it.

    Attributes:
        name: the specification of the policy.
        config: the games.
        board: int8 (rows, cols), the visible codes.
        status: the state of the game.
        moves: the number of moves of this game.
        fatal: the cell of the click that lost the game.
        score: all finished games.
    """

    maker: PolicyMaker
    board_config: BoardConfig
    status: Status = "playing"
    moves: int = 0
    fatal: Cell | None = None
    score: Score = field(default_factory=Score)

    def __post_init__(self) -> None:
        """Makes the policy and its environment.

        Raises:
            ValueError: an option of the policy or the board is not allowed.
            PolicyError: the code of a user's policy fails.
        """
        self.name = printable(self.maker.name)
        self.config = self.maker.config_for(self.board_config)
        self._policy = self.maker(self.config)
        check_built_for(self._policy, self.config)
        self._rater = Rater(self._policy, self.config)
        size = (self.config.rows, self.config.cols)
        self._env = MinesweeperEnv(
            size,
            self.config.mines,
            self.config.first_click,
            moves=self.config.moves,
            radius=self.config.radius,
            max_steps=self.config.max_steps,
            no_guess=self.config.no_guess,
        )
        self.board: NDArray[np.int8]
        self.begin(0)

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.status != "playing"

    @property
    def mines(self) -> NDArray[np.bool_]:
        """The mines, bool (rows, cols); all False before the first click places them."""
        mines: NDArray[np.bool_] = self._env.get_state()["mines"]
        return mines

    @property
    def wrong_flags(self) -> NDArray[np.bool_]:
        """The flags on cells without a mine, bool (rows, cols); all False while the game goes on."""
        if not self.is_over:
            return np.zeros(self.board.shape, np.bool_)
        return (self.board == self.config.codes.flagged) & ~self.mines

    def begin(self, seed: int) -> None:
        """Starts the game of a seed."""
        self._policy.reset(seed)
        self.board, info = self._env.reset(seed=seed)
        self._mask: NDArray[np.int8] = info["action_mask"]
        self.status, self.moves, self.fatal = "playing", 0, None

    def choose(self, rated: bool, rival: Choice | None = None) -> Choice:
        """Asks the policy for its next move.

        Args:
            rated: whether to rate the cells, too.
            rival: the move of another policy. A first click follows it, because boards of one seed differ near their
                first clicks; a policy whose name has the option `first` keeps its own cell.

        Raises:
            PolicyError: the policy fails, or chooses an illegal action.
        """
        if rival is not None and rival.move is Move.CLICK and self.moves == 0 and "first" not in self.maker.options:
            action = rival.cell[0] * self.config.cols + rival.cell[1]
        else:
            action = int(choose_actions(self._policy, self.board[None], self._mask[None])[0])
        move, cell = divmod(action, self.config.cells)
        kind = Move(MOVE_NAMES.index(self.config.moves[move]))
        ratings = self._rater.rate(self.board) if rated else None
        return Choice(action, kind, divmod(cell, self.config.cols), ratings)

    def play(self, choice: Choice) -> None:
        """Makes a move, and counts the game if that ends it.

        Raises:
            GenerationError: the first move found no board that needs no guess.
        """
        self.board, _, terminated, truncated, info = self._env.step(choice.action)
        self._mask = info["action_mask"]
        self.moves += 1
        if not (terminated or truncated):
            return
        won = bool(info["is_success"])
        self.status = "won" if won else "lost" if terminated else "truncated"
        self.fatal = choice.cell if self.status == "lost" else None
        self.score.games += 1
        self.score.wins += won
