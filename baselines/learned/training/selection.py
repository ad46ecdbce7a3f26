"""Selection games, the validation set of a training: scores of an agent and of scripted policies in them."""

import math
from collections.abc import Callable, Hashable
from typing import NamedTuple

from baselines.evaluation.games import play_games
from baselines.evaluation.intervals import wilson_interval
from baselines.evaluation.seeds import SELECTION_SEEDS
from baselines.learned.settings import TrainingSettings
from baselines.policy import Policy
from baselines.registry import find_policy
from minesweeper_env.config import BoardConfig
from minesweeper_env.console import say

REFERENCES = ("random", "exact", "lookahead")
"""Scripted policies that play the selection games too: random clicks, least exact risk, and search."""

PolicyOf = Callable[[BoardConfig], Policy]
References = dict[str, dict[str, float]]
"""Win rates by board, then by policy of `REFERENCES`."""

_cached_references: dict[Hashable, References] = {}


class Score(NamedTuple):
    """Result of an agent in the selection games: its win rate by board, in `games` games on each."""

    win_rates: dict[str, float]
    games: int

    @property
    def win_rate(self) -> float:
        """Mean win rate over the boards."""
        return sum(self.win_rates.values()) / len(self.win_rates)

    @property
    def standard_error(self) -> float:
        """Standard error of `win_rate`."""
        variances = [rate * (1 - rate) / self.games for rate in self.win_rates.values()]
        return math.sqrt(sum(variances)) / len(variances)

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of `win_rate`: Wilson's on one board, the normal approximation on several."""
        if len(self.win_rates) == 1:
            return wilson_interval(round(self.win_rate * self.games), self.games)
        half_width = 1.96 * self.standard_error
        return max(0.0, self.win_rate - half_width), min(1.0, self.win_rate + half_width)

    def __str__(self) -> str:
        """Returns the mean win rate and the longer side of its interval, such as "76.0% ±5.1"."""
        return f"{self.win_rate:.1%} ±{100 * max(abs(end - self.win_rate) for end in self.interval):.1f}"

    def compared_with(self, references: References) -> str:
        """Returns the mean win rate, and in brackets those of `references`, as "76.0% ±5.1 (random ...)"."""
        policies, games = next(iter(references.values()), {}), self.games
        others = {name: Score({board: rates[name] for board, rates in references.items()}, games) for name in policies}
        return f"{self} ({', '.join(f'{name} {score}' for name, score in others.items())})" if others else str(self)

    def lines(self, references: References) -> list[str]:
        """Returns a line for each board, and one for the mean of several."""
        lines = []
        for board, rate in self.win_rates.items():
            of_board = {board: references[board]} if board in references else {}
            lines.append(f"{board} wins {Score({board: rate}, self.games).compared_with(of_board)}")
        return [*lines, f"mean wins {self.compared_with(references)}"] if len(lines) > 1 else lines


def count_wins(settings: TrainingSettings, policy_of: PolicyOf, seeds: range) -> dict[str, int]:
    """Plays games with the policy that `policy_of` makes for each board; returns the wins by board."""
    boards = zip(settings.boards, settings.configs, strict=True)
    return {board: sum(game.won for game in play_games(policy_of(config), config, seeds)) for board, config in boards}


def play_selection(settings: TrainingSettings, policy_of: PolicyOf) -> Score:
    """Returns the score, in the selection games, of the policies that `policy_of` makes for the boards."""
    seeds = SELECTION_SEEDS[: settings.eval_games]
    wins = count_wins(settings, policy_of, seeds)
    return Score({board: won / len(seeds) for board, won in wins.items()}, len(seeds))


def play_references(settings: TrainingSettings, on_player: Callable[[str], object]) -> References:
    """Returns the win rates of the scripted policies in the selection games; the process plays them once.

    `on_player` gets the name of each policy before it plays.
    """
    key = tuple(settings.boards), settings.first_click, settings.no_guess, settings.luck, settings.eval_games
    if key not in _cached_references:
        references = References()
        for name in REFERENCES:
            on_player(name)
            games = f"{settings.eval_games} selection games of {', '.join(settings.boards)}"
            say(f"Play the {games} with {name}, for comparison")
            for board, rate in play_selection(settings, find_policy(name)).win_rates.items():
                references.setdefault(board, {})[name] = rate
        _cached_references[key] = references
    return _cached_references[key]
