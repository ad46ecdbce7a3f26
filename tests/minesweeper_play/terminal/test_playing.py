"""The screen of the game: mouse, keys, commands, sizes, languages, what the end of a game shows, and its review."""

import itertools
import re
import time
from concurrent.futures import ThreadPoolExecutor
from unittest.mock import Mock

import numpy as np
import pytest
from support.played_games import Clock
from support.processes import run_python
from support.terminal_games import click, drive, on_screen, place_of, press, settled, shown, typed, wall_session
from textual import events
from textual.widgets import OptionList

from minesweeper_env.config import BoardConfig
from minesweeper_play.coach.sentences import points
from minesweeper_play.explanations import name_cell
from minesweeper_play.game.session import Session
from minesweeper_play.terminal.app import MinesweeperApp
from minesweeper_play.terminal.board import BoardCanvas
from minesweeper_play.terminal.dialogs import LongWork, Question
from minesweeper_play.terminal.drawing import CELL_SIZES
from minesweeper_play.terminal.reviewing import ReviewScreen

RIGHT, MIDDLE = 3, 2
EXPERT = BoardConfig.of_size((16, 30))


def codes(session, *cells):
    return [int(session.board[cell]) for cell in cells]


@on_screen(session=wall_session)
async def test_the_mouse_opens_and_flags_and_its_middle_or_both_buttons_chord(app, pilot):
    session, view = app.screen.session, app.screen.board
    await click(app, pilot, (0, 0))
    await click(app, pilot, (3, 0), RIGHT)
    assert codes(session, (0, 0), (0, 1), (2, 1), (3, 0)) == [0, 2, 2, 9]
    await click(app, pilot, (2, 0), MIDDLE)
    assert codes(session, (3, 1)) == [1]
    await pilot.press("u")
    for button in (1, RIGHT):
        await pilot.mouse_down(view, offset=place_of(view, (2, 0)), button=button)
    await pilot.mouse_up(view, offset=place_of(view, (2, 0)))
    assert codes(session, (3, 1)) == [1]
    assert [move.kind for move in session.moves] == ["open", "flag", "chord"]


@on_screen(session=wall_session)
async def test_keys_move_open_flag_mark_and_expand(app, pilot):
    session = app.screen.session
    await pilot.press("home", "pageup", "enter")
    assert codes(session, (0, 0)) == [0]
    await pilot.press("pagedown", "f")
    assert codes(session, (3, 0)) == [9]
    await pilot.press("x")
    assert codes(session, (3, 0)) == [10]
    await pilot.press("f", "up", "c")
    assert codes(session, (3, 0), (3, 1)) == [9, 1]
    await pilot.press("end")
    assert app.screen.board.cursor == (2, 4)


@on_screen(session=wall_session, size=(160, 24))
async def test_typed_commands_play(app, pilot, tmp_path):
    session = app.screen.session
    for line, found in (("1 1", [0, 11, 11]), ("flag 1 4", [0, 9, 11]), ("expand 1 3", [0, 9, 1])):
        await typed(app, pilot, line)
        assert codes(session, (0, 0), (3, 0), (3, 1)) == found
    for line, text in (
        ("try 1 1", "The cell 1 1 is already open."),
        ("tri 1 1", "Invalid syntax (tri is no command)"),
        ("assist", "can be inferred"),
        ("review", "once it is over"),
    ):
        await typed(app, pilot, line)
        assert text in shown(app)
    await typed(app, pilot, f"save {tmp_path / 'game.json'}")
    assert (tmp_path / "game.json").is_file()


def test_a_visitor_of_a_web_page_neither_sees_nor_changes_the_statistics(tmp_path, monkeypatch):
    monkeypatch.setattr(MinesweeperApp, "is_web", True)

    async def script(app, pilot):
        session = app.screen.session
        session.practice = False
        await typed(app, pilot, "3 1")
        assert session.status == "lost"
        await press(pilot, "escape", "t")
        assert ["in no statistics" in toast.message for toast in app._notifications] == [True]
        assert str(tmp_path) not in shown(app)

    drive(script, tmp_path, session=wall_session(), size=(120, 24))
    assert not list(tmp_path.iterdir())


def test_a_user_without_a_home_plays_without_statistics(monkeypatch):
    async def script(app, pilot):
        assert ["no home folder" in toast.message for toast in app._notifications] == [True]
        await typed(app, pilot, "3 1")
        await settled(pilot, lambda: "3BV" in shown(app), 10)

    monkeypatch.setattr("platformdirs.user_data_path", Mock(side_effect=RuntimeError("no home")))
    drive(script, None, session=wall_session(), size=(120, 24))


def test_the_mouse_reports_cells_and_no_pixels():
    code = "import minesweeper_play.terminal, textual.constants as c, sys; sys.exit(c.SMOOTH_SCROLL)"
    assert run_python("-c", code).returncode == 0


@on_screen(session=wall_session)
async def test_a_pasted_command_reaches_the_prompt(app, pilot):
    for character in ":hint c:1":
        key = {":": "colon", " ": "space"}.get(character, character)
        app.post_message(events.Key(key, character))
    await settled(pilot, lambda: app.screen.query_one("#prompt").value == "hint c:1")
    await settled(pilot, lambda: "esc back" in shown(app))
    for key in ("escape", "p"):
        app.post_message(events.Key(key, key))
    await settled(pilot, lambda: app.screen.session.aids == {"probabilities"} and "esc back" not in shown(app))
    assert app.screen.query_one("#prompt").value == "hint c:1"
    assert app.screen.overlay == "numbers"
    await pilot.press("v")
    assert "once it is over" in shown(app)


@on_screen(session=wall_session, size=(160, 24))
async def test_a_hint_names_and_marks_the_numbers_that_force_it_and_a_typed_cell(app, pilot):
    board, session = app.screen.board, app.screen.session
    await click(app, pilot, (0, 0))
    await pilot.press("h")
    await settled(pilot, lambda: board.picture.marks)
    marks = board.picture.marks
    assert set(marks.values()) == {"clue", "safe"}
    assert all(codes(session, cell)[0] <= 8 for cell, mark in marks.items() if mark == "clue")
    assert all(name_cell(cell, app.screen.catalogue) in shown(app) for cell in marks)
    await click(app, pilot, next(cell for cell, mark in marks.items() if mark == "safe"))
    assert board.picture.marks == {}
    await pilot.press("u")
    await typed(app, pilot, "hint 3 2")
    await settled(pilot, lambda: "(3 2) and (3 1) are mines" in shown(app))
    assert (board.picture.marks[1, 2], set(board.picture.marks.values())) == ("mine", {"clue", "mine"})
    await typed(app, pilot, "hint 1 4")
    risk = "(1 4) is not certain: a mine is there with a probability of 50.0%. Another cell is certainly safe:"
    await settled(pilot, lambda: risk in shown(app))
    assert (board.picture.marks, board.cursor) == ({(3, 0): "choice"}, (3, 0))
    await typed(app, pilot, "hint 1 1")
    assert "The cell 1 1 is already open." in shown(app)
    assert session.aids == {"hint"}


@on_screen(session=wall_session)
async def test_the_overlay_shows_exact_risks_then_shades_then_nothing(app, pilot):
    await click(app, pilot, (0, 0))
    await pilot.press("p")
    await settled(pilot, lambda: app.screen.board.picture.levels is not None)
    assert app.screen.board.picture.numbers
    await pilot.press("p")
    assert not app.screen.board.picture.numbers
    await pilot.press("p")
    assert app.screen.board.picture.levels is None
    assert app.screen.session.aids == {"probabilities"}
    await press(pilot, "p", "r", "y")
    assert (app.screen.session.status, app.screen.overlay, app.screen.session.aids) == ("ready", "off", set())


@on_screen(session=wall_session)
async def test_a_lost_game_shows_what_was_wrong_offers_other_keys_and_can_be_taken_back(app, pilot):
    await click(app, pilot, (0, 0))
    await click(app, pilot, (0, 3), RIGHT)
    assert "h hint" in shown(app)
    assert "v review" not in shown(app)
    await click(app, pilot, (3, 0))
    picture = app.screen.board.picture
    assert (picture.fatal, bool(picture.wrong[0, 3])) == ((3, 0), True)
    assert codes(app.screen.session, (0, 2), (1, 2)) == [12, 12]
    await pilot.pause(0.2)
    assert "You lost!" in shown(app)
    assert "h hint" not in shown(app)
    assert "v review" in shown(app)
    await pilot.press("u")
    assert (app.screen.session.status, app.screen.board.picture.fatal) == ("playing", None)
    assert "practice" in shown(app)


@on_screen(session=lambda: Session(BoardConfig(4, 4, 2), seed=1))
async def test_a_won_game_shows_its_mines_and_is_in_the_statistics(app, pilot):
    session = app.screen.session
    await click(app, pilot, (0, 0))
    for row, col in np.argwhere(~session.placed_mines).tolist():
        if not session.is_over:
            app.screen.move("open", (row, col))
    assert session.status == "won"
    assert (app.screen.board.picture.codes == 9).sum() == session.config.mines
    await settled(pilot, lambda: "first best time" in shown(app))
    await press(pilot, "t")
    assert "4x4/2, first" in shown(app)


@on_screen(session=lambda: Session(EXPERT, seed=5), animation=True)
async def test_an_opening_spreads_in_layers_and_a_key_ends_it(app, pilot):
    board = app.screen.board
    app.screen.move("open", (8, 15))
    assert board._curtain is not None
    assert (board._composed().codes != board.picture.codes).any()
    await pilot.press("escape")
    assert board._curtain is None
    assert (board._composed().codes == board.picture.codes).all()


@pytest.mark.parametrize("size", [(80, 24), (200, 60), (40, 12)])
def test_every_cell_of_expert_can_be_reached_and_all_fit_on_80_by_24(tmp_path, size):
    async def script(app, pilot):
        view = app.screen.board
        await press(pilot, "end", "pagedown")
        column, line = place_of(view, (15, 29))
        room = view.scrollable_content_region.size
        assert 0 <= column < room.width
        assert 0 < line < room.height
        await press(pilot, "home", "pageup")
        assert place_of(view, (0, 0))[1] >= 1
        if size == (80, 24):
            assert (view.max_scroll_x, view.max_scroll_y) == (0, 0)
            assert {"1", "16"} <= {line.split()[0] for line in shown(app).splitlines() if line.strip()}
            texts = ("salir", "Escribe una orden", "Minas 99  Tiempo 0:00  16\u00d730, 99  sin", "Semilla 999999999")
            assert all(text in shown(app) for text in texts)
        elif size == (40, 12):
            app.screen.say("risks_numbers")
            await pilot.pause()
            assert "\u2026 (h)" in shown(app), "the end of a text that is cut, and the key that shows all of it"

    session = Session(EXPERT, seed=999_999_999, no_guess="exact")
    session.practice = True
    drive(script, tmp_path, session=session, size=size, language="es")


@on_screen(session=wall_session, size=(40, 12))
async def test_a_hint_that_has_no_room_is_shown_whole_by_its_key(app, pilot):
    await click(app, pilot, (0, 0))
    await pilot.press("h")
    await settled(pilot, lambda: app.screen._cut)
    whole = app.screen._cut
    await pilot.press("h")
    await pilot.pause()
    assert "".join(whole.split()) in re.sub(r"[\s\u2500-\u257f]", "", shown(app))
    await press(pilot, "escape")
    assert app.screen.board


@on_screen(session=wall_session)
async def test_leaving_a_game_under_way_asks_first(app, pilot):
    await click(app, pilot, (0, 0))
    await press(pilot, "q")
    assert "not over" in shown(app)
    await press(pilot, "n")
    assert app.screen.session.status == "playing"
    await press(pilot, "q", "y")
    assert app.return_value == 0


@on_screen(session=lambda: Session(BoardConfig(9, 9, 10), seed=1, no_guess="exact"))
async def test_the_search_of_a_first_click_shows_progress_can_be_cancelled_and_finds_a_board(app, pilot, monkeypatch):
    def endless(*_args, on_attempts):
        for attempts in itertools.count():
            on_attempts(attempts)
            time.sleep(0.01)

    session = app.screen.session
    with monkeypatch.context() as patch:
        patch.setattr("minesweeper_env.generation.generate", endless)
        await click(app, pilot, (4, 4))
        await settled(pilot, lambda: isinstance(app.screen, LongWork))
        await settled(pilot, lambda: "boards tried" in shown(app))
        await pilot.press("escape")
        await settled(pilot, lambda: not isinstance(app.screen, LongWork))
    assert "cancelled" in shown(app)
    assert session.moves == []
    await click(app, pilot, (4, 4))
    await settled(pilot, lambda: "without a guess" in shown(app))
    assert codes(session, (4, 4)) == [0]
    assert app.screen.board.has_focus


def test_an_error_of_the_program_in_a_thread_ends_the_game_with_its_traceback(tmp_path, monkeypatch):
    session = Session(BoardConfig(4, 4, 3), seed=0, no_guess="exact")
    monkeypatch.setattr(session, "move", Mock(side_effect=RuntimeError("a fault")))

    async def script(_app, pilot):
        await pilot.press("enter")
        await pilot.pause(1)

    with pytest.raises(RuntimeError, match="a fault"):
        drive(script, tmp_path, session=session)


@pytest.mark.parametrize("keys", ["question_mark", "s", "z", "n"])
@on_screen(session=lambda: Session(BoardConfig(9, 9, 10), seed=1, now=Clock(0.25)))
async def test_the_clock_stands_still_below_a_dialog_which_shows_no_board(app, pilot, keys):
    session = app.screen.session
    await pilot.press("home", "pageup", "enter")
    await pilot.press(keys)
    await settled(pilot, lambda: len(app.screen_stack) == 3)
    before = session.seconds
    assert session.seconds == before
    assert not app.screen_stack[-2].board.visible
    while len(app.screen_stack) == 3:
        await pilot.press("escape")
        await pilot.pause(0.1)
    assert session.seconds > before
    assert app.focused is app.screen.board
    # The prompt takes the letter of the key, with the same meaning.
    await typed(app, pilot, "r")
    await settled(pilot, lambda: isinstance(app.screen, Question))


def test_the_app_runs_in_any_thread(tmp_path):
    async def script(app, pilot):
        await pilot.press("enter")
        return app.screen.session.status

    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(drive, script, tmp_path, session=wall_session()).result() == "playing"


@on_screen(size=(40, 38))
async def test_all_keys_are_shown_on_a_narrow_screen(app, pilot):
    await pilot.pause()
    names = ("open", "flag", "undo", "new game", "again", "help", "quit", "expand", "settings", "statistics", "pause")
    assert all(word in shown(app) for word in names)
    await pilot.resize_terminal(200, 60)
    await pilot.pause()
    assert "settings" not in shown(app)
    assert app.screen.board._pencil.size == CELL_SIZES[-1]


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
    assert "lost at move 2" in text
    assert ["mark", "skill"] in [line.split()[1:3] for line in text.splitlines()]
    assert f"avoidable death {points(app.screen._review.turns[1].skill, app.screen.catalogue):>7}" in text
    assert board.picture.marks[3, 0] == "choice"
    assert "safe" in board.picture.marks.values()
    await press(pilot, "up")
    assert board.picture.marks == {(0, 0): "choice"}
    assert "first click. Nothing could guide it." in shown(app)
    await press(pilot, "b")
    assert "100% |" in shown(app)
    await press(pilot, "escape")
    assert app.screen.session.status == "lost"
    assert "You lost!" in shown(app)
