"""What the diagnoses of its games say that a policy has not learned."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from baselines.evaluation.intervals import mean_interval, wilson_interval
from baselines.evaluation.judge import GameDiagnosis, Loss

HEADINGS: tuple[str, ...] = (
    "clicks judged",
    "on mines",
    "past safe",
    "guesses/game",
    "excess/guess",
    "excess/game",
    "lost",
    "avoidable",
    "forced",
)

NOTES: tuple[str, ...] = (
    "Every click but the first of a game, by the exact mine probabilities of the board before it:",
    "on mines: on a cell that was certainly a mine. past safe: on a cell not certainly free, although there was one.",
    "guesses: on a cell that was not certainly free. excess: the risk taken beyond the least that the board allowed.",
    "avoidable, forced: shares of the lost games whose last click could be judged; forced if its risk was the least.",
)
"""What the headings mean."""


@dataclass(frozen=True)
class Share:
    """A share of games, which are independent of each other.

    Attributes:
        count: the games that it is about.
        of: the games that they are a share of.
        share: count / of; None where there are none.
        ci95: the 95 % Wilson interval of the share, or None.
    """

    count: int
    of: int
    share: float | None
    ci95: tuple[float, float] | None

    @classmethod
    def among(cls, count: int, games: int) -> Share:
        """Returns the share of `count` games among `games`."""
        if games == 0:
            return cls(0, 0, None, None)
        return cls(count, games, count / games, wilson_interval(count, games))

    def __str__(self) -> str:
        """Returns the share in per cent with its interval."""
        return "none" if self.share is None else f"{self.share:.1%}{_interval(self.ci95, '.1%')}"


@dataclass(frozen=True)
class Diagnostics:
    """The diagnoses of a policy's games, added up; docs/diagnostics.md defines every figure.

    Attributes:
        clicks_judged: the clicks after the first of each game that were judged.
        clicks_not_judged: those on boards too hard for the oracle.
        clicks_on_mines: the judged clicks on a cell that was certainly a mine.
        clicks_past_safe: the judged clicks with a risk, while another cell was certainly free.
        guesses: the judged clicks with a risk.
        guesses_per_game: their mean.
        excess_risk_per_guess: the mean, over the guesses, of the risk beyond the least; None without guesses.
        excess_risk_per_game: the mean, over the games, of the sum of these.
        excess_risk_per_game_ci95: its 95 % interval, by the normal distribution; None for a single game.
        games_on_mines: the share of games that a click on a certain mine lost.
        games_past_safe: the share of games with a click past a safe cell.
        lost: the lost games.
        lost_not_judged: those whose last click was not judged.
        lost_avoidable: the share of the others whose last click did not have the least risk.
        lost_forced: the share of the others whose last click had the least risk.
    """

    clicks_judged: int
    clicks_not_judged: int
    clicks_on_mines: int
    clicks_past_safe: int
    guesses: int
    guesses_per_game: float
    excess_risk_per_guess: float | None
    excess_risk_per_game: float
    excess_risk_per_game_ci95: tuple[float, float] | None
    games_on_mines: Share
    games_past_safe: Share
    lost: int
    lost_not_judged: int
    lost_avoidable: Share
    lost_forced: Share

    @classmethod
    def of(cls, games: Sequence[GameDiagnosis]) -> Diagnostics:
        """Adds up the diagnoses of at least one game."""
        guesses = sum(game.guesses for game in games)
        excess = [game.excess_risk for game in games]
        losses = {loss: sum(game.loss is loss for game in games) for loss in Loss}
        known = losses[Loss.AVOIDABLE] + losses[Loss.FORCED]
        return cls(
            clicks_judged=sum(game.judged for game in games),
            clicks_not_judged=sum(game.not_judged for game in games),
            clicks_on_mines=sum(game.on_mines for game in games),
            clicks_past_safe=sum(game.past_safe for game in games),
            guesses=guesses,
            guesses_per_game=guesses / len(games),
            excess_risk_per_guess=math.fsum(excess) / guesses if guesses else None,
            excess_risk_per_game=math.fsum(excess) / len(games),
            excess_risk_per_game_ci95=mean_interval(excess),
            games_on_mines=Share.among(sum(game.on_mines > 0 for game in games), len(games)),
            games_past_safe=Share.among(sum(game.past_safe > 0 for game in games), len(games)),
            lost=sum(losses.values()),
            lost_not_judged=losses[Loss.NOT_JUDGED],
            lost_avoidable=Share.among(losses[Loss.AVOIDABLE], known),
            lost_forced=Share.among(losses[Loss.FORCED], known),
        )

    def row(self) -> dict[str, Any]:
        """Returns the figures as JSON has them."""
        return asdict(self)

    def cells(self) -> list[str]:
        """Returns the cells of a table whose columns are `HEADINGS`."""
        return [
            f"{self.clicks_judged}",
            f"{self.clicks_on_mines}",
            f"{self.clicks_past_safe}",
            f"{self.guesses_per_game:.2f}",
            "none" if self.excess_risk_per_guess is None else f"{self.excess_risk_per_guess:.4f}",
            f"{self.excess_risk_per_game:.4f}{_interval(self.excess_risk_per_game_ci95, '.4f')}",
            f"{self.lost}",
            str(self.lost_avoidable),
            str(self.lost_forced),
        ]

    def gaps(self, policy: str) -> list[str]:
        """Returns a line that says how many clicks of the policy could not be judged, if any."""
        if not self.clicks_not_judged:
            return []
        return [
            f"{policy}: {self.clicks_not_judged} clicks were made on boards too hard for the oracle and not judged; "
            f"{self.lost_not_judged} of them lost the game."
        ]


def _interval(ends: tuple[float, float] | None, form: str) -> str:
    return "" if ends is None else f" ({ends[0]:{form}} to {ends[1]:{form}})"
