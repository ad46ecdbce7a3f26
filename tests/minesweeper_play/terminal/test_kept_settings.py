"""Settings that outlive the game: what is kept, what the command line overrides, damaged and unwritable files."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest
from support.terminal_games import click, drive, shown, wall_session
from textual.widgets import Input, Select

from minesweeper_env.config import BoardConfig
from minesweeper_play.cli.arguments import read_options
from minesweeper_play.folders import config_folder
from minesweeper_play.options import PlayOptions
from minesweeper_play.terminal.choice import BoardChoice, first_choice
from minesweeper_play.terminal.kept_settings import BOARD, KeptSettings
from minesweeper_play.terminal.settings import Settings

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


def test_only_what_was_changed_is_kept_and_other_programs_lose_nothing(kept):
    other = KeptSettings(kept.path.parent)
    kept.keep({"theme": "light", "zoom": 2})
    other.keep({"palette": "colour-blind"})
    kept.keep({"theme": "dark", BOARD: CHOICE})
    assert written(kept) == {"theme": "dark", "zoom": 2, "palette": "colour-blind", BOARD: NO_GUESS_BOARD}
    found = other.read()
    assert found.settings == {"theme": "dark", "zoom": 2, "palette": "colour-blind"}
    assert (found.board, found.problem.key) == (CHOICE, "")


def test_programs_that_write_at_once_lose_nothing(kept):
    names = [f"later-{number}" for number in range(8)]
    threads = [threading.Thread(target=KeptSettings(kept.path.parent).keep, args=({name: 1},)) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert written(kept) == dict.fromkeys(names, 1)
    assert [path.name for path in kept.path.parent.iterdir()] == ["settings.json"]


def test_without_a_file_there_are_no_settings_and_no_problem(kept):
    found = kept.read()
    assert (found.settings, found.board, found.problem.key) == ({}, None, "")
    assert not kept.path.parent.exists()


@pytest.mark.parametrize("text", ["{", "[1]", "", "\x00", "[" * 100_000])
def test_a_damaged_file_means_the_usual_settings_and_is_copied_before_it_is_replaced(kept, text):
    write(kept, text)
    found = kept.read()
    assert (found.settings, found.board, found.problem.key) == ({}, None, "settings_damaged")
    assert kept.path.read_text() == text
    kept.keep({"theme": "light"})
    assert written(kept) == {"theme": "light"}
    assert kept.path.with_name("settings-damaged-1.json").read_text() == text


@pytest.mark.parametrize(
    "content",
    [
        {"zoom": True},
        {"zoom": 7},
        {"animation": 1},
        {"language": "de"},
        {"overlay": ["off"]},
        {"theme": None},
        {"board": []},
        {"board": {**NO_GUESS_BOARD, "mines": 99}},
        {"board": {**NO_GUESS_BOARD, "no_guess": "hard"}},
        {"board": {"rows": 5}},
    ],
)
def test_a_value_that_is_not_allowed_is_named_and_left_out(kept, content):
    write(kept, json.dumps({"palette": "colour-blind", "of a later version": 1, **content}))
    found = kept.read()
    assert (found.settings, found.board) == ({"palette": "colour-blind"}, None)
    assert (found.problem.key, found.problem.values["names"]) == ("settings_wrong", *content)
    kept.keep({"icons": "nerd"})
    assert written(kept)["of a later version"] == 1


def test_the_command_line_wins(kept):
    kept.keep({"palette": "colour-blind", "language": "es", "animation": False, "icons": "nerd"})
    options = options_of("--palette", "standard", "--animation", "--lang", "en")
    settings = Settings.of(options, kept.read().settings)
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
    assert first_choice(options_of(*words), CHOICE) == expected


def test_a_rule_that_the_kept_board_has_no_room_for_begins_with_beginner():
    full = BoardChoice(BoardConfig(3, 3, 8, first_click="any"))
    assert first_choice(options_of("--first-click", "opening"), full).config == BoardConfig(9, 9, 10)


def test_settings_board_and_overlay_return_in_the_next_game(tmp_path, kept):
    async def change(app, pilot):
        await pilot.press("p", "s")
        await pilot.pause()
        for name, value in (("theme", "light"), ("zoom", "0"), ("language", "es")):
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
        assert (app.theme, app.settings.zoom, app.settings.overlay) == ("textual-light", 0, "numbers")
        assert "Jugadas" in shown(app)
        assert "13" in shown(app), "the risk of each cell"

    drive(change, tmp_path, kept_settings=kept)
    assert set(written(kept)) == {"theme", "zoom", "language", "overlay", "board"}
    drive(look, tmp_path, kept_settings=KeptSettings(kept.path.parent))


def test_a_game_without_kept_settings_writes_none(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))

    async def script(_app, pilot):
        await pilot.press("p", "p")

    drive(script, tmp_path)
    assert not (tmp_path / "config").exists()


@pytest.mark.parametrize(
    ("language", "line"), [("en", "are damaged; the game begins with the usual ones"), ("es", "están dañados")]
)
def test_a_damaged_file_is_one_warning(tmp_path, kept, language, line):
    write(kept, "{")

    async def script(app, pilot):
        await pilot.pause()
        assert [line in toast.message for toast in app._notifications] == [True]
        await click(app, pilot, (0, 0))
        assert app.screen.session.status == "playing"

    given = frozenset({"language"})
    drive(script, tmp_path, session=wall_session(), kept_settings=kept, language=language, given=given)


def test_a_folder_that_cannot_be_written_is_one_warning_and_the_game_goes_on(tmp_path):
    (tmp_path / "file").write_text("")
    kept = KeptSettings(tmp_path / "file" / "config")

    async def script(app, pilot):
        await pilot.press("p", "p", "p")
        await pilot.pause()
        problems = [toast.message for toast in app._notifications if "not kept" in toast.message]
        assert len(problems) == 1

    drive(script, tmp_path, session=wall_session(), kept_settings=kept)


def test_the_folder_follows_the_platform(monkeypatch, tmp_path):
    if config_folder().name != "minesweeper-env" or not str(config_folder()).startswith("/"):
        pytest.skip("a POSIX platform")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert config_folder() == tmp_path / "minesweeper-env"
    monkeypatch.delenv("XDG_CONFIG_HOME")
    assert config_folder() == Path.home() / ".config" / "minesweeper-env"


def test_options_state_what_the_command_line_says():
    assert PlayOptions().given == frozenset()
    assert options_of("--icons", "plain").given == {"icons"}
