"""Settings that outlive the game: what is kept, what the command line overrides, damaged and unwritable files."""

from __future__ import annotations

import json

import pytest
from support.terminal_games import drive, shown, wall_session
from textual.widgets import Input, Select

from minesweeper_env.config import BoardConfig
from minesweeper_play.command import read_options
from minesweeper_play.options import PlayOptions
from minesweeper_play.terminal.services import BoardChoice, KeptSettings, Settings, first_settings

NO_GUESS_BOARD = {"rows": 5, "cols": 6, "mines": 4, "first_click": "safe", "no_guess": "exact"}
CHOICE = BoardChoice(BoardConfig(5, 6, 4, first_click="safe"), "exact")


@pytest.fixture
def kept(tmp_path):
    return KeptSettings(tmp_path / "config")


def written(kept):
    return json.loads(kept.path.read_text())


def write(kept, text):
    kept.path.parent.mkdir()
    kept.path.write_text(text)


def options_of(*words):
    return read_options(words, "play.py")[1]


def test_only_what_was_changed_is_kept(kept):
    assert kept.read() == {}
    other = KeptSettings(kept.path.parent)
    kept.keep({"theme": "light"})
    other.keep({"palette": "colour-blind"})
    kept.keep({"theme": "dark", "board": NO_GUESS_BOARD})
    assert written(kept) == {"theme": "dark", "palette": "colour-blind", "board": NO_GUESS_BOARD}
    assert first_settings(PlayOptions(), kept.read())[1] == CHOICE


DAMAGED = (
    {"animation": 1},
    {"language": "de"},
    {"board": []},
    {"board": {**NO_GUESS_BOARD, "mines": 99}},
    {"board": {}},
)


@pytest.mark.parametrize("text", ["{", "[1]", *map(json.dumps, DAMAGED)])
def test_a_file_with_a_value_that_is_not_allowed_means_the_usual_settings_and_one_warning(tmp_path, kept, text):
    write(kept, text)

    async def script(app, pilot):
        await pilot.pause()
        assert [str(kept.path) in toast.message for toast in app._notifications] == [True]
        assert (app.services.settings, app.services.choice.config) == (Settings(animation=False), BoardConfig(9, 9, 10))
        app.services.change(theme="light")

    drive(script, tmp_path, kept_settings=kept, size=(160, 24))
    assert written(kept)["theme"] == "light"


def test_the_command_line_wins(kept):
    kept.keep({"palette": "colour-blind", "language": "es", "animation": False, "icons": "nerd"})
    options = options_of("--palette", "standard", "--animation", "--lang", "en")
    settings, _ = first_settings(options, kept.read())
    assert (settings.palette, settings.animation, settings.language) == ("standard", True, "en")
    assert settings.icons == "nerd"


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
def test_a_board_of_the_command_line_decides_everything(words, expected):
    assert first_settings(options_of(*words), {"board": NO_GUESS_BOARD})[1] == expected


def test_settings_board_and_overlay_return_in_the_next_game(tmp_path, kept):
    async def change(app, pilot):
        await pilot.press("p", "s")
        await pilot.pause()
        for name, value in (("theme", "light"), ("language", "es")):
            app.screen.query_one(f"#{name}", Select).value = value
            await pilot.pause()
        await pilot.press("escape", "n")
        await pilot.pause()
        for name, value in (("rows", "5"), ("cols", "6"), ("mines", "4")):
            app.screen.query_one(f"#{name}", Input).value = value
        app.screen.query_one("#first_click", Select).value = "safe"
        app.screen.query_one("#no_guess", Select).value = "exact"
        app.screen.query_one("#seed", Input).value = "77"
        await pilot.pause()
        await pilot.click("#start")
        await pilot.pause()

    async def look(app, pilot):
        await pilot.pause(0.5)
        session = app.screen.session
        assert (session.config.rows, session.config.mines, session.no_guess) == (5, 4, "exact")
        assert session.seed != 77
        assert (app.theme, app.services.settings.overlay) == ("textual-light", "numbers")
        assert "Jugadas" in shown(app)
        assert "13" in shown(app), "the risk of each cell"

    drive(change, tmp_path, kept_settings=kept)
    assert set(written(kept)) == {"theme", "language", "overlay", "board"}
    drive(look, tmp_path, kept_settings=KeptSettings(kept.path.parent))


def test_a_folder_that_cannot_be_written_is_one_warning_and_the_game_goes_on(tmp_path):
    (tmp_path / "file").write_text("")
    kept = KeptSettings(tmp_path / "file" / "config")

    async def script(app, pilot):
        await pilot.press("p", "p", "p")
        await pilot.pause()
        problems = [toast.message for toast in app._notifications if "not kept" in toast.message]
        assert len(problems) == 1

    drive(script, tmp_path, session=wall_session(), kept_settings=kept)
