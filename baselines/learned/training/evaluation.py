"""Evaluation during a training: selection games, the win rates of scripted policies, and the choice of an agent."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from torch import nn

from baselines.evaluation.games import play_games
from baselines.evaluation.seeds import SELECTION_SEEDS
from baselines.learned.agents.storage import save_agent
from baselines.learned.settings.training import TrainingSettings
from baselines.policy import Policy
from baselines.support.structs import Kept
from minesweeper_env.config import BoardConfig
from minesweeper_env.notices import say

REFERENCES = ("random", "exact", "lookahead")
"""Scripted policies that play the selection games too: random clicks, least exact risk, and search."""

References = dict[str, dict[str, float]]
"""Win rates of the `REFERENCES` on each board."""


class Score(NamedTuple):
    """Result of an agent in the selection games.

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


class Selection:
    """Selection games of a training.

    Args:
        settings: of the training.
        references: known win rates of the scripted policies; None plays their games when they are first needed.

    Attributes:
        references: win rates of the scripted policies on each board; empty before `play_references`.
        playing: the scripted policy that plays now; "" for none.
    """

    def __init__(self, settings: TrainingSettings, references: References | None = None) -> None:
        """Plays nothing yet."""
        self.seeds = SELECTION_SEEDS[: settings.eval_games]
        self.boards = dict(zip(settings.boards, settings.configs, strict=True))
        self.references: References = references or {}
        self.playing = ""

    def play_references(self) -> None:
        """Plays the games of the scripted policies, each announced on stderr, unless their win rates are known."""
        if self.references:
            return
        # Filled at the end alone, because a checkpoint holds all references or none.
        self.references = {board: self._reference_rates(board) for board in self.boards}

    def _reference_rates(self, board: str) -> dict[str, float]:
        from baselines.registry import build_policy

        games = f"{len(self.seeds)} selection games of {board}"
        rates = {}
        for name in REFERENCES:
            say(f"Play the {games} with {name}, for comparison")
            self.playing = name
            rates[name] = self._win_rate(build_policy(name, self.boards[board]), board)
        self.playing = ""
        return rates

    def score(self, policy_of: Callable[[BoardConfig], Policy]) -> Score:
        """Plays the games with the policies that `policy_of` makes, one for each board."""
        rates = {board: self._win_rate(policy_of(config), board) for board, config in self.boards.items()}
        return Score(rates, len(self.seeds))

    def describe(self, score: Score) -> str:
        """Returns one line with the win rates of an agent, and of the scripted policies if they have played."""
        return "; ".join(
            f"{board} wins {rate:.1%}{self._describe_references(board)}" for board, rate in score.win_rates.items()
        )

    def _describe_references(self, board: str) -> str:
        rates = ", ".join(f"{name} {rate:.1%}" for name, rate in self.references.get(board, {}).items())
        return f" ({rates})" if rates else ""

    def _win_rate(self, policy: Policy, board: str) -> float:
        records = play_games(policy, self.boards[board], self.seeds)
        return sum(record.won for record in records) / len(records)


@dataclass
class BestAgent:
    """The agent in the run folder, which a later one replaces if it is as good.

    Attributes:
        folder: the run folder.
        settings: of the training.
        kept: facts about the agent in the folder, JSON-able; None before the first one.
        highest: best win rate so far.
    """

    folder: Path
    settings: TrainingSettings
    kept: Kept | None = None
    highest: float = 0.0

    @property
    def summary(self) -> str:
        """One line about the agent in the folder; empty before the first one."""
        return "" if self.kept is None else str(self.kept["summary"])

    @property
    def steps(self) -> int:
        """Step of the agent in the folder; 0 before the first one."""
        return 0 if self.kept is None else int(self.kept["steps"])

    def offer(self, network: nn.Module, score: Score, steps: int, summary: str) -> None:
        """Saves a network, unless an earlier one won more by over a standard error.

        Args:
            network: what plays.
            score: its result.
            steps: of the training so far.
            summary: its result in words.
        """
        if self.kept is None or score.is_as_good_as(self.highest):
            self.kept = {
                "win_rate": score.win_rate,
                "win_rates": score.win_rates,
                "games": score.games,
                "first_seed": SELECTION_SEEDS.start,
                "steps": steps,
                "summary": summary,
            }
            self._save(network)
        self.highest = max(self.highest, score.win_rate)

    def _save(self, network: nn.Module) -> None:
        save_agent(self.folder, network, self.settings.network, self._facts())

    def _facts(self) -> dict[str, Any]:
        return {
            "algo": self.settings.algo,
            "trained_on": {"boards": list(self.settings.boards), "first_click": self.settings.first_click}
            | ({} if self.settings.no_guess == "none" else {"no_guess": self.settings.no_guess}),
            "teacher": self.settings.teacher,
            "selected_by": self.kept,
        }
