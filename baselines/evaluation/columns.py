"""Columns of the tables of results, each declared once, and the forms of numbers on pages."""

from collections.abc import Iterable, Sequence
from typing import Any

from baselines.evaluation.intervals import holm
from baselines.tables import P_VALUE, Column, Row, Table
from minesweeper_env.config import board_name


def _if_judged(row: Row, name: str, otherwise: Any = None) -> Any:
    """Returns a figure of the judged clicks; `otherwise` if none were judged, since 0 faults would then be no merit."""
    return row[name] if row.get("clicks_judged") else otherwise


LEVEL = 0.05
"""Level at which a test counts as significant."""

COLUMNS: dict[str, Column] = {
    "policy": Column("policy", "policy"),
    "board": Column("board", "board"),
    "games": Column("games", "games", "d", 6),
    "wins": Column("wins", "wins", "d", 9),
    "win_rate": Column("win rate", "win_rate", ".1%"),
    "interval": Column("95 % interval", "ci95", ".1%"),
    "marked": Column("flags on the mines", "marked_rate", ".1%", 4, "marked_ci95"),
    "clicks": Column("clicks/game", "clicks_per_game", ".1f", 11),
    "guesses": Column("guesses/game", "guesses_per_game", ".2f", 8),
    "illegal": Column("illegal/game", "illegal_per_game", ".2f", 4),
    "cut": Column("cut/game", "cut_per_game", ".2f", 7),
    "past_safe": Column("past safe", lambda row: _if_judged(row, "clicks_past_safe"), "d", 2),
    "avoidable": Column("avoidable losses", lambda row: _if_judged(row, "lost_avoidable", {}).get("count"), "d", 3),
    "excess": Column("excess risk/game", lambda row: _if_judged(row, "excess_risk_per_game"), ".3f", 5),
    "bits": Column("bits/cell", lambda row: row.get("beliefs", {}).get("bits"), ".4f", 3),
    "certain_wrong": Column("off by 1 %", lambda row: row.get("beliefs", {}).get("certain_wrong"), ".2%", 4),
    "tokens": Column("tokens/game", "tokens_per_game", ".0f", 6),
    "ms": Column("ms/game", "ms_per_game", ".2f", 5),
    "first_click_losses": Column("first-click losses", "first_click_losses", "d", 10),
    "survived": Column("survived", "survived_win_rate", ".1%", 4, "survived_ci95"),
    "score": Column("score", "score", ".1f", 3, "score_ci95"),
    "score_lost": Column("score if lost", "score_lost", ".1f", 7, "score_lost_ci95"),
    "won_alone": Column("won alone", "won_alone", "d", 2),
    "lost_alone": Column("lost alone", "lost_alone", "d", 2),
    "p": Column("p", "p_value", P_VALUE, 1),
    "against": Column("against", "against", "", 1),
    "difference": Column("difference in points", "difference", "+.1f"),
    "difference_interval": Column("95 % interval", "difference_ci95", "+.1f"),
    "p_holm": Column("p (Holm)", "p_holm", P_VALUE),
}

EVALUATED = ("policy", "games", "wins", "win_rate", "interval", "clicks", "ms", "p")
"""Columns of the table of `evaluate.py`."""

ANSWERED = (
    *("policy", "games", "win_rate", "interval", "illegal", "cut", "past_safe", "avoidable", "excess", "tokens", "p"),
)
"""Columns of the table of `evaluate.py` with a language model; clicks past safe had a safe cell on their board."""

COMPARED = ("policy", "win_rate", "interval", "difference", "difference_interval", "p_holm", "ms")
"""Columns of the table of `baselines.evaluate`."""


def table_of(title: str, columns: Iterable[str | Column], rows: Sequence[Row], marked: Sequence[int] = ()) -> Table:
    """Returns a table of columns, some named in `COLUMNS`; a "*" marks p-values that are significant by Holm's method.

    A row is a test, or a result with perhaps a test as "mcnemar" and "diagnostics"; `marked` are indices of best rows.
    """
    table_columns = [COLUMNS[column] if isinstance(column, str) else column for column in columns]
    rows = with_holm(row.get("diagnostics", {}) | row for row in rows)
    cells = {column: [column.text(row) for row in rows] for column in table_columns}
    legend = ["> highest win rate."] if marked else []
    stars = ["* " if row.get("p_holm", 1) <= LEVEL else "" for row in rows]
    if COLUMNS["p"] in cells and any(stars):
        cells[COLUMNS["p"]] = [f"{star}{text}" for star, text in zip(stars, cells[COLUMNS["p"]], strict=True)]
        count = sum("p_holm" in row for row in rows)
        note = f", after Holm's correction for {count} tests" if count > 1 else ""
        legend.append(f"* significant at {LEVEL:.0%}{note}.")
    return Table(title, table_columns, list(zip(*cells.values(), strict=True)), marked, " ".join(legend))


def with_holm(rows: Iterable[Row]) -> list[Row]:
    """Returns the rows with the fields of their tests, and with `p_holm`, the p-value after Holm's correction."""
    merged = [(row.get("mcnemar") or {}) | row for row in rows]
    tested = [row for row in merged if "p_value" in row]
    for row, value in zip(tested, holm([row["p_value"] for row in tested]), strict=True):
        row["p_holm"] = value
    return merged


def best_rows(rows: Sequence[Row]) -> list[int]:
    """Returns the indices of the rows with the most wins among those with the most games; [] for a single row."""
    best = max((row["games"], row["wins"]) for row in rows) if len(rows) > 1 else None
    return [index for index, row in enumerate(rows) if (row["games"], row["wins"]) == best]


def board_title(config: Row) -> str:
    """Returns the name of a board, such as "16x30/99"."""
    rows, cols = config["size"]
    return board_name(rows, cols, config["mines"], config.get("no_guess", False), config.get("luck", True))


def per_cent(*rates: float) -> str:
    """Returns fractions as pages show them, such as "67.5 %", or "66.6 to 68.4 %" for an interval."""
    return " to ".join(f"{100 * rate:.1f}" for rate in rates) + " %"


def spaced(number: int) -> str:
    """Returns a whole number as pages show it: from five digits on in groups of three, such as "10 000"."""
    return f"{number:,}".replace(",", " ") if number >= 10_000 else f"{number}"


def games_range(counts: Sequence[int]) -> str:
    """Returns the number of games of several boards, such as "2000 to 10 000", or "2000" if all are equal."""
    return " to ".join(spaced(number) for number in sorted({min(counts), max(counts)}))
