"""The review of a game on the screen: the turns with their marks, boards, details, and the curve."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from support.terminal_games import click, drive, on_screen, settled, shown, typed, wall_session
from textual.widgets import OptionList

from minesweeper_env.config import BoardConfig
from minesweeper_play.coach.review import Mark
from minesweeper_play.game.session import Session
from minesweeper_play.terminal import reviewing
from minesweeper_play.terminal.board import BoardCanvas
from minesweeper_play.terminal.reviewing import ReviewScreen


async def lose_and_review(app, pilot):
    """Opens a safe cell and then a certain mine, and waits for the review."""
    await click(app, pilot, (0, 0))
    await click(app, pilot, (3, 0))
    await pilot.press("v")
    await settled(pilot, lambda: isinstance(app.screen, ReviewScreen))
    await pilot.pause()


@pytest.mark.slow
@on_screen(session=wall_session)
async def test_a_lost_game_is_reviewed_turn_by_turn(app, pilot):
    await lose_and_review(app, pilot)
    turns, board = app.screen.query_one(OptionList), app.screen.query_one(BoardCanvas)
    assert turns.option_count == 2
    assert turns.highlighted == 1
    text = shown(app)
    assert "avoidable death" in text
    assert "lost at move 2" in text
    assert board.picture.marks[3, 0] == "choice"
    assert "safe" in board.picture.marks.values()
    await pilot.press("up")
    await pilot.pause()
    assert board.picture.marks == {(0, 0): "choice"}
    assert "first click. Nothing could guide it." in shown(app)
    await pilot.press("b")
    await pilot.pause()
    assert "100% |" in shown(app)
    await pilot.press("escape")
    await pilot.pause()
    assert app.screen.session.status == "lost"


@on_screen(session=wall_session)
async def test_a_game_under_way_is_not_reviewed(app, pilot):
    await click(app, pilot, (0, 0))
    await typed(app, pilot, "review")
    assert "once it is over" in shown(app)


def test_a_list_that_scrolls_has_one_line_for_each_turn(tmp_path, monkeypatch):
    for name in ("detail_sentences", "summary_sentences"):
        monkeypatch.setattr(reviewing, name, lambda *_: [])
    board = np.full((9, 9), 11, np.int8)
    verdicts = [
        SimpleNamespace(
            turn=SimpleNamespace(number=number, cell=(9, 9), before=board),
            **{"steps": (), "better": None, "mark": Mark.AVOIDABLE, "skill": -0.345, "luck": -0.654},
        )
        for number in range(1, 22)
    ]
    review = SimpleNamespace(
        verdicts=verdicts, curve=[SimpleNamespace(probability=0.5)] * 2, session=Session(BoardConfig(9, 9, 10))
    )

    async def script(app, pilot):
        await app.push_screen(ReviewScreen(app.services, review))
        await pilot.pause()
        turns = app.screen.query_one(OptionList)
        assert turns.max_scroll_y == 21 - turns.size.height > 0

    for language in ("en", "es"):
        drive(script, tmp_path, language=language)
