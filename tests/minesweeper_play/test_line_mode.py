"""The line mode: golden transcripts in both languages, boards, animation, searches, reviews and odd input."""

import io
import os
import re
import subprocess
import sys
from types import SimpleNamespace
from unittest.mock import Mock

import pytest
from support.classic_games import GAMES, GOLDEN, transcript
from support.played_games import session_on
from support.processes import run_python
from support.screens import Stream
from support.sources import ROOT

from minesweeper_env.config import BoardConfig
from minesweeper_env.generation import AttemptsExceededError
from minesweeper_env.inference import PositionTooHardError
from minesweeper_play import line_mode
from minesweeper_play.catalogue import Catalogue
from minesweeper_play.coach import review as coach
from minesweeper_play.coach.board_text import PLAIN, Drawn, board_lines
from minesweeper_play.coach.sentences import review_lines
from minesweeper_play.game.moves import LAYER_SECONDS, Command
from minesweeper_play.game.records import save_game
from minesweeper_play.game.session import Session
from minesweeper_play.options import PlayOptions


@pytest.mark.parametrize("language", ["en", "es"])
@pytest.mark.parametrize("name", GAMES)
def test_a_game_prints_its_golden_transcript(name, language):
    golden = (GOLDEN / f"{name}.{language}.txt").read_text(encoding="utf-8")
    assert transcript(name, language) == golden, "if the change is meant, run tests/support/classic_games.py"


@pytest.mark.parametrize("width", [20, 40, 79, 80, 100])
def test_boards_of_any_size_fit_the_width(width):
    lines = board_lines([[Drawn("#")] * 130] * 3, width)
    assert max(map(len, lines)) < width
    assert sum(line.count("#") for line in lines) == 3 * 130


def test_a_terminal_has_plain_signs(monkeypatch):
    monkeypatch.setattr("sys.stdout", Stream())
    assert line_mode.Console(PlayOptions()).glyphs == PLAIN


def test_colours_are_for_terminals_without_no_color(monkeypatch):
    session = Session(BoardConfig(9, 9, 10), seed=1)
    session.open(4, 4)

    def printed(palette, no_color=""):
        monkeypatch.setattr("sys.stdout", Stream())
        monkeypatch.setenv("NO_COLOR", no_color)
        line_mode.Console(PlayOptions(palette=palette)).show(session)
        return sys.stdout.getvalue()

    monkeypatch.setenv("TERM", "xterm")
    texts = [printed(palette) for palette in ("standard", "colour-blind")]
    assert all("\033[" in text for text in texts)
    assert texts[0] != texts[1]
    assert "\033[" not in printed("standard", no_color="1")


def test_each_layer_but_the_last_is_a_frame_and_is_erased_again(monkeypatch, capsys):
    console, session, pauses = line_mode.Console(PlayOptions()), Session(BoardConfig(8, 8, 10), seed=0), []
    monkeypatch.setattr(line_mode, "time", SimpleNamespace(sleep=pauses.append))
    console.is_animated, report = True, session.open(4, 4)
    console.animate(session, report, (4, 4))
    out = capsys.readouterr().out
    layers = session.opening_layers(report, (4, 4))
    *frames, last = re.split(r"\033\[9A\r\033\[J", out)
    assert last == ""
    assert pauses == [LAYER_SECONDS] * (len(layers) - 1)
    covered = [64 - sum(map(len, layers[:number])) for number in range(1, len(layers))]
    assert [frame.count("#") for frame in frames] == covered


@pytest.mark.parametrize(("is_animated", "frames"), [(False, 0), (True, 1)])
def test_no_frames_are_drawn_that_nobody_sees(monkeypatch, capsys, is_animated, frames):
    """A pipe shows none, and a board higher than the screen shows none: each takes seconds on a large board."""
    console, session = line_mode.Console(PlayOptions()), Session(BoardConfig(40, 40, 1), seed=0)
    drawn = Mock(wraps=line_mode.draw_session)
    monkeypatch.setattr(line_mode, "draw_session", drawn)
    console.is_animated = is_animated
    console.animate(session, session.open(20, 20), (20, 20))
    assert (drawn.call_count, capsys.readouterr().out) == (frames, "")


@pytest.mark.parametrize(
    ("first_click", "answers", "board"),
    [
        (None, ["3", "8"], BoardConfig(3, 3, 8, first_click="safe")),
        (None, ["4", "8"], BoardConfig(4, 4, 8, first_click="safe")),
        (None, ["4", "7"], BoardConfig(4, 4, 7, first_click="opening")),
        ("opening", ["3", "4", "8", "7"], BoardConfig(4, 4, 7, first_click="opening")),
        ("corners", ["3", "5", "16"], BoardConfig(5, 5, 16, first_click="corners")),
        ("any", ["3", "8"], BoardConfig(3, 3, 8, first_click="any")),
    ],
)
def test_the_first_click_is_protected_as_well_as_the_mines_allow(monkeypatch, first_click, answers, board):
    lines = iter(answers)
    monkeypatch.setattr("builtins.input", lambda _: next(lines))
    assert line_mode.ClassicGame(PlayOptions())._ask_board(first_click) == board
    assert next(lines, None) is None


def test_texts_break_between_words_on_a_terminal(monkeypatch, capsys):
    line_mode.Console(PlayOptions()).say("unsolvable")
    (text,) = capsys.readouterr().out.splitlines()
    monkeypatch.setenv("COLUMNS", "40")
    line_mode.Console(PlayOptions()).say("unsolvable")
    lines = capsys.readouterr().out.splitlines()
    assert " ".join(lines) == text
    assert max(map(len, lines)) <= 40


OPEN = Command("try", (3, 3))


def game_of(session, **options):
    game = line_mode.ClassicGame(PlayOptions(**options))
    game.session = session
    return game


@pytest.fixture
def game():
    """A game whose first click needs a search."""
    return game_of(Session(BoardConfig(8, 8, 14), seed=1, no_guess="exact"), given=frozenset({"classic"}))


def test_attempts_are_drawn_on_one_line_of_a_terminal(game, capsys):
    game.console.is_live = True
    game._carry_out(OPEN)
    line, *_, last, _ = capsys.readouterr().out.split("\n")
    assert "\r\033[KSearching for a board without guesses: 0%, 0 tried. Ctrl-C cancels." in line
    assert last == "This board can be solved without a guess."


@pytest.mark.parametrize(
    ("error", "status", "text"),
    [(KeyboardInterrupt(), "ready", "cancelled"), (AttemptsExceededError("many"), "playing", "may need a guess")],
)
def test_a_cancelled_search_changes_nothing_and_one_in_vain_goes_on(game, monkeypatch, capsys, error, status, text):
    monkeypatch.setattr("minesweeper_env.generation.generate", Mock(side_effect=error))
    game._carry_out(OPEN)
    assert (game.session.status, len(game.session.moves)) == (status, status == "playing")
    assert text in capsys.readouterr().out


def test_the_game_after_a_search_in_vain_searches_again(monkeypatch):
    monkeypatch.setattr("minesweeper_env.generation.generate", Mock(side_effect=AttemptsExceededError("many")))
    monkeypatch.setattr("sys.stdin", io.StringIO("4 4\nagain\n"))
    game = line_mode.ClassicGame(PlayOptions(config=BoardConfig(8, 8, 14), no_guess="exact", seed=1))
    with pytest.raises(line_mode.LeaveError):
        game.play()
    assert (game.session.seed, game.session.no_guess) == (2, "exact")


def lost(first_click="opening"):
    return session_on("*...", "....", "...*", opened=[(1, 1), (0, 0)], first_click=first_click)


def test_a_review_is_the_text_of_the_coach(capsys):
    session = lost()
    game_of(session, language="es")._carry_out(Command("review"))
    expected = review_lines(coach.review_game(session), Catalogue("es"), 80)
    assert capsys.readouterr().out == "\n".join(expected) + "\n"


def test_a_game_that_the_coach_cannot_judge_says_why(capsys):
    game_of(lost(first_click="corners"))._carry_out(Command("review"))
    assert "cannot review games whose first click moves mines" in capsys.readouterr().out


@pytest.mark.parametrize(("error", "word"), [(PositionTooHardError, "too hard"), (KeyboardInterrupt, "cancelled")])
def test_a_review_that_ends_early_leaves_the_game(monkeypatch, capsys, error, word):
    monkeypatch.setattr(coach, "review_game", Mock(side_effect=error))
    game_of(lost())._carry_out(Command("review"))
    (line,) = capsys.readouterr().out.splitlines()
    assert word in line


def play(tmp_path, language, stdin, encoding="utf-8"):
    """Returns what the game prints on bytes that come from a pipe."""
    words = ["--classic", "--size", "3x4", "--mines", "2", "--first-click", "any", "--lang", language]
    environment = {"XDG_DATA_HOME": str(tmp_path), "PYTHONIOENCODING": encoding}
    result = run_python("play.py", *words, env=environment, input=stdin, text=False)
    assert result.returncode == 0
    assert b"Traceback" not in result.stderr
    return result.stdout


def test_a_stream_without_accents_shows_question_marks(tmp_path):
    assert play(tmp_path, "es", b"quit\n", "ascii").splitlines()[-1] == b"?Hasta luego!"


def test_undecodable_lines_are_invalid_and_a_file_that_cannot_be_written_is_one_line_and_the_game_goes_on(tmp_path):
    names = ("nul\x00byte", "/no/such/folder/game.json", ".", "~nobody-of-this-name/game.json", "no/\x1b[2J\u202e")
    out = play(tmp_path, "en", b"\xff\xfe 1\n\x00\n" + "".join(f"save {name}\n" for name in names).encode())
    assert out.count(b"Invalid syntax") == 2
    assert out.count(b"cannot be written: ") == len(names)
    assert not any(obeyed in out for obeyed in (b"\x00", b"\x1b", "\u202e".encode()))
    assert out.endswith(b"Goodbye!\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="a POSIX shell")
def test_a_reader_that_stops_ends_the_game_quietly(tmp_path):
    command = f"yes '1 1' | {sys.executable} play.py --classic --size 4 --mines 3 | head -1"
    environment = {**os.environ, "XDG_DATA_HOME": str(tmp_path)}
    result = subprocess.run(["sh", "-c", command], cwd=ROOT, env=environment, capture_output=True, text=True)
    assert len(result.stdout.splitlines()) == 1
    assert "Traceback" not in result.stderr


def test_a_loaded_game_goes_on_and_is_no_new_one(tmp_path, capsys, monkeypatch):
    save_game(Session(BoardConfig(4, 4, 3, "safe"), seed=3), tmp_path / "game.json")
    monkeypatch.setattr("sys.stdin", io.StringIO("again\n"))
    line_mode.run(PlayOptions(saved=tmp_path / "game.json", seed=5))
    heads = [line for line in capsys.readouterr().out.splitlines() if "seed" in line]
    assert ["New game" in line for line in heads] == [False, True]
    assert all("4 rows, 4 columns, 3 mines" in line for line in heads)
