"""The review of a game on the screen: the turns with their marks, boards, details, and the curve."""

from __future__ import annotations

import pytest
from support.terminal_games import click, on_screen, settled, shown, typed, wall_session
from textual.widgets import OptionList

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
