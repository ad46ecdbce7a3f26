"""Evaluation during a training: the selection games, and what scripted policies win of the same ones."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from torch import nn

from baselines.evaluation.games import play_games
from baselines.evaluation.seeds import SELECTION_SEEDS
from baselines.learned.agents.loading import policy_of
from baselines.learned.settings.training import TrainingSettings
from baselines.registry import build_policy

REFERENCES = ("random", "exact", "lookahead")
"""The policies that an agent is shown beside: the floor, the best greedy play, and the best play there is."""


class Score(NamedTuple):
    """How an agent did.

    Attributes:
        win_rates: its share of the selection games of each board, by the name of the board.
        games: how many it played on each.
    """

    win_rates: dict[str, float]
    games: int

    @property
    def win_rate(self) -> float:
        """The mean over the boards."""
        return sum(self.win_rates.values()) / len(self.win_rates)

    @property
    def standard_error(self) -> float:
        """That of the mean."""
        variances = [rate * (1 - rate) / self.games for rate in self.win_rates.values()]
        return math.sqrt(sum(variances)) / len(variances)

    def is_as_good_as(self, highest: float) -> bool:
        """Returns whether the agent is worth keeping in place of earlier ones, of which the highest win rate is given.

        It is if it lost no more than one standard error. Towards the end of a training, when the learning rate falls,
        agents get better by less than the noise of the selection games, and the luckiest is seldom the best.
        """
        return self.win_rate >= highest - self.standard_error


class Selection:
    """The selection games of a training.

    Args:
        settings: of the training.
        references: the win rates of the `REFERENCES` on each board, if they are known already.
    """

    def __init__(self, settings: TrainingSettings, references: dict[str, dict[str, float]] | None = None) -> None:
        """Plays the games with the scripted policies, unless their results are given."""
        self.seeds = SELECTION_SEEDS[: settings.eval_games]
        self.boards = dict(zip(settings.boards, settings.configs, strict=True))
        self.references = references or {
            board: {name: self._win_rate(build_policy(name, config), board) for name in REFERENCES}
            for board, config in self.boards.items()
        }

    def score(self, network: nn.Module) -> Score:
        """Plays the games with a network."""
        rates = {board: self._win_rate(policy_of(network, config), board) for board, config in self.boards.items()}
        return Score(rates, len(self.seeds))

    def describe(self, score: Score) -> str:
        """Returns the win rates of an agent beside those of the scripted policies, in one line."""
        return "; ".join(
            f"{board} wins {rate:.1%} (" + ", ".join(f"{n} {r:.1%}" for n, r in self.references[board].items()) + ")"
            for board, rate in score.win_rates.items()
        )

    def _win_rate(self, policy: Any, board: str) -> float:
        records = play_games(policy, self.boards[board], self.seeds)
        return sum(record.won for record in records) / len(records)
