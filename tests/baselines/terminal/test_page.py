"""Pages of a report: wrapping, blocks, styles, and what each kind of stdout gets."""

from __future__ import annotations

import io
import os
import re
import sys

import pytest

from baselines.terminal.streams import is_styled, output_width
from baselines.terminal.tables import Column, Page, Table
from minesweeper_env.notices import is_live

TABLE = Table("Boards", (Column("policy", "left", folds=True), Column("wins")), (("random", "1"), ("exact", "6")), (1,))


BOLD, BEST, PLAIN = "\033[1m", "\033[1;32m", "\033[0m"
SEQUENCE = "\033\\[[\\d;]*m"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def put_on_terminal(monkeypatch) -> Terminal:
    """Makes stdout a terminal of 80 columns."""
    stream = Terminal()
    monkeypatch.setattr(sys, "stdout", stream)
    monkeypatch.setattr("baselines.terminal.streams.get_terminal_size", lambda: os.terminal_size((80, 24)))
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.delenv("COLUMNS", raising=False)
    return stream


def test_a_terminal_gets_its_width_and_emphasis(monkeypatch):
    terminal = put_on_terminal(monkeypatch)
    page = Page.for_stdout()
    page.table(TABLE)
    page.print()
    assert page.width == 80
    lines = terminal.getvalue().splitlines()
    assert lines[0] == f"{BOLD}Boards{PLAIN}"
    assert [re.sub(SEQUENCE, "", line) for line in lines[3:]] == ["  random     1", "> exact      6"]
    assert set(re.findall(SEQUENCE, lines[3])) == set()
    assert set(re.findall(SEQUENCE, lines[4])) == {BEST, PLAIN}


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb"), ("TERM", "")])
def test_a_terminal_without_colours_gets_plain_text(monkeypatch, name, value):
    terminal = put_on_terminal(monkeypatch)
    monkeypatch.setenv(name, value)
    page = Page.for_stdout()
    page.table(TABLE)
    page.print()
    assert page.width == 80
    assert "\033" not in terminal.getvalue()
    assert is_live(sys.stdout) == (name == "NO_COLOR")


def test_a_pipe_gets_plain_lines_of_any_length(monkeypatch):
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("COLUMNS", raising=False)
    assert output_width() is None
    assert not is_styled(sys.stdout)
    page = Page.for_stdout()
    page.note("word " * 50)
    page.print()
    assert len(sys.stdout.getvalue().splitlines()) == 1
    monkeypatch.setenv("COLUMNS", "72")
    assert output_width() == 72


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


def test_wide_shows_all_columns_and_still_wraps_notes():
    columns = (Column("policy", "left", folds=True), *(Column(f"column {n}", priority=n) for n in range(1, 9)))
    pages = [Page(40, wide=wide) for wide in (False, True)]
    for page in pages:
        page.table(Table("", columns, [["exact", *"12345678"]]))
        page.note("word " * 20)
    assert "Left out at 40 columns: column 5" in pages[0].text().replace("\n", " ")
    assert "column 8" in pages[1].text()
    assert "Left out" not in pages[1].text()
    assert max(map(len, pages[1].text().splitlines()[3:])) <= 40


def test_a_narrow_encoding_does_not_end_the_report(monkeypatch):
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
    page = Page()
    page.title("Antolín & de la Torre")
    page.print()
    assert raw.getvalue() == b"Antol?n & de la Torre\n"
