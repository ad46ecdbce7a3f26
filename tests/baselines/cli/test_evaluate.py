"""`evaluate.py`: table, files and exit statuses."""

import errno
import json
import re
import sys
from dataclasses import replace
from unittest.mock import Mock

import pytest
from support.commands import refused

from baselines import registry
from baselines.cli import evaluate
from baselines.evaluation import evaluate as scoring
from baselines.evaluation.evaluate import BATCH_SIZE, play
from baselines.evaluation.games import unpack_won
from baselines.evaluation.intervals import wilson_interval
from baselines.evaluation.results import PolicyResult
from baselines.evaluation.seeds import DEVELOPMENT_SEEDS
from baselines.policy import PolicyError
from baselines.registry import Row
from baselines.workers import WorkerError
from minesweeper_env import BoardConfig
from minesweeper_env.inference import PositionTooHardError

SMALL = ["--size", "5x6", "--mines", "4", "--games", "45", "--seed", "9"]


def run(*arguments: str) -> int:
    return evaluate.main([*SMALL, *arguments])


def test_table_json_and_plot(tmp_path, capsys):
    found, plot = tmp_path / "results.json", tmp_path / "results.png"
    names = ["random", "subset:deduction=source", "subset"]
    assert run("--policy", *names, "random", "--json", str(found), "--plot", str(plot)) == 0
    content = json.loads(found.read_text())
    assert content["config"] == {"size": [5, 6], "mines": 4, "first_click": "opening"}
    assert (content["seed"], content["games"]) == (9, 45)
    assert content["command"].startswith("python -m baselines evaluate --size 5x6")
    assert {"commit", "python", "numpy", "numba", "gymnasium", "minesweeper_env"} <= content["versions"].keys()
    rows = {row["policy"]: row for row in content["results"]}
    assert list(rows) == names
    won = {name: unpack_won(row["won"], 45) for name, row in rows.items()}
    for name, row in rows.items():
        assert (row["games"], row["truncated"], row["wins"]) == (45, 0, won[name].sum())
        assert row["win_rate"] == row["wins"] / 45
        assert row["ci95"] == list(wilson_interval(row["wins"], 45))
        assert row["ms_per_game"] > 0
        assert 0 < row["guesses_per_game"] <= row["clicks_per_game"]
    assert rows["subset"]["wins"] > rows["random"]["wins"]
    assert rows["subset"]["mcnemar"] is None
    test = rows["random"]["mcnemar"]
    assert (test["against"], test["won_alone"]) == ("subset", (won["random"] & ~won["subset"]).sum())
    assert plot.read_bytes().startswith(b"\x89PNG")
    assert {path.name for path in tmp_path.iterdir()} == {"results.json", "results.png"}
    table = capsys.readouterr().out
    assert "5x6, 4 mines, first click opening, seeds 9 to 53" in table
    assert f"{rows['subset']['wins'] / 45:.1%}" in table
    assert "subset:deduction=source" in table


def play_instead_of_subset(monkeypatch, other):
    """Lets a function take the place of `play` for the games of subset."""

    def replaced(assignment, workers):
        return (other if assignment.name == "subset" else play)(assignment, workers)

    monkeypatch.setattr(scoring, "play", replaced)


def test_interruption_prints_and_writes_what_is_finished(tmp_path, capsys, monkeypatch):
    def interrupted(assignment, workers):
        shorter = replace(assignment, seeds=assignment.seeds[:BATCH_SIZE])
        return replace(play(shorter, workers), interrupted=True)

    play_instead_of_subset(monkeypatch, interrupted)
    found = tmp_path / "results.json"
    assert run("--policy", "random", "subset", "straightforward", "--json", str(found)) == 130
    games = {row["policy"]: row["games"] for row in json.loads(found.read_text())["results"]}
    assert games == {"random": 45, "subset": BATCH_SIZE}
    captured = capsys.readouterr()
    assert f"subset played only the first {BATCH_SIZE} of 45 games." in captured.out
    assert "straightforward" not in captured.out
    assert f"interrupted: subset had played {BATCH_SIZE} games" in captured.err


def test_an_interruption_before_the_first_game_leaves_earlier_results(tmp_path, monkeypatch):
    found = tmp_path / "results.json"
    assert run("--policy", "random", "--json", str(found)) == 0
    before = found.read_bytes()
    play_instead_of_subset(monkeypatch, lambda assignment, _: PolicyResult.of(assignment, [], interrupted=True))
    assert run("--policy", "subset", "--json", str(found)) == 130
    assert found.read_bytes() == before


@pytest.mark.parametrize("error", [WorkerError("killed"), PolicyError("killed"), PositionTooHardError("killed")])
def test_a_failure_ends_with_one_line_below_the_results_before_it(tmp_path, capsys, monkeypatch, error):
    play_instead_of_subset(monkeypatch, Mock(side_effect=error))
    assert run("--policy", "random", "subset", "--json", str(tmp_path / "a.json")) == 1
    assert [row["policy"] for row in json.loads((tmp_path / "a.json").read_text())["results"]] == ["random"]
    captured = capsys.readouterr()
    assert captured.err.splitlines()[-1] == "python -m baselines evaluate: killed"
    assert re.search(r"random .* 45 ", captured.out)


def test_a_full_disk_costs_no_results(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("os.fsync", Mock(side_effect=OSError(errno.ENOSPC, "No space left on device")))
    assert run("--policy", "random", "--json", str(tmp_path / "a.json")) == 1
    captured = capsys.readouterr()
    assert captured.err.splitlines()[-1].endswith("a.json: No space left on device")
    assert re.search(r"random .* 45 ", captured.out)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--mines", "60"], "mines must be 1 to 55 on 8 x 8"),
        (["--seed", "9" * 19], "a whole number of at most 999999999999999999, not '9"),
        (["--seed", str(1 << 30)], "the seeds of test games are 0 to 1073741823"),
        (["--json", "no/such/folder/a.json"], "the folder of no/such/folder/a.json does not"),
        (["--plot", "a.doc"], "a plot needs a file that ends in .png, .pdf, .svg"),
        (["--json", "a.png", "--plot", "./a.png"], "a.png"),
        (["--plot", "a.png", "--record", "a.png"], "a.png"),
        (["--record", "a.avi"], "takes a file that ends in .gif or .svg or .mp4 or .png"),
        (["--record", "a.gif", "--record-speed", "0"], "a number above 0"),
        (["--record-speed", "5"], "--record FILE"),
        (["--games", "2", "--record", "a.gif", "--record-games", "3"], "not 3"),
        (["--record", "a.gif", "--record-speed", "0.001"], "0.01 to 100 moves per second"),
    ],
)
def test_bad_arguments_exit_2_with_one_line(capsys, arguments, words):
    assert words in refused(capsys, evaluate.main, "--policy", "random", *arguments)


@pytest.mark.parametrize(("seed", "use"), [(7, "test"), (DEVELOPMENT_SEEDS[0], "development")])
def test_development_games_are_labelled(tmp_path, capsys, seed, use):
    assert run("--policy", "random", "--games", "2", "--json", str(tmp_path / "a.json"), "--seed", str(seed)) == 0
    assert json.loads((tmp_path / "a.json").read_text())["seeds_for"] == use
    assert (f"development seeds {seed} to {seed + 1}" in capsys.readouterr().out) == (use == "development")


def test_without_policies_the_default_ones_play(tmp_path, capsys):
    assert evaluate.main(["--games", "3", "--json", str(tmp_path / "results.json")]) == 0
    content = json.loads((tmp_path / "results.json").read_text())
    assert content["config"] == {"size": [8, 8], "mines": 14, "first_click": "opening"}
    assert [row["policy"] for row in content["results"]] == list(evaluate.DEFAULT_POLICIES)
    assert "of these games (n" not in capsys.readouterr().out


def test_a_policy_alone_has_the_known_rate_of_exact_beside_it(capsys):
    assert evaluate.main(["--policy", "random", "--games", "20"]) == 0
    assert re.search(r"exact wins \d+\.\d% of these games \(n = 20, seeds 0 to 19\)", capsys.readouterr().out)
    assert evaluate.main(["--policy", "random", "--games", "20", "--size", "6", "--mines", "5"]) == 0
    assert "exact wins" not in capsys.readouterr().out


def test_all_means_every_scripted_policy_that_plays_the_games(capsys, monkeypatch):
    def refuse(_):
        raise ValueError("subset does not play on this board")

    monkeypatch.setitem(registry.POLICIES, "subset", Row(f"{__name__}:refuse", "local rules", "scripted"))
    monkeypatch.setattr(sys.modules[__name__], "refuse", refuse, raising=False)
    config = BoardConfig(5, 5, 4, moves=("click",))
    entrants = evaluate.choose_policies(["all"], config, range(1))
    assert [each.name for each in entrants] == [name for name in registry.policy_names() if name != "subset"]
    assert "subset is left out: subset does not play on this board" in capsys.readouterr().err
    with pytest.raises(ValueError, match="subset does not play"):
        evaluate.choose_policies(["all", "subset"], config, range(1))
    monkeypatch.setattr(registry, "policy_names", lambda: ["subset"])
    with pytest.raises(ValueError, match="none of the policies plays games of 5x5"):
        evaluate.choose_policies(["all"], config, range(1))
