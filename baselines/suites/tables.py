"""Tables of the content of results.json, on the terminal, as Markdown and as CSV, and its plot."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from typing import Any

from baselines.evaluation.columns import Row, best_rows, board_title, legend, p_values, table_of
from baselines.evaluation.forest import draw
from baselines.evaluation.seeds import range_text
from baselines.suites.suite import Suite
from baselines.terminal.tables import Column, Page, Table
from minesweeper_env import texts

Content = dict[str, Any]

RATES = "Win rates in %, with 95 % intervals"
TESTS = ("policy", "against", "games", "won_alone", "lost_alone", "p")
"""Columns of the table of all tests on a board."""


def caption(content: Content) -> str:
    """Returns a line with the number of games and their seeds."""
    return f"n = {content['games']} games of each policy on each board, {range_text(content['seed'], content['games'])}"


def board_tables(suite: Suite, board: Content) -> list[tuple[Table, str]]:
    """Returns the table of a board, and the one of all tests if the suite compares every pair; each with its legend."""
    rows, title = board["results"], board_title(board["config"])
    names = ["policy", *suite.columns, *(["against"] if "p" in suite.columns else [])]
    best, values = best_rows(rows), p_values(rows) if "p" in suite.columns else []
    table = table_of(f"{title}, first click {board['config']['first_click']}", names, rows, best)
    found = [(table, legend(best, values))]
    if suite.paired == "all":
        tests = board["comparisons"]
        table = table_of(f"{title}: each two policies on the same games", TESTS, tests)
        found.append((table, legend([], p_values(tests))))
    return found


def rates_table(content: Content, with_intervals: bool) -> Table:
    """Returns the win rates on all boards; a ">" stands before the highest of a board."""
    boards = content["boards"]
    policies = dict.fromkeys(row["policy"] for board in boards for row in board["results"])
    columns = []
    for board in boards:
        best, rows = best_rows(board["results"]), board["results"]
        columns.append({row["policy"]: _rate(row, at in best, with_intervals) for at, row in enumerate(rows)})
    cells = [[policy, *(column.get(policy, "") for column in columns)] for policy in policies]
    headings = [Column(board_title(board["config"]), priority=number) for number, board in enumerate(boards)]
    return Table("", (Column("policy", "left", folds=True), *headings), cells)


def _rate(row: Row, is_best: bool, with_interval: bool) -> str:
    low, high = (f"{100 * end:.1f}" for end in row["ci95"])
    rate = f"{'>' if is_best else ''}{100 * row['win_rate']:.1f}"
    return f"{rate} ({low} to {high})" if with_interval else rate


def print_tables(suite: Suite, content: Content, wide: bool = False) -> None:
    """Prints the tables and the notes on stdout; `wide` tables have all columns, whatever the terminal."""
    page = Page.for_stdout(wide)
    fill(page, suite, content)
    page.print()


def fill(page: Page, suite: Suite, content: Content) -> None:
    """Adds the tables and the notes of a suite to a page."""
    page.title(content["title"])
    page.note(caption(content))
    if len(content["boards"]) > 1:
        _add_rates(page, content)
    for board in content["boards"]:
        for table, explanation in board_tables(suite, board):
            page.table(table)
            page.legend(explanation)
    page.title("Notes")
    for note in content["notes"]:
        page.note(note)


def _add_rates(page: Page, content: Content) -> None:
    """Adds the win rates on all boards: with their intervals where these fit, otherwise without, in several tables."""
    page.title(RATES)
    table = rates_table(content, with_intervals=True)
    if not page.fits(table):
        page.note("The tables of the boards below have the intervals.")
        table = rates_table(content, with_intervals=False)
    page.stack(table)
    page.legend("> highest win rate on the board.")


def markdown(suite: Suite, content: Content) -> str:
    """Returns the page results.md."""
    lines = [f"# {content['title']}", "", f"{texts.markdown_code(content['command'])}: {caption(content)}.", ""]
    if len(content["boards"]) > 1:
        lines += [f"## {RATES}", "", *_markdown_rows(rates_table(content, True)), ""]
    for board in content["boards"]:
        for table, _ in board_tables(suite, board):
            lines += [f"## {table.title}", "", *_markdown_rows(table), ""]
    return "\n".join(lines + [f"- {note}" for note in content["notes"]]) + "\n"


def _markdown_rows(table: Table) -> Iterator[str]:
    table = table.part(table.filled())
    headings = [column.heading for column in table.columns]
    for row in (headings, ["---" if column.folds else "--:" for column in table.columns], *table.rows):
        yield f"| {' | '.join(map(texts.markdown, row))} |"


def plot(content: Content) -> bytes:
    """Returns the plot of the win rates as a PNG file."""
    return draw(content, f"{content['title']}\n{caption(content)}; win rates in per cent with 95 % intervals")


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
