"""The review of a game at its end in the line mode."""

from __future__ import annotations

import numpy as np
import pytest

from minesweeper_env.config import BoardConfig
from minesweeper_env.inference import PositionTooHardError
from minesweeper_play.classic.console import Console
from minesweeper_play.classic.review import show_review
from minesweeper_play.coach import review as coach
from minesweeper_play.coach.output.review_text import review_lines
from minesweeper_play.game.session import Session
from minesweeper_play.language.catalogue import Catalogue
from minesweeper_play.options import PlayOptions


def lost(**settings):
    layout = np.array([[1, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1]], bool)
    session = Session(BoardConfig(3, 4, 2, **settings), layout=layout, seed=0)
    session.open(1, 1)
    session.open(0, 0)
    return session


@pytest.mark.parametrize("language", ["en", "es"])
def test_a_review_is_the_text_of_the_coach(language, capsys):
    session = lost()
    show_review(session, Console(PlayOptions(language=language)))
    expected = review_lines(coach.review_game(session), Catalogue(language), 80)
    assert capsys.readouterr().out == "\n".join(expected) + "\n"


def test_a_game_that_the_coach_cannot_judge_says_why(capsys):
    console = Console(PlayOptions())
    show_review(lost(first_click="corners"), console)
    assert "cannot review games whose first click moves mines" in capsys.readouterr().out
    show_review(Session(BoardConfig(9, 9, 5, radius=2), seed=0), console)
    assert capsys.readouterr().out == "The coach reviews games of radius 1, not 2.\n"


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (PositionTooHardError("too wide"), "This position is too hard to be computed exactly."),
        (KeyboardInterrupt(), "The review is cancelled."),
    ],
)
def test_a_review_that_ends_early_leaves_the_game(monkeypatch, capsys, error, line):
    def fail(_session):
        raise error

    monkeypatch.setattr(coach, "review_game", fail)
    show_review(lost(), Console(PlayOptions()))
    assert capsys.readouterr().out == f"{line}\n"
