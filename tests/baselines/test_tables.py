"""Reports: the columns and names of tables at the width of a terminal, notes that wrap, and what a pipe gets."""

import io
import os
import re
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.screens import Stream

from baselines.tables import NAME_WIDTH, NO_LIMIT, Column, Page, Table

NAME = Column("policy")
COLUMNS = (
    NAME,
    Column("games", "", "d", 3),
    Column("wins", "", "d", 5),
    Column("win rate", form="d"),
    Column("95 % interval", form="d"),
    Column("clicks/game", "", "d", 6),
    Column("ms/game", "", "d", 4),
    Column("p", "", "d", 2),
)
ROWS = (
    ("lookahead", "10000", "6543", "65.4%", "64.4% to 66.4%", "18.1", "2.31", "* 2e-198"),
    ("runs/dqn-8x8-14-seed-3:temperature=0.25", "10000", "1", "0.0%", "0.0% to 0.1%", "2.2", "12.22", ""),
)
TABLE = Table("Boards", (NAME, Column("wins", form="d")), (("random", "1"), ("exact", "6")), (1,))
BOLD, BEST, PLAIN = "\033[1m", "\033[1;32m", "\033[0m"
SEQUENCE = "\033\\[[\\d;]*m"


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
    columns = (NAME, Column("wins", form="d"), Column("rate", form="d"), Column("time", "", "d", 1))
    text = shown(Table("", columns, rows, marked=(0,)), width)
    assert all(len(line) <= width for line in text.splitlines())
    for row in rows:
        assert all(cell in text for cell in row[1:3])
    assert text.splitlines()[2].startswith("> ")


def test_columns_are_left_out_from_the_greatest_priority_on():
    table = Table("", COLUMNS, ROWS, marked=(0,))
    left_out = {
        None: [],
        160: [],
        80: ["clicks/game"],
        60: ["games", "wins", "clicks/game", "ms/game"],
        20: ["games", "wins", "clicks/game", "ms/game", "p"],
    }
    for width, headings in left_out.items():
        assert table.fitted(width or NO_LIMIT).left_out == headings
    page = Page(20, wide=True)
    page.table(table)
    assert "Left out" not in page.text()
    assert "Left out at 80 columns: clicks/game; --wide shows them." in shown(table, 80)


@given(st.text("abc019:,/=_.-", min_size=26, max_size=60))
def test_a_name_folds_after_separators_and_loses_nothing(text):
    columns = (NAME, *COLUMNS[4:5])
    lines = shown(Table("", columns, [(text, "0.1% to 0.2%")]), 35).rpartition("─")[2].splitlines()[1:]
    folded = [line.replace("0.1% to 0.2%", "").rstrip() for line in lines]
    assert "".join(folded) == text
    assert all(re.search("[:,/_.-]$", line) or len(line) == NAME_WIDTH for line in folded[:-1])


def test_notes_and_values_wrap_and_a_command_does_not():
    page = Page(30)
    page.block("exact", [("guesses", "1.93 per game"), ("excess", "0.0000 (0.0000 to 0.0000)")])
    page.note("Every click but the first of a game is judged.")
    page.line("python evaluate.py --policy runs/dqn --mines 14")
    assert page.text() == (
        "exact\n"
        "  guesses  1.93 per game\n"
        "  excess   0.0000 (0.0000 to\n"
        "           0.0000)\n"
        "Every click but the first of a\n"
        "game is judged.\n"
        "python evaluate.py --policy runs/dqn --mines 14"
    )


@pytest.mark.parametrize(("name", "value"), [("", ""), ("NO_COLOR", "1"), ("TERM", "dumb"), ("TERM", "")])
def test_a_terminal_gets_its_width_and_emphasis_unless_it_is_plain(monkeypatch, name, value):
    terminal = Stream()
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setattr("baselines.process.get_terminal_size", lambda: os.terminal_size((80, 24)))
    for variable in ("NO_COLOR", "COLUMNS"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    if name:
        monkeypatch.setenv(name, value)
    page = Page.for_stdout()
    page.table(TABLE)
    page.print()
    assert page.width == 80
    lines = terminal.getvalue().splitlines()
    assert [re.sub(SEQUENCE, "", line) for line in lines[3:]] == ["  random     1", "> exact      6"]
    if name:
        assert "\033" not in terminal.getvalue()
    else:
        assert lines[0] == f"{BOLD}Boards{PLAIN}"
        assert [set(re.findall(SEQUENCE, line)) for line in lines[3:]] == [set(), {BEST, PLAIN}]


def test_a_wide_page_names_the_columns_without_a_value():
    table = Table("", (NAME, Column("wins", form="d"), Column("misspelt")), (("random", "1", ""), ("exact", "6", "")))
    for wide in (False, True):
        page = Page(80, wide=wide)
        page.table(table)
        assert ("misspelt" in page.text()) == wide


def test_a_pipe_gets_plain_lines_of_any_length(monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    for columns, lines in ((None, 1), ("72", 4)):
        monkeypatch.setattr(sys, "stdout", io.StringIO())
        if columns:
            monkeypatch.setenv("COLUMNS", columns)
        page = Page.for_stdout()
        page.note("word " * 50)
        page.print()
        assert len(sys.stdout.getvalue().splitlines()) == lines


def test_a_narrow_encoding_does_not_end_the_report(monkeypatch):
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
    page = Page()
    page.title("Antolín & de la Torre")
    page.print()
    assert raw.getvalue() == b"Antol?n & de la Torre\n"
