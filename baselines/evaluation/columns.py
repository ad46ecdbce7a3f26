"""Columns of the tables of results, each declared once: its heading, its cell, and its figure in the JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from statistics import fmean
from typing import Any, NamedTuple

from baselines.evaluation.games import GameRecord
from baselines.evaluation.intervals import holm
from baselines.support.board_names import board_name, no_guess_name
from baselines.terminal import tables
from baselines.terminal.tables import Table

Row = dict[str, Any]
"""The result of a policy on a board, as the files of results hold it; see `baselines.evaluation.results.result_row`."""

Figure = Callable[[Sequence[GameRecord]], Any]

LEVEL = 0.05
"""Level at which a test counts as significant."""


class Column(NamedTuple):
    """A column of results.

    Attributes:
        heading: its heading.
        text: returns the text of its cell for a row; "" for a row without it.
        priority: 0 for a column that is always shown; of the others the greatest is left out first.
        is_name: whether the cells are names of policies, which may fold.
        figure: the name of a figure of the JSON, and its value for the records of the games; None if the row has it
            from elsewhere.
    """

    heading: str
    text: Callable[[Row], str]
    priority: int = 0
    is_name: bool = False
    figure: tuple[str, Figure] | None = None


def per_cent(*rates: float) -> str:
    """Returns fractions as pages show them, such as "67.5 %", or "66.6 to 68.4 %" for an interval."""
    return " to ".join(f"{100 * rate:.1f}" for rate in rates) + " %"


def spaced(number: int) -> str:
    """Returns a whole number as pages show it: from five digits on in groups of three, such as "10 000"."""
    return f"{number:,}".replace(",", " ") if number >= 10_000 else f"{number}"


def format_p_value(value: float) -> str:
    """Returns a p-value with two significant digits."""
    return "< 1e-99" if value < 1e-99 else f"{value:.2g}"


def span(ends: Sequence[float], form: str = ".1%") -> str:
    """Returns an interval, such as "38.7% to 78.1%"."""
    return f"{ends[0]:{form}} to {ends[1]:{form}}"


def with_interval(value: float | None, ends: Sequence[float] | None, form: str = ".1%") -> str:
    """Returns a value with its interval in brackets; "" for None."""
    if value is None:
        return ""
    return f"{value:{form}}" + (f" ({span(ends, form)})" if ends else "")


def _number(heading: str, name: str, form: str, priority: int = 0, figure: Figure | None = None) -> Column:
    def text(row: Row) -> str:
        return "" if row.get(name) is None else format(row[name], form)

    return Column(heading, text, priority, figure=figure and (name, figure))


def _with_interval(heading: str, name: str, ends: str, form: str, priority: int) -> Column:
    return Column(heading, lambda row: with_interval(row.get(name), row.get(ends), form), priority)


def _mean(name: str) -> Figure:
    return lambda records: fmean(getattr(record, name) for record in records)


def _test(row: Row, name: str) -> Any:
    """Returns a field of the test in a row; a row that is a test itself has the field."""
    return (row.get("mcnemar", row) or {}).get(name)


def _p_value(value: float | None) -> str:
    return "" if value is None else format_p_value(value)


COLUMNS: dict[str, Column] = {
    "policy": Column("policy", lambda row: str(row["policy"]), 0, True),
    "board": Column("board", lambda row: str(row["board"]), 0, True),
    "games": _number("games", "games", "d", 6),
    "wins": _number("wins", "wins", "d", 9),
    "win_rate": _number("win rate", "win_rate", ".1%"),
    "interval": Column("95 % interval", lambda row: span(row["ci95"])),
    "marked": _with_interval("flags on the mines", "marked_rate", "marked_ci95", ".1%", 4),
    "clicks": _number("clicks/game", "clicks_per_game", ".1f", 11, _mean("clicks")),
    "queries": _number("queries/game", "queries_per_game", ".1f", 8),
    "guesses": _number("guesses/game", "guesses_per_game", ".2f", 8),
    "ms": _number("ms/game", "ms_per_game", ".2f", 5),
    "first_click_losses": _number("first-click losses", "first_click_losses", "d", 10),
    "survived": _with_interval("survived", "survived_win_rate", "survived_ci95", ".1%", 4),
    "score": _with_interval("score", "score", "score_ci95", ".1f", 3),
    "score_lost": _with_interval("score if lost", "score_lost", "score_lost_ci95", ".1f", 7),
    "won_alone": _number("won alone", "won_alone", "d", 2),
    "lost_alone": _number("lost alone", "lost_alone", "d", 2),
    "p": Column("p", lambda row: _p_value(_test(row, "p_value")), 1),
    "against": Column("against", lambda row: _test(row, "against") or "", 1, True),
    "difference": _number("difference in points", "difference", "+.1f"),
    "difference_interval": Column(
        "95 % interval",
        lambda row: span((row["difference_low"], row["difference_high"]), "+.1f") if row.get("against") else "",
    ),
    "p_holm": Column("p (Holm)", lambda row: _p_value(row.get("p_holm"))),
}
"""The columns by name."""

EVALUATED = ("policy", "games", "wins", "win_rate", "interval", "clicks", "ms", "p")
"""Columns of the table of `evaluate.py`."""

COMPARED = ("policy", "win_rate", "interval", "difference", "difference_interval", "p_holm", "ms")
"""Columns of the table of `baselines.evaluate`."""


def figures(records: Sequence[GameRecord]) -> Row:
    """Returns the figures that columns declare, by their names in the JSON."""
    declared = [column.figure for column in COLUMNS.values() if column.figure is not None]
    return {name: figure(records) for name, figure in declared}


def table_of(title: str, names: Iterable[str], rows: Sequence[Row], marked: Sequence[int] = ()) -> Table:
    """Returns a table of rows; a "*" stands before the p-values that are significant after Holm's correction.

    Args:
        title: text above it.
        names: names of `COLUMNS`.
        rows: its rows.
        marked: indices of the rows to emphasise.
    """
    chosen = {name: COLUMNS[name] for name in names}
    cells = {name: [column.text(row) for row in rows] for name, column in chosen.items()}
    if "p" in cells:
        marks = significant(p_values(rows))
        cells["p"] = [f"* {p}" if mark else p for p, mark in zip(cells["p"], marks, strict=True)]
    headings = [
        tables.Column(column.heading, "left" if column.is_name else "right", column.priority, column.is_name)
        for column in chosen.values()
    ]
    return Table(title, headings, list(zip(*cells.values(), strict=True)), marked)


def p_values(rows: Sequence[Row]) -> list[float | None]:
    """Returns the p-value of the test in each row; None for a row without a test."""
    return [_test(row, "p_value") for row in rows]


def significant(values: Sequence[float | None]) -> list[bool]:
    """Returns for each test whether it is significant at the level `LEVEL` after Holm's correction for all of them."""
    adjusted = iter(holm([value for value in values if value is not None]))
    return [value is not None and next(adjusted) <= LEVEL for value in values]


def best_rows(rows: Sequence[Row]) -> list[int]:
    """Returns the indices of the most wins among the policies that played most games; nothing for a single policy."""
    most = max((row["games"], row["wins"]) for row in rows) if len(rows) > 1 else None
    return [number for number, row in enumerate(rows) if (row["games"], row["wins"]) == most]


def legend(marked: Sequence[int], values: Sequence[float | None]) -> str:
    """Returns the explanation of the marks in a table; "" without marks.

    Args:
        marked: indices of the emphasised rows.
        values: the p-values in the table.
    """
    texts = ["> highest win rate."] if marked else []
    if any(significant(values)):
        tests = sum(value is not None for value in values)
        holm_note = f", after Holm's correction for {tests} tests" if tests > 1 else ""
        texts.append(f"* significant at {LEVEL:.0%}{holm_note}.")
    return " ".join(texts)


def board_title(config: Row) -> str:
    """Returns the name of a board, such as "16x30/99"."""
    rows, cols = config["size"]
    return board_name(rows, cols, config["mines"]) + no_guess_name(config.get("no_guess", False))
