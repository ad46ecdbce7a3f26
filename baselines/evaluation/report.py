"""Report of an evaluation: a table, a JSON file and a plot."""

from __future__ import annotations

import json
import platform
import sys
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from baselines.evaluation.diagnostics import HEADINGS, NOTES, Diagnostics
from baselines.evaluation.results import PolicyResult, compare_with_best
from baselines.support.board_names import size_name
from baselines.support.figures import image, styled_figure
from baselines.support.files import replace_file
from baselines.support.terminal import table_console
from minesweeper_env import __version__
from minesweeper_env.config import BoardConfig

if TYPE_CHECKING:
    from rich.console import Console


@dataclass
class Report:
    """The games that were requested, and the results so far.

    Attributes:
        config: board and rules of the games.
        seed: seed of game 0.
        games: number of games requested of each policy.
        command: command line that repeats the evaluation.
        results: results of the policies that have played.
    """

    config: BoardConfig
    seed: int
    games: int
    command: str
    results: list[PolicyResult] = field(default_factory=list)

    def title(self) -> str:
        """Returns the board, the rule and the seeds in one line."""
        config = self.config
        return (
            f"{size_name(config.rows, config.cols)}, {config.mines} mines, first click {config.first_click}, "
            f"seeds {self.seed} to {self.seed + self.games - 1}"
        )

    def notes(self) -> list[str]:
        """Returns the notes below the table, one line each."""
        notes = [
            f"{result.policy} played only the first {result.games} of {self.games} games."
            for result in self.results
            if result.games < self.games
        ]
        against = {comparison.against for comparison in compare_with_best(self.results) if comparison is not None}
        notes += [f"p: exact McNemar test against {best}, on the games that both played." for best in against]
        return notes + [
            f"{result.policy} reached the step limit in {result.truncated} games, which count as not won."
            for result in self.results
            if result.truncated
        ]

    def write_json(self, path: Path) -> None:
        """Writes the results so far, and replaces an earlier file."""
        replace_file(path, (json.dumps(self._content(), indent=2) + "\n").encode())

    def _content(self) -> dict[str, Any]:
        comparisons = compare_with_best(self.results)
        return {
            "config": config_row(self.config),
            "seed": self.seed,
            "games": self.games,
            "command": self.command,
            "versions": versions(),
            "results": [
                {**result_row(result), "mcnemar": None if comparison is None else asdict(comparison)}
                for result, comparison in zip(self.results, comparisons, strict=True)
            ],
        }

    def print_table(self) -> None:
        """Prints the results and the notes on stdout."""
        from rich.table import Table

        console = table_console()
        table = Table(title=self.title(), title_justify="left")
        table.add_column("policy", overflow="fold")
        for heading in ("games", "wins", "win rate", "95 % interval", "clicks/game", "ms/game", "p"):
            table.add_column(heading, justify="right")
        for result, comparison in zip(self.results, compare_with_best(self.results), strict=True):
            table.add_row(*_cells(result, self.games), "" if comparison is None else format_p_value(comparison.p_value))
        console.print(table)
        for note in self.notes():
            console.print(note, markup=False, highlight=False)
        self._print_diagnostics(console)

    def _print_diagnostics(self, console: Console) -> None:
        found = [(result.policy, Diagnostics.of(result.diagnoses)) for result in self.results if result.diagnoses]
        if not found:
            return
        from rich.table import Table

        table = Table(title="What the clicks were like", title_justify="left")
        table.add_column("policy", overflow="fold")
        for heading in HEADINGS:
            table.add_column(heading, justify="right")
        for policy, diagnostics in found:
            table.add_row(policy, *diagnostics.cells())
        console.print(table)
        notes = [note for policy, diagnostics in found for note in diagnostics.gaps(policy)]
        for note in (*NOTES, *notes):
            console.print(note, markup=False, highlight=False)

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
    """Returns the versions of Python and the packages that results depend on; of optional packages, the loaded ones."""
    found = {"python": platform.python_version(), "minesweeper_env": __version__}
    packages = ["numpy", "gymnasium", "numba"] + [name for name in ("pgmpy", "torch") if name in sys.modules]
    return found | {name: version(name) for name in packages}


def config_row(config: BoardConfig) -> dict[str, Any]:
    """Returns the configuration of the games as a JSON object."""
    return {"size": [config.rows, config.cols], "mines": config.mines, "first_click": config.first_click}


def result_row(result: PolicyResult) -> dict[str, Any]:
    """Returns the result of a policy as a JSON object."""
    diagnostics = {"diagnostics": Diagnostics.of(result.diagnoses).row()} if result.diagnoses else {}
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
        **result.counters_per_game,
        **diagnostics,
    }


def format_p_value(value: float) -> str:
    """Returns a p-value with two significant digits."""
    return "< 1e-99" if value < 1e-99 else f"{value:.2g}"


def _cells(result: PolicyResult, asked: int) -> list[str]:
    low, high = result.interval
    games = f"{result.games}" if result.games == asked else f"{result.games} of {asked}"
    return [
        result.policy,
        games,
        f"{result.wins}",
        f"{result.win_rate:.1%}",
        f"{low:.1%} to {high:.1%}",
        f"{result.clicks_per_game:.1f}",
        f"{result.ms_per_game:.2f}",
    ]
