"""`play.py --stats`: a table of the games on each kind of board."""

from __future__ import annotations

from baselines.support.board_names import board_name
from baselines.terminal.tables import Column, Page, Table
from minesweeper_env.notices import say
from minesweeper_play.game.records import BoardKind, Summary, summarise
from minesweeper_play.game.statistics import Statistics
from minesweeper_play.language.catalogue import Catalogue
from minesweeper_play.options import PlayOptions


def run(options: PlayOptions) -> int:
    """Prints the statistics of the user; returns the exit status 0.

    Raises:
        MissingExtraError: platformdirs is not installed.
        OSError: the statistics cannot be read.
    """
    catalogue, statistics = Catalogue(options.language), Statistics()
    records = statistics.read()
    if statistics.problem.key:
        say(catalogue.text(statistics.problem.key, **statistics.problem.values))
    if not records:
        print(catalogue.text("statistics_empty"))
        return 0
    table = statistics_table(summarise(records), catalogue)
    page = Page.for_stdout()
    page.add(table.draw(page.width))
    page.print()
    return 0


def statistics_table(summaries: dict[BoardKind, Summary], catalogue: Catalogue) -> Table:
    """Returns a table with a row per kind of board."""
    headings = catalogue.text("statistics_head").split("|")
    priorities = (0, 0, 0, 0, 2, 3, 0, 4)
    columns = [
        Column(heading, "left" if number == 0 else "right", priority, folds=number == 0)
        for number, (heading, priority) in enumerate(zip(headings, priorities, strict=True))
    ]
    return Table("", columns, [_row(kind, summary, catalogue) for kind, summary in summaries.items()])


def board_text(kind: BoardKind, catalogue: Catalogue) -> str:
    """Returns a kind of board in words, such as "9x9/10, safe first click"."""
    parts = [board_name(kind.rows, kind.cols, kind.mines), catalogue.text(f"first_click_{kind.first_click}")]
    parts += [catalogue.text("without_guess", level=kind.no_guess)] if kind.no_guess else []
    parts += [catalogue.text("with_radius", radius=kind.radius)] if kind.radius > 1 else []
    return ", ".join(parts)


def _row(kind: BoardKind, summary: Summary, catalogue: Catalogue) -> list[str]:
    best = summary.best[0].seconds if summary.best else None
    return [
        board_text(kind, catalogue),
        str(summary.played),
        str(summary.won),
        catalogue.per_cent(summary.won / summary.played),
        str(summary.streak),
        str(summary.longest_streak),
        "" if best is None else catalogue.number(best, 1),
        catalogue.number(summary.most_efficient, 2) if summary.most_efficient else "",
    ]
