"""Tables of the content of results.json, as Markdown and as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from baselines.evaluation.report import format_p_value
from baselines.evaluation.seeds import range_text
from baselines.suites.suite import Suite
from baselines.support.board_names import board_name, no_guess_name
from minesweeper_env import texts

Content = dict[str, Any]


class Column(NamedTuple):
    """A column of a table: its heading, and a function from a row of the JSON to the text of the cell."""

    heading: str
    text: Callable[[Content], str]


class Table(NamedTuple):
    """A table of strings; the first column names the row, the others hold numbers."""

    title: str
    headings: list[str]
    rows: list[list[str]]


def _number(heading: str, name: str, form: str) -> Column:
    return Column(heading, lambda row: "" if row.get(name) is None else format(row[name], form))


def _with_interval(heading: str, name: str, ends: str, form: str) -> Column:
    def text(row: Content) -> str:
        if row.get(name) is None:
            return ""
        interval = row[ends]
        return f"{row[name]:{form}}" + (f" ({interval[0]:{form}} to {interval[1]:{form}})" if interval else "")

    return Column(heading, text)


def _test(row: Content) -> str:
    test = row["mcnemar"]
    return "" if test is None else f"{format_p_value(test['p_value'])} ({test['against']})"


COLUMNS: dict[str, Column] = {
    "games": _number("games", "games", "d"),
    "wins": _number("wins", "wins", "d"),
    "win_rate": _number("win rate", "win_rate", ".1%"),
    "interval": Column("95 % interval", lambda row: f"{row['ci95'][0]:.1%} to {row['ci95'][1]:.1%}"),
    "marked": _with_interval("flags on the mines", "marked_rate", "marked_ci95", ".1%"),
    "clicks": _number("clicks/game", "clicks_per_game", ".1f"),
    "queries": _number("queries/game", "queries_per_game", ".1f"),
    "guesses": _number("guesses/game", "guesses_per_game", ".2f"),
    "ms": _number("ms/game", "ms_per_game", ".2f"),
    "first_click_losses": _number("first-click losses", "first_click_losses", "d"),
    "survived": _with_interval("survived", "survived_win_rate", "survived_ci95", ".1%"),
    "score": _with_interval("score", "score", "score_ci95", ".1f"),
    "score_lost": _with_interval("score if lost", "score_lost", "score_lost_ci95", ".1f"),
    "p": Column("p (against)", _test),
}
"""The columns that a suite can choose, by name."""


def board_title(config: Content) -> str:
    """Returns the name of a board, such as "16x30/99"."""
    rows, cols = config["size"]
    return board_name(rows, cols, config["mines"]) + no_guess_name(config.get("no_guess", False))


def make_tables(suite: Suite, content: Content) -> list[Table]:
    """Returns a table per board, after a table of all win rates if there are several boards."""
    boards = content["boards"]
    tables = [_rates(content)] if len(boards) > 1 else []
    tables += [_board_table(suite, board) for board in boards]
    if suite.paired == "all":
        tables.append(_tests(content))
    return tables


def _board_table(suite: Suite, board: Content) -> Table:
    """Returns the table of a board without its empty columns."""
    results = board["results"]
    columns = [COLUMNS[name] for name in suite.columns]
    columns = [column for column in columns if any(column.text(row) for row in results)]
    title = f"{board_title(board['config'])}, first click {board['config']['first_click']}"
    rows = [[row["policy"], *(column.text(row) for column in columns)] for row in results]
    return Table(title, ["policy", *(column.heading for column in columns)], rows)


def _rates(content: Content) -> Table:
    boards = content["boards"]
    policies = dict.fromkeys(row["policy"] for board in boards for row in board["results"])
    found = {(row["policy"], i): row for i, board in enumerate(boards) for row in board["results"]}
    rows = [
        [policy, *(_rate(found.get((policy, i)), content["games"]) for i in range(len(boards)))] for policy in policies
    ]
    return Table("Win rates in %, with 95 % intervals", ["policy", *(board_title(b["config"]) for b in boards)], rows)


def _rate(row: Content | None, games: int) -> str:
    if row is None:
        return ""
    low, high = row["ci95"]
    count = "" if row["games"] == games else f", n = {row['games']}"
    return f"{100 * row['win_rate']:.1f} ({100 * low:.1f} to {100 * high:.1f}){count}"


def _tests(content: Content) -> Table:
    headings = ["policy", "against", "board", "games", "won alone", "lost alone", "p"]
    rows = [
        [
            test["policy"],
            test["against"],
            board_title(board["config"]),
            *(f"{test[name]}" for name in ("games", "won_alone", "lost_alone")),
            format_p_value(test["p_value"]),
        ]
        for board in content["boards"]
        for test in board["comparisons"]
    ]
    return Table("Each two policies on the same games, by McNemar's exact test", headings, rows)


def caption(content: Content) -> str:
    """Returns a line with the number of games and their seeds."""
    return f"n = {content['games']} games of each policy on each board, {range_text(content['seed'], content['games'])}"


def markdown(suite: Suite, content: Content) -> str:
    """Returns the page results.md."""
    lines = [f"# {content['title']}", "", f"{texts.markdown_code(content['command'])}: {caption(content)}.", ""]
    for table in make_tables(suite, content):
        lines += [f"## {table.title}", "", *_markdown_rows(table), ""]
    return "\n".join(lines + [f"- {note}" for note in content["notes"]]) + "\n"


def _markdown_rows(table: Table) -> Iterator[str]:
    for row in (table.headings, ["---"] + ["--:"] * (len(table.headings) - 1), *table.rows):
        yield f"| {' | '.join(map(texts.markdown, row))} |"


def csv_text(content: Content) -> str:
    """Returns the content of results.csv: a line per policy and board, with all of the JSON but the single games."""
    rows = [{**_flat(board["config"]), **_flat(row)} for board in content["boards"] for row in board["results"]]
    names = list(dict.fromkeys(name for row in rows for name in row if name != "won"))
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, names, restval="", extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return buffer.getvalue()


def _flat(row: Content) -> Content:
    """Returns a row without lists and dicts: "ci95" becomes "ci95_low" and "ci95_high", "size" "rows" and "cols"."""
    flat: Content = {}
    for name, value in row.items():
        if isinstance(value, dict):
            flat |= {f"{name}_{key}": each for key, each in value.items()}
        elif isinstance(value, Sequence) and not isinstance(value, str):
            ends = ("rows", "cols") if name == "size" else (f"{name}_low", f"{name}_high")
            flat |= dict(zip(ends, value, strict=True))
        elif value is not None:
            flat[name] = value
    return flat
