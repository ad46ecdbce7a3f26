"""The search for a board without guesses in the line mode: its line of progress, and how it can end."""

from __future__ import annotations

import pytest

from minesweeper_env.config import BoardConfig
from minesweeper_env.generation import AttemptsExceededError
from minesweeper_play.classic.console import Console
from minesweeper_play.classic.game import ClassicGame
from minesweeper_play.game.commands import Command
from minesweeper_play.game.session import Session
from minesweeper_play.options import PlayOptions

OPEN = Command("try", (3, 3))


@pytest.fixture
def game():
    session = Session(BoardConfig(8, 8, 14), seed=1, no_guess="exact")
    return ClassicGame(session, Console(PlayOptions(given=frozenset({"classic"}))))


def test_attempts_are_drawn_on_one_line_of_a_terminal(game, capsys):
    game._console.is_live = True
    game._carry_out(OPEN)
    line, *_, last, _ = capsys.readouterr().out.split("\n")
    assert "\r\033[KSearching for a board without guesses: 0%, 0 tried. Ctrl-C cancels." in line
    assert last == "This board can be solved without a guess."


def test_a_cancelled_search_changes_nothing(game, monkeypatch, capsys):
    def cancel(_count):
        raise KeyboardInterrupt

    monkeypatch.setattr(game, "_show_search", cancel)
    game._carry_out(OPEN)
    assert (game.session.status, game.session.moves) == ("ready", [])
    assert "cancelled" in capsys.readouterr().out


def test_a_search_in_vain_goes_on_with_a_board_that_may_need_help(game, monkeypatch, capsys):
    def fail(*_arguments, **_settings):
        raise AttemptsExceededError("many")

    monkeypatch.setattr("minesweeper_env.generation.generate", fail)
    game._carry_out(OPEN)
    assert game.session.status == "playing"
    assert "may need a guess" in capsys.readouterr().out
    game._carry_out(Command("help"))
    assert "help" in game.session.aids
