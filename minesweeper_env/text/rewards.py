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

    The rewards leave out the first click of a game, which is a choice without clues. A game that a limit ends has the
    least value of `progress` and `sound`, and pays its stake to `risk`, so that no one gains by giving up. A click that
    loses takes the share `excess_risk` of `sound`, so that no one gains by opening a mine.

    `risk` is minus the expected cost of avoidable risk. A game under way has a stake: the mean of 1, for the win, and
    the share of the safe cells that are still covered. A click whose risk exceeds the least one by e costs e times the
    stake. Where the risks are exact, E[`risk`] of any way to play on is at least minus the stake, by induction over the
    clicks, because the stake never grows.
    """

    def __init__(self, safe_cells: int, opened: int) -> None:
        """Takes the number of safe cells, and how many of them the first click has opened, 0 before that click."""
        self._safe_cells, self._first_opened, self._opened = safe_cells, opened, opened
        self._judged_count, self._sound_count, self._last_excess, self._risk_cost = 0, 0, 0.0, 0.0
        self._reply_count, self._legal_count = 0, 0
        self._values = dict.fromkeys(REWARDS, 0.0)

    def click(self, opened: int, excess_risk: float, sound: bool) -> None:
        """Counts a click, after which `opened` safe cells are open; its `excess_risk` is NaN if nothing judged it."""
        if not self._first_opened:
            self._first_opened = opened
        elif not math.isnan(excess_risk):
            self._judged_count, self._sound_count = self._judged_count + 1, self._sound_count + sound
            self._last_excess, self._risk_cost = excess_risk, self._risk_cost + excess_risk * self._stake()
        self._opened = opened

    def reply(self, is_legal: bool) -> None:
        """Counts a reply."""
        self._reply_count, self._legal_count = self._reply_count + 1, self._legal_count + is_legal

    def changes(self, won: bool = False, lost: bool = False, given_up: bool = False) -> dict[str, float]:
        """Returns by how much each reward, by name, has changed since the last call."""
        before = self._values
        # The part of `sound` that stays: nothing of it after giving up, and less after a loss by an avoidable risk.
        kept_share = 0.0 if given_up else 1.0 - self._last_excess * lost
        sound = self._sound_count / self._judged_count if self._judged_count else float(won or lost)
        self._values = {
            "win": float(won),
            "progress": -1.0 if given_up else 1.0 - self._covered_share() - lost,
            "risk": -self._risk_cost - self._stake() * given_up,
            "sound": kept_share * sound,
            "form": self._legal_count / max(1, self._reply_count),
        }
        return {name: value - before[name] for name, value in self._values.items()}

    def _covered_share(self) -> float:
        """Returns the share still covered of the safe cells that the first click left covered, from 0 to 1."""
        covered_at_start = self._safe_cells - self._first_opened
        return (self._safe_cells - self._opened) / covered_at_start if covered_at_start else 0.0

    def _stake(self) -> float:
        """Returns the stake that the class explains, from 0.5 to 1."""
        return (1.0 + self._covered_share()) / 2.0
