"""Tables of the leaderboard as Markdown, from result files alone."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from statistics import fmean
from typing import NamedTuple, TypeVar

import numpy as np

from baselines.benchmark.cards import AUTHOR, Card
from baselines.benchmark.protocol import PROTOCOL, Protocol
from baselines.benchmark.result_files import SUFFIX, Games, ResultFile, read_result_file, title_of
from baselines.evaluation import intervals
from baselines.evaluation.columns import format_p_value, games_range, per_cent, shown, spaced
from minesweeper_env.config import board_name
from minesweeper_env.escape import markdown, markdown_code

Item = TypeVar("Item")

Entry = tuple[str, str]
"""An entry: its author and its name; nobody adds to the entry of another."""

NOT_MEASURED = "-"

TIMED = "8x8/14 opening"
"""The board whose times per game the tables show; the result files have those of the other boards."""


class Row(NamedTuple):
    """An entry on one board.

    Attributes:
        rate: the fraction won.
        interval: the 95 % Wilson interval of the win rate.
        difference: its win rate less the reference's on the same games, and the ends of the 95 % interval, in
            percentage points; None for the reference itself, and without a reference.
        p_value: p-value of the exact McNemar test against the reference, corrected by Holm over the board; or None.
    """

    card: Card
    games: int
    rate: float
    interval: tuple[float, float]
    difference: tuple[float, float, float] | None = None
    p_value: float | None = None


def read_results(folder: Path) -> list[ResultFile]:
    """Returns all result files of a folder, by the name of the entry; raises as `read_result_file` does."""
    found = (read_result_file(path, hashes=False) for path in folder.glob(f"*{SUFFIX}"))
    return sorted(found, key=lambda result: result.card.name)


def rows_of(results: Sequence[ResultFile], board: str) -> list[Row]:
    """Returns the entries on a board such as "8x8/14 opening", the highest win rate first."""
    played = {result.card: games for result in results if (games := result.board(board)) is not None}
    named = sorted((card for card in played if card.name == PROTOCOL.reference), key=lambda card: card.author != AUTHOR)
    reference = played[named[0]] if named else None
    rivals = [card for card in played if card.name != PROTOCOL.reference and reference is not None]
    tests = [_compare(played[card], reference) for card in rivals if reference is not None]
    corrected = intervals.holm([p_value for _, p_value in tests])
    compared = {card: (test[0], p) for card, test, p in zip(rivals, tests, corrected, strict=True)}
    rows = []
    for card, games in played.items():
        interval = intervals.wilson_interval(games.wins, games.games)
        rows.append(Row(card, games.games, games.wins / games.games, interval, *compared.get(card, ())))
    return sorted(rows, key=lambda row: (-row.rate, row.card.name))


def _compare(games: Games, reference: Games) -> tuple[tuple[float, float, float], float]:
    """Returns the difference with its interval, and the p-value, on the games that both played."""
    met = min(games.games, reference.games)
    pairs = 2 * games.outcomes[:met] + reference.outcomes[:met]
    neither, lost, alone, both = np.bincount(pairs, minlength=4).tolist()
    difference, low, high = intervals.paired_difference(both, alone, lost, neither)
    return (100 * difference, 100 * low, 100 * high), intervals.p_value_of_discordant(alone, lost)


def board_table(results: Sequence[ResultFile], board: str, entries: Sequence[str] = ()) -> str:
    """Returns some entries on a board such as "8x8/14 opening"; p-values are corrected over all results."""
    difference = f"minus `{PROTOCOL.reference}`, points (95 %)"
    headings = ["entry", "n", "win rate", "95 % Wilson interval", difference, "p (Holm)"]
    rows = rows_of(results, board)
    cells = (
        [
            markdown_code(row.card.name),
            spaced(row.games),
            per_cent(row.rate),
            per_cent(*row.interval),
            shown(row.difference[0], "+.1f", row.difference[1:]) if row.difference else "",
            "" if row.p_value is None else format_p_value(row.p_value),
        ]
        for row in rows
        if not entries or row.card.name in entries
    )
    tests = sum(row.p_value is not None for row in rows)
    note = f"p is corrected for {tests} entries; the intervals are not, and can leave out 0 beside a p above 0.05."
    return f"{markdown_table(headings, cells)}\n\n{note}"


BUDGETS = {"100 000 steps": (1e5, math.inf), "1 million steps": (1e6, math.inf), "1 core-hour": (math.inf, 1.0)}
"""Budgets of training by name: the most environment steps, and the most core-hours."""

TOLERANCE = 1.01
"""An agent may pass a budget by one per cent, since it learns in rounds."""


def budget_of(cards: Sequence[Card]) -> str:
    """Returns the smallest budget that holds each training of an entry: "open" if none does, "" if it has none."""
    if cards[0].training_steps is None:
        return ""
    steps = max(card.training_steps or 0 for card in cards)
    hours = max(math.inf if card.training_hours is None else card.training_hours for card in cards)
    fits = (each for each, (most, longest) in BUDGETS.items() if steps <= TOLERANCE * most and hours <= longest)
    return next(fits, "open")


def overview(results: Sequence[ResultFile], protocol: Protocol = PROTOCOL) -> str:
    """Returns all boards, a row per entry, by budget and win rate; a line of a cell per set of rules of the protocol.

    An entry of several trainings has the mean of their win rates with the 95 % interval of Student's t, another one its
    win rate with the Wilson interval; `±` stands before the longer side. `*` marks p < 0.05 against the reference. A
    column that no entry fills is left out.
    """
    entries, boards = _grouped(results, lambda result: result.card), dict[str, list[dict[Entry, list[Row]]]]()
    for board in protocol.boards:
        rows = _grouped(rows_of(results, title_of(board)), lambda row: row.card)
        boards.setdefault(board_name(board.rows, board.cols, board.mines), []).append(rows)
    order = ["", *BUDGETS, "open"]

    def rank(name: Entry) -> tuple[int, float]:
        rates = [fmean(row.rate for row in rows[name]) for rules in boards.values() for rows in rules if name in rows]
        return order.index(budget_of([result.card for result in entries[name]])), -sum(rates)

    headings = ["entry", "track", "budget", "million steps", "core-hours", "ms/game", *boards]
    table = []
    for name in sorted(entries, key=rank):
        cells = [[_cell(rows.get(name, [])) for rows in rules] for rules in boards.values()]
        table.append([*_cost_cells(entries[name]), *map(_lines, cells)])
    kept = [at for at, column in enumerate(zip(*table, strict=True)) if any(column)]
    return markdown_table([headings[at] for at in kept], [[row[at] or NOT_MEASURED for at in kept] for row in table])


def _grouped(items: Iterable[Item], card_of: Callable[[Item], Card]) -> dict[Entry, list[Item]]:
    groups: dict[Entry, list[Item]] = {}
    for item in items:
        groups.setdefault((card_of(item).author, card_of(item).entry), []).append(item)
    return groups


def _lines(cells: Sequence[str]) -> str:
    """Returns the lines of a cell; nothing if all are empty."""
    return "<br>".join(each or NOT_MEASURED for each in cells) if any(cells) else ""


def _cell(rows: Sequence[Row]) -> str:
    if not rows:
        return ""
    rate = fmean(row.rate for row in rows)
    of_runs = intervals.mean_interval([row.rate for row in rows]) or (rate, rate)
    low, high = rows[0].interval if len(rows) == 1 else of_runs
    star = r"\*" if len(rows) == 1 and rows[0].p_value is not None and rows[0].p_value < 0.05 else ""
    return f"{100 * rate:.1f}&nbsp;±{100 * max(high - rate, rate - low):.1f}{star}"


def _cost_cells(results: Sequence[ResultFile]) -> list[str]:
    """Returns the entry with its games on each board, and what it costs: the means over its trainings."""
    cards = [result.card for result in results]
    card, name = cards[0], markdown_code(cards[0].entry)
    if card.links:
        link = card.links[0] if card.links[0].startswith("https://") else f"../{card.links[0]}"
        name = f"[{name}]({link})"
    count = f"<br>n = {games_range([games.games for result in results for games in result.boards])}"
    author = "" if card.author == AUTHOR else f"<br>{markdown(card.author)}"
    times = [result.times.boards.get(TIMED) for result in results if result.times]
    return [
        name + author + count,
        card.track,
        budget_of(cards) + (f"<br>{len(cards)} runs" if len(cards) > 1 else ""),
        _mean([None if each.training_steps is None else each.training_steps / 1e6 for each in cards]),
        _mean([each.training_hours for each in cards]),
        _mean([each.ms_per_game if each else None for each in times]),
    ]


def _mean(values: Sequence[float | None]) -> str:
    known = [value for value in values if value is not None]
    return f"{fmean(known):.3g}" if known else ""


def markdown_table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Returns a table of Markdown."""
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (headings, ["---"] * len(headings), *rows))
