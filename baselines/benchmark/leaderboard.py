"""Tables of the leaderboard as Markdown, from result files alone."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from baselines.benchmark.protocol import PROTOCOL, TEXT_PROTOCOL, Protocol
from baselines.benchmark.result_files import AUTHOR, SUFFIX, Card, Games, ResultFile, read_result_file, title_of
from baselines.evaluation.columns import format_p_value, per_cent, shown, spaced
from baselines.evaluation.intervals import holm, p_value_of_discordant, paired_difference, wilson_interval
from baselines.registry import policy_names
from minesweeper_env.texts import markdown, markdown_code

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
    return sorted((read_result_file(path) for path in folder.glob(f"*{SUFFIX}")), key=lambda result: result.card.name)


def check_name(result: ResultFile, folder: Path) -> None:
    """Raises a ValueError if an entry takes somebody else's name or file in a folder, or the package's author."""
    card, names = result.card, policy_names()
    is_ours = card.author == AUTHOR and card.name == card.policy and card.policy.partition(":")[0] in names
    if (card.name.casefold() in names or _skeleton(card.author) == _skeleton(AUTHOR)) and not is_ours:
        raise ValueError(f"{card.name!r} by {card.author!r} takes a name or the author of the package; choose another")
    for path in folder.glob(f"*{SUFFIX}"):
        if path.name.casefold() == card.file_name.casefold():
            other = read_result_file(path).card
            if (other.name, other.author) != (card.name, card.author):
                raise ValueError(
                    f"the entry {other.name!r} by {other.author!r} has the file {path.name}; choose another name"
                )


def _skeleton(name: str) -> str:
    """Returns the letters and digits of a name, without case and compatibility forms: names that look alike agree."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", name).casefold()))


def rows_of(results: Sequence[ResultFile], board: str) -> list[Row]:
    """Returns the entries on a board such as "8x8/14 opening", the highest win rate first."""
    played = {result.card: games for result in results if (games := result.board(board)) is not None}
    reference = next((games for card, games in played.items() if card.name == PROTOCOL.reference), None)
    rivals = [card for card in played if card.name != PROTOCOL.reference and reference is not None]
    tests = [_compare(played[card], reference) for card in rivals if reference is not None]
    corrected = holm([p_value for _, p_value in tests])
    compared = {card: (test[0], p) for card, test, p in zip(rivals, tests, corrected, strict=True)}
    rows = []
    for card, games in played.items():
        interval = wilson_interval(games.wins, games.games)
        rows.append(Row(card, games.games, games.wins / games.games, interval, *compared.get(card, ())))
    return sorted(rows, key=lambda row: (-row.rate, row.card.name))


def _compare(games: Games, reference: Games) -> tuple[tuple[float, float, float], float]:
    """Returns the difference with its interval, and the p-value, on the games that both played."""
    counts = Counter(zip(games.outcomes.tolist(), reference.outcomes.tolist(), strict=False))
    both, alone, lost, neither = (counts[pair] for pair in ((True, True), (True, False), (False, True), (False, False)))
    difference, low, high = paired_difference(both, alone, lost, neither)
    return (100 * difference, 100 * low, 100 * high), p_value_of_discordant(alone, lost)


COLUMNS: dict[str, tuple[str, Callable[[Row], str]]] = {
    "entry": ("entry", lambda row: markdown_code(row.card.name)),
    "track": ("track", lambda row: row.card.track),
    "n": ("n", lambda row: spaced(row.games)),
    "rate": ("win rate", lambda row: per_cent(row.rate)),
    "interval": ("95 % Wilson interval", lambda row: per_cent(*row.interval)),
    "difference": (f"minus `{PROTOCOL.reference}`, points (95 %)", lambda row: _points(row)),
    "p": ("p (Holm)", lambda row: "" if row.p_value is None else format_p_value(row.p_value)),
}
"""Columns of the tables of a board, by name: heading and text of a cell."""


def _points(row: Row) -> str:
    return shown(row.difference[0], "+.1f", row.difference[1:]) if row.difference else ""


def board_table(
    results: Sequence[ResultFile], board: str, entries: Sequence[str] = (), columns: Iterable[str] = COLUMNS
) -> str:
    """Returns some entries and columns of a board such as "8x8/14 opening"; p-values are corrected over all results."""
    rows = [row for row in rows_of(results, board) if not entries or row.card.name in entries]
    chosen = [COLUMNS[name] for name in columns]
    return markdown_table([heading for heading, _ in chosen], [[text(row) for _, text in chosen] for row in rows])


def overview(
    results: Sequence[ResultFile], first_click: str, entries: Sequence[str] = (), protocol: Protocol = PROTOCOL
) -> str:
    """Returns the boards of one first-click rule, a row per entry.

    A cell has the win rate in per cent, n unless it is the least allowed, and the difference to the reference in
    points; `*` marks p < 0.05.
    """
    boards = [title_of(board) for board in protocol.boards if board.first_click == first_click]
    tables = [{row.card.name: row for row in rows_of(results, board)} for board in boards]
    cards = [result.card for result in results if any(result.card.name in table for table in tables)]
    cards.sort(key=lambda card: -sum(table[card.name].rate for table in tables if card.name in table))
    rows = [
        [markdown_code(card.name), card.track, *(_cell(table.get(card.name), protocol.least_games) for table in tables)]
        for card in cards
        if not entries or card.name in entries
    ]
    return markdown_table(["entry", "track", *(board.rpartition(" ")[0] for board in boards)], rows)


def _cell(row: Row | None, least_games: int) -> str:
    if row is None:
        return NOT_MEASURED
    text = shown(100 * row.rate, ".1f", [100 * end for end in row.interval])
    if row.games != least_games:
        text += ", " + f"n = {spaced(row.games)}".replace(" ", "&nbsp;")
    if row.difference:
        text += f"<br>{_points(row)}" + ("*" if row.p_value is not None and row.p_value < 0.05 else "")
    # A narrow cell breaks before an interval, and not within it.
    return text.replace(" to ", "&nbsp;to&nbsp;")


def cards_table(results: Sequence[ResultFile]) -> str:
    """Returns the cards of all entries, by track, with their times per game on `TIMED`."""
    tracks = list(TEXT_PROTOCOL.tracks)
    ordered = sorted(results, key=lambda result: tracks.index(result.card.track))
    trained = ["training steps", "hours", "trained on"]
    headings = ["entry", "track", "policy", "author", f"ms/game, {TIMED}", *trained, "links", "result file"]
    return markdown_table(headings, [_card_cells(result) for result in ordered])


def _card_cells(result: ResultFile) -> list[str]:
    card, steps, hours = result.card, "", ""
    if card.training_steps is not None:
        steps = f"{card.training_steps / 1e6:.2f} million"
        hours = NOT_MEASURED if card.training_hours is None else f"{card.training_hours:.2f}"
    timed = None if result.times is None else result.times.boards.get(TIMED)
    return [
        markdown_code(card.name),
        card.track,
        markdown_code(card.policy),
        markdown(card.author),
        NOT_MEASURED if timed is None else f"{timed.ms_per_game:.3g}",
        steps,
        hours,
        markdown(card.hardware),
        ", ".join(f"[{number}]({link})" for number, link in enumerate(card.links, 1)),
        f"[{result.sha256[:12]}](leaderboard/results/{card.file_name})",
    ]


def markdown_table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Returns a table of Markdown."""
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (headings, ["---"] * len(headings), *rows))
