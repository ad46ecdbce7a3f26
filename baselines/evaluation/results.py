"""Results of policies, from the records of their games, and comparisons on the games that two of them played."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from baselines.evaluation.evaluate import Evaluation
from baselines.evaluation.games import GameRecord
from baselines.evaluation.intervals import mcnemar_p_value, wilson_interval, won_by_one
from baselines.evaluation.judge import GameDiagnosis


@dataclass(frozen=True)
class PolicyResult:
    """How a policy did, over at least one game.

    Attributes:
        policy: its name.
        records: its games.
        seconds: how long they took by the clock, start-up included.
        playing_seconds: the time spent playing, summed over the workers.
        counters: what the policy did in these games: see `baselines.policy.Policy`.
    """

    policy: str
    records: tuple[GameRecord, ...]
    seconds: float
    playing_seconds: float
    counters: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, policy: str, evaluation: Evaluation) -> PolicyResult:
        """Returns the result of an evaluation with at least one game."""
        return cls(
            policy, tuple(evaluation.records), evaluation.seconds, evaluation.playing_seconds, dict(evaluation.counters)
        )

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
        """The share of the games won."""
        return self.wins / self.games

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the win rate."""
        return wilson_interval(self.wins, self.games)

    @property
    def truncated(self) -> int:
        """The number of games that the step limit ended."""
        return sum(record.truncated for record in self.records)

    @property
    def diagnoses(self) -> list[GameDiagnosis]:
        """What the clicks of the games were like, if they were judged."""
        return [record.diagnosis for record in self.records if record.diagnosis is not None]

    @property
    def counters_per_game(self) -> dict[str, float]:
        """The mean of each tally, as "queries_per_game" for the tally "queries"."""
        return {f"{name}_per_game": total / self.games for name, total in sorted(self.counters.items())}

    @property
    def clicks_per_game(self) -> float:
        """The mean number of clicks."""
        return sum(record.clicks for record in self.records) / self.games

    @property
    def ms_per_game(self) -> float:
        """The milliseconds that one worker needs for a game."""
        return 1000.0 * self.playing_seconds / self.games


@dataclass(frozen=True)
class Comparison:
    """A policy against another on the games that both played.

    Attributes:
        against: the name of the other.
        games: the number of these games.
        won_alone: those that the policy won and the other did not.
        lost_alone: those that the other won and the policy did not.
        p_value: of the exact McNemar test.
    """

    against: str
    games: int
    won_alone: int
    lost_alone: int
    p_value: float


def compare(result: PolicyResult, other: PolicyResult) -> Comparison | None:
    """Returns the comparison of two policies on the seeds that both played, or None where there are none."""
    theirs = {record.seed: record.won for record in other.records}
    pairs = [(record.won, theirs[record.seed]) for record in result.records if record.seed in theirs]
    if not pairs:
        return None
    first, second = zip(*pairs, strict=True)
    return Comparison(other.policy, len(pairs), *won_by_one(first, second), mcnemar_p_value(first, second))


def compare_with_best(results: Sequence[PolicyResult]) -> list[Comparison | None]:
    """Returns the comparison of each policy with the one of the highest win rate; None for that one."""
    if not results:
        return []
    best = max(results, key=lambda result: result.win_rate)
    return [None if result is best else compare(result, best) for result in results]
