"""Rewards of a text game: each reply earns the change in the value of the game so far; the sum is its final value."""

import math
from collections.abc import Mapping
from typing import Any

from minesweeper_env.config import is_number

REWARDS: tuple[str, ...] = ("win", "progress", "risk", "sound", "form")
"""The rewards, which docs/how-to/language-models.md explains."""


def reward_weights(reward: Any) -> dict[str, float]:
    """Returns the weights of a reward by name, or of a dict of weights; raises a ValueError for any other value."""
    weights = {reward: 1.0} if isinstance(reward, str) else dict(reward) if isinstance(reward, Mapping) else {}
    if not weights or not weights.keys() <= set(REWARDS):
        raise ValueError(f"reward must be one of {', '.join(REWARDS)}, or a dict of weights by name, not {reward!r}")
    for name, weight in weights.items():
        if not is_number(weight):
            raise ValueError(f"the weight of {name} must be a finite number, not {weight!r}")
    return {name: float(weight) for name, weight in weights.items()}


class GameRewards:
    """The rewards of a game so far.

    They leave out the first click of the game, because it is a choice without clues. A game that a limit ends has the
    least value of `progress` and `sound`, and pays its stake to `risk`, so that no one gains by giving up. A click that
    loses takes the share `excess_risk` of `sound`, so that no one gains by opening a mine.

    `risk` is minus what avoidable risk is expected to cost. A game under way has a stake: the mean of 1, for the win,
    and of the share of the safe cells still covered. A click of e more than the least risk loses the stake with a
    probability that is e too high. Where the risks are exact, E[`risk`] of any way to play on is at least minus the
    stake, by induction over the clicks, because the stake never grows.
    """

    def __init__(self, safe_cells: int, opened: int) -> None:
        """Begins with the number of safe cells, and how many of them the first click has opened; 0 before it."""
        self._safe, self._first, self._opened = safe_cells, opened, opened
        self._judged, self._sound, self._last_excess, self._cost = 0, 0, 0.0, 0.0
        self._replies, self._legal = 0, 0
        self._values = dict.fromkeys(REWARDS, 0.0)

    def click(self, opened: int, excess_risk: float, sound: bool) -> None:
        """Takes in a click and the number of safe cells that are open after it; excess of NaN was not judged."""
        if not self._first:
            self._first = opened
        elif not math.isnan(excess_risk):
            self._judged, self._sound, self._last_excess = self._judged + 1, self._sound + sound, excess_risk
            self._cost += excess_risk * self._stake()
        self._opened = opened

    def reply(self, is_legal: bool) -> None:
        """Takes in a reply."""
        self._replies, self._legal = self._replies + 1, self._legal + is_legal

    def changes(self, won: bool = False, lost: bool = False, given_up: bool = False) -> dict[str, float]:
        """Returns the changes of the rewards since the last call, by name."""
        before = self._values
        kept = 0.0 if given_up else 1.0 - self._last_excess * lost
        sound = self._sound / self._judged if self._judged else float(won or lost)
        self._values = {
            "win": float(won),
            "progress": -1.0 if given_up else 1.0 - self._covered() - lost,
            "risk": -self._cost - self._stake() * given_up,
            "sound": kept * sound,
            "form": self._legal / max(1, self._replies),
        }
        return {name: value - before[name] for name, value in self._values.items()}

    def _covered(self) -> float:
        """Returns the share of the safe cells that are still covered, of those that the first click left."""
        left = self._safe - self._first
        return (self._safe - self._opened) / left if left else 0.0

    def _stake(self) -> float:
        return (1.0 + self._covered()) / 2.0
