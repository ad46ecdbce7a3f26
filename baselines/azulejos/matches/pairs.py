"""Results of a pair of policies: wins, win rate and difference of the scores, each with its interval over boards."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from baselines.evaluation.intervals import mean_interval, rate_interval

Interval = tuple[float, float]


@dataclass(frozen=True)
class PairResult:
    """Games of two policies on boards that they played twice, from the side of the first policy.

    Attributes:
        policy: its name.
        against: the name of the other policy.
        scores: (N, 2, 2) int64 with N at least 1: for each board and each of its two games the scores of both policies.
            The policy moves first in game 0, the other one in game 1.
    """

    policy: str
    against: str
    scores: NDArray[np.int64]

    def reversed(self) -> PairResult:
        """Returns the same games from the side of the other policy."""
        return PairResult(self.against, self.policy, self.scores[:, ::-1, ::-1])

    @cached_property
    def differences(self) -> NDArray[np.int64]:
        """(N, 2) int64: the score of the policy minus the score of the other one.

        In column 0 the policy moves first, in column 1 second.
        """
        return self.scores[:, :, 0] - self.scores[:, :, 1]

    @property
    def boards(self) -> int:
        """The number of boards."""
        return len(self.scores)

    @property
    def games(self) -> int:
        """The number of games."""
        return 2 * self.boards

    @property
    def wins(self) -> int:
        """The number of games won."""
        return int((self.differences > 0).sum())

    @property
    def ties(self) -> int:
        """The number of games with equal scores."""
        return int((self.differences == 0).sum())

    @property
    def losses(self) -> int:
        """The number of games lost."""
        return int((self.differences < 0).sum())

    @property
    def board_rates(self) -> NDArray[np.float64]:
        """(N,) the win rate on each board: 1 for two wins, down to 0 for two losses; a tie is half a win."""
        return ((np.sign(self.differences) + 1) / 2).mean(axis=1)

    @property
    def win_rate(self) -> float:
        """The wins and half of the ties, as a fraction of the games."""
        return (self.wins + self.ties / 2) / self.games

    @property
    def win_rate_first(self) -> float:
        """The win rate where the policy moves first."""
        return float(((np.sign(self.differences[:, 0]) + 1) / 2).mean())

    @property
    def interval(self) -> Interval:
        """The 95 % interval of the win rate.

        It is Wilson's for N p (1 - p) / v games, where v is the variance of the rates of the N boards. So many
        independent games would have the same standard error. The number is kept between N and 2 N.
        """
        rate, variance = self.win_rate, float(self.board_rates.var())
        count = self.boards * rate * (1 - rate) / variance if variance > 0 else 0.0
        return rate_interval(rate, min(max(count, self.boards), self.games))

    @property
    def difference(self) -> float:
        """The mean difference of the scores in a game."""
        return float(self.differences.mean())

    @property
    def difference_interval(self) -> Interval | None:
        """The 95 % interval of the mean difference by the normal approximation over boards; None for one board."""
        return mean_interval(self.differences.mean(axis=1).tolist())
