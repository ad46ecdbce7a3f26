"""Report of an evaluation: a table, a JSON file and a plot."""

from __future__ import annotations

import json
import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from baselines.evaluation.diagnostics import Diagnostics, add_diagnostics
from baselines.evaluation.intervals import holm
from baselines.evaluation.known import known_rate_note
from baselines.evaluation.records import pack_won
from baselines.evaluation.results import PolicyResult, compare_with_best
from baselines.evaluation.seeds import range_text, use_of
from baselines.support.board_names import no_guess_name, size_name
from baselines.support.figures import image, styled_figure
from baselines.support.files import replace_file
from baselines.support.machine import source_commit
from baselines.terminal.tables import Column, Page, Table
from minesweeper_env import __version__
from minesweeper_env.config import BoardConfig, counted

LEVEL = 0.05
"""Level at which a test counts as significant."""

REFERENCE = "exact"
"""The policy whose win rate a report names even if it has not played."""

COLUMNS = (
    Column("policy", "left", folds=True),
    Column("games", priority=3),
    Column("wins", priority=5),
    Column("win rate"),
    Column("95 % interval"),
    Column("clicks/game", priority=6),
    Column("ms/game", priority=4),
    Column("p", priority=2),
)
"""Columns of the table of policies."""


@dataclass
class Report:
    """The games that were requested, and the results so far.

    Attributes:
        config: board and rules of the games.
        seed: seed of game 0.
        games: number of games requested of each policy.
        command: command line that repeats the evaluation.
        results: results of the policies that have played.
        versions: the code that plays; see `versions`.
    """

    config: BoardConfig
    seed: int
    games: int
    command: str
    results: list[PolicyResult] = field(default_factory=list)
    versions: dict[str, str] = field(default_factory=lambda: versions())

    def title(self) -> str:
        """Returns the board, the rule and the seeds in one line."""
        config = self.config
        logic = f",{no_guess_name(config.no_guess)}" if config.no_guess else ""
        return (
            f"{size_name(config.rows, config.cols)}, {counted(config.mines, 'mine')}, "
            f"first click {config.first_click}{logic}, {range_text(self.seed, self.games)}"
        )

    def notes(self) -> list[str]:
        """Returns the notes below the table, one line each."""
        notes = [
            f"{result.policy} played only the first {result.games} of {self.games} games."
            for result in self.results
            if result.games < self.games
        ]
        notes += self._known_rate()
        against = {comparison.against for comparison in compare_with_best(self.results) if comparison is not None}
        notes += [f"p: exact McNemar test against {best}, on the games that both played." for best in against]
        return notes + [
            f"{result.policy} reached the step limit in {result.truncated} games, which count as not won."
            for result in self.results
            if result.truncated
        ]

    def _known_rate(self) -> list[str]:
        """Returns a line with the known win rate of `exact`, unless it has played or is not known in these games."""
        if not self.results or any(result.policy.partition(":")[0] == REFERENCE for result in self.results):
            return []
        note = known_rate_note(self.config, self.seed, max(result.games for result in self.results))
        return [note] if note else []

    def write_json(self, path: Path) -> None:
        """Writes the results so far, and replaces an earlier file."""
        replace_file(path, (json.dumps(self._content(), indent=2) + "\n").encode())

    def _content(self) -> dict[str, Any]:
        comparisons = compare_with_best(self.results)
        return {
            "config": config_row(self.config),
            "seed": self.seed,
            "games": self.games,
            "seeds_for": use_of(self.seed),
            "command": self.command,
            "versions": self.versions,
            "results": [
                {**result_row(result), "mcnemar": None if comparison is None else asdict(comparison)}
                for result, comparison in zip(self.results, comparisons, strict=True)
            ],
        }

    def print_table(self, wide: bool = False) -> None:
        """Prints the results and the notes on stdout; a `wide` table has all columns, whatever the terminal."""
        page = Page.for_stdout(wide)
        self._fill(page)
        page.print()

    def text(self, width: int | None = None) -> str:
        """Returns the results and the notes as plain text of at most `width` columns; None for all columns."""
        page = Page(width)
        self._fill(page)
        return page.text()

    def _fill(self, page: Page) -> None:
        page.table(self._table())
        page.legend(self._legend())
        for note in self.notes():
            page.note(note)
        add_diagnostics(page, [(result.policy, result.diagnoses) for result in self.results])

    def _table(self) -> Table:
        rows = [(*_cells(result), p) for result, p in zip(self.results, p_cells(self._p_values()), strict=True)]
        return Table(self.title(), COLUMNS, rows, self._best())

    def _p_values(self) -> list[float | None]:
        return [None if each is None else each.p_value for each in compare_with_best(self.results)]

    def _best(self) -> list[int]:
        """Returns the indices of the policies with the highest win rate; nothing for a single policy."""
        rates = [result.win_rate for result in self.results]
        return [number for number, rate in enumerate(rates) if rate == max(rates)] if len(rates) > 1 else []

    def _legend(self) -> str:
        """Returns the explanation of the marks in the table."""
        best = "> highest win rate. " if self._best() else ""
        return f"{best}{significance_note(self._p_values())}".strip()

    def write_plot(self, path: Path) -> None:
        """Writes a plot of the win rates with their intervals; the suffix of the path sets the format."""
        names = [f"{result.policy} (n = {result.games})" for result in self.results]
        rates = [result.win_rate for result in self.results]
        bounds = [result.interval for result in self.results]
        errors = [
            [max(0.0, rate - low) for rate, (low, _) in zip(rates, bounds, strict=True)],
            [max(0.0, high - rate) for rate, (_, high) in zip(rates, bounds, strict=True)],
        ]
        with styled_figure(8, 1.6 + 0.45 * len(self.results)) as figure:
            axes = figure.add_subplot()
            axes.barh(names, rates, xerr=errors, height=0.6, ecolor="black")
            axes.invert_yaxis()
            axes.set_xlim(0, min(1.0, 1.1 * max(high for _, high in bounds)))
            axes.set_xlabel("win rate, with its 95 % Wilson interval")
            axes.set_title(self.title())
            replace_file(path, image(figure, path.suffix))


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


def per_cent(*rates: float) -> str:
    """Returns fractions as pages show them, such as "67.5 %", or "66.6 to 68.4 %" for an interval."""
    return " to ".join(f"{100 * rate:.1f}" for rate in rates) + " %"


def spaced(number: int) -> str:
    """Returns a whole number as pages show it: from five digits on in groups of three, such as "10 000"."""
    return f"{number:,}".replace(",", " ") if number >= 10_000 else f"{number}"


def format_p_value(value: float) -> str:
    """Returns a p-value with two significant digits."""
    return "< 1e-99" if value < 1e-99 else f"{value:.2g}"


def significant(p_values: Sequence[float | None]) -> list[bool]:
    """Returns for each test whether it is significant at the level `LEVEL` after Holm's correction for all of them."""
    adjusted = iter(holm([value for value in p_values if value is not None]))
    return [value is not None and next(adjusted) <= LEVEL for value in p_values]


def p_cells(p_values: Sequence[float | None]) -> list[str]:
    """Returns the p-values as cells of a table, the significant ones with a "*"; "" for None."""
    return [
        "" if value is None else f"{'* ' if marked else ''}{format_p_value(value)}"
        for value, marked in zip(p_values, significant(p_values), strict=True)
    ]


def significance_note(p_values: Sequence[float | None]) -> str:
    """Returns the explanation of the "*" before the p-values of a table; "" if none is significant."""
    if not any(significant(p_values)):
        return ""
    tests = sum(value is not None for value in p_values)
    return f"* significant at {LEVEL:.0%}" + (f", after Holm's correction for {tests} tests." if tests > 1 else ".")


def _cells(result: PolicyResult) -> list[str]:
    low, high = result.interval
    return [
        result.policy,
        f"{result.games}",
        f"{result.wins}",
        f"{result.win_rate:.1%}",
        f"{low:.1%} to {high:.1%}",
        f"{result.clicks_per_game:.1f}",
        f"{result.ms_per_game:.2f}",
    ]
