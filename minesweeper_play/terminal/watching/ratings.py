"""Ratings of the covered cells that a watched policy sees: of its network, or the exact probabilities of a mine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from baselines.entries.policy import EntryPolicy
from baselines.policy import Policy
from minesweeper_env.config import UNIFORM_FIRST_CLICKS, BoardConfig
from minesweeper_env.inference import InconsistentBoardError, PositionTooHardError, mine_probabilities

Source = Literal["network", "preference", "exact", "none"]
"""Origin of ratings.

| source     | the ratings                                                              |
|------------|--------------------------------------------------------------------------|
| network    | 1 minus the sigmoid of the output of a `LearnedPolicy` or `values`       |
| preference | the scores of another network, 0 for the best cell and 1 for the worst   |
| exact      | exact probabilities of a mine                                            |
| none       | none: the position is too hard, or the first-click rule is "corners"     |
"""

Outputs = Callable[[NDArray[np.int8]], NDArray[np.floating]]


@dataclass(frozen=True)
class Ratings:
    """Ratings of a board.

    Attributes:
        source: where they come from.
        risks: float64 (rows, cols), from 0 for good cells to 1 for bad ones; NaN on cells without a rating.
    """

    source: Source
    risks: NDArray[np.float64]


class Rater:
    """Rates the cells of boards as a policy does, or by the exact probabilities."""

    def __init__(self, policy: Policy, config: BoardConfig) -> None:
        """Looks for a method `values` or `scores`, which takes codes (N, rows, cols) and returns (N, actions)."""
        owner: Any = policy.policy if isinstance(policy, EntryPolicy) else policy
        self._config = config
        self._values: Outputs | None = _method(owner, "values")
        self._scores: Outputs | None = _method(owner, "scores")

    def rate(self, board: NDArray[np.int8]) -> Ratings:
        """Returns the ratings of a board, int8 (rows, cols) codes."""
        covered = board > self._config.codes.max_count
        if self._values is not None:
            outputs = self._outputs(self._values, board)
            return _on(covered, "network", 1.0 / (1.0 + np.exp(np.clip(outputs, -60, 60))))
        if self._scores is not None:
            outputs = self._outputs(self._scores, board)
            best, worst = outputs[covered].max(), outputs[covered].min()
            return _on(covered, "preference", (best - outputs) / max(best - worst, 1e-12))
        return self._exact(board, covered)

    def _outputs(self, rate: Outputs, board: NDArray[np.int8]) -> NDArray[np.float64]:
        outputs = np.asarray(rate(board[None]), np.float64).reshape(1, -1)
        return outputs[0, : board.size].reshape(board.shape)

    def _exact(self, board: NDArray[np.int8], covered: NDArray[np.bool_]) -> Ratings:
        nothing = Ratings("none", np.full(board.shape, np.nan))
        if self._config.first_click not in UNIFORM_FIRST_CLICKS:
            return nothing
        try:
            found = mine_probabilities(board, self._config.mines, radius=self._config.radius)
        except (PositionTooHardError, InconsistentBoardError):
            return nothing
        return _on(covered, "exact", found)


def _on(covered: NDArray[np.bool_], source: Source, risks: NDArray[np.float64]) -> Ratings:
    return Ratings(source, np.where(covered, risks, np.nan))


def _method(owner: Any, name: str) -> Outputs | None:
    found = getattr(owner, name, None)
    return found if callable(found) else None
