"""Tables of the content of results.json on the terminal: one for each board, below the win rates on all boards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from baselines.evaluation.report import p_cells, significance_note
from baselines.suites.suite import Suite
from baselines.suites.tables import COLUMNS, board_title, caption
from baselines.terminal.tables import Column, Page, Table

Content = dict[str, Any]

POLICY = Column("policy", "left", folds=True)
AGAINST = Column("against", "left", 1, folds=True)
P = Column("p", priority=1)

PRIORITIES = {
    "win_rate": 0,
    "interval": 0,
    "score": 3,
    "survived": 4,
    "marked": 4,
    "ms": 5,
    "games": 6,
    "score_lost": 7,
    "guesses": 8,
    "queries": 8,
    "wins": 9,
    "first_click_losses": 10,
    "clicks": 11,
}
"""Priority of each of the `COLUMNS` on a narrow terminal; 0 for the columns that are always shown."""


def print_tables(suite: Suite, content: Content, wide: bool = False) -> None:
    """Prints the tables and the notes on stdout; `wide` tables have all columns, whatever the terminal."""
    page = Page.for_stdout(wide)
    fill(page, suite, content)
    page.print()


def fill(page: Page, suite: Suite, content: Content) -> None:
    """Adds the tables and the notes of a suite to a page."""
    page.title(content["title"])
    page.note(caption(content))
    boards = content["boards"]
    if len(boards) > 1:
        _add_rates(page, boards)
    for board in boards:
        _add_board(page, suite, board)
        if suite.paired == "all":
            _add_tests(page, board)
    page.title("Notes")
    for note in content["notes"]:
        page.note(note)


def _add_rates(page: Page, boards: Sequence[Content]) -> None:
    """Adds the win rates on all boards: with their intervals where these fit, otherwise without, in several tables."""
    page.title("Win rates in %, with 95 % intervals")
    table = _rates(boards, with_intervals=True)
    if not page.fits(table):
        page.note("The tables of the boards below have the intervals.")
        table = _rates(boards, with_intervals=False)
    page.stack(table)
    page.legend("> highest win rate on the board.")


def _rates(boards: Sequence[Content], with_intervals: bool) -> Table:
    policies = list(dict.fromkeys(row["policy"] for board in boards for row in board["results"]))
    columns = []
    for board in boards:
        best = _best(board)
        columns.append({row["policy"]: _rate(row, number in best, with_intervals) for number, row in _numbered(board)})
    rows = [[policy, *(cells.get(policy, "") for cells in columns)] for policy in policies]
    headings = [Column(board_title(board["config"]), priority=number) for number, board in enumerate(boards)]
    return Table("", (POLICY, *headings), rows)


def _numbered(board: Content) -> list[tuple[int, Content]]:
    return list(enumerate(board["results"]))


def _rate(row: Content, is_best: bool, with_interval: bool) -> str:
    low, high = (f"{100 * end:.1f}" for end in row["ci95"])
    rate = f"{'>' if is_best else ''}{100 * row['win_rate']:.1f}"
    return f"{rate} ({low} to {high})" if with_interval else rate


def _best(board: Content) -> list[int]:
    """Returns the indices of the most wins among the policies that played most games; nothing for a single policy."""
    rows = board["results"]
    most = max((row["games"], row["wins"]) for row in rows) if len(rows) > 1 else None
    return [number for number, row in enumerate(rows) if (row["games"], row["wins"]) == most]


def _add_board(page: Page, suite: Suite, board: Content) -> None:
    rows, config = board["results"], board["config"]
    columns, cells = [POLICY], [[row["policy"] for row in rows]]
    p_values = [None if row["mcnemar"] is None else row["mcnemar"]["p_value"] for row in rows]
    for name in suite.columns:
        if name == "p":
            columns += [P, AGAINST]
            cells += [p_cells(p_values), ["" if row["mcnemar"] is None else row["mcnemar"]["against"] for row in rows]]
        else:
            columns.append(Column(COLUMNS[name].heading, priority=PRIORITIES[name]))
            cells.append([COLUMNS[name].text(row) for row in rows])
    title = f"{board_title(config)}, first click {config['first_click']}"
    best = _best(board)
    page.table(Table(title, columns, list(zip(*cells, strict=True)), best))
    legend = "> highest win rate. " if best else ""
    page.legend(f"{legend}{significance_note(p_values) if 'p' in suite.columns else ''}".strip())


def _add_tests(page: Page, board: Content) -> None:
    tests = board["comparisons"]
    p_values = [test["p_value"] for test in tests]
    rows = [
        [test["policy"], test["against"], *(f"{test[name]}" for name in ("games", "won_alone", "lost_alone")), p]
        for test, p in zip(tests, p_cells(p_values), strict=True)
    ]
    columns = (
        POLICY,
        AGAINST._replace(priority=0),
        Column("games", priority=2),
        Column("won alone", priority=1),
        Column("lost alone", priority=1),
        P._replace(priority=0),
    )
    page.table(Table(f"{board_title(board['config'])}: each two policies on the same games", columns, rows))
    page.legend(significance_note(p_values))
