"""A policy that plays step by step in games that a person watches, and its ratings of the cells."""

from dataclasses import replace
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baselines.evaluation.beliefs import numbers_of
from baselines.evaluation.games import check_built_for, choose_actions
from baselines.policy import RESIGN, Policy, policy_name
from baselines.registry import Specification, find_policy
from baselines.user_policy import UserPolicy, user_code
from minesweeper_env.codes import FLAGGED
from minesweeper_env.config import UNIFORM_FIRST_CLICKS, BoardConfig
from minesweeper_env.env import MinesweeperEnv
from minesweeper_env.escape import printable
from minesweeper_env.inference import InconsistentBoardError, PositionTooHardError, mine_probabilities
from minesweeper_play.game.moves import Cell
from minesweeper_play.game.session import Session
from minesweeper_play.options import PlayOptions

Source = Literal["network", "own", "preference", "exact", "uniform", "none"]
"""Origin of ratings.

| source     | the ratings                                                                            |
|------------|----------------------------------------------------------------------------------------|
| network    | 1 minus the sigmoid of the output of a `LearnedPolicy` or `values`                     |
| own        | the numbers of the policy's method `ratings`, if all are from 0 to 1                   |
| preference | other numbers of a policy or the `scores` of a network: 0 for the best cell, 1 for the worst |
| exact      | exact probabilities of a mine                                                          |
| uniform    | the same under "corners", as if all layouts were equally likely                        |
| none       | none: the position is too hard                                                         |
"""


class Ratings(NamedTuple):
    """Ratings of the cells of a board."""

    source: Source
    risks: NDArray[np.float64]  # (rows, cols), from 0 for good cells to 1 for bad ones; NaN on cells without a rating
    oracle: "Ratings | None" = None  # the exact probabilities; None where `risks` come from the oracle


class Choice(NamedTuple):
    """The next move of a policy; the `ratings` of the cells before it are None if nobody asked for them."""

    action: int
    cell: Cell
    ratings: Ratings | None


def rate(policy: Policy, board: NDArray[np.int8], config: BoardConfig) -> Ratings:
    """Returns the ratings of (rows, cols) codes by the policy's method `values`, `scores` or `ratings`, or the oracle.

    Raises a PolicyError if the policy fails, or if its numbers have another shape.
    """
    covered = board >= FLAGGED
    try:
        source: Source = "exact" if config.first_click in UNIFORM_FIRST_CLICKS else "uniform"
        oracle = Ratings(source, mine_probabilities(board, config.mines))
    except (PositionTooHardError, InconsistentBoardError):
        oracle = Ratings("none", np.full(board.shape, np.nan))
    with user_code(policy_name(policy)):
        own = _own_ratings(policy.policy if isinstance(policy, UserPolicy) else policy, board[None], covered[None])
    on_covered = oracle._replace(risks=np.where(covered, oracle.risks, np.nan))
    return on_covered if own is None else Ratings(own.source, np.where(covered, own.risks[0], np.nan), on_covered)


def _own_ratings(policy: Any, boards: NDArray[np.int8], covered: NDArray[np.bool_]) -> Ratings | None:
    """Returns the ratings by the policy's own numbers, shaped as `boards`, (1, rows, cols); None if it has none."""
    if (outputs := numbers_of(policy, "values", boards)) is not None:
        return Ratings("network", 1.0 / (1.0 + np.exp(np.clip(outputs, -60, 60))))
    if (outputs := numbers_of(policy, "scores", boards)) is not None:
        return Ratings("preference", _scaled(-outputs, covered))
    if (outputs := numbers_of(policy, "ratings", boards)) is None:
        return None
    ratings = np.where(np.isposinf(outputs), 1.0, outputs)
    if (ratings[covered] >= 0.0).all() and (ratings[covered] <= 1.0).all():
        return Ratings("own", ratings)
    finite = np.where(np.isfinite(outputs), outputs, np.nan)
    return Ratings("preference", np.where(np.isnan(finite), 1.0, _scaled(finite, covered)))


def _scaled(costs: NDArray[np.float64], covered: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Returns costs scaled so that the smallest one on a covered cell becomes 0, and the largest 1."""
    smallest, largest = np.nanmin(costs[covered]), np.nanmax(costs[covered])
    return (costs - smallest) / max(largest - smallest, 1e-12)


class WatchedPolicy:
    """A policy, its game (`board`: int8 codes; `exploded`: the losing click), and its score over finished games."""

    def __init__(self, policy: Specification, config: BoardConfig) -> None:
        self.name, self._options = printable(policy.name), policy.options
        self._policy = policy(config)
        self.config = self._policy.config
        check_built_for(self._policy, self.config)
        self._env = MinesweeperEnv(**self.config.arguments())
        self.games = self.wins = 0
        self.begin(0)

    @property
    def is_over(self) -> bool:
        return self.status != "playing"

    @property
    def placed_mines(self) -> NDArray[np.bool_]:
        """The mines, bool (rows, cols); all False before the first click places them."""
        mines: NDArray[np.bool_] = self._env.get_state()["mines"]
        return mines

    def begin(self, seed: int, layout: NDArray[np.bool_] | None = None) -> None:
        """Begins a game, with the mines of a `layout`, bool (rows, cols), or else with those that the seed places."""
        self._policy.reset(seed)
        self._seeds = np.array([seed])
        self.board, info = self._env.reset(seed=seed, options=None if layout is None else {"layout": layout})
        self._mask: NDArray[np.int8] = info["action_mask"]
        self.status: Literal["playing", "won", "lost", "truncated"] = "playing"
        self.moves = 0
        self.exploded: Cell | None = None

    def choose(self, rated: bool, rival: Choice | None = None) -> Choice:
        """Asks the policy for its next move, and rates the cells if asked to.

        A first click follows that of a `rival`, because boards of one seed differ near their first clicks; a policy
        whose name has the option `first` keeps its own cell. Raises a PolicyError.
        """
        if rival is not None and self.moves == 0 and "first" not in self._options:
            action = rival.cell[0] * self.config.cols + rival.cell[1]
        else:
            action = int(choose_actions(self._policy, self.board[None], self._mask[None], self._seeds)[0])
        cell = divmod(action % self.config.cells, self.config.cols)
        ratings = rate(self._policy, self.board, self.config) if rated else None
        return Choice(action, cell, ratings)

    def play(self, choice: Choice) -> None:
        """Makes a move, and counts the game if it ends; a GenerationError if a board without guesses is not found."""
        if choice.action == RESIGN:
            terminated, truncated, won = False, True, False
        else:
            self.board, _, terminated, truncated, info = self._env.step(choice.action)
            self._mask, won = info["action_mask"], bool(info["is_success"])
        self.moves += 1
        if terminated or truncated:
            self.status = "won" if won else "lost" if terminated else "truncated"
            self.exploded = choice.cell if self.status == "lost" else None
            self.games += 1
            self.wins += won


def load_policies(options: PlayOptions) -> list[WatchedPolicy]:
    """Returns the policies to watch, none where the user plays; raises ValueError, PolicyError or MissingExtraError."""
    names = options.versus or ((options.policy,) if options.policy is not None else ())
    config = options.config or BoardConfig.of_size(8, first_click=options.first_click, luck=options.luck)
    return [WatchedPolicy(find_policy(name), replace(config, no_guess=options.no_guess)) for name in names]


def replay_with(policy: Specification, session: Session) -> Session:
    """Returns the game of a policy with the seed, mines and first click of a finished game; PolicyError if it fails."""
    layout, first_move = session.placed_mines, next(move for move in session.moves if move.kind in ("open", "reveal"))
    watched = WatchedPolicy(policy, replace(session.config, moves=BoardConfig.moves))
    watched.begin(session.seed, layout)
    replayed = Session(session.config, seed=session.seed, no_guess=session.no_guess, layout=layout)
    choice = Choice(first_move.cell[0] * session.config.cols + first_move.cell[1], first_move.cell, None)
    while True:
        kind: Any = watched.config.moves[choice.action // watched.config.cells]
        replayed.move({"click": "open", "unflag": "flag"}.get(kind, kind), *choice.cell)
        watched.play(choice)
        if watched.is_over or (choice := watched.choose(rated=False)).action == RESIGN:
            return replayed
