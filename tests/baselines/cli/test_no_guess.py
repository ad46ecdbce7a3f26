"""`--no-guess` and `--no-luck` of evaluate.py and train.py."""

import json

import pytest
from support.commands import refused
from support.tiny_training import TINY, one_thread  # noqa: F401 - one_thread is a fixture

from baselines.cli import evaluate, train
from baselines.cli.command import BOARD, Parser, add_options, chosen_board
from baselines.learned.configurations import settings_and_folder
from minesweeper_play.command import read_options

SMALL = ["--size", "6", "--mines", "8", "--games", "60", "--seed", "3"]
LEVELS = [([f"no-guess {level}"], "no_guess", level) for level in ("subset", "exact")]
EACH = pytest.mark.parametrize(("words", "name", "value"), [*LEVELS, (["no-luck", "without luck"], "luck", False)])
"""An option, with another name of it on pages if there is one, and its value in files."""


@EACH
def test_exact_and_the_policy_of_the_level_win_every_game_and_the_file_says_so(words, name, value, tmp_path, capsys):
    path, option = tmp_path / "results.json", f"--{words[0]}".split()
    names = ("straightforward", "subset", "exact")
    assert evaluate.main([*SMALL, "--policy", *names, *option, "--json", str(path)]) == 0
    content = json.loads(path.read_text())
    assert content["config"] == {"size": [6, 6], "mines": 8, "first_click": "opening", name: value}
    weak, own, strong = content["results"]
    assert weak["wins"] < strong["wins"] == 60
    assert value != "subset" or own["wins"] == 60
    assert all(words[-1] in printed for printed in capsys.readouterr())


@EACH
def test_a_training_and_its_folder_carry_the_games(words, name, value):
    parser = Parser(prog="train.py")
    train._add_arguments(parser)
    options = parser.parse_args(["--algo", "dqn", "--steps", "10", *f"--{words[0]}".split()])
    settings, folder = settings_and_folder(options)
    assert [getattr(config, name) for config in settings.configs] == [value]
    assert settings.to_json()[name] == value
    assert folder.name == f"dqn-8x8-14-{words[0].replace(' ', '-')}"


def test_a_board_that_always_needs_a_guess_is_told_in_one_line(capsys):
    board = ["--size", "1x3", "--mines", "1", "--first-click", "safe", "--no-guess", "exact"]
    assert evaluate.main([*board, "--policy", "exact:first=1", "--games", "2"]) == 1
    assert "no layout of 1x3 with 1 mines" in capsys.readouterr().err.splitlines()[-1]


def test_none_stands_for_all_boards_in_every_command():
    parser = Parser(prog="command")
    add_options(parser, *BOARD)
    for words in ([], ["--no-guess", "none"]):
        assert chosen_board(parser.parse_args(words)).no_guess is False
    assert read_options(["--size", "8", "--no-guess", "none", "--no-luck"], "play.py")[1].no_guess is False


def test_other_levels_and_a_training_with_nothing_to_learn_are_refused(capsys):
    for main in (evaluate.main, train.main):
        assert "invalid choice: 'hard'" in refused(capsys, main, "--no-guess", "hard")
    for option in (["--no-guess", "subset"], ["--no-luck"]):
        assert "learns from guesses" in refused(capsys, train.main, "--algo", "afterstate", *option)
    assert "without guesses need no luck" in refused(capsys, evaluate.main, "--no-luck", "--no-guess", "exact")


def test_a_training_on_boards_without_guesses_is_recorded(tmp_path, capsys):
    assert train.main([*TINY, "--steps", "300", "--no-guess", "exact", "--out", str(tmp_path / "run")]) == 0
    for file, kept in (("run.json", "settings"), ("agent.json", "trained_on")):
        assert json.loads((tmp_path / "run" / file).read_text())[kept]["no_guess"] == "exact"
    assert "--no-guess exact" in capsys.readouterr().out
