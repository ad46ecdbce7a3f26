"""Dialogs of the terminal game: another board, settings and their file, pages of text, and the line of keys."""

import json

import pytest
from support.terminal_games import drive, fill, on_screen, press, settled, shown, wall_session
from textual.events import Key
from textual.widgets import Button, Input, Select

from minesweeper_env.config import BoardConfig
from minesweeper_play.command import read_options
from minesweeper_play.terminal.base import BoardChoice, Settings, first_settings
from minesweeper_play.terminal.drawing import PALETTES


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ({"mines": 17}, "room for 1 to 16 mines, not 17"),
        ({"mines": "many"}, "number of mines must be a whole number of at least 1, not 'many'"),
        ({"rows": 0}, "number of rows must be a whole number of at least 1, not '0'"),
        ({"rows": 3, "cols": 3, "mines": 1}, "No mine fits on this board"),
        ({"rows": 9999, "cols": 9999, "mines": 1}, "has 2 to 1048576 cells, not 99980001"),
        ({"seed": "-3"}, "The seed must be a whole number of at least 0, not '-3'"),
    ],
)
@on_screen(session=wall_session, size=(90, 24))
async def test_a_board_that_cannot_be_is_refused_with_what_is_allowed(app, pilot, values, problem):
    await press(pilot, "n")
    await fill(app, pilot, **{"rows": 5, "cols": 5, "mines": 4, "first_click": "opening", **values})
    assert problem in " ".join(shown(app).replace("\u2502", " ").split())
    assert app.screen.query_one("#start", Button).disabled


@on_screen(session=wall_session)
async def test_a_board_of_any_size_begins_with_its_seed(app, pilot):
    await press(pilot, "n")
    await fill(app, pilot, rows=7, cols=12, mines=9, seed=42)
    assert app.screen.query_one("#preset", Select).value == "custom"
    await pilot.click("#start")
    await pilot.pause()
    session = app.screen.session
    assert (session.config.rows, session.config.cols, session.config.mines, session.seed) == (7, 12, 9, 42)
    assert app.screen.board.picture.codes.shape == (7, 12)
    await press(pilot, "r")
    assert app.screen.session.seed == 43


@on_screen(session=wall_session)
async def test_a_preset_fills_the_fields_and_rules_reach_the_game(app, pilot):
    await press(pilot, "n")
    await fill(app, pilot, preset="expert", first_click="any", no_guess="subset")
    assert app.screen.query_one("#mines", Input).value == "99"
    await pilot.click("#start")
    await pilot.pause()
    session = app.screen.session
    assert (session.config.rows, session.config.cols, session.config.mines) == (16, 30, 99)
    assert (session.config.first_click, session.no_guess) == ("any", "subset")


@pytest.mark.parametrize("key", ["n", "s", "t", "question_mark"])
@on_screen(session=wall_session)
async def test_a_key_typed_ahead_of_the_end_opens_no_dialog(app, pilot, key):
    for each in ("q", key):
        app.post_message(Key(each, None))
    await pilot.pause()
    assert (app.return_code, len(app.screen_stack)) == (0, 2)


@on_screen(session=wall_session)
async def test_settings_change_the_board_at_once(app, pilot):
    board = app.screen.board
    await press(pilot, "s")
    await fill(app, pilot, theme="light", palette="colour-blind", animation=False, language="es")
    assert app.theme == "textual-light"
    assert board._pencil.palette is PALETTES["light", True]
    assert not app.services.settings.animation
    # On a busy machine the new screen is laid out after the pause.
    await settled(pilot, lambda: "Ajustes" in shown(app))
    await pilot.press("escape")
    await settled(pilot, lambda: "salir" in shown(app))


KEPT_BOARD = {"rows": 5, "cols": 6, "mines": 4, "first_click": "safe", "no_guess": "exact"}
CHOICE = BoardChoice(BoardConfig(5, 6, 4, first_click="safe"), "exact")

DAMAGED = ({"animation": 1}, {"language": "de"}, {"board": []}, {"board": {}}, {"board": {**KEPT_BOARD, "mines": 99}})


@pytest.mark.parametrize("text", ["{", "[1]", *map(json.dumps, DAMAGED)])
def test_a_file_with_a_value_that_is_not_allowed_means_the_usual_settings_and_one_warning(tmp_path, text):
    file = tmp_path / "settings.json"
    file.write_text(text)

    async def script(app, pilot):
        await pilot.pause()
        assert [str(file) in toast.message for toast in app._notifications] == [True]
        assert (app.services.settings, app.services.choice.config) == (Settings(animation=False), BoardConfig(9, 9, 10))
        app.services.change(theme="light")

    drive(script, tmp_path, file=file, size=(160, 24))
    assert json.loads(file.read_text())["theme"] == "light"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ((), CHOICE),
        (("--seed", "3"), BoardChoice(CHOICE.config, "exact", 3)),
        (("--no-guess", "subset"), BoardChoice(CHOICE.config, "subset")),
        (("--first-click", "any"), BoardChoice(BoardConfig(5, 6, 4, first_click="any"), "exact")),
        (("--preset", "beginner", "--seed", "7"), BoardChoice(BoardConfig(9, 9, 10), False, 7)),
        (("--size", "4", "--mines", "2"), BoardChoice(BoardConfig(4, 4, 2))),
        (("--no-luck",), BoardChoice(BoardConfig(5, 6, 4, first_click="safe", luck=False))),
        (("--preset", "beginner", "--no-luck"), BoardChoice(BoardConfig(9, 9, 10, luck=False))),
    ],
)
def test_the_command_line_wins_and_its_board_decides_everything(words, expected):
    kept = {"palette": "colour-blind", "language": "es", "animation": False, "theme": "light", "board": KEPT_BOARD}
    options = read_options(("--palette", "standard", "--animation", "--lang", "en", *words), "play.py")[1]
    settings, choice = first_settings(options, kept)
    assert settings == Settings(palette="standard", animation=True, language="en", theme="light")
    assert choice == expected


@pytest.mark.parametrize(
    ("kept", "line"), [({"mines": 29}, "--first-click opening"), ({"first_click": "corners"}, "--no-luck")]
)
def test_rules_that_the_kept_board_does_not_allow_mean_beginner_with_the_kept_settings(kept, line):
    options = read_options(["--lang", "en", *line.split()], "play.py")[1]
    settings, choice = first_settings(options, {"theme": "light", "board": {**KEPT_BOARD, **kept}})
    assert (settings.theme, choice) == ("light", BoardChoice(BoardConfig(9, 9, 10, luck=options.luck)))


@pytest.mark.parametrize(("chosen", "level", "luck"), [("exact", "exact", True), ("no_luck", False, False)])
def test_what_was_changed_is_kept_and_returns_in_the_next_game(tmp_path, chosen, level, luck):
    file = tmp_path / "config" / "settings.json"

    async def change(app, pilot):
        file.parent.mkdir()
        file.write_text('{"palette": "colour-blind"}')
        await press(pilot, "p", "s")
        await fill(app, pilot, theme="light", language="es")
        await press(pilot, "escape", "n")
        await fill(app, pilot, rows=5, cols=6, mines=4, seed=77, first_click="safe", no_guess=chosen)
        await pilot.click("#start")
        await pilot.pause()

    async def look(app, pilot):
        await pilot.pause(0.5)
        session = app.screen.session
        assert (session.config.rows, session.config.mines, session.no_guess, session.config.luck) == (5, 4, level, luck)
        assert session.seed != 77
        assert (app.theme, app.screen.overlay, session.aids) == ("textual-light", "off", set())
        assert "Minas" in shown(app)

    drive(change, tmp_path, file=file)
    changed = {"theme": "light", "language": "es", "board": {**KEPT_BOARD, "no_guess": level, "luck": luck}}
    assert json.loads(file.read_text()) == {"palette": "colour-blind", **changed}
    drive(look, tmp_path, file=file)


def test_a_folder_that_cannot_be_written_is_one_warning_and_the_game_goes_on(tmp_path):
    (tmp_path / "file").write_text("")

    async def script(app, pilot):
        for theme in ("light", "dark", "light"):
            app.services.change(theme=theme)
        await pilot.pause()
        assert len([toast for toast in app._notifications if "not kept" in toast.message]) == 1

    drive(script, tmp_path, session=wall_session(), file=tmp_path / "file" / "config" / "settings.json")
