"""Report of a tournament: a table of ratings, a table of pairs, a JSON file and a plot."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from baselines.azulejos.matches.elo import Rating, anchor_of, rate_policies
from baselines.azulejos.matches.pairs import Interval, PairResult
from baselines.azulejos.matches.tournament import Games, Tournament
from baselines.evaluation.results import versions
from baselines.support.board_names import colours_name, size_name
from baselines.support.files import write_json
from baselines.terminal.tables import Column, Page, Table

RATINGS = (
    Column("policy", "left", folds=True),
    Column("Elo"),
    Column("95 % interval"),
    Column("games", priority=2),
    Column("win rate", priority=1),
)
PAIRS = (
    Column("policy", "left", folds=True),
    Column("against", "left", folds=True),
    Column("wins", priority=4),
    Column("ties", priority=5),
    Column("losses", priority=6),
    Column("win rate"),
    Column("95 % interval"),
    Column("moving first", priority=7),
    Column("difference", priority=2),
    Column("95 % interval", priority=3),
)


@dataclass(frozen=True)
class Report:
    """Results of a tournament on the boards that every pair has played.

    Attributes:
        tournament: the policies and boards.
        games: the scores so far.
        command: command line that repeats the tournament.
    """

    tournament: Tournament
    games: Games
    command: str

    @property
    def boards(self) -> int:
        """The number of boards that every pair has played."""
        return min(len(self.games.of_pair(pair)) for pair in range(len(self.tournament.pairs)))

    @cached_property
    def pairs(self) -> list[PairResult]:
        """The results of all pairs; empty before every pair has played a board."""
        names, boards = self.tournament.names, self.boards
        return [
            PairResult(names[first], names[second], self.games.of_pair(pair)[:boards])
            for pair, (first, second) in enumerate(self.tournament.pairs if boards else ())
        ]

    @cached_property
    def ratings(self) -> list[Rating]:
        """The ratings, in the order of the policies."""
        rates = np.array([pair.board_rates for pair in self.pairs])
        return rate_policies(self.tournament.names, self.tournament.pairs, rates, self.tournament.seed)

    @cached_property
    def ranked(self) -> list[Rating]:
        """The ratings, best first."""
        return sorted(self.ratings, key=lambda rating: -rating.estimate)

    def result(self, policy: str, against: str) -> PairResult:
        """Returns the games of two policies from the side of the first."""
        for pair in self.pairs:
            if (pair.policy, pair.against) == (policy, against):
                return pair
            if (pair.against, pair.policy) == (policy, against):
                return pair.reversed()
        raise KeyError((policy, against))

    def win_rate(self, policy: str) -> float:
        """Returns the win rate of a policy over all of its games."""
        rates = [self.result(policy, other).win_rate for other in self.tournament.names if other != policy]
        return math.fsum(rates) / len(rates)

    def title(self) -> str:
        """Returns the board and the seeds in one line."""
        config, first = self.tournament.config, self.tournament.seed
        seeds = f"seeds {first} to {first + self.boards - 1}" if self.boards > 1 else f"seed {first}"
        return f"Azulejos {size_name(config.rows, config.cols)}, {colours_name(config.colours)}, {seeds}"

    def notes(self) -> list[str]:
        """Returns the explanations below the tables, one line each."""
        anchor = self.tournament.names[anchor_of(self.tournament.names)]
        notes = [
            f"Each pair plays each of {self.boards} boards twice, with either policy moving first. Win rate: wins and "
            "half of the ties. Difference: mean score less the other's.",
            f"Elo: {anchor} = 0; intervals by a bootstrap over boards.",
        ]
        if self.boards < self.tournament.boards:
            notes.insert(0, f"Only the first {self.boards} of {self.tournament.boards} boards are complete.")
        if any(rating.side for rating in self.ratings):
            notes.append("> and <: the policy won or lost every game that would limit its rating; the limit is given.")
        return notes

    def print_tables(self, wide: bool = False) -> None:
        """Prints the results on stdout; `wide` tables have all columns, whatever the terminal."""
        page = Page.for_stdout(wide)
        self._fill(page)
        page.print()

    def text(self, width: int | None = None) -> str:
        """Returns the results as plain text of at most `width` columns; None for all columns."""
        page = Page(width)
        self._fill(page)
        return page.text()

    def _fill(self, page: Page) -> None:
        games = 2 * self.boards * (len(self.ranked) - 1)
        rows = [
            (each.policy, elo_text(each), limits_text(each), f"{games}", f"{self.win_rate(each.policy):.1%}")
            for each in self.ranked
        ]
        page.table(Table(self.title(), RATINGS, rows, [0]))
        page.table(Table("Pairs, stronger policy first", PAIRS, [_cells(pair) for pair in self._ordered()]))
        for note in self.notes():
            page.note(note)

    def _ordered(self) -> list[PairResult]:
        """Returns the results of the pairs by rank, from the side of the stronger policy."""
        names = [rating.policy for rating in self.ranked]
        return [self.result(name, other) for at, name in enumerate(names) for other in names[at + 1 :]]

    def write_json(self, path: Path) -> None:
        """Writes the results so far, and replaces an earlier file."""
        tournament = self.tournament
        config = tournament.config
        rules = {"points": list(config.points), "per_tile": config.per_tile, "bonus": str(config.bonus)}
        size = {"size": [config.rows, config.cols], "colours": config.colours, "side": config.side}
        content = {
            "env": "Azulejos-v0",
            "config": size | rules,
            "seed": tournament.seed,
            "boards": tournament.boards,
            "games_per_pair": 2 * tournament.boards,
            "complete_boards": self.boards,
            "command": self.command,
            "versions": versions(),
            "policies": list(tournament.names),
            "pairs": [_pair_row(pair) for pair in self.pairs],
            "elo": [_rating_row(rating) for rating in (self.ranked if self.pairs else ())],
        }
        write_json(path, content)


def elo_text(rating: Rating) -> str:
    """Returns a rating in whole points, after ">" or "<" where it is a bound."""
    return f"{('', '> ', '< ')[rating.side]}{rating.elo:.0f}"


def limits_text(rating: Rating) -> str:
    """Returns the interval of a rating; "" for the anchor, whose rating is given."""
    if rating.low == rating.high:
        return ""
    return " to ".join("no limit" if math.isinf(limit) else f"{limit:.0f}" for limit in (rating.low, rating.high))


def _percent(interval: Interval) -> str:
    return f"{interval[0]:.1%} to {interval[1]:.1%}"


def _cells(pair: PairResult) -> Sequence[str]:
    limits = pair.difference_interval
    return (
        pair.policy,
        pair.against,
        f"{pair.wins}",
        f"{pair.ties}",
        f"{pair.losses}",
        f"{pair.win_rate:.1%}",
        _percent(pair.interval),
        f"{pair.win_rate_first:.1%}",
        f"{pair.difference:+.2f}",
        "" if limits is None else f"{limits[0]:+.2f} to {limits[1]:+.2f}",
    )


def _pair_row(pair: PairResult) -> dict[str, Any]:
    limits = pair.difference_interval
    return {
        "policy": pair.policy,
        "against": pair.against,
        "games": pair.games,
        "wins": pair.wins,
        "ties": pair.ties,
        "losses": pair.losses,
        "win_rate": pair.win_rate,
        "ci95": list(pair.interval),
        "win_rate_moving_first": pair.win_rate_first,
        "win_rate_moving_second": 2 * pair.win_rate - pair.win_rate_first,
        "score_difference": pair.difference,
        "score_difference_ci95": None if limits is None else list(limits),
    }


def _rating_row(rating: Rating) -> dict[str, Any]:
    limits = [None if math.isinf(limit) else limit for limit in (rating.low, rating.high)]
    return {
        "policy": rating.policy,
        "elo": rating.elo,
        "ci95": limits,
        "estimate": rating.estimate,
        "bound": ("none", "lower", "upper")[rating.side],
    }
