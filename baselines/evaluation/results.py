"""Results of policies from the records of their games, their paired comparisons, and their rows in files of results."""

import platform
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from importlib.util import find_spec
from itertools import combinations, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.evaluation.columns import Row
from baselines.evaluation.games import GameRecord, pack_won
from baselines.evaluation.intervals import p_value_of_discordant, paired_difference, wilson_interval
from baselines.evaluation.judge import add_up
from baselines.evaluation.seeds import use_of
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
        beliefs: figures of the policy's own mine probabilities; see `baselines.evaluation.beliefs.measure_beliefs`.
        interrupted: True if KeyboardInterrupt ended the games.
    """

    policy: str
    records: Sequence[GameRecord]
    seconds: float = 0.0
    playing_seconds: float = 0.0
    counters: Mapping[str, int] = field(default_factory=dict)
    precision: str | None = None
    beliefs: Row | None = None
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


def rate_row(games: int, wins: int) -> Row:
    """Returns the counts of a row, the win rate and its 95 % Wilson interval."""
    return {"games": games, "wins": wins, "win_rate": wins / games, "ci95": list(wilson_interval(wins, games))}


def result_row(result: PolicyResult) -> Row:
    """Returns the result of a policy as a JSON object."""
    games, records = result.games, result.records
    diagnoses = [record.diagnosis for record in records if record.diagnosis is not None]
    return {
        "policy": result.policy,
        **rate_row(games, result.wins),
        "seconds": round(result.seconds, 3),
        "ms_per_game": round(1000.0 * result.playing_seconds / games, 3),
        "clicks_per_game": sum(record.clicks for record in records) / games,
        "truncated": result.truncated,
        "won": pack_won([record.won for record in records]),
        **({"precision": result.precision} if result.precision else {}),
        **{f"{name}_per_game": total / games for name, total in sorted(result.counters.items())},
        **({"diagnostics": add_up(diagnoses)} if diagnoses else {}),
        **({"beliefs": result.beliefs} if result.beliefs else {}),
    }


def answer_notes(results: Iterable[PolicyResult]) -> Iterator[str]:
    """Yields lines on the answers of language models: how many transcripts gave, and how many were cut."""
    for result in results:
        found = result.counters
        if "answers" in found:
            yield f"{result.policy}: read {found['read']} of {found['answers']} answers from transcripts."
            if found["cut"]:
                yield (
                    f"{result.policy}: a limit of tokens cut {found['cut']} of {found['answers']} answers, which count "
                    "as illegal; raise max_tokens, or the limit of the server."
                )


def compare(against: str, won: NDArray[np.bool_], theirs: NDArray[np.bool_]) -> Row:
    """Returns the exact McNemar test of a policy against another one, from their outcomes of the same games.

    Its fields: `against`, the other policy; `games` that both played; `won_alone` by the first policy alone;
    `lost_alone`, won by the other alone; `p_value`; `difference` of the win rates in percentage points, and the ends of
    its 95 % interval, `difference_ci95`.
    """
    neither, lost, alone, both = np.bincount(2 * won + theirs, minlength=4).tolist()
    difference, *ends = (100.0 * each for each in paired_difference(both, alone, lost, neither))
    test = {"against": against, "games": len(won), "won_alone": alone, "lost_alone": lost}
    test["p_value"] = p_value_of_discordant(alone, lost)
    return test | {"difference": difference, "difference_ci95": ends}


def paired_tests(results: Iterable[PolicyResult], paired: str) -> list[Row]:
    """Returns the tests of pairs of policies, each on the seeds that both played.

    `paired` is "next" to compare each policy with the next stronger one, "all" for each two policies, or the name of a
    policy to compare all others with it. If two win rates are equal, the policy listed later counts as stronger.
    """
    tests = []
    for one, other in _pairs(sorted(results, key=lambda each: each.win_rate), paired):
        theirs = {record.seed: record.won for record in other.records}
        outcomes = [(record.won, theirs[record.seed]) for record in one.records if record.seed in theirs]
        if outcomes:
            tests.append({"policy": one.policy, **compare(other.policy, *np.array(outcomes).T)})
    return tests


def _pairs(rivals: list[PolicyResult], paired: str) -> Iterator[tuple[PolicyResult, PolicyResult]]:
    """Returns the pairs of `paired_tests`, from rivals in the order of their win rates."""
    if paired == "next":
        return pairwise(rivals)
    if paired == "all":
        return combinations(rivals, 2)
    references = [rival for rival in rivals if rival.policy == paired]
    return ((rival, reference) for reference in references for rival in rivals if rival is not reference)


def without_difference(test: Row) -> Row:
    """Returns a test as the files of results hold it, without the difference of the win rates."""
    return {name: value for name, value in test.items() if not name.startswith("difference")}


def with_tests(rows: Iterable[Row], tests: Sequence[Row]) -> list[Row]:
    """Returns rows, each with the first test of its policy, or None, as `mcnemar`."""
    first = {test["policy"]: {name: test[name] for name in test if name != "policy"} for test in reversed(tests)}
    return [row | {"mcnemar": first.get(row["policy"])} for row in rows]


def file_head(seed: int, games: int, command: str, played_by: Mapping[str, str]) -> Row:
    """Returns what each file of results says of its games, and of the versions of the code that played them."""
    return {"seed": seed, "games": games, "seeds_for": use_of(seed), "command": command, "versions": played_by}


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
    row |= {"no_guess": config.no_guess} if config.no_guess else {}
    return row if config.luck else row | {"luck": False}
