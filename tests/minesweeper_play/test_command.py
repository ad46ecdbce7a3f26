"""The command `play.py`: its arguments and its help, pipes, Ctrl-C, saved games and statistics."""

import io
import json
import shlex
import sys
from unittest.mock import Mock

import pytest
from support.processes import run_python
from support.screens import Stream

from minesweeper_env.config import BoardConfig
from minesweeper_play.command import main, read_options
from minesweeper_play.game.records import save_game
from minesweeper_play.game.session import Session
from minesweeper_play.options import PlayOptions


def options_of(line):
    return read_options(shlex.split(line), "play.py")[1]


def test_without_arguments_the_game_asks_for_a_board():
    options = PlayOptions(language="en", given=frozenset({"language"}))
    assert read_options(["--lang", "en"], "play.py") == ("terminal", options)


BOARDS = {
    "--preset beginner": BoardConfig(9, 9, 10),
    "--preset expert --first-click safe": BoardConfig(16, 30, 99, first_click="safe"),
    "--size 8": BoardConfig(8, 8, 14),
    "--size 12x20": BoardConfig(12, 20, 49),
    "--size 12x20 --mines 45": BoardConfig(12, 20, 45),
    "--size 3": BoardConfig(3, 3, 2, first_click="safe"),
    "--size 3 --mines 8 --first-click any": BoardConfig(3, 3, 8, first_click="any"),
}


def test_boards():
    assert {line: options_of(line).config for line in BOARDS} == BOARDS


def test_options_of_the_look_of_the_game_and_of_the_mode():
    options = options_of("--size 8 --seed 7 --lang es --palette colour-blind --no-animation")
    assert (options.seed, options.language, options.palette, options.animation) == (7, "es", "colour-blind", False)
    assert options.given == {"size", "seed", "language", "palette", "animation"}
    assert options.keeps_settings
    assert not options_of("--no-settings").keeps_settings
    assert [read_options([f"--{mode}"], "play.py")[0] for mode in ("classic", "stats")] == ["classic", "stats"]


BAD = {
    "--size 3 --first-click opening": "no number of mines fits on 3 x 3 with --first-click 'opening'",
    "--size 8 --mines 64": "--mines must be 1 to 63 on 8 x 8 with --first-click 'safe', not 64",
    "--size 9999999x9999999": "a board has 2 to 1048576 cells",
    "--classic --no-luck --first-click corners": "games without luck need --first-click any, safe, opening",
    "--mines 10": "--mines needs --size",
    "--preset expert --size 8": "--preset has its own size and mines",
    "--classic --stats": "argument --stats:",
    "--load game.json --size 8": "--load takes board and seed from the file",
    "--level exact": "--level needs --practice",
    "--json": "--json needs --analyse",
    "--port 9000": "--host and --port need --serve",
    "--load game.json --policy exact": "--load continues a game of yours",
    "--stats --size 5": "--stats shows finished games of all boards",
    "--analyse game.json --load game.json": "--analyse takes the board from the file",
    "--analyse game.json --seed 3": "--analyse takes the board from the file",
    "--practice safe_cell --no-luck": "--practice takes --preset or --size, --mines and --seed alone",
    "--versus exact random --versus subset bayes": "argument --versus:",
    "--policy exact --classic": "--policy and --versus need the full terminal or --serve; leave out --classic",
}


@pytest.mark.parametrize("line", BAD)
def test_a_bad_argument_is_one_line_and_status_2(line, capsys):
    with pytest.raises(SystemExit) as leaving:
        read_options(shlex.split(line), "play.py")
    assert leaving.value.code == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    (message,) = printed.err.splitlines()
    assert message.startswith(f"play.py: {BAD[line]}")


def play(tmp_path, *arguments, lines=()):
    """Runs play.py with lines on stdin; returns (exit status, stdout, stderr)."""
    environment = {"XDG_DATA_HOME": str(tmp_path), "LANG": "en_US.UTF-8", "LC_ALL": ""}
    typed = "".join(f"{line}\n" for line in lines)
    result = run_python("play.py", *arguments, env=environment, input=typed, encoding="utf-8")
    return result.returncode, result.stdout, result.stderr


def test_a_policy_is_not_watched_in_a_pipe(monkeypatch, capsys):
    monkeypatch.delenv("TEXTUAL_DRIVER", raising=False)
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    assert main(["--policy", "exact"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "--policy and --versus need a terminal" in line


@pytest.mark.parametrize(("term", "mode"), [("dumb", "classic"), ("xterm", "terminal")])
def test_a_terminal_plays_line_by_line_only_without_a_full_screen(monkeypatch, term, mode):
    monkeypatch.delenv("TEXTUAL_DRIVER", raising=False)
    monkeypatch.setenv("TERM", term)
    monkeypatch.setattr(sys, "stdin", Stream())
    monkeypatch.setattr(sys, "stdout", Stream())
    modes = []
    monkeypatch.setattr("minesweeper_play.command._run", lambda mode, _options: modes.append(mode) or 0)
    assert main(["--lang", "en"]) == 0
    assert modes == [mode]


def test_finished_games_are_in_the_statistics(tmp_path):
    board = ("--size", "1x2", "--mines", 1, "--first-click", "safe", "--seed", 7)
    status, out, err = play(tmp_path, *board, lines=["1 1", "", "2 1", "no"])
    assert status == 0
    assert all(line.startswith("Compiling") for line in err.splitlines())
    assert [line[-7:] for line in out.splitlines() if line.startswith("New game")] == ["seed 7.", "seed 8."]
    games = [json.loads(line) for line in (tmp_path / "minesweeper-env" / "games.jsonl").read_text().splitlines()]
    assert [(game["won"], game["seed"], game["clicks"]) for game in games] == [(True, 7, 1), (True, 8, 1)]
    status, out, err = play(tmp_path, "--stats")
    assert (status, err) == (0, "")
    assert "1x2/1, safe first click" in out


def test_damaged_statistics_are_one_line_on_stderr(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("platformdirs.user_data_path", lambda *_names, **_settings: tmp_path)
    (tmp_path / "games.jsonl").write_text("damaged\n")
    assert main(["--stats", "--lang", "es"]) == 0
    out, err = capsys.readouterr()
    assert "ninguna partida" in out
    assert err.startswith("No se puede leer 1 línea de ")
    assert (out.count("\n"), err.count("\n")) == (1, 1)
    (tmp_path / "games.jsonl").unlink()
    (tmp_path / "games.jsonl").mkdir()
    assert main(["--stats", "--lang", "en"]) == 1
    assert capsys.readouterr() == ("", f"play.py: {tmp_path / 'games.jsonl'}: Is a directory\n")


def test_without_platformdirs_the_game_goes_on_without_statistics(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "platformdirs", None)
    advice = "platformdirs is not installed; install it, in a clone, with: pip install '.[play]'"
    assert main(["--stats", "--lang", "en"]) == 1
    assert capsys.readouterr() == ("", f"play.py: {advice}\n")
    monkeypatch.setattr(sys, "stdin", io.StringIO("quit\n"))
    assert main(["--classic", "--size", "4", "--mines", "3", "--lang", "en"]) == 0
    assert capsys.readouterr().out.startswith(f"No statistics are kept: {advice}.\n")


def test_a_saved_game_goes_on(tmp_path, monkeypatch, capsys):
    session = Session(BoardConfig(8, 8, 14), seed=5)
    session.open(3, 3)
    save_game(session, tmp_path / "game.json")
    monkeypatch.setattr(sys, "stdin", io.StringIO("undo\nquit\n"))
    assert main(["--load", str(tmp_path / "game.json"), "--lang", "en"]) == 0
    out = capsys.readouterr().out
    assert "seed 5." in out
    assert "Practice" in out
    for name, reason in (("none.json", "el archivo o la carpeta no existe"), ("", "es una carpeta")):
        path = tmp_path / name
        assert main(["--classic", "--load", str(path), "--lang", "es"]) == 2
        assert capsys.readouterr().err == f"play.py: no se puede leer {path}: {reason}\n"


def test_ctrl_c_leaves_the_line_mode_with_a_goodbye(monkeypatch, capsys):
    monkeypatch.setattr("builtins.input", Mock(side_effect=KeyboardInterrupt))
    assert main(["--classic", "--size", "4", "--mines", "3", "--lang", "es"]) == 130
    assert capsys.readouterr().out.endswith("\n¡Hasta luego!\n")
