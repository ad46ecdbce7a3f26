"""Results of policies on the same games: a table, flat rows for a data frame, a JSON file and a plot."""

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from baselines.checks import import_extra
from baselines.evaluation.columns import ANSWERED, COMPARED, EVALUATED, Row, best_rows, shown, table_of, with_holm
from baselines.evaluation.games import unpack_won
from baselines.evaluation.plot import draw
from baselines.evaluation.results import (
    PolicyResult,
    answer_notes,
    config_row,
    file_head,
    paired_tests,
    result_row,
    versions,
    with_tests,
    without_difference,
)
from baselines.evaluation.seeds import range_text
from baselines.files import replace_file, write_json
from baselines.plot_style import check_plot
from baselines.tables import Page, Table
from minesweeper_env.config import BoardConfig
from minesweeper_env.escape import counted, html

KNOWN_FILE = Path(__file__).parent / "exact_wins.json"

WIDTH = 80
"""Maximum width of the text of results, in characters."""

LEFT_OUT = ("won", "seconds", "mcnemar", "won_alone", "lost_alone")
"""Fields that the rows of a data frame lack."""

NOTES = (
    "Every click but the first of a game, judged by the exact mine probabilities of the board before it:",
    "on mines: a click on a certain mine. past safe: a click elsewhere while a certainly safe cell existed.",
    "guesses: clicks on cells that were not certainly safe. excess: the risk taken beyond the minimum of the board.",
    "avoidable, forced: fractions of the lost games whose last click was judged; forced if its risk was the least.",
)
"""An explanation of the labels of `diagnostic_lines`."""

BELIEFS = (
    "bits/cell: divergence of the policy's own mine probabilities from the exact ones, per covered cell next to a "
    "number of frozen positions. off by 1%: certain cells among these believed on the wrong side of 1%."
)
"""An explanation of the labels of `belief_lines`."""


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
        facts = {"board": self.config.name, "first_click": self.config.first_click, "seed": self.seed}
        names = {"p_value": "p", "ci95": "win_rate_ci95"}
        rows = []
        for row in with_holm(self._rows()):
            kept = {name: value for name, value in row.items() if name not in LEFT_OUT}
            flat = {"policy": row["policy"], **facts, **kept}
            for name in ("against", "difference", "difference_ci95", "p_value", "p_holm", "ci95"):
                flat[names.get(name, name)] = flat.pop(name, None)
            rows.append(_flat(flat))
        return rows

    def to_json(self, path: str | os.PathLike[str]) -> None:
        """Writes the results as `evaluate.py --json` does, and replaces an earlier file; OSError if that fails."""
        results = [row | {"mcnemar": row["mcnemar"] and without_difference(row["mcnemar"])} for row in self._rows()]
        head = file_head(self.seed, self.games, self.command, self.versions)
        write_json(Path(path), {"config": config_row(self.config), **head, "results": results}, follow=True)

    def plot(self, path: str | os.PathLike[str]) -> None:
        """Draws the win rates with their intervals; the suffix of the path sets the format: .png, .pdf or .svg.

        Raises:
            ValueError: the suffix is none of these.
            OSError: the file cannot be written.
            MissingExtraError: matplotlib is not installed.
        """
        file = Path(path)
        check_plot(file)
        import_extra("matplotlib")
        content = {"boards": [{"config": config_row(self.config), "results": self._rows()}], "games": self.games}
        title = f"{self._table().title}\nwin rates in per cent, with 95 % Wilson intervals"
        replace_file(file, draw(content, title, file.suffix), follow=True)

    def print(self, wide: bool = False) -> None:
        """Prints the table and its notes on stdout; a `wide` table has all columns, whatever the terminal."""
        self._page(Page.for_stdout(wide)).print()

    def __str__(self) -> str:
        return self._page(Page(WIDTH)).text()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """Returns the table for a notebook."""
        return f"{self._table().html()}<p>{'<br>'.join(map(html, self._notes()))}</p>"

    def _rows(self) -> list[Row]:
        """Returns the rows, each with its test against the reference."""
        named = [result for result in self.policies if result.policy == self.reference]
        exact = [result for result in self.policies if result.policy.partition(":")[0] == "exact"]
        other = max(named or exact or self.policies, key=lambda result: result.win_rate, default=None)
        tests = paired_tests(self.policies, other.policy) if other else []
        return with_tests(map(result_row, self.policies), tests)

    def _table(self) -> Table:
        board = f"{self.config.rows}x{self.config.cols}, {counted(self.config.mines, 'mine')}"
        title = f"{board}, {self.config.rules}, {range_text(self.seed, self.games)}"
        if self.reference is not None:
            return table_of(title, COMPARED, self._rows())
        rows = self._rows()
        names = ANSWERED if any("tokens_per_game" in row for row in rows) else EVALUATED
        return table_of(title, names, rows, best_rows(rows))

    def _page(self, page: Page) -> Page:
        page.table(self._table())
        for note in self._notes():
            page.note(note)
        rows = [*map(result_row, self.policies)]
        beliefs = {row["policy"]: belief_lines(row["beliefs"]) for row in rows if "beliefs" in row}
        if judged := {row["policy"]: row["diagnostics"] for row in rows if "diagnostics" in row}:
            page.title("What the clicks were like")
            for policy, found in judged.items():
                page.block(policy, [*diagnostic_lines(found), *beliefs.get(policy, ())])
            for note in (*NOTES, *([BELIEFS] if beliefs else [])):
                page.note(note)
            for policy, found in judged.items():
                if count := found["clicks_not_judged"]:
                    page.note(
                        f"{policy}: {count} clicks were not judged: the oracle found their boards too hard; "
                        f"{found['lost_not_judged']} of them lost the game."
                    )
        return page

    def _notes(self) -> Iterator[str]:
        """Yields the notes below the table."""
        for result in self.policies:
            if result.games < self.games:
                yield f"{result.policy} played only the first {result.games} of {self.games} games."
        if self.reference is None:
            most = max((result.games for result in self.policies), default=0)
            played = any(result.policy.partition(":")[0] == "exact" for result in self.policies)
            if not played and (wins := known_wins(self.config, self.seed, most)) is not None:
                seeds = f"seeds {self.seed} to {self.seed + most - 1}"
                yield f"exact wins {wins / most:.1%} of these games (n = {most}, {seeds})."
            for best in {row["mcnemar"]["against"] for row in self._rows() if row["mcnemar"]}:
                yield f"p: exact McNemar test against {best}, on the games that both played."
        elif len(self.policies) > 1:
            yield (
                f"Reference: {self.reference}. Intervals: Wilson for a win rate, Newcombe's method 10 for a paired "
                "difference. p: exact McNemar test, after Holm's correction."
            )
        yield from answer_notes(self.policies)
        for result in self.policies:
            if result.truncated:
                yield f"{result.policy} gave up, or reached the step limit, in {result.truncated} games: not won."


def _flat(row: Row) -> Row:
    """Returns a row without lists and dicts: a fraction of games under its own name, the ends of intervals apart."""
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


def diagnostic_lines(found: Row) -> list[tuple[str, str]]:
    """Returns the diagnostics of a row for people, as (label, value)."""

    def share(name: str) -> str:
        return shown(found[name]["share"], ".1%", found[name]["ci95"]) or "none"

    return [
        ("clicks judged", f"{found['clicks_judged']}"),
        ("on mines", f"{found['clicks_on_mines']}, in {share('games_on_mines')} of the games"),
        ("past safe", f"{found['clicks_past_safe']}, in {share('games_past_safe')} of the games"),
        ("guesses/game", f"{found['guesses_per_game']:.2f}"),
        ("excess/guess", shown(found["excess_risk_per_guess"], ".4f") or "none"),
        ("excess/game", shown(found["excess_risk_per_game"], ".4f", found["excess_risk_per_game_ci95"])),
        ("lost", f"{found['lost']}"),
        ("avoidable", share("lost_avoidable")),
        ("forced", share("lost_forced")),
    ]


def belief_lines(found: Row) -> list[tuple[str, str]]:
    """Returns the figures of a policy's beliefs for people, as (label, value)."""
    wrong = f"{found['certain_wrong']:.2%} of {found['certain_cells']} certain cells"
    return [("bits/cell", shown(found["bits"], ".4f", found["bits_ci95"])), ("off by 1%", wrong)]


def known_wins(config: BoardConfig, seed: int, games: int) -> int | None:
    """Returns how many of the games from a seed on `exact` wins; None if there are no games, or that is not known."""
    if config.radius != 1 or config.max_steps is not None or not games:
        return None
    for entry in _known():
        first = seed - entry["seed"]
        if config_row(config).items() <= entry.items() and 0 <= first <= entry["games"] - games:
            return int(unpack_won(entry["won"], entry["games"])[first : first + games].sum())
    return None


@cache
def _known() -> list[Row]:
    entries: list[Row] = json.loads(KNOWN_FILE.read_text(encoding="utf-8"))["boards"]
    return entries
