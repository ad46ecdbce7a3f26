"""Results of `baselines.evaluate`: a table to print, flat rows for a data frame, a JSON file and a plot."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from baselines.evaluation.columns import table_of
from baselines.evaluation.diagnostics import Diagnostics, Share, add_diagnostics
from baselines.evaluation.intervals import holm, paired_difference
from baselines.evaluation.report import Report
from baselines.evaluation.results import Comparison, PolicyResult, compare, result_row
from baselines.support.board_names import name_of
from baselines.support.extras import import_extra
from baselines.support.figures import SUFFIXES
from baselines.support.files import check_writable
from baselines.terminal.tables import Page, Table
from minesweeper_env.config import BoardConfig
from minesweeper_env.texts import html

WIDTH = 80
"""Maximum width of the printed table, in characters."""

COLUMNS = ("policy", "win_rate", "interval", "difference", "difference_interval", "p_holm", "ms")
"""Columns of the table."""

DIFFERENCE = ("against", "difference", "difference_low", "difference_high", "p", "p_holm")
"""Fields of a row that are None for the reference."""


@dataclass(frozen=True, repr=False)
class Results:
    """Results of policies on the same games; `print` shows them as a table of at most 80 columns.

    Attributes:
        config: board and rules of the games.
        seed: seed of game 0.
        games: number of games per policy.
        policies: result of each policy, in the order of the table.
        reference: name of the policy that the others are compared with.
    """

    config: BoardConfig
    seed: int
    games: int
    policies: tuple[PolicyResult, ...]
    reference: str

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
        differences = self._differences()
        return [self._row(result, differences.get(result.policy, {})) for result in self.policies]

    def to_json(self, path: str | os.PathLike[str]) -> None:
        """Writes the results as `evaluate.py --json` does.

        Raises:
            ValueError: the file cannot be written.
        """
        check_writable(Path(path))
        self._report().write_json(Path(path))

    def plot(self, path: str | os.PathLike[str]) -> None:
        """Draws the win rates with their intervals; the suffix of the path sets the format: .png, .pdf or .svg.

        Raises:
            ValueError: the suffix is none of these, or the file cannot be written.
            MissingExtraError: matplotlib is not installed.
        """
        file = Path(path)
        if file.suffix not in SUFFIXES:
            raise ValueError(f"a plot needs a file that ends in {', '.join(SUFFIXES)}, not {file}")
        check_writable(file)
        import_extra("matplotlib")
        self._report().write_plot(file)

    def __str__(self) -> str:
        """Returns the table with its notes."""
        page = Page(WIDTH)
        page.table(self._table())
        for note in self._notes():
            page.note(note)
        add_diagnostics(page, [(result.policy, result.diagnoses) for result in self.policies])
        return page.text()

    def __repr__(self) -> str:
        """Returns the table, as `str` does, so that an interactive session shows it."""
        return str(self)

    def _repr_html_(self) -> str:
        """Returns the table for a notebook."""
        table = self._table()
        table = table.part(table.filled())
        head = _html_row("th", [column.heading for column in table.columns])
        body = "".join(_html_row("td", cells) for cells in table.rows)
        notes = "<br>".join(map(html, self._notes()))
        return (
            f"<table><caption>{html(table.title)}</caption>"
            f"<thead>{head}</thead><tbody>{body}</tbody></table><p>{notes}</p>"
        )

    def _report(self) -> Report:
        names = [result.policy for result in self.policies]
        size = (self.config.rows, self.config.cols)
        command = (
            f"baselines.evaluate({names}, size={size}, mines={self.config.mines}, games={self.games}, "
            f"first_click={self.config.first_click!r}, seed={self.seed}, against={self.reference!r})"
        )
        return Report(self.config, self.seed, self.games, command, list(self.policies))

    def _table(self) -> Table:
        differences = self._differences()
        rows = [{**result_row(result), **differences.get(result.policy, {})} for result in self.policies]
        return table_of(self._report().title(), COLUMNS, rows)

    def _differences(self) -> dict[str, dict[str, Any]]:
        """Returns the difference of each policy but the reference, by its name, under the names of `rows`."""
        others = [result for result in self.policies if result.policy != self.reference]
        comparisons = [compare(result, self[self.reference]) for result in others]
        adjusted = holm([1.0 if each is None else each.p_value for each in comparisons])
        return {
            result.policy: _difference_of(result, comparison, p_holm)
            for result, comparison, p_holm in zip(others, comparisons, adjusted, strict=True)
            if comparison is not None
        }

    def _row(self, result: PolicyResult, difference: dict[str, Any]) -> dict[str, Any]:
        low, high = result.interval
        return {
            "policy": result.policy,
            "board": name_of(self.config),
            "first_click": self.config.first_click,
            "seed": self.seed,
            "games": result.games,
            "wins": result.wins,
            "win_rate": result.win_rate,
            "win_rate_low": low,
            "win_rate_high": high,
            "clicks_per_game": result.clicks_per_game,
            "ms_per_game": result.ms_per_game,
            "truncated": result.truncated,
            **dict.fromkeys(DIFFERENCE),
            **difference,
            **result.counters_per_game,
            **_flat_diagnostics(result),
        }

    def _notes(self) -> list[str]:
        """Returns the notes below the table."""
        notes = []
        if len(self.policies) > 1:
            notes.append(
                f"Reference: {self.reference}. Intervals: Wilson for a win rate, Newcombe's method 10 for a paired "
                "difference. p: exact McNemar test, after Holm's correction."
            )
        return notes + [
            f"{result.policy} reached the step limit in {result.truncated} games, which count as not won."
            for result in self.policies
            if result.truncated
        ]


def _difference_of(result: PolicyResult, comparison: Comparison, p_holm: float) -> dict[str, Any]:
    """Returns the difference that a comparison with the reference shows, in percentage points."""
    both = result.wins - comparison.won_alone
    neither = comparison.games - both - comparison.won_alone - comparison.lost_alone
    ends = paired_difference(both, comparison.won_alone, comparison.lost_alone, neither)
    points = (100.0 * each for each in ends)
    return dict(zip(DIFFERENCE, (comparison.against, *points, comparison.p_value, p_holm), strict=True))


def _flat_diagnostics(result: PolicyResult) -> dict[str, Any]:
    """Returns the diagnostics as single numbers: a fraction of games under its own name, its ends with suffixes."""
    if not result.diagnoses:
        return {}
    flat: dict[str, Any] = {}
    diagnostics = Diagnostics.of(result.diagnoses)
    for name in diagnostics.row():
        value = getattr(diagnostics, name)
        if isinstance(value, Share):
            ends = value.ci95 or (None, None)
            flat |= {name: value.share, f"{name}_low": ends[0], f"{name}_high": ends[1]}
        elif name == "excess_risk_per_game_ci95":
            low, high = value or (None, None)
            flat |= {"excess_risk_per_game_low": low, "excess_risk_per_game_high": high}
        else:
            flat[name] = value
    return flat


def _html_row(tag: str, cells: Sequence[str]) -> str:
    return "<tr>" + "".join(f"<{tag}>{html(cell)}</{tag}>" for cell in cells) + "</tr>"
