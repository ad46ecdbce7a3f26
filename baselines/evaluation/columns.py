"""Columns of the tables of results, each declared once: its heading, and its cell from a row of the JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from baselines.evaluation.intervals import holm
from baselines.support.board_names import board_name, no_guess_name
from baselines.terminal import tables
from baselines.terminal.tables import Table

Row = dict[str, Any]
"""The result of a policy on a board, as the files of results hold it; see `baselines.evaluation.results.result_row`."""

LEVEL = 0.05
"""Level at which a test counts as significant."""


class Column(NamedTuple):
    """A column of results.

    Attributes:
        heading: its heading.
        text: returns the text of its cell for a row; "" for a row without it.
        priority: 0 for a column that is always shown; of the others the greatest is left out first.
        is_name: whether the cells are names of policies, which may fold.
    """

    heading: str
    text: Callable[[Row], str]
    priority: int = 0
    is_name: bool = False


def per_cent(*rates: float) -> str:
    """Returns fractions as pages show them, such as "67.5 %", or "66.6 to 68.4 %" for an interval."""
    return " to ".join(f"{100 * rate:.1f}" for rate in rates) + " %"


def spaced(number: int) -> str:
    """Returns a whole number as pages show it: from five digits on in groups of three, such as "10 000"."""
    return f"{number:,}".replace(",", " ") if number >= 10_000 else f"{number}"


def format_p_value(value: float) -> str:
    """Returns a p-value with two significant digits."""
    return "< 1e-99" if value < 1e-99 else f"{value:.2g}"


def _number(heading: str, name: str, form: str, priority: int = 0) -> Column:
    return Column(heading, lambda row: "" if row.get(name) is None else format(row[name], form), priority)


def _ends(heading: str, low: str, high: str, form: str) -> Column:
    return Column(heading, lambda row: "" if row.get(low) is None else f"{row[low]:{form}} to {row[high]:{form}}")


def _with_interval(heading: str, name: str, ends: str, form: str, priority: int) -> Column:
    def text(row: Row) -> str:
        if row.get(name) is None:
            return ""
        interval = row[ends]
        return f"{row[name]:{form}}" + (f" ({interval[0]:{form}} to {interval[1]:{form}})" if interval else "")

    return Column(heading, text, priority)


def _of_test(row: Row, name: str) -> Any:
    """Returns a field of the test in a row; a row that is a test itself has the field."""
    test = row.get("mcnemar", row)
    return None if test is None else test.get(name)


def _p_value(row: Row) -> str:
    value = _of_test(row, "p_value")
    return "" if value is None else format_p_value(value)


COLUMNS: dict[str, Column] = {
    "policy": Column("policy", lambda row: str(row["policy"]), 0, True),
    "board": Column("board", lambda row: str(row["board"]), 0, True),
    "games": _number("games", "games", "d", 6),
    "wins": _number("wins", "wins", "d", 9),
    "win_rate": _number("win rate", "win_rate", ".1%"),
    "interval": Column("95 % interval", lambda row: f"{row['ci95'][0]:.1%} to {row['ci95'][1]:.1%}"),
    "marked": _with_interval("flags on the mines", "marked_rate", "marked_ci95", ".1%", 4),
    "clicks": _number("clicks/game", "clicks_per_game", ".1f", 11),
    "queries": _number("queries/game", "queries_per_game", ".1f", 8),
    "guesses": _number("guesses/game", "guesses_per_game", ".2f", 8),
    "ms": _number("ms/game", "ms_per_game", ".2f", 5),
    "first_click_losses": _number("first-click losses", "first_click_losses", "d", 10),
    "survived": _with_interval("survived", "survived_win_rate", "survived_ci95", ".1%", 4),
    "score": _with_interval("score", "score", "score_ci95", ".1f", 3),
    "score_lost": _with_interval("score if lost", "score_lost", "score_lost_ci95", ".1f", 7),
    "won_alone": _number("won alone", "won_alone", "d", 2),
    "lost_alone": _number("lost alone", "lost_alone", "d", 2),
    "p": Column("p", _p_value, 1),
    "against": Column("against", lambda row: _of_test(row, "against") or "", 1, True),
    "difference": _number("difference in points", "difference", "+.1f"),
    "difference_interval": _ends("95 % interval", "difference_low", "difference_high", "+.1f"),
    "p_holm": Column("p (Holm)", lambda row: "" if row.get("p_holm") is None else format_p_value(row["p_holm"])),
}
"""The columns by name."""


def table_of(title: str, names: Iterable[str], rows: Sequence[Row], marked: Sequence[int] = ()) -> Table:
    """Returns a table of rows; a "*" stands before the p-values that are significant after Holm's correction.

    Args:
        title: text above it.
        names: names of `COLUMNS`.
        rows: its rows.
        marked: indices of the rows to emphasise.
    """
    chosen = [(name, COLUMNS[name]) for name in names]
    cells = [[column.text(row) for row in rows] for _, column in chosen]
    for column, (name, _) in zip(cells, chosen, strict=True):
        if name == "p":
            column[:] = [f"* {p}" if mark else p for p, mark in zip(column, significant(p_values(rows)), strict=True)]
    headings = [
        tables.Column(column.heading, "left" if column.is_name else "right", column.priority, column.is_name)
        for _, column in chosen
    ]
    return Table(title, headings, list(zip(*cells, strict=True)), marked)


def p_values(rows: Sequence[Row]) -> list[float | None]:
    """Returns the p-value of the test in each row; None for a row without a test."""
    return [_of_test(row, "p_value") for row in rows]


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
