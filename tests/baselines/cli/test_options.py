"""Options: one word has one form in every command, numbers and boards have theirs, and examples parse."""

import argparse
import shlex
import sys
from contextlib import suppress
from importlib import import_module

import pytest

from baselines.__main__ import COMMANDS
from baselines.cli import seeds, sweep, train
from baselines.cli.command import Parser, parse_size, whole_number_from
from baselines.cli.train import study_settings
from baselines.process import explain
from minesweeper_env.config import BoardConfig, board_name

QUICK = ["--config", "quick", "--out", "x"]
NEEDED = {train: [], seeds: QUICK, sweep: [*QUICK, "--search", "gamma=0,1"]}
ALL = pytest.mark.parametrize("command", NEEDED)
STUDIES = pytest.mark.parametrize("command", [seeds, sweep])


def parsed(command, *words):
    parser = Parser(prog="command")
    command._add_arguments(parser)
    return parser.parse_args([*NEEDED[command], *words])


@ALL
@pytest.mark.parametrize("form", [["5x5/3", "6x6/6"], ["5x5/3,6x6/6"], ["5x5/3,6x6/6", "8x8/9"]])
def test_boards_stand_with_spaces_or_commas_between_them(command, form):
    assert parsed(command, "--boards", *form).boards == ",".join(form).split(",")


def test_an_option_of_several_values_that_is_given_twice_has_them_all():
    options = parsed(train, "--set", "a=1", "b=2", "--boards", "5x5/3", "--set", "c=3", "--boards", "6x6/6", "8x8/9")
    assert (options.set, options.boards) == (["a=1", "b=2", "c=3"], ["5x5/3", "6x6/6", "8x8/9"])
    assert parsed(train, "--set", "c=3").set == ["c=3"]


@STUDIES
def test_options_replace_what_the_configuration_says(command):
    board = ["--size", "4", "--mines", "3", "--first-click", "safe"]
    settings = study_settings("quick", parsed(command, *board, "--steps", "1e3", "--reward", "win"))
    assert (settings.boards, settings.first_click, settings.steps) == (("4x4/3",), "safe", 1000)
    assert (settings.reward, settings.seed, settings.threads) == ("win", 0, 1)
    assert study_settings("quick", parsed(command)).boards == ("8x8/14",)


@STUDIES
@pytest.mark.parametrize(("own", "size"), [('boards = ["16x30/99"]', "16x30"), ("", "8x8")])
def test_mines_alone_are_hidden_on_boards_of_the_configured_size(command, own, size, tmp_path):
    (tmp_path / "own.toml").write_text(own)
    assert study_settings(str(tmp_path / "own.toml"), parsed(command, "--mines", "20")).boards == (f"{size}/20",)


@STUDIES
def test_an_error_names_the_configuration_that_has_the_fault_and_no_other(command, tmp_path):
    (path := tmp_path / "own.toml").write_text("depth = 0")
    with pytest.raises(ValueError, match=r"own\.toml: depth must be"):
        study_settings(str(path), parsed(command))
    path.write_text("depth = 2")
    with pytest.raises(ValueError, match=r"^reward must be"):
        study_settings(str(path), parsed(command, "--reward", "x"))


@ALL
@pytest.mark.parametrize("out", ["", "file", "file/below/it"])
def test_a_folder_that_cannot_be_made_is_refused_before_any_work(command, out, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(SystemExit):
        parsed(command, "--out", out)
    assert "argument --out: must be a folder" in capsys.readouterr().err


def test_counts_are_written_as_python_writes_numbers():
    parse = whole_number_from(1, 10**6)
    for text, number in (("7", 7), ("1e5", 10**5), ("100_000", 10**5), ("2.5E4", 25_000), ("1e+3", 1000), ("1.0", 1)):
        assert parse(text) == number
    for text in ("1e-2", "1.5", "2.55e1", "_1", "1__0", "1e", "e5", "", " 5", "0", "-1e3", "inf", "nan"):
        with pytest.raises(argparse.ArgumentTypeError, match="must be a whole number of at least 1"):
            parse(text)
    for text in ("1e7", "1e999", "9" * 5000):
        with pytest.raises(argparse.ArgumentTypeError, match="must be a whole number of at most 1000000"):
            parse(text)


@pytest.mark.parametrize("board", [(8, 8, 14), (16, 30, 99), (1, 4, 1)])
def test_what_is_written_is_parsed(board):
    config = BoardConfig.of_name(board_name(*board), "any")
    assert config == BoardConfig(*board, "any", ("click",))
    assert config.name == board_name(*board)


def test_sizes():
    assert [parse_size(text) for text in ("8", "16x30")] == [(8, 8), (16, 30)]
    for text in ("", "x", "8x", "-8", "8x8x8", "٨"):
        with pytest.raises(argparse.ArgumentTypeError, match=r"a size is a side such as 8"):
            parse_size(text)


@pytest.mark.parametrize("text", ["8x8", "8x8/", "8x8-14", "8/14", " 8x8/14", "8x8/14\n", 14, None])
def test_other_texts_are_no_boards(text):
    with pytest.raises(ValueError, match="a board is written ROWSxCOLS/MINES"):
        BoardConfig.of_name(text, "any")


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "warm-up"])
def test_the_examples_of_every_help_parse(name, monkeypatch):
    parsers = []
    with monkeypatch.context() as patched, suppress(SystemExit):
        patched.setattr(argparse.ArgumentParser, "parse_args", lambda self, *_: parsers.append(self) or sys.exit())
        import_module("minesweeper_play.command" if name == "play" else f"baselines.cli.{name}").main([])
    (parser,) = parsers
    text = parser.epilog.replace("\\\n", " ").partition("examples:\n")[2].split("\n\n")[0]
    examples = [shlex.split(line) for line in text.splitlines() if line.startswith("  ")]
    assert len(examples) >= 2
    for words in examples:
        parser.parse_args(words[words.index(parser.prog.split()[-1]) + 1 :])
        # Without --policy, `check` refuses to replay a policy of one's own.
        assert "--replay" not in words or "--policy" in words


def test_help_fills_prose_and_breaks_long_commands_as_a_shell_reads_them(monkeypatch):
    monkeypatch.setenv("COLUMNS", "41")
    prose, command = "Prose that fills\nseveral lines, as it may.", "  ls --a --very --long --command --lines"
    parser = Parser(description=f"{prose}\n\n{command}")
    prose, command = parser.format_help().split("\n\n")[1:3]
    assert prose.split("\n") == ["Prose that fills several lines, as it", "may."]
    assert command.split("\n") == ["  ls --a --very --long --command \\", "      --lines"]


def test_an_error_is_one_line_and_keeps_the_names_of_the_fields_of_a_file(capsys):
    with pytest.raises(SystemExit):
        Parser().error(explain(OSError(2, "damaged at `$.first_click`", "a\nb")))
    assert capsys.readouterr().err.endswith(": a b: damaged at `$.first_click`\n")
