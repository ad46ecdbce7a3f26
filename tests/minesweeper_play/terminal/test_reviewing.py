"""The review of a game on the screen: the turns with their marks, boards, details, and the curve."""

from __future__ import annotations

import pytest
from support.terminal_games import click, on_screen, settled, shown, wall_session
from textual.widgets import OptionList

from minesweeper_play.coach.sentences import points
from minesweeper_play.terminal.board import BoardCanvas
from minesweeper_play.terminal.reviewing import ReviewScreen


@pytest.mark.slow
@on_screen(session=wall_session)
async def test_a_lost_game_is_reviewed_turn_by_turn(app, pilot):
    await click(app, pilot, (0, 0))
    await click(app, pilot, (3, 0))
    app.screen.say("reviewing_cancelled")
    await pilot.press("v")
    await settled(pilot, lambda: isinstance(app.screen, ReviewScreen))
    await pilot.pause()
    turns, board = app.screen.query_one(OptionList), app.screen.query_one(BoardCanvas)
    assert turns.option_count == 2
    assert turns.highlighted == 1
    text = shown(app)
    assert "avoidable death" in text
    assert "lost at move 2" in text
    assert ["mark", "skill"] in [line.split()[1:3] for line in text.splitlines()]
    assert f"avoidable death {points(app.screen._review.turns[1].skill, app.screen.catalogue):>7}" in text
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
    assert "You lost!" in shown(app)
