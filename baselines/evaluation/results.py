"""Results of policies from the records of their games, their paired comparisons, and their rows in files of results."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

from baselines.evaluation.diagnostics import Diagnostics
from baselines.evaluation.evaluate import Evaluation
from baselines.evaluation.intervals import mcnemar_p_value, wilson_interval, won_by_one
from baselines.evaluation.judge import GameDiagnosis
from baselines.evaluation.records import GameRecord, pack_won
from baselines.support.provenance import source_commit
from minesweeper_env import __version__
from minesweeper_env.config import BoardConfig


@dataclass(frozen=True)
class PolicyResult:
    """Result of a policy over at least one game.

    Attributes:
        policy: name of the policy.
        records: records of its games.
        seconds: wall-clock time, including start-up.
        playing_seconds: time spent playing, summed over the workers.
        counters: increase of the policy's counters in these games; see `baselines.policy.Policy`.
        precision: number format of the policy's network; None for a policy without such a choice.
    """

    policy: str
    records: tuple[GameRecord, ...]
    seconds: float
    playing_seconds: float
    counters: Mapping[str, int] = field(default_factory=dict)
    precision: str | None = None

    @classmethod
    def of(cls, policy: str, evaluation: Evaluation, precision: str | None = None) -> PolicyResult:
        """Returns the result of an evaluation with at least one game."""
        records, counters = tuple(evaluation.records), dict(evaluation.counters)
        return cls(policy, records, evaluation.seconds, evaluation.playing_seconds, counters, precision)

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

    @property
    def diagnoses(self) -> list[GameDiagnosis]:
        """The diagnoses of the games whose clicks were judged."""
        return [record.diagnosis for record in self.records if record.diagnosis is not None]

    @property
    def counters_per_game(self) -> dict[str, float]:
        """The mean of each counter per game, such as "queries_per_game" of the counter "queries"."""
        return {f"{name}_per_game": total / self.games for name, total in sorted(self.counters.items())}

    @property
    def clicks_per_game(self) -> float:
        """The mean number of clicks."""
        return sum(record.clicks for record in self.records) / self.games

    @property
    def ms_per_game(self) -> float:
        """The mean playing time of a game, in milliseconds of one worker."""
        return 1000.0 * self.playing_seconds / self.games


@dataclass(frozen=True)
class Comparison:
    """Comparison of a policy with another, on the games that both played.

    Attributes:
        against: name of the other policy.
        games: number of games that both played.
        won_alone: number of games that only this policy won.
        lost_alone: number of games that only the other policy won.
        p_value: p-value of the exact McNemar test.
    """

    against: str
    games: int
    won_alone: int
    lost_alone: int
    p_value: float


def compare(result: PolicyResult, other: PolicyResult) -> Comparison | None:
    """Returns the comparison of two policies on the seeds that both played; None if they share no seed."""
    theirs = {record.seed: record.won for record in other.records}
    pairs = [(record.won, theirs[record.seed]) for record in result.records if record.seed in theirs]
    if not pairs:
        return None
    first, second = zip(*pairs, strict=True)
    return Comparison(other.policy, len(pairs), *won_by_one(first, second), mcnemar_p_value(first, second))


def compare_with_best(results: Sequence[PolicyResult]) -> list[Comparison | None]:
    """Compares each policy with the policy of the highest win rate; returns None for that policy itself."""
    if not results:
        return []
    best = max(results, key=lambda result: result.win_rate)
    return [None if result is best else compare(result, best) for result in results]


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


def result_row(result: PolicyResult) -> dict[str, Any]:
    """Returns the result of a policy as a JSON object."""
    diagnostics = {"diagnostics": Diagnostics.of(result.diagnoses).row()} if result.diagnoses else {}
    precision = {"precision": result.precision} if result.precision else {}
    return {
        "policy": result.policy,
        "games": result.games,
        "wins": result.wins,
        "win_rate": result.win_rate,
        "ci95": list(result.interval),
        "seconds": round(result.seconds, 3),
        "ms_per_game": round(result.ms_per_game, 3),
        "clicks_per_game": result.clicks_per_game,
        "truncated": result.truncated,
        "won": pack_won([record.won for record in result.records]),
        **precision,
        **result.counters_per_game,
        **diagnostics,
    }
