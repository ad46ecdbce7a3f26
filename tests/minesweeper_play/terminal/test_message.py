"""The message line: it follows the size of the terminal, and marks what has no room."""

from __future__ import annotations

from support.terminal_games import drive, shown, wall_session

from minesweeper_play.terminal.playing.message import MessageLine, fitted_lines

LONG = "(1 1) is a mine: the number at (1 2) needs all its remaining neighbours. (2 1) and (3 1) are safe."


def test_what_has_no_room_is_marked():
    assert fitted_lines(LONG, 40, 2) == [
        "(1 1) is a mine: the number at (1 2)",
        "needs all its remaining neighbours. \u2026",
    ]
    assert fitted_lines("", 40, 2) == []


def test_the_mark_has_room_on_a_full_line():
    for width in range(12, 100):
        assert max(map(len, fitted_lines(LONG, width, 1))) <= width


def test_the_message_follows_the_size_of_the_terminal(tmp_path):
    async def script(app, pilot):
        app.screen.query_one(MessageLine).show(LONG)
        await pilot.resize_terminal(50, 16)
        await pilot.pause()
        assert "\u2026" in shown(app)
        await pilot.resize_terminal(120, 24)
        await pilot.pause()
        assert LONG in shown(app)

    drive(script, tmp_path, session=wall_session())
