"""Searches and reviews in vain: what the screen says about them, in both languages."""

from __future__ import annotations

import numpy as np
import pytest
from support.terminal_games import drive, settled, shown

from minesweeper_env.config import BoardConfig
from minesweeper_env.generation import AttemptsExceededError
from minesweeper_env.inference import PositionTooHardError
from minesweeper_play.coach import review as coach
from minesweeper_play.game.session import Session


def fails_with(error):
    def fail(*_args, **_settings):
        raise error

    return fail


def test_a_search_in_vain_goes_on_with_a_board_that_may_need_a_guess(tmp_path, monkeypatch):
    session = Session(BoardConfig(4, 4, 3), seed=0, no_guess="exact")
    monkeypatch.setattr("minesweeper_env.generation.generate", fails_with(AttemptsExceededError("many")))

    async def script(app, pilot):
        await pilot.press("enter")
        await settled(pilot, lambda: "puede hacer falta" in shown(app), 10)
        assert app.screen.session.status == "playing"

    drive(script, tmp_path, session=session, language="es", size=(120, 24))


@pytest.mark.parametrize(
    ("config", "error", "language", "message"),
    [
        (BoardConfig(3, 4, 2, first_click="corners"), None, "en", "cannot review games whose first click moves mines"),
        (
            BoardConfig(5, 5, 2, first_click="safe", radius=2),
            None,
            "es",
            "El entrenador revisa partidas de radio 1, no 2.",
        ),
        (BoardConfig(3, 4, 2), PositionTooHardError("wide"), "es", "es demasiado difícil para calcularla"),
    ],
)
def test_a_review_in_vain_says_why(tmp_path, monkeypatch, config, error, language, message):
    layout = np.zeros((config.rows, config.cols), bool)
    layout[0, :2] = True
    session = Session(config, seed=0, layout=layout)
    session.open(config.rows - 1, config.cols - 1)
    session.open(0, 0)
    if error is not None:
        monkeypatch.setattr(coach, "review_game", fails_with(error))

    async def script(app, pilot):
        await pilot.press("v")
        await settled(pilot, lambda: message in shown(app), 10)

    drive(script, tmp_path, session=session, language=language, size=(120, 24))


def test_an_error_of_the_program_in_a_thread_ends_the_game_with_its_traceback(tmp_path, monkeypatch):
    session = Session(BoardConfig(4, 4, 3), seed=0, no_guess="exact")
    monkeypatch.setattr(session, "open", fails_with(RuntimeError("a fault")))

    async def script(_app, pilot):
        await pilot.press("enter")
        await pilot.pause(1)

    with pytest.raises(RuntimeError, match="a fault"):
        drive(script, tmp_path, session=session)
