"""`--no-guess` and `--no-luck` of evaluate.py and train.py."""

import json
from dataclasses import replace

import pytest
from support.commands import refused
from support.tiny_training import one_thread, tiny  # noqa: F401 - one_thread is a fixture

import baselines
from baselines.cli import evaluate, train
from baselines.evaluation.results import known_wins
from baselines.learned.configurations import settings_and_folder
from minesweeper_env.config import BoardConfig

SMALL = ["--size", "6", "--mines", "8", "--games", "60", "--seed", "3"]


@pytest.mark.parametrize("level", ["subset", "exact"])
def test_exact_wins_every_game_and_the_file_says_which_games(level, tmp_path, capsys):
    path = tmp_path / "results.json"
    assert evaluate.main([*SMALL, "--policy", "random", "exact", "--no-guess", level, "--json", str(path)]) == 0
    content = json.loads(path.read_text())
    assert content["config"] == {"size": [6, 6], "mines": 8, "first_click": "opening", "no_guess": level}
    weak, strong = content["results"]
    assert weak["wins"] < strong["wins"] == 60
    captured = capsys.readouterr()
    assert f"first click opening, no-guess {level}, seeds 3 to 62" in captured.out
    assert f"no-guess {level}" in captured.err


def test_subset_wins_every_game_of_its_own_level():
    results = baselines.evaluate("subset", 6, 8, games=60, no_guess="subset", against=(), progress=False)
    assert results["subset"].wins == 60


def test_a_training_and_its_folder_carry_the_level():
    options = train.main.__self__.parser("train.py").parse_args(
        ["--algo", "dqn", "--steps", "10", "--no-guess", "subset"]
    )
    settings, folder = settings_and_folder(options)
    assert [config.no_guess for config in settings.configs] == ["subset"]
    assert settings.to_json()["no_guess"] == "subset"
    assert folder.name == "dqn-8x8-14-no-guess-subset"
    assert [config.no_guess for config in tiny("dqn").configs] == [False]


def test_other_levels_and_a_training_with_nothing_to_learn_are_refused(capsys):
    for main in (evaluate.main, train.main):
        assert "invalid choice: 'hard'" in refused(capsys, main, "--no-guess", "hard")
    line = refused(capsys, train.main, "--algo", "afterstate", "--no-guess", "subset")
    assert "learns from guesses, and --no-guess subset needs none; choose algo dqn or ppo" in line


def test_games_without_luck_are_won_by_exact_and_their_results_say_so(tmp_path, capsys):
    path = tmp_path / "results.json"
    assert evaluate.main([*SMALL, "--policy", "straightforward", "exact", "--no-luck", "--json", str(path)]) == 0
    content = json.loads(path.read_text())
    assert content["config"] == {"size": [6, 6], "mines": 8, "first_click": "opening", "luck": False}
    weak, strong = content["results"]
    assert weak["wins"] < strong["wins"] == 60
    assert "first click opening, without luck, seeds 3 to 62" in capsys.readouterr().out
    # Known results of ordinary games do not count for these.
    config = BoardConfig.of_size(8, moves=("click",))
    assert known_wins(config, 0, 100) is not None
    assert known_wins(replace(config, luck=False), 0, 100) is None


def test_a_training_and_its_folder_carry_luck(capsys):
    options = train.main.__self__.parser("train.py").parse_args(["--algo", "dqn", "--steps", "10", "--no-luck"])
    settings, folder = settings_and_folder(options)
    assert [config.luck for config in settings.configs] == [False]
    assert settings.to_json()["luck"] is False
    assert folder.name == "dqn-8x8-14-no-luck"
    assert "learns from guesses" in refused(capsys, train.main, "--algo", "afterstate", "--no-luck")
    assert "games without luck need --no-guess False" in refused(
        capsys, evaluate.main, "--no-luck", "--no-guess", "exact"
    )


@pytest.mark.slow
def test_a_training_on_boards_without_guesses_is_recorded(tmp_path, capsys):
    out = tmp_path / "run"
    small = ["--size", "5", "--mines", "4", "--steps", "1500", "--envs", "8", "--channels", "4", "--depth", "1"]
    arguments = ["--algo", "dqn", *small, "--eval-games", "10", "--no-guess", "exact", "--out", str(out)]
    assert train.main([*arguments, "--set", "batch_size=32", "learning_starts=100"]) == 0
    assert json.loads((out / "run.json").read_text())["settings"]["no_guess"] == "exact"
    assert json.loads((out / "agent.json").read_text())["trained_on"]["no_guess"] == "exact"
    assert "--no-guess exact" in capsys.readouterr().out
