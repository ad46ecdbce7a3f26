"""The page of the statistics: games, streaks and best times of each kind of board."""

from __future__ import annotations

from minesweeper_play.game.records import BoardKind, Summary, summarise
from minesweeper_play.game.statistics import Statistics
from minesweeper_play.language.catalogue import Catalogue


def statistics_text(statistics: Statistics, catalogue: Catalogue) -> str:
    """Returns the page.

    Raises:
        OSError: the file cannot be read.
    """
    records = statistics.read()
    parts = []
    if statistics.problem.key:
        parts.append(catalogue.text(statistics.problem.key, **statistics.problem.values))
    if not records:
        parts.append(catalogue.text("table_none"))
    parts += [_board(kind, summary, catalogue) for kind, summary in summarise(records).items()]
    parts.append(catalogue.text("table_place", path=statistics.path))
    return "\n\n".join(parts)


def _board(kind: BoardKind, summary: Summary, catalogue: Catalogue) -> str:
    text = catalogue.text
    rule = text(f"rule_{kind.first_click}")
    guessing = f", {text('figure_no_guess')} ({kind.no_guess})" if kind.no_guess else ""
    lines = [
        text("table_board", rows=kind.rows, cols=kind.cols, count=kind.mines, rule=rule, guessing=guessing),
        text(
            "table_games",
            played=summary.played,
            won=summary.won,
            rate=catalogue.per_cent(summary.won / summary.played),
            streak=summary.streak,
            longest=summary.longest_streak,
        ),
    ]
    lines += [
        text(
            "table_best",
            place=place,
            seconds=catalogue.number(record.seconds, 1),
            value=record.value,
            efficiency=catalogue.per_cent(record.solved / record.clicks if record.clicks else 0.0),
            day=record.when[:10],
        )
        for place, record in enumerate(summary.best, 1)
    ]
    return "\n".join(lines)
