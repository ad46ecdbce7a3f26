"""Results of policies on the same games: their rows, paired tests, table, JSON file, data frame and plot."""

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from baselines import checks, files, plot_style, provenance
from baselines.evaluation.columns import ANSWERED, COMPARED, EVALUATED, best_rows, table_of, with_holm
from baselines.evaluation.games import GameRecord, pack_won, unpack_won
from baselines.evaluation.intervals import p_value_of_discordant, paired_difference, wilson_interval
from baselines.evaluation.plot import draw
from baselines.evaluation.seeds import range_text, use_of
from baselines.evaluation.units import Assignment, Part
from baselines.tables import Page, Row, Table
from minesweeper_env.config import BoardConfig
from minesweeper_env.escape import counted, html

KNOWN_FILE = Path(__file__).parent / "exact_wins.json"  # Outcomes of games of `exact`, for `known_wins`.

LEFT_OUT = ("won", "digest", "seconds", "mcnemar", "won_alone", "lost_alone")
"""Fields that the rows of a data frame lack."""


@dataclass
class PolicyResult:
    """The games that a policy played on a board; its figures need at least one.

    Attributes:
        records: one record per game, in the order of the seeds.
        seconds: wall-clock time, including the start of the policy and of the workers.
        playing_seconds: time spent playing, summed over the workers; judging clicks does not count.
        counters: increase of the policy's counters in these games; see `baselines.policy.Policy`.
        precision: number format of the policy's network; None for a policy without such a choice.
        digest: hash of the files of the policy; None for a policy of this package.
        beliefs: figures of the policy's own mine probabilities; see `baselines.evaluation.beliefs.measure_beliefs`.
        interrupted: True if KeyboardInterrupt ended the games.
    """

    policy: str
    records: Sequence[GameRecord]
    seconds: float = 0.0
    playing_seconds: float = 0.0
    counters: Mapping[str, int] = field(default_factory=dict)
    precision: str | None = None
    digest: str | None = None
    beliefs: Row | None = None
    interrupted: bool = False

    @classmethod
    def of(
        cls, task: Assignment, parts: Sequence[Part], seconds: float | None = None, interrupted: bool = False
    ) -> Self:
        """Returns the result of consecutive parts of an assignment; `seconds` is by default the time spent playing."""
        records = [record for part in parts for record in part.records]
        play_time, counters = sum(part.seconds for part in parts), Counter[str]()
        for part in parts:
            counters.update(part.counters)
        seconds = play_time if seconds is None else seconds
        return cls(task.name, records, seconds, play_time, counters, task.precision, task.digest, None, interrupted)

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
        """The number of games that the step limit or the policy ended."""
        return sum(record.truncated for record in self.records)

    def row(self) -> Row:
        """Returns the result as a JSON object."""
        games = self.games
        row = {
            "policy": self.policy,
            **rate_row(games, self.wins),
            "seconds": round(self.seconds, 3),
            "ms_per_game": round(1000.0 * self.playing_seconds / games, 3),
            "clicks_per_game": sum(record.clicks for record in self.records) / games,
            "opened_per_game": sum(record.opened for record in self.records) / games,
            "truncated": self.truncated,
            "won": pack_won([record.won for record in self.records]),
            **({"precision": self.precision} if self.precision else {}),
            **({"digest": self.digest} if self.digest else {}),
            **{f"{name}_per_game": total / games for name, total in sorted(self.counters.items())},
        }
        if diagnoses := [record.diagnosis for record in self.records if record.diagnosis is not None]:
            from baselines.evaluation.judge import add_up

            row["diagnostics"] = add_up(diagnoses)
        return row | ({"beliefs": self.beliefs} if self.beliefs else {})


def rate_row(games: int, wins: int) -> Row:
    """Returns the fields `games`, `wins`, `win_rate` and `ci95`, the 95 % Wilson interval of the win rate."""
    return {"games": games, "wins": wins, "win_rate": wins / games, "ci95": list(wilson_interval(wins, games))}


def answer_notes(results: Iterable[PolicyResult]) -> Iterator[str]:
    """Yields notes on each language model: how many answers were read from transcripts, and how many a limit cut."""
    for result in results:
        counters = result.counters
        if "answers" in counters:
            yield f"{result.policy}: read {counters['read']} of {counters['answers']} answers from transcripts."
            if counters["cut"]:
                yield (
                    f"{result.policy}: a limit of tokens cut {counters['cut']} of {counters['answers']} answers, "
                    "which count as illegal; raise max_tokens, or the limit of the server."
                )


def compare(against: str, won: NDArray[np.bool_], other_won: NDArray[np.bool_]) -> Row:
    """Returns the exact McNemar test of a policy against another one, from their outcomes of the same games.

    The fields: `against`, the other policy; `games` that both played; `won_alone` by the first policy alone;
    `lost_alone`, won by the other alone; `p_value`; `difference` of the win rates in percentage points, and the ends of
    its 95 % interval, `difference_ci95`.
    """
    neither, lost_alone, won_alone, both = np.bincount(2 * won + other_won, minlength=4).tolist()
    difference, *ends = (100.0 * rate for rate in paired_difference(both, won_alone, lost_alone, neither))
    row = {"against": against, "games": len(won), "won_alone": won_alone, "lost_alone": lost_alone}
    p_value = p_value_of_discordant(won_alone, lost_alone)
    return row | {"p_value": p_value, "difference": difference, "difference_ci95": ends}


def paired_tests(results: Iterable[PolicyResult], paired: str) -> list[Row]:
    """Returns the tests of pairs of policies, each on the seeds that both played.

    `paired` is "next" to compare each policy with the next stronger one, "all" for each two policies, or the name of a
    policy to compare all others with it. If two win rates are equal, the policy listed later counts as stronger.
    """
    ranked = sorted(results, key=lambda result: result.win_rate)
    with_named = ((one, other) for other in ranked if other.policy == paired for one in ranked if one is not other)
    pairs: Iterable[tuple[PolicyResult, PolicyResult]]
    pairs = pairwise(ranked) if paired == "next" else combinations(ranked, 2) if paired == "all" else with_named
    tests = []
    for one, other in pairs:
        other_won = {record.seed: record.won for record in other.records}
        outcomes = [(record.won, other_won[record.seed]) for record in one.records if record.seed in other_won]
        if outcomes:
            tests.append({"policy": one.policy, **compare(other.policy, *np.array(outcomes).T)})
    return tests


def without_difference(test: Row) -> Row:
    """Returns a test as the files of results hold it, without the difference of the win rates."""
    return {name: value for name, value in test.items() if not name.startswith("difference")}


def with_tests(rows: Iterable[Row], tests: Sequence[Row]) -> list[Row]:
    """Returns the rows with a field `mcnemar`: the first test of the row's policy, less its field "policy", or None."""
    # A later test replaces an earlier one of the same policy, so the order is reversed.
    first_tests = {test["policy"]: {name: test[name] for name in test if name != "policy"} for test in reversed(tests)}
    return [row | {"mcnemar": first_tests.get(row["policy"])} for row in rows]


def file_head(seed: int, games: int, command: str, played_by: Mapping[str, str]) -> Row:
    """Returns the fields at the head of each file of results: its seeds, its command and the versions that played."""
    return {"seed": seed, "games": games, "seeds_for": use_of(seed), "command": command, "versions": played_by}


def config_row(config: BoardConfig) -> dict[str, Any]:
    """Returns the configuration of the games as a JSON object."""
    row = {"size": [config.rows, config.cols], "mines": config.mines, "first_click": config.first_click}
    row |= {"no_guess": config.no_guess} if config.no_guess else {}
    return row if config.luck else row | {"luck": False}


@dataclass(repr=False)
class Results:
    """Results of policies on the same games; `print` shows them as a table of at most 80 columns.

    Attributes:
        config: board and rules of the games.
        seed: seed of game 0.
        games: number of games requested of each policy.
        policies: result of each policy that has played, in the order of the table.
        reference: name of the policy that the others are compared with; None for `exact`, or the best one without it.
        command: command line that repeats the evaluation.
        versions: the code that plays.
    """

    config: BoardConfig
    seed: int
    games: int
    policies: list[PolicyResult]
    reference: str | None = None
    command: str = ""
    versions: dict[str, str] = field(default_factory=provenance.versions)

    def __getitem__(self, name: str) -> PolicyResult:
        """Returns the result of a policy, such as `results["exact"].win_rate`."""
        for result in self.policies:
            if result.policy == name:
                return result
        raise KeyError(f"no policy {name!r}; there are {', '.join(result.policy for result in self.policies)}")

    def rows(self) -> list[dict[str, Any]]:
        """Returns one flat dict per policy, ready for `pandas.DataFrame`.

        Win rates and the ends of their intervals are fractions. `difference` and the ends of its interval are
        percentage points beyond the win rate of `against`. The reference has None for these and for the p-values.
        """
        game_fields = {"board": self.config.name, "first_click": self.config.first_click, "seed": self.seed}
        # The columns of the fields of a test, which have None in a row without one, and of the interval.
        column_of_field = {name: name for name in ("against", "difference", "difference_ci95")}
        column_of_field |= {"p_value": "p", "p_holm": "p_holm", "ci95": "win_rate_ci95"}
        rows = []
        for row in with_holm(self._rows()):
            fields = {name: value for name, value in row.items() if name not in (*LEFT_OUT, *column_of_field)}
            fields |= {column: row.get(name) for name, column in column_of_field.items()}
            rows.append(_flat({"policy": row["policy"], **game_fields, **fields}))
        return rows

    def to_json(self, path: str | os.PathLike[str]) -> None:
        """Writes the results as `evaluate.py --json` does, and replaces an earlier file; OSError if that fails."""
        results = [row | {"mcnemar": row["mcnemar"] and without_difference(row["mcnemar"])} for row in self._rows()]
        head = file_head(self.seed, self.games, self.command, self.versions)
        files.write_json(Path(path), {"config": config_row(self.config), **head, "results": results}, follow=True)

    def plot(self, path: str | os.PathLike[str]) -> None:
        """Draws the win rates with their intervals; the suffix of the path sets the format: .png, .pdf or .svg.

        Raises:
            ValueError: the suffix is none of these.
            OSError: the file cannot be written.
            MissingExtraError: matplotlib is not installed.
        """
        file = Path(path)
        plot_style.check_plot(file)
        checks.import_extra("matplotlib")
        content = {"boards": [{"config": config_row(self.config), "results": self._rows()}], "games": self.games}
        title = f"{self._title}\nwin rates in per cent, with 95 % Wilson intervals"
        files.replace_file(file, draw(content, title, file.suffix), follow=True)

    def print(self, wide: bool = False) -> None:
        """Prints the table and its notes on stdout; a `wide` table has all columns, whatever the terminal."""
        self._page(Page.for_stdout(wide)).print()

    def __str__(self) -> str:
        return self._page(Page(80)).text()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """Returns the table for a notebook."""
        rows = self._rows()
        return f"{self._table(rows).html()}<p>{'<br>'.join(map(html, self._notes(rows)))}</p>"

    def _rows(self) -> list[Row]:
        """Returns the rows, each with its test against the reference."""
        named = [result for result in self.policies if result.policy == self.reference]
        exact = [result for result in self.policies if result.policy.partition(":")[0] == "exact"]
        opponent = max(named or exact or self.policies, key=lambda result: result.wins, default=None)
        tests = paired_tests(self.policies, opponent.policy) if opponent else []
        return with_tests([result.row() for result in self.policies], tests)

    @property
    def _title(self) -> str:
        board = f"{self.config.rows}x{self.config.cols}, {counted(self.config.mines, 'mine')}"
        return f"{board}, {self.config.rules}, {range_text(self.seed, self.games)}"

    def _table(self, rows: Sequence[Row]) -> Table:
        if self.reference is not None:
            return table_of(self._title, COMPARED, rows)
        names = ANSWERED if any("tokens_per_game" in row for row in rows) else EVALUATED
        return table_of(self._title, names, rows, best_rows(rows))

    def _page(self, page: Page) -> Page:
        """Returns the page with the table, its notes, and the diagnostics of judged clicks."""
        rows = self._rows()
        page.table(self._table(rows))
        for note in self._notes(rows):
            page.note(note)
        if judged := [row for row in rows if "diagnostics" in row]:
            from baselines.evaluation.judge import show_diagnostics

            show_diagnostics(judged, page)
        return page

    def _notes(self, rows: Sequence[Row]) -> Iterator[str]:
        for result in self.policies:
            if result.games < self.games:
                yield f"{result.policy} played only the first {result.games} of {self.games} games."
        if self.reference is None:
            most_games = max((result.games for result in self.policies), default=0)
            exact_played = any(result.policy.partition(":")[0] == "exact" for result in self.policies)
            if not exact_played and (wins := known_wins(self.config, self.seed, most_games)) is not None:
                seeds = f"seeds {self.seed} to {self.seed + most_games - 1}"
                yield f"exact wins {wins / most_games:.1%} of these games (n = {most_games}, {seeds})."
            for opponent in dict.fromkeys(row["mcnemar"]["against"] for row in rows if row["mcnemar"]):
                yield f"p: exact McNemar test against {opponent}, on the games that both played."
        elif len(self.policies) > 1:
            yield (
                f"Reference: {self.reference}. Intervals: Wilson for a win rate, Newcombe's method 10 for a paired "
                "difference. p: exact McNemar test, after Holm's correction."
            )
        yield from answer_notes(self.policies)
        for result in self.policies:
            if result.truncated:
                yield f"{result.policy} gave up, or reached a limit of steps or replies, in {result.truncated} games."


def _flat(row: Row) -> Row:
    """Returns a row without nested values: a share takes the name of its dict, and X_ci95 becomes X_low and X_high."""
    flat: Row = {}
    for name, value in row.items():
        if name in ("diagnostics", "beliefs"):
            flat |= _flat(value)
        elif name == "reliability":
            continue
        elif name.endswith("_ci95"):
            flat |= dict(zip((f"{name[:-5]}_low", f"{name[:-5]}_high"), value or (None, None), strict=True))
        elif isinstance(value, dict):
            flat |= {name: value["share"]} | _flat({f"{name}_ci95": value["ci95"]})
        else:
            flat[name] = value
    return flat


def known_wins(config: BoardConfig, seed: int, games: int) -> int | None:
    """Returns the wins of `exact` in `games` games from a seed on; None for 0 games, or if `KNOWN_FILE` lacks some."""
    if config.radius != 1 or config.max_steps is not None or not games:
        return None
    for entry in json.loads(KNOWN_FILE.read_text(encoding="utf-8"))["boards"]:
        offset = seed - entry["seed"]
        if config_row(config).items() <= entry.items() and 0 <= offset <= entry["games"] - games:
            return int(unpack_won(entry["won"], entry["games"])[offset : offset + games].sum())
    return None
