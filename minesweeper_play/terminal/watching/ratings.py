"""Ratings of the covered cells that a watched policy sees: its own numbers, and the exact probabilities of a mine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from baselines.entries.policy import EntryPolicy, own_code
from baselines.policy import Policy
from baselines.support.act_inputs import policy_name
from minesweeper_env.config import UNIFORM_FIRST_CLICKS, BoardConfig
from minesweeper_env.inference import InconsistentBoardError, PositionTooHardError, mine_probabilities

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

Outputs = Callable[[NDArray[np.int8]], "NDArray[np.floating] | None"]


@dataclass(frozen=True)
class Ratings:
    """Ratings of a board.

    Attributes:
        source: where they come from.
        risks: float64 (rows, cols), from 0 for good cells to 1 for bad ones; NaN on cells without a rating.
        oracle: the exact probabilities beside the policy's own numbers; None where `risks` come from the oracle.
    """

    source: Source
    risks: NDArray[np.float64]
    oracle: Ratings | None = None


class Rater:
    """Rates the cells of boards as a policy does, and by the exact probabilities."""

    def __init__(self, policy: Policy, config: BoardConfig) -> None:
        """Looks for a method `values`, `scores` or `ratings`, which takes codes (N, rows, cols)."""
        self._name = policy_name(policy)
        self._owner: Any = policy.policy if isinstance(policy, EntryPolicy) else policy
        self._config = config

    def rate(self, board: NDArray[np.int8]) -> Ratings:
        """Returns the ratings of a board, int8 (rows, cols) codes.

        Raises:
            PolicyError: the policy fails, or its numbers have another shape.
        """
        covered = board > self._config.codes.max_count
        oracle = self._oracle(board, covered)
        with own_code(self._name):
            own = self._own(board, covered)
        return oracle if own is None else replace(own, oracle=oracle)

    def _own(self, board: NDArray[np.int8], covered: NDArray[np.bool_]) -> Ratings | None:
        if (outputs := self._outputs("values", board)) is not None:
            return _on(covered, "network", 1.0 / (1.0 + np.exp(np.clip(outputs, -60, 60))))
        if (outputs := self._outputs("scores", board)) is not None:
            return _on(covered, "preference", _scaled(-outputs, covered))
        if (outputs := self._outputs("ratings", board)) is None:
            return None
        known = np.where(np.isposinf(outputs), 1.0, outputs)
        if (known[covered] >= 0.0).all() and (known[covered] <= 1.0).all():
            return _on(covered, "own", known)
        finite = np.where(np.isfinite(outputs), outputs, np.nan)
        return _on(covered, "preference", np.where(np.isnan(finite), 1.0, _scaled(finite, covered)))

    def _outputs(self, method: str, board: NDArray[np.int8]) -> NDArray[np.float64] | None:
        rate: Outputs | None = getattr(self._owner, method, None)
        outputs = rate(board[None]) if callable(rate) else None
        if outputs is None:
            return None
        return np.asarray(outputs, np.float64).reshape(1, -1)[0, : board.size].reshape(board.shape)

    def _oracle(self, board: NDArray[np.int8], covered: NDArray[np.bool_]) -> Ratings:
        is_exact = self._config.first_click in UNIFORM_FIRST_CLICKS
        try:
            found = mine_probabilities(board, self._config.mines, radius=self._config.radius)
        except (PositionTooHardError, InconsistentBoardError):
            return Ratings("none", np.full(board.shape, np.nan))
        return _on(covered, "exact" if is_exact else "uniform", found)


def _scaled(costs: NDArray[np.float64], covered: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Returns numbers on a scale from 0 for the least one on a covered cell to 1 for the greatest."""
    least, most = np.nanmin(costs[covered]), np.nanmax(costs[covered])
    return (costs - least) / max(most - least, 1e-12)


def _on(covered: NDArray[np.bool_], source: Source, risks: NDArray[np.float64]) -> Ratings:
    return Ratings(source, np.where(covered, risks, np.nan))
