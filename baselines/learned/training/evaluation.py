"""Selection games of a training: the score of an agent beside those of scripted policies."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from baselines.evaluation.games import play_games
from baselines.evaluation.seeds import SELECTION_SEEDS
from baselines.learned.settings import TrainingSettings
from baselines.policy import Policy
from baselines.registry import build_policy
from minesweeper_env.config import BoardConfig
from minesweeper_env.notices import say

REFERENCES = ("random", "exact", "lookahead")
"""Scripted policies that play the selection games too: random clicks, least exact risk, and search."""

References = dict[str, dict[str, float]]
"""Win rates of the `REFERENCES` on each board."""


class Score(NamedTuple):
    """Result of an agent in the selection games: the fraction won by the name of the board, of so many games on each.

    Attributes:
        win_rates: fraction of the games won, by the name of the board.
        games: number of games on each board.
    """

    win_rates: dict[str, float]
    games: int

    @property
    def win_rate(self) -> float:
        """The mean over the boards."""
        return sum(self.win_rates.values()) / len(self.win_rates)

    @property
    def standard_error(self) -> float:
        """Standard error of the mean."""
        variances = [rate * (1 - rate) / self.games for rate in self.win_rates.values()]
        return math.sqrt(sum(variances)) / len(variances)

    def is_as_good_as(self, highest: float) -> bool:
        """Returns whether to keep this agent in place of earlier ones.

        It may win one standard error less than `highest`, the best win rate so far. Late in a training, agents improve
        by less than the noise of the selection games, and the luckiest one is seldom the best.
        """
        return self.win_rate >= highest - self.standard_error

    def in_words(self, references: References) -> str:
        """Returns one line with the win rates, and those of the scripted policies if they have played."""
        parts = []
        for board, rate in self.win_rates.items():
            others = ", ".join(f"{name} {other:.1%}" for name, other in references.get(board, {}).items())
            parts.append(f"{board} wins {rate:.1%}{f' ({others})' if others else ''}")
        return "; ".join(parts)


class Evaluation(NamedTuple):
    """An evaluation during a training, for a caller that follows it.

    Attributes:
        steps: number of steps of all games together, earlier sessions included.
        minutes: time of training over all sessions.
        fraction: part of the budget that is spent, from 0 to 1.
        win_rate: mean over the boards of the newest weights' win rates in the selection games.
        win_rates: fraction of the selection games won, by the name of the board.
        kept_win_rate: win rate of the agent in the run folder, which may be an earlier one.
    """

    steps: int
    minutes: float
    fraction: float
    win_rate: float
    win_rates: dict[str, float]
    kept_win_rate: float


def play_selection(settings: TrainingSettings, policy_of: Callable[[BoardConfig], Policy]) -> Score:
    """Plays the selection games with the policies that `policy_of` makes, one for each board."""
    seeds, rates = SELECTION_SEEDS[: settings.eval_games], {}
    for board, config in zip(settings.boards, settings.configs, strict=True):
        records = play_games(policy_of(config), config, seeds)
        rates[board] = sum(record.won for record in records) / len(records)
    return Score(rates, len(seeds))


def play_references(settings: TrainingSettings, begins: Callable[[str], None]) -> References:
    """Plays the selection games with the scripted policies; calls `begins` with the name of each before its games."""
    found: References = {board: {} for board in settings.boards}
    for name in REFERENCES:
        boards = ", ".join(settings.boards)
        say(f"Play the {settings.eval_games} selection games of {boards} with {name}, for comparison")
        begins(name)
        for board, rate in play_selection(settings, partial(build_policy, name)).win_rates.items():
            found[board][name] = rate
    return found
