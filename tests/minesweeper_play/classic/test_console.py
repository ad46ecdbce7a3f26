"""The console of the line mode: long texts on a terminal and in a pipe."""

from __future__ import annotations

import pytest

from minesweeper_play.classic import console as module
from minesweeper_play.classic.console import Console
from minesweeper_play.options import PlayOptions


@pytest.fixture
def console():
    return Console(PlayOptions())


def test_texts_break_between_words_on_a_terminal(console, monkeypatch, capsys):
    text = console.catalogue.text("unsolvable")
    console.say("unsolvable")
    assert capsys.readouterr().out == f"{text}\n"
    monkeypatch.setattr(Console, "width", 40)
    console.say("unsolvable")
    lines = capsys.readouterr().out.splitlines()
    assert " ".join(lines) == text
    assert max(map(len, lines)) <= 40


def test_a_long_page_waits_wherever_the_screen_is_full(console, monkeypatch, capsys):
    pages = []
    monkeypatch.setattr(module, "screen_lines", lambda: 11)
    monkeypatch.setattr(Console, "width", 100)
    monkeypatch.setattr(Console, "ask", lambda *_: pages.append(capsys.readouterr().out))
    console.page(console.catalogue.manual())
    whole = capsys.readouterr().out
    assert pages == []
    console.is_interactive = True
    console.page(console.catalogue.manual())
    pages.append(capsys.readouterr().out)
    assert "".join(pages) == whole
    assert len(pages) > 2
    assert all(page.count("\n") <= 10 and not page.startswith("   ") for page in pages)
