"""The search for a board without guesses in the line mode: its line of progress, and how it can end."""

from __future__ import annotations

import pytest

from minesweeper_env.config import BoardConfig
from minesweeper_env.generation import AttemptsExceededError
from minesweeper_play.classic.console import Console
from minesweeper_play.classic.search import open_first
from minesweeper_play.game.session import Session
from minesweeper_play.options import PlayOptions


@pytest.fixture
def console():
    return Console(PlayOptions())


def session_on(*board, first_click="opening"):
    return Session(BoardConfig(*board, first_click=first_click), seed=1, no_guess="exact")


def test_a_board_that_is_found_is_announced(console, capsys):
    report = open_first(session_on(8, 8, 14), (3, 3), console)
    assert report.accepted
    assert capsys.readouterr().out == "This board can be solved without a guess.\n"


def test_attempts_are_drawn_on_one_line_of_a_terminal(console, capsys):
    console.is_live = True
    open_first(session_on(8, 8, 14), (3, 3), console)
    line = capsys.readouterr().out.partition("\n")[0]
    assert "\r\033[KSearching for a board without guesses: 0%, 0 tried. Ctrl-C cancels." in line
    assert line.endswith("\r\033[KThis board can be solved without a guess.")


def test_an_impossible_board_says_so(console):
    session = session_on(2, 2, 2, first_click="safe")
    assert open_first(session, (0, 0), console).key == "search_impossible"
    assert session.status == "ready"


@pytest.mark.parametrize(
    ("error", "key"), [(KeyboardInterrupt(), "search_cancelled"), (AttemptsExceededError("too many"), "search_failed")]
)
def test_a_search_without_a_board_changes_nothing(console, monkeypatch, error, key):
    def fail(_count, _console):
        raise error

    session = session_on(8, 8, 14)
    monkeypatch.setattr("minesweeper_play.classic.search._show", fail)
    report = open_first(session, (3, 3), console)
    assert (report.key, report.accepted, session.status, session.moves) == (key, False, "ready", [])
    assert console.catalogue.text(report.key, **report.values)
