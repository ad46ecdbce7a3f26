"""Report of an evaluation: a table, a JSON file and a plot, with the win rate of `exact` where its games are known."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from baselines.evaluation.columns import Row, legend, p_values, table_of
from baselines.evaluation.diagnostics import add_diagnostics
from baselines.evaluation.forest import draw
from baselines.evaluation.records import unpack_won
from baselines.evaluation.results import PolicyResult, compare_with_best, config_row, result_row, versions
from baselines.evaluation.seeds import range_text, use_of
from baselines.support.board_names import no_guess_name, size_name
from baselines.support.files import replace_file
from baselines.terminal.tables import Page
from minesweeper_env.config import BoardConfig, counted

KNOWN_FILE = Path(__file__).parent / "exact_wins.json"


def known_wins(config: BoardConfig, seed: int, games: int) -> int | None:
    """Returns how many of some games `exact` wins, or None if that is not known.

    Args:
        config: board and rules of the games.
        seed: seed of the first game; the others follow it.
        games: number of games, at least 1.
    """
    if config.radius != 1 or config.max_steps is not None or config.no_guess:
        return None
    for entry in _entries():
        if (entry["size"], entry["mines"], entry["first_click"]) == (
            [config.rows, config.cols],
            config.mines,
            config.first_click,
        ):
            first = seed - entry["seed"]
            if not 0 <= first <= entry["games"] - games:
                return None
            return int(unpack_won(entry["won"], entry["games"])[first : first + games].sum())
    return None


def known_rate_note(config: BoardConfig, seed: int, games: int) -> str:
    """Returns a line with the win rate of `exact` in some games; "" if it is not known. See `known_wins`."""
    wins = known_wins(config, seed, games)
    if wins is None:
        return ""
    return f"exact wins {wins / games:.1%} of these games (n = {games}, seeds {seed} to {seed + games - 1})."


@cache
def _entries() -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = json.loads(KNOWN_FILE.read_text(encoding="utf-8"))["boards"]
    return entries


REFERENCE = "exact"
"""The policy whose win rate a report names even if it has not played."""

COLUMNS = ("policy", "games", "wins", "win_rate", "interval", "clicks", "ms", "p")
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
    versions: dict[str, str] = field(default_factory=versions)

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
        return {
            "config": config_row(self.config),
            "seed": self.seed,
            "games": self.games,
            "seeds_for": use_of(self.seed),
            "command": self.command,
            "versions": self.versions,
            "results": self.rows(),
        }

    def rows(self) -> list[Row]:
        """Returns the results as rows of the JSON, each compared with the policy of the highest win rate."""
        comparisons = compare_with_best(self.results)
        return [
            {**result_row(result), "mcnemar": None if comparison is None else asdict(comparison)}
            for result, comparison in zip(self.results, comparisons, strict=True)
        ]

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
        rows = self.rows()
        rates = [row["win_rate"] for row in rows]
        best = [number for number, rate in enumerate(rates) if rate == max(rates)] if len(rates) > 1 else []
        page.table(table_of(self.title(), COLUMNS, rows, best))
        page.legend(legend(best, p_values(rows)))
        for note in self.notes():
            page.note(note)
        add_diagnostics(page, [(result.policy, result.diagnoses) for result in self.results])

    def write_plot(self, path: Path) -> None:
        """Writes a plot of the win rates with their intervals; the suffix of the path sets the format."""
        content = {"boards": [{"config": config_row(self.config), "results": self.rows()}], "games": self.games}
        title = f"{self.title()}\nwin rates in per cent, with 95 % Wilson intervals"
        replace_file(path, draw(content, title, path.suffix))
