"""Tables of the leaderboard as Markdown, from result files alone."""

import math
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from statistics import fmean
from typing import TypeVar

from baselines.benchmark.cards import AUTHOR, Card
from baselines.benchmark.protocol import INFERENCE, PROTOCOL, Protocol
from baselines.benchmark.result_files import SUFFIX, RefusedFileError, ResultFile, read_result_file, title_of
from baselines.evaluation import columns, intervals
from baselines.evaluation.results import compare, rate_row
from baselines.tables import Row
from minesweeper_env import config, escape

Item = TypeVar("Item")

Entry = tuple[str, str]
"""An entry: its author and its name, so that nobody adds to the entry of another author."""

NOT_MEASURED = "-"

TIMED = "8x8/14 opening"
"""The board whose times per game the tables show; the result files have those of the other boards."""


def read_results(folder: Path) -> list[ResultFile]:
    """Returns all result files of a folder, by the name of the entry; raises as `read_result_file` does.

    A file is called after its entry, so a copy under another name is refused and does not count as a second training.
    """
    results = {path: read_result_file(path, hashes=False) for path in folder.glob(f"*{SUFFIX}")}
    for path, result in results.items():
        if path.name != result.card.file_name:
            raise RefusedFileError(f"{path}: the result of {result.card.name} belongs into {result.card.file_name}")
    return sorted(results.values(), key=lambda result: result.card.name)


def rows_of(results: Sequence[ResultFile], board: str) -> list[Row]:
    """Returns the rows of the entries on a board such as "8x8/14 opening", the highest win rate first.

    Each row has the `card` of its entry, and except for the reference a test as "mcnemar": against the reference, on
    the games that both played, if a file of the reference has the board.
    """
    played = [(result.card, games) for result in results if (games := result.board(board)) is not None]
    references = [entry for entry in played if entry[0].name == PROTOCOL.reference]
    _, reference = min(references, key=lambda entry: entry[0].author != AUTHOR, default=(None, None))
    rows = []
    for card, games in played:
        row = {"policy": card.name, "card": card, **rate_row(games.games, games.wins)}
        if reference is not None and card.name != PROTOCOL.reference:
            common = slice(min(games.games, reference.games))
            row["mcnemar"] = compare(PROTOCOL.reference, games.outcomes[common], reference.outcomes[common])
        rows.append(row)
    return sorted(columns.with_holm(rows), key=lambda row: (-row["win_rate"], row["policy"]))


BUDGETS = {"100 000 steps": (1e5, math.inf), "1 million steps": (1e6, math.inf), "1 core-hour": (math.inf, 1.0)}
"""Budgets of training by name: the most environment steps, and the most core-hours."""

TOLERANCE = 1.01
"""An agent may pass a budget by one per cent, since it learns in rounds."""


def budget_of(cards: Sequence[Card]) -> str:
    """Returns the smallest budget that holds each training of an entry: "open" if none does, "" if it has none."""
    if not cards[0].training_steps:
        return ""
    steps = max(card.training_steps or 0 for card in cards)
    hours = max(math.inf if card.training_hours is None else card.training_hours for card in cards)
    for name, (max_steps, max_hours) in BUDGETS.items():
        if steps <= TOLERANCE * max_steps and hours <= max_hours:
            return name
    return "open"


def overview(results: Sequence[ResultFile], protocol: Protocol = PROTOCOL, root: str = "..") -> str:
    """Returns a Markdown table with a row per entry: by inference at play, and then by the sum of its win rates.

    Each board has a column, and each set of rules a line in its cells. An entry of several trainings has the mean of
    their win rates with the 95 % interval of Student's t. Any other entry has its win rate with the Wilson interval.
    The longer side of an interval follows `±`, and `*` marks p < 0.05 against the reference. Columns that no entry
    fills are left out. `root` is the path from the page to the repository.
    """
    # By board, for each set of rules, the rows of each entry.
    entries, boards = _grouped(results, lambda result: result.card), dict[str, list[dict[Entry, list[Row]]]]()
    for board in protocol.boards:
        rows_by_entry = _grouped(rows_of(results, title_of(board)), lambda row: row["card"])
        boards.setdefault(config.board_name(board.rows, board.cols, board.mines), []).append(rows_by_entry)

    def rank(entry: Entry) -> tuple[int, float]:
        rows_of_games = [rows[entry] for rule_sets in boards.values() for rows in rule_sets if entry in rows]
        total = sum(fmean(row["win_rate"] for row in rows) for rows in rows_of_games)
        return list(INFERENCE).index(entries[entry][0].card.inference_at_play), -total

    headings = ["entry", "at play", "track", "budget", "million steps", "core-hours", "ms/game", *boards]
    table = []
    for entry in sorted(entries, key=rank):
        cells = [[_cell(rows.get(entry, [])) for rows in rule_sets] for rule_sets in boards.values()]
        table.append([*_cost_cells(entries[entry], root), *map(_stacked, cells)])
    filled = [i for i, column in enumerate(zip(*table, strict=True)) if any(column)]
    return markdown_table([headings[i] for i in filled], [[row[i] or NOT_MEASURED for i in filled] for row in table])


def _grouped(items: Iterable[Item], card_of: Callable[[Item], Card]) -> dict[Entry, list[Item]]:
    """Returns the items of each entry, in their order; `card_of` returns the card of an item."""
    groups: dict[Entry, list[Item]] = {}
    for item in items:
        groups.setdefault((card_of(item).author, card_of(item).entry), []).append(item)
    return groups


def _stacked(texts: Sequence[str]) -> str:
    """Returns texts as the lines of one table cell, with a sign in place of an empty text; "" if all are empty."""
    return "<br>".join(text or NOT_MEASURED for text in texts) if any(texts) else ""


def _cell(rows: Sequence[Row]) -> str:
    """Returns an entry's win rate under one set of rules, such as "41.7 ±0.9*" (see `overview`); "" for no rows."""
    if not rows:
        return ""
    rates = [row["win_rate"] for row in rows]
    rate, is_single = fmean(rates), len(rows) == 1
    low, high = rows[0]["ci95"] if is_single else intervals.mean_interval(rates) or (rate, rate)
    star = r"\*" if is_single and rows[0].get("p_holm", 1) < columns.LEVEL else ""
    return f"{100 * rate:.1f}&nbsp;±{100 * max(high - rate, rate - low):.1f}{star}"


def _cost_cells(results: Sequence[ResultFile], root: str) -> list[str]:
    """Returns an entry's cells before the boards: name, games, inference, track, and mean costs of its trainings."""
    cards = [result.card for result in results]
    card, name = cards[0], escape.markdown_code(cards[0].entry)
    if card.links:
        link = card.links[0] if card.links[0].startswith("https://") else f"{root}/{card.links[0]}"
        name = f"[{name}]({link})"
    count = f"<br>n = {columns.games_range([games.games for result in results for games in result.boards])}"
    author = "" if card.author == AUTHOR else f"<br>{escape.markdown(card.author)}"
    times = [result.times.boards.get(TIMED) for result in results if result.times]
    return [
        name + author + count,
        card.uses_at_play,
        card.track,
        budget_of(cards) + (f"<br>{len(cards)} runs" if len(cards) > 1 else ""),
        _mean([None if card.training_steps is None else card.training_steps / 1e6 for card in cards]),
        _mean([card.training_hours for card in cards]),
        _mean([measured.ms_per_game if measured else None for measured in times]),
    ]


def _mean(values: Sequence[float | None]) -> str:
    """Returns the mean of the values that are not None, in three digits; "" if all are None."""
    measured = [value for value in values if value is not None]
    return f"{fmean(measured):.3g}" if measured else ""


def markdown_table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Returns a table of Markdown."""
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (headings, ["---"] * len(headings), *rows))
