"""Results of policies from the records of their games, their paired comparisons, and their rows in files of results."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

from baselines.evaluation.columns import Row
from baselines.evaluation.games import GameRecord, pack_won
from baselines.evaluation.intervals import p_value_of_discordant, paired_difference, wilson_interval
from baselines.evaluation.judge import add_up
from baselines.provenance import source_commit
from minesweeper_env import __version__
from minesweeper_env.config import BoardConfig


@dataclass
class PolicyResult:
    """The games that a policy played on a board; its figures need at least one.

    Attributes:
        policy: name of the policy.
        records: one record per game, in the order of the seeds.
        seconds: wall-clock time, including the start of the policy and of the workers.
        playing_seconds: time spent playing, summed over the workers; judging clicks does not count.
        counters: increase of the policy's counters in these games; see `baselines.policy.Policy`.
        precision: number format of the policy's network; None for a policy without such a choice.
        interrupted: True if KeyboardInterrupt ended the games.
    """

    policy: str
    records: Sequence[GameRecord]
    seconds: float = 0.0
    playing_seconds: float = 0.0
    counters: Mapping[str, int] = field(default_factory=dict)
    precision: str | None = None
    interrupted: bool = False

    @property
    def games(self) -> int:
        """The number of games."""
        return len(self.records)

    @property
    def wins(self) -> int:
        """The number of games won."""
        return sum(record.won for record in self.records)

    @property
    def win_rate(self) -> float:
        """The fraction of the games won."""
        return self.wins / self.games

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % Wilson interval of the win rate."""
        return wilson_interval(self.wins, self.games)

    @property
    def truncated(self) -> int:
        """The number of games that the step limit ended."""
        return sum(record.truncated for record in self.records)


def result_row(result: PolicyResult) -> Row:
    """Returns the result of a policy as a JSON object."""
    games, records = result.games, result.records
    diagnoses = [record.diagnosis for record in records if record.diagnosis is not None]
    return {
        "policy": result.policy,
        "games": games,
        "wins": result.wins,
        "win_rate": result.win_rate,
        "ci95": list(result.interval),
        "seconds": round(result.seconds, 3),
        "ms_per_game": round(1000.0 * result.playing_seconds / games, 3),
        "clicks_per_game": sum(record.clicks for record in records) / games,
        "truncated": result.truncated,
        "won": pack_won([record.won for record in records]),
        **({"precision": result.precision} if result.precision else {}),
        **{f"{name}_per_game": total / games for name, total in sorted(result.counters.items())},
        **({"diagnostics": add_up(diagnoses)} if diagnoses else {}),
    }


def compare(result: PolicyResult, other: PolicyResult) -> Row | None:
    """Returns the exact McNemar test of two policies on the seeds that both played; None if they share no seed.

    Its fields: `against`, the other policy; `games` that both played; `won_alone` by the first policy alone;
    `lost_alone`, won by the other alone; `p_value`.
    """
    theirs = {record.seed: record.won for record in other.records}
    pairs = [(record.won, theirs[record.seed]) for record in result.records if record.seed in theirs]
    won, lost = pairs.count((True, False)), pairs.count((False, True))
    test = {"against": other.policy, "games": len(pairs), "won_alone": won, "lost_alone": lost}
    return {**test, "p_value": p_value_of_discordant(won, lost)} if pairs else None


def points(wins: int, test: Row) -> list[float]:
    """Returns the difference of two win rates in percentage points, then the ends of its 95 % interval.

    The first policy won `wins` of the compared games; `test` is what `compare` returned.
    """
    won, lost = test["won_alone"], test["lost_alone"]
    return [100.0 * each for each in paired_difference(wins - won, won, lost, test["games"] - wins - lost)]


def versions() -> dict[str, str]:
    """Returns the commit of the code, and the versions of Python and of the installed packages that results depend on.

    Imported modules play no part: a driver that plays with other processes may not import what its workers import.
    """
    found = {"commit": source_commit(), "python": platform.python_version(), "minesweeper_env": __version__}
    optional = [name for name in ("pgmpy", "torch") if find_spec(name) is not None]
    return found | {name: version(name) for name in ("numpy", "gymnasium", "numba", *optional)}


def config_row(config: BoardConfig) -> dict[str, Any]:
    """Returns the configuration of the games as a JSON object."""
    row = {"size": [config.rows, config.cols], "mines": config.mines, "first_click": config.first_click}
    return row | ({"no_guess": config.no_guess} if config.no_guess else {})
