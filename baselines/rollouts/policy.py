"""`rollout`: chooses guesses by playouts of the best clicks, where `lookahead` can only estimate.

Rollouts improve a policy by simulating what follows each of its clicks (Tesauro and Galperin 1996, "On-line policy
improvement using Monte-Carlo search").
"""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray

from baselines.rollouts.players import player_of
from baselines.rollouts.playouts import Playouts
from baselines.rollouts.racing import FIRST_LAYOUTS, Race
from baselines.scripted.oracle_play.endgame import EndingPolicy
from baselines.scripted.oracle_play.exact import Boards, Cells
from baselines.scripted.oracle_play.lookahead import CANDIDATES, LookaheadPolicy, nonnegative_number
from baselines.support.checks import whole_number_within
from minesweeper_env.config import BoardConfig, whole_number
from minesweeper_env.inference import PositionTooHardError, mine_probabilities, sample_layouts

MOST_ENDS = 100_000
"""The largest `ends`, for which memory is set aside."""

NEXT_BREADTH = 6
"""Maximum number of candidates of a guess in a playout."""


class RolloutPolicy(EndingPolicy):
    """Plays as `lookahead` does, but compares the candidates of a guess by playouts on common layouts.

    The layouts are drawn uniformly from those that fit the board. `lookahead`, one click ahead, plays each game on, and
    an exact search values its end. Candidates that have fallen behind drop out, until one is left or the playouts are
    spent. The click of `lookahead` stays unless another one is worth more by a margin.

    The draws depend on the board alone, and all budgets count layouts, so equal boards get equal clicks.
    """

    batch_size = 8

    def __init__(
        self,
        config: BoardConfig,
        draws: int = 1000,
        playouts: int = 3000,
        margin: float = 0.004,
        ends: int = 600,
        layouts: int = 10_000,
        first: str | int | None = None,
    ) -> None:
        """Checks the options, and compiles the kernels.

        Args:
            config: the games.
            draws: the largest number of layouts that each candidate is played on, at least 2.
            playouts: the largest number of playouts of a guess, at least 250; it bounds the time of a move.
            margin: what another click must be worth more than that of `lookahead`, a probability of winning, at least
                0.
            ends: the largest number of layouts at which a playout ends with its exact value, 1 to
                `MOST_ENDS`.
            layouts: the largest number of layouts for the exact search, at least 0; 0 turns it off.
            first: the first click: "exact" or None for that of `exact`, "middle", or a cell, row * cols + col.

        Raises:
            ValueError: an option is out of range.
        """
        self._draws = whole_number("draws", draws, 2)
        self._limit = whole_number("playouts", playouts, 2 * FIRST_LAYOUTS)
        self._margin = nonnegative_number("margin", margin)
        self._lookahead = LookaheadPolicy(config, layouts=0)
        base = LookaheadPolicy(config, layouts=0, clicks=1, breadth=NEXT_BREADTH)
        self._playouts = Playouts(config, player_of(base, config), whole_number_within("ends", ends, 1, MOST_ENDS))
        super().__init__(config, layouts, nodes=100_000, first=first)
        self._compile()

    def _compile(self) -> None:
        """Compiles the kernels of playouts with one game."""
        config = self.config
        covered = np.full((config.rows, config.cols), config.codes.hidden, np.int8)
        layouts = sample_layouts(covered, config.mines, 1, np.random.default_rng(0), radius=config.radius)
        self._playouts.play(covered.ravel(), layouts, [0])

    def _weigh(self, boards: Boards, legal: NDArray[np.bool_], clicks: Cells) -> Cells:
        # Marks are no evidence, so boards that differ in them alone are one.
        boards = np.where(boards > self._max_count, self.config.codes.hidden, boards).astype(np.int8)
        # On a covered board, where a flag bars the first cell, the click of least risk stays.
        for i in np.flatnonzero((boards <= self._max_count).any(axis=1)):
            clicks[i] = self._roll_out(boards[i], legal[i])
        return clicks

    def _roll_out(self, board: NDArray[np.int8], legal: NDArray[np.bool_]) -> int:
        """Returns the click on a board (n,) whose legal clicks are (n,)."""
        config = self.config
        square = board.reshape(1, config.rows, config.cols)
        own = int(self._lookahead.act(square, legal[None].astype(np.int8))[0])
        risks = mine_probabilities(square[0], config.mines, radius=config.radius).ravel()
        cells = _candidates(risks, legal, own)
        if len(cells) == 1:
            return own
        try:
            rng = _draws_for(board)
            layouts = sample_layouts(square[0], config.mines, self._draws, rng, radius=config.radius)
        except PositionTooHardError:
            return own
        race = Race(self._playouts, board, layouts, cells, 1.0 - risks[cells], self._margin, self._limit)
        return cells[race.winner()]


def _candidates(risks: NDArray[np.float64], legal: NDArray[np.bool_], own: int) -> list[int]:
    """Returns the clicks to compare: `own`, then the least risky legal cells, with the limits of `lookahead`."""
    limits = CANDIDATES[2]
    order = np.flatnonzero(legal)[np.argsort(risks[legal], kind="stable")][: limits.breadth]
    near = order[(risks[order] <= risks[order[0]] + limits.slack) & (risks[order] < 1.0)]
    return [own, *near[near != own].tolist()]


def _draws_for(board: NDArray[np.int8]) -> np.random.Generator:
    """Returns the source of randomness for a board: equal boards are compared on equal layouts."""
    digest = hashlib.blake2b(board.tobytes(), digest_size=8).digest()
    return np.random.default_rng(int.from_bytes(digest, "big"))
