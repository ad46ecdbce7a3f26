"""Settings that outlive the game: what is kept, what the command line overrides, damaged and unwritable files."""

from __future__ import annotations

import json

import pytest
from support.terminal_games import drive, shown, wall_session
from textual.widgets import Input, Select

from minesweeper_env.config import BoardConfig
from minesweeper_play.command import read_options
from minesweeper_play.terminal.base import BoardChoice, Settings, first_settings

NO_GUESS_BOARD = {"rows": 5, "cols": 6, "mines": 4, "first_click": "safe", "no_guess": "exact"}
CHOICE = BoardChoice(BoardConfig(5, 6, 4, first_click="safe"), "exact")

DAMAGED = (
    {"animation": 1},
    {"language": "de"},
    {"board": []},
    {"board": {**NO_GUESS_BOARD, "mines": 99}},
    {"board": {}},
)


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
    ],
)
def test_the_command_line_wins_and_its_board_decides_everything(words, expected):
    kept = {"palette": "colour-blind", "language": "es", "animation": False, "theme": "light", "board": NO_GUESS_BOARD}
    options = read_options(("--palette", "standard", "--animation", "--lang", "en", *words), "play.py")[1]
    settings, choice = first_settings(options, kept)
    assert settings == Settings(palette="standard", animation=True, language="en", theme="light")
    assert choice == expected


def test_what_was_changed_is_kept_and_returns_in_the_next_game(tmp_path):
    file = tmp_path / "config" / "settings.json"

    async def change(app, pilot):
        file.parent.mkdir()
        file.write_text('{"palette": "colour-blind"}')
        await pilot.press("p", "s")
        await pilot.pause()
        for name, value in (("theme", "light"), ("language", "es")):
            app.screen.query_one(f"#{name}", Select).value = value
            await pilot.pause()
        await pilot.press("escape", "n")
        await pilot.pause()
        for name, value in (("rows", "5"), ("cols", "6"), ("mines", "4"), ("seed", "77")):
            app.screen.query_one(f"#{name}", Input).value = value
        app.screen.query_one("#first_click", Select).value = "safe"
        app.screen.query_one("#no_guess", Select).value = "exact"
        await pilot.pause()
        await pilot.click("#start")
        await pilot.pause()

    async def look(app, pilot):
        await pilot.pause(0.5)
        session = app.screen.session
        assert (session.config.rows, session.config.mines, session.no_guess) == (5, 4, "exact")
        assert session.seed != 77
        assert (app.theme, app.screen.overlay, session.aids) == ("textual-light", "off", set())
        assert "Minas" in shown(app)

    drive(change, tmp_path, file=file)
    changed = {"theme": "light", "language": "es", "board": NO_GUESS_BOARD}
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
