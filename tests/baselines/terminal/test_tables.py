"""Tables at the width of a terminal: which columns they show, and that no digit is lost."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from baselines.terminal.tables import NAME_WIDTH, Column, Page, Table

COLUMNS = (
    Column("policy", "left", folds=True),
    Column("games", priority=3),
    Column("wins", priority=5),
    Column("win rate"),
    Column("95 % interval"),
    Column("clicks/game", priority=6),
    Column("ms/game", priority=4),
    Column("p", priority=2),
)
ROWS = (
    ("random", "10000", "72", "0.7%", "0.5% to 0.9%", "3.1", "0.02", "* 2e-198"),
    ("semi_deterministic", "10000", "6234", "62.3%", "61.3% to 63.3%", "17.2", "1.02", "0.031"),
    ("lookahead", "10000", "6543", "65.4%", "64.4% to 66.4%", "18.1", "2.31", ""),
    ("runs/dqn-8x8-14-seed-3:temperature=0.25", "10000", "1", "0.0%", "0.0% to 0.1%", "2.2", "12.22", "0.5"),
)


def shown(table: Table, width: int | None = None) -> str:
    page = Page(width)
    page.table(table)
    return page.text()


@given(
    st.lists(
        st.tuples(st.text("ab0:/=_.-", min_size=1, max_size=50), st.integers(0, 10**9), st.floats(0, 1)), min_size=1
    ),
    st.integers(60, 200),
)
def test_every_shown_number_is_whole_and_no_line_is_too_long(facts, width):
    rows = [(name, f"{wins}", f"{rate:.4f}", f"{wins / 7:.2f}") for name, wins, rate in facts]
    columns = (Column("policy", "left", folds=True), Column("wins"), Column("rate"), Column("time", priority=1))
    text = shown(Table("", columns, rows, marked=(0,)), width)
    assert all(len(line) <= width for line in text.splitlines())
    for row in rows:
        assert all(cell in text for cell in row[1:3])
    assert text.splitlines()[2].startswith("> ")


def test_columns_are_left_out_from_the_greatest_priority_on():
    table = Table("", COLUMNS, ROWS, marked=(2,))
    assert table.left_out(None) == table.left_out(160) == []
    assert table.left_out(80) == ["clicks/game"]
    assert table.left_out(60) == ["games", "wins", "clicks/game", "ms/game"]
    assert table.left_out(20) == ["games", "wins", "clicks/game", "ms/game", "p"]


def test_a_folded_heading_does_not_widen_its_column():
    assert shown(Table("", COLUMNS[3:6], [("1.0%", "0.1% to 0.9%", "3.1")]), 30).splitlines() == [
        " win          95 %  clicks/",
        "rate      interval     game",
        "───────────────────────────",
        "1.0%  0.1% to 0.9%      3.1",
    ]


def test_an_empty_column_is_not_shown():
    assert shown(Table("", COLUMNS[:2] + COLUMNS[-1:], [("random", "5", "")])).splitlines()[0] == "policy  games"


@given(st.text("abc019:,/=_.-", min_size=26, max_size=60))
def test_a_name_folds_after_separators_and_loses_nothing(text):
    columns = (Column("policy", "left", folds=True), *COLUMNS[4:5])
    lines = shown(Table("", columns, [(text, "0.1% to 0.2%")]), 35).rpartition("─")[2].splitlines()[1:]
    folded = [line.replace("0.1% to 0.2%", "").rstrip() for line in lines]
    assert "".join(folded) == text
    assert all(re.search("[:,/_.-]$", line) or len(line) == NAME_WIDTH for line in folded[:-1])


def test_a_marked_name_folds_below_itself():
    table = Table("", COLUMNS[:1], [["bayes:prior=count,inference=pgmpy"]], marked=(0,))
    assert shown(table, 24).splitlines()[2:] == ["> bayes:prior=count,", "  inference=pgmpy"]
