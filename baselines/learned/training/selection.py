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
"""Win rates of the `REFERENCES` on each board."""

_played: dict[Hashable, References] = {}


class Score(NamedTuple):
    """Result of an agent in the selection games: the fraction won by board, of so many games on each."""

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

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the mean: Wilson's on one board, the normal approximation on several."""
        if len(self.win_rates) == 1:
            return wilson_interval(round(self.win_rate * self.games), self.games)
        half_width = 1.96 * self.standard_error
        return max(0.0, self.win_rate - half_width), min(1.0, self.win_rate + half_width)

    def __str__(self) -> str:
        """Returns the mean and the longer side of its interval, such as "76.0% ±5.1"."""
        return f"{self.win_rate:.1%} ±{100 * max(abs(end - self.win_rate) for end in self.interval):.1f}"

    def beside(self, references: References) -> str:
        """Returns the mean with those of the scripted policies, if they have played, as "76.0% ±5.1 (random ...)"."""
        names, games = next(iter(references.values()), {}), self.games
        others = {name: Score({board: rates[name] for board, rates in references.items()}, games) for name in names}
        return f"{self} ({', '.join(f'{name} {score}' for name, score in others.items())})" if others else str(self)

    def lines(self, references: References) -> list[str]:
        """Returns a line for each board, and one for the mean of several."""
        found = []
        for board, rate in self.win_rates.items():
            played = {board: references[board]} if board in references else {}
            found.append(f"{board} wins {Score({board: rate}, self.games).beside(played)}")
        return [*found, f"mean wins {self.beside(references)}"] if len(found) > 1 else found


def count_wins(settings: TrainingSettings, policy_of: PolicyOf, seeds: range) -> dict[str, int]:
    """Plays games with the policies that `policy_of` makes, one for each board; returns the wins on each."""
    games = zip(settings.boards, settings.configs, strict=True)
    return {board: sum(each.won for each in play_games(policy_of(config), config, seeds)) for board, config in games}


def play_selection(settings: TrainingSettings, policy_of: PolicyOf) -> Score:
    """Plays the selection games; see `count_wins`."""
    seeds = SELECTION_SEEDS[: settings.eval_games]
    wins = count_wins(settings, policy_of, seeds)
    return Score({board: won / len(seeds) for board, won in wins.items()}, len(seeds))


def play_references(settings: TrainingSettings, on_player: Callable[[str], object]) -> References:
    """Plays the selection games with the scripted policies; `on_player` gets the name of each when it begins.

    Trainings of one process on the same games share the win rates.
    """
    key = tuple(settings.boards), settings.first_click, settings.no_guess, settings.luck, settings.eval_games
    if key not in _played:
        found = References()
        for name in REFERENCES:
            on_player(name)
            games = f"{settings.eval_games} selection games of {', '.join(settings.boards)}"
            say(f"Play the {games} with {name}, for comparison")
            for board, rate in play_selection(settings, find_policy(name)).win_rates.items():
                found.setdefault(board, {})[name] = rate
        _played[key] = found
    return _played[key]
