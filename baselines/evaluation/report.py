"""Results of policies on the same games: a table, flat rows for a data frame, a JSON file and a plot."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from baselines.evaluation.columns import (
    COMPARED,
    EVALUATED,
    Row,
    legend,
    p_values,
    table_of,
    with_interval,
)
from baselines.evaluation.games import unpack_won
from baselines.evaluation.intervals import holm
from baselines.evaluation.judge import Diagnostics, Share
from baselines.evaluation.plot import draw
from baselines.evaluation.results import PolicyResult, compare, compare_with_best, config_row, result_row, versions
from baselines.evaluation.seeds import range_text, use_of
from baselines.support.board_names import name_of, no_guess_name, size_name
from baselines.support.extras import import_extra
from baselines.support.figures import check_plot
from baselines.support.files import check_writable, replace_file
from baselines.terminal.tables import Page, Table
from minesweeper_env.config import BoardConfig, counted
from minesweeper_env.texts import html

KNOWN_FILE = Path(__file__).parent / "exact_wins.json"

WIDTH = 80
"""Maximum width of the text of results, in characters."""

DIFFERENCE = ("against", "difference", "difference_low", "difference_high", "p", "p_holm")
"""Fields of a row that are None for the reference."""

NOTES = (
    "Every click but the first of a game, judged by the exact mine probabilities of the board before it:",
    "on mines: a click on a certain mine. past safe: a click elsewhere while a certainly safe cell existed.",
    "guesses: clicks on cells that were not certainly safe. excess: the risk taken beyond the minimum of the board.",
    "avoidable, forced: fractions of the lost games whose last click was judged; forced if its risk was the least.",
)
"""An explanation of the labels of `diagnostic_lines`."""


@dataclass(repr=False)
class Results:
    """Results of policies on the same games; `print` shows them as a table of at most 80 columns.

    Attributes:
        config: board and rules of the games.
        seed: seed of game 0.
        games: number of games requested of each policy.
        policies: result of each policy that has played, in the order of the table.
        reference: name of the policy that the others are compared with; None for the best one.
        command: command line that repeats the evaluation.
        versions: the code that plays.
    """

    config: BoardConfig
    seed: int
    games: int
    policies: Sequence[PolicyResult] = ()
    reference: str | None = None
    command: str = ""
    versions: dict[str, str] = field(default_factory=versions)

    def __getitem__(self, name: str) -> PolicyResult:
        """Returns the result of a policy, such as `results["exact"].win_rate`."""
        for result in self.policies:
            if result.policy == name:
                return result
        raise KeyError(f"no policy {name!r}; there are {', '.join(result.policy for result in self.policies)}")

    def rows(self) -> list[dict[str, Any]]:
        """Returns one flat dict per policy, ready for `pandas.DataFrame`.

        Win rates and the ends of their intervals are fractions. `difference` and the ends of its interval are
        percentage points beyond the win rate of `against`. They and the p-values are None for the reference itself.
        """
        rows = []
        for result, row in zip(self.policies, self._compared(), strict=True):
            facts = {"policy": row.pop("policy"), "board": name_of(self.config), "first_click": self.config.first_click}
            facts |= {"seed": self.seed} | row | {"ms_per_game": 1000.0 * result.playing_seconds / result.games}
            facts["win_rate_low"], facts["win_rate_high"] = facts.pop("ci95")
            rows.append(_flat({name: value for name, value in facts.items() if name not in ("won", "seconds")}))
        return rows

    def to_json(self, path: str | os.PathLike[str]) -> None:
        """Writes the results as `evaluate.py --json` does, and replaces an earlier file.

        Raises:
            ValueError: the folder of the file does not exist, or the file cannot be written.
        """
        check_writable(Path(path))
        content = {
            "config": config_row(self.config),
            "seed": self.seed,
            "games": self.games,
            "seeds_for": use_of(self.seed),
            "command": self.command,
            "versions": self.versions,
            "results": self._tested(),
        }
        replace_file(Path(path), (json.dumps(content, indent=2) + "\n").encode())

    def plot(self, path: str | os.PathLike[str]) -> None:
        """Draws the win rates with their intervals; the suffix of the path sets the format: .png, .pdf or .svg.

        Raises:
            ValueError: the suffix is none of these, or the file cannot be written.
            MissingExtraError: matplotlib is not installed.
        """
        file = Path(path)
        check_plot(file)
        check_writable(file)
        import_extra("matplotlib")
        content = {"boards": [{"config": config_row(self.config), "results": self._tested()}], "games": self.games}
        title = f"{self.title()}\nwin rates in per cent, with 95 % Wilson intervals"
        replace_file(file, draw(content, title, file.suffix))

    def print(self, wide: bool = False) -> None:
        """Prints the table and its notes on stdout; a `wide` table has all columns, whatever the terminal."""
        page = Page.for_stdout(wide)
        self._fill(page)
        page.print()

    def __str__(self) -> str:
        """Returns the table with its notes."""
        page = Page(WIDTH)
        self._fill(page)
        return page.text()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """Returns the table for a notebook."""
        return f"{self._table().html()}<p>{'<br>'.join(map(html, self._notes()))}</p>"

    def title(self) -> str:
        """Returns the board, the rule and the seeds in one line."""
        config = self.config
        logic = f",{no_guess_name(config.no_guess)}" if config.no_guess else ""
        return (
            f"{size_name(config.rows, config.cols)}, {counted(config.mines, 'mine')}, "
            f"first click {config.first_click}{logic}, {range_text(self.seed, self.games)}"
        )

    def _tested(self) -> list[Row]:
        """Returns the rows of the JSON, each compared with the policy of the highest win rate."""
        tests = zip(self.policies, compare_with_best(self.policies), strict=True)
        return [{**result_row(result), "mcnemar": None if test is None else asdict(test)} for result, test in tests]

    def _compared(self) -> list[Row]:
        """Returns the rows, each with its difference to the reference in percentage points."""
        tests = [
            None if self.reference in (None, each.policy) else compare(each, self[str(self.reference)])
            for each in self.policies
        ]
        adjusted = iter(holm([test.p_value for test in tests if test is not None]))
        rows = []
        for result, test in zip(self.policies, tests, strict=True):
            found: Sequence[Any] = [None] * len(DIFFERENCE)
            if test is not None:
                points = (100.0 * each for each in test.difference(result.wins))
                found = (test.against, *points, test.p_value, next(adjusted))
            rows.append({**result_row(result), **dict(zip(DIFFERENCE, found, strict=True))})
        return rows

    def _table(self) -> Table:
        if self.reference is not None:
            return table_of(self.title(), COMPARED, self._compared())
        rows = self._tested()
        return table_of(self.title(), EVALUATED, rows, _best(rows))

    def _fill(self, page: Page) -> None:
        page.table(self._table())
        if self.reference is None:
            rows = self._tested()
            page.legend(legend(_best(rows), p_values(rows)))
        for note in self._notes():
            page.note(note)
        judged = [(result.policy, Diagnostics.of(found)) for result in self.policies if (found := result.diagnoses)]
        if judged:
            page.title("What the clicks were like")
        for policy, diagnostics in judged:
            page.block(policy, diagnostic_lines(diagnostics))
        for note in (*(NOTES if judged else ()), *(_gap(*each) for each in judged if each[1].clicks_not_judged)):
            page.note(note)

    def _notes(self) -> list[str]:
        """Returns the notes below the table."""
        notes = [
            f"{result.policy} played only the first {result.games} of {self.games} games."
            for result in self.policies
            if result.games < self.games
        ]
        if self.reference is None:
            if not any(result.policy.partition(":")[0] == "exact" for result in self.policies):
                most = max((result.games for result in self.policies), default=0)
                notes += filter(None, [known_rate_note(self.config, self.seed, most)])
            against = {test.against for test in compare_with_best(self.policies) if test is not None}
            notes += [f"p: exact McNemar test against {best}, on the games that both played." for best in against]
        elif len(self.policies) > 1:
            notes.append(
                f"Reference: {self.reference}. Intervals: Wilson for a win rate, Newcombe's method 10 for a paired "
                "difference. p: exact McNemar test, after Holm's correction."
            )
        return notes + [
            f"{result.policy} reached the step limit in {result.truncated} games, which count as not won."
            for result in self.policies
            if result.truncated
        ]


def _best(rows: Sequence[Row]) -> list[int]:
    rates = [row["win_rate"] for row in rows]
    return [number for number, rate in enumerate(rates) if rate == max(rates)] if len(rates) > 1 else []


def _flat(row: Row) -> Row:
    """Returns a row without lists and dicts: a fraction of games under its own name, the ends of intervals apart."""
    flat: Row = {}
    for name, value in row.items():
        if name == "diagnostics":
            flat |= _flat(value)
        elif name.endswith("_ci95"):
            flat |= dict(zip((f"{name[:-5]}_low", f"{name[:-5]}_high"), value or (None, None), strict=True))
        elif isinstance(value, dict):
            flat |= {name: value["share"]} | _flat({f"{name}_ci95": value["ci95"]})
        else:
            flat[name] = value
    return flat


def diagnostic_lines(found: Diagnostics) -> list[tuple[str, str]]:
    """Returns the figures of diagnostics for people, as (label, value)."""
    guess = found.excess_risk_per_guess
    return [
        ("clicks judged", f"{found.clicks_judged}"),
        ("on mines", f"{found.clicks_on_mines}, in {_share(found.games_on_mines)} of the games"),
        ("past safe", f"{found.clicks_past_safe}, in {_share(found.games_past_safe)} of the games"),
        ("guesses/game", f"{found.guesses_per_game:.2f}"),
        ("excess/guess", "none" if guess is None else f"{guess:.4f}"),
        ("excess/game", with_interval(found.excess_risk_per_game, found.excess_risk_per_game_ci95, ".4f")),
        ("lost", f"{found.lost}"),
        ("avoidable", _share(found.lost_avoidable)),
        ("forced", _share(found.lost_forced)),
    ]


def _share(share: Share) -> str:
    return with_interval(share.share, share.ci95) or "none"


def _gap(policy: str, found: Diagnostics) -> str:
    return (
        f"{policy}: {found.clicks_not_judged} clicks were not judged: the oracle found their boards too hard; "
        f"{found.lost_not_judged} of them lost the game."
    )


def known_wins(config: BoardConfig, seed: int, games: int) -> int | None:
    """Returns how many of some games `exact` wins, or None if that is not known.

    Args:
        config: board and rules of the games.
        seed: seed of the first game; the others follow it.
        games: number of games, at least 1.
    """
    if config.radius != 1 or config.max_steps is not None:
        return None
    for entry in _entries():
        first = seed - entry["seed"]
        if config_row(config).items() <= entry.items() and 0 <= first <= entry["games"] - games:
            return int(unpack_won(entry["won"], entry["games"])[first : first + games].sum())
    return None


def known_rate_note(config: BoardConfig, seed: int, games: int) -> str:
    """Returns a line with the win rate of `exact` in some games; "" if it is not known. See `known_wins`."""
    wins = known_wins(config, seed, games) if games else None
    if wins is None:
        return ""
    return f"exact wins {wins / games:.1%} of these games (n = {games}, seeds {seed} to {seed + games - 1})."


@cache
def _entries() -> list[Row]:
    entries: list[Row] = json.loads(KNOWN_FILE.read_text(encoding="utf-8"))["boards"]
    return entries
