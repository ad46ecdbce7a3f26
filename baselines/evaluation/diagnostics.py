"""Diagnostics of a policy: how often it hits certain mines, passes over safe cells, and guesses badly."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from baselines.evaluation.intervals import mean_interval, wilson_interval
from baselines.evaluation.judge import GameDiagnosis, Loss
from baselines.terminal.tables import Page

NOTES: tuple[str, ...] = (
    "Every click but the first of a game, judged by the exact mine probabilities of the board before it:",
    "on mines: a click on a certain mine. past safe: a click elsewhere while a certainly safe cell existed.",
    "guesses: clicks on cells that were not certainly safe. excess: the risk taken beyond the minimum of the board.",
    "avoidable, forced: fractions of the lost games whose last click was judged; forced if its risk was the least.",
)
"""An explanation of the labels of `Diagnostics.lines`."""


@dataclass(frozen=True)
class Share:
    """A fraction of games, with its confidence interval.

    Attributes:
        count: number of games with the property.
        of: number of games in all.
        share: count / of; None if `of` is 0.
        ci95: 95 % Wilson interval of the fraction; None if `of` is 0.
    """

    count: int
    of: int
    share: float | None
    ci95: tuple[float, float] | None

    @classmethod
    def among(cls, count: int, games: int) -> Share:
        """Returns the fraction that `count` games are of `games`."""
        if games == 0:
            return cls(0, 0, None, None)
        return cls(count, games, count / games, wilson_interval(count, games))

    def __str__(self) -> str:
        """Returns the fraction in per cent, with its interval."""
        return "none" if self.share is None else f"{self.share:.1%}{_interval(self.ci95, '.1%')}"


@dataclass(frozen=True)
class Diagnostics:
    """Totals over the diagnoses of a policy's games; docs/how-to/diagnostics.md defines every figure.

    Attributes:
        clicks_judged: number of judged clicks; the first click of a game is not judged.
        clicks_not_judged: number of clicks on boards that were too hard for the oracle.
        clicks_on_mines: number of judged clicks on a certain mine.
        clicks_past_safe: number of judged clicks with a risk above 0 while a certainly safe cell existed.
        guesses: number of judged clicks with a risk above 0.
        guesses_per_game: mean number of guesses per game.
        excess_risk_per_guess: mean excess risk per guess, beyond the minimum of the board; None without guesses.
        excess_risk_per_game: mean over the games of their summed excess risk.
        excess_risk_per_game_ci95: its 95 % interval by the normal approximation; None for a single game.
        games_on_mines: fraction of games lost by a click on a certain mine.
        games_past_safe: fraction of games with a click past a safe cell.
        lost: number of lost games.
        lost_not_judged: number of lost games whose last click was not judged.
        lost_avoidable: fraction of the other lost games whose last click had more than the least risk.
        lost_forced: fraction of the other lost games whose last click had the least risk.
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
        """Sums the diagnoses of at least one game."""
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
        """Returns the figures as a JSON object."""
        return asdict(self)

    def lines(self) -> list[tuple[str, str]]:
        """Returns the figures for people, as (label, value)."""
        guess = self.excess_risk_per_guess
        return [
            ("clicks judged", f"{self.clicks_judged}"),
            ("on mines", f"{self.clicks_on_mines}, in {self.games_on_mines} of the games"),
            ("past safe", f"{self.clicks_past_safe}, in {self.games_past_safe} of the games"),
            ("guesses/game", f"{self.guesses_per_game:.2f}"),
            ("excess/guess", "none" if guess is None else f"{guess:.4f}"),
            ("excess/game", f"{self.excess_risk_per_game:.4f}{_interval(self.excess_risk_per_game_ci95, '.4f')}"),
            ("lost", f"{self.lost}"),
            ("avoidable", str(self.lost_avoidable)),
            ("forced", str(self.lost_forced)),
        ]

    def gaps(self, policy: str) -> list[str]:
        """Returns a note on the clicks that could not be judged, if there are any."""
        if not self.clicks_not_judged:
            return []
        return [
            f"{policy}: {self.clicks_not_judged} clicks were not judged: the oracle found their boards too hard; "
            f"{self.lost_not_judged} of them lost the game."
        ]


def add_diagnostics(page: Page, diagnoses: Sequence[tuple[str, Sequence[GameDiagnosis]]]) -> None:
    """Adds the diagnostics of the policies whose games were judged, one block per policy.

    Args:
        page: the report that grows.
        diagnoses: the policies, each with one diagnosis per game; none if its games were not judged.
    """
    found = [(policy, Diagnostics.of(games)) for policy, games in diagnoses if games]
    if not found:
        return
    page.title("What the clicks were like")
    for policy, diagnostics in found:
        page.block(policy, diagnostics.lines())
    for note in (*NOTES, *(note for policy, diagnostics in found for note in diagnostics.gaps(policy))):
        page.note(note)


def _interval(ends: tuple[float, float] | None, form: str) -> str:
    return "" if ends is None else f" ({ends[0]:{form}} to {ends[1]:{form}})"
