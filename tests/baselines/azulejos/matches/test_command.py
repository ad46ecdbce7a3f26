"""`evaluate.py --env Azulejos-v0`: tables, files, workers, interruptions and wrong arguments."""

from __future__ import annotations

import json

import numpy as np
import pytest
from support.commands import complaint

from baselines.azulejos.matches import tournament
from baselines.cli import evaluate

SMALL = ["--env", "Azulejos-v0", "--size", "4x5", "--games", "40", "--seed", "7"]

OWN = """
import os
import numpy as np
from azulejos_env.position import Position


class First:
    def __init__(self, size, colours=3, last=False):
        self.size, self.last = size, last

    def reset(self, seed):
        self.generator = np.random.default_rng(seed)

    def choose(self, position):
        assert position.board.shape == self.size
        groups = position.groups
        return groups[self.generator.integers(len(groups))][:2]


def make(**board):
    return First(**board)


class Slow(First):
    def choose(self, position):
        return 99, 99
"""


@pytest.fixture
def own(tmp_path):
    """The path of a file with policies."""
    path = tmp_path / "own.py"
    path.write_text(OWN)
    return str(path)


def run(*arguments):
    return evaluate.main([*SMALL, *arguments])


def refused(capsys, *arguments):
    """Returns the complaint of a command that exits with status 2."""
    with pytest.raises(SystemExit) as stopped:
        evaluate.main(["--env", "Azulejos-v0", *arguments])
    assert stopped.value.code == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    return complaint(captured.err)


def results(path):
    """Returns the results of a file without what depends on the call."""
    content = json.loads(path.read_text())
    return {name: value for name, value in content.items() if name not in ("command", "versions")}


def test_tables_json_and_plot(tmp_path, capsys):
    found, plot = tmp_path / "results.json", tmp_path / "elo.png"
    assert run("--policy", "random", "greedy", "minimax:depth=2", "--json", str(found), "--plot", str(plot)) == 0
    content = json.loads(found.read_text())
    assert content["env"] == "Azulejos-v0"
    assert content["config"]["size"] == [4, 5]
    assert (content["config"]["colours"], content["seed"], content["boards"]) == (3, 7, 20)
    assert content["command"].startswith("python evaluate.py --env Azulejos-v0 --size 4x5")
    assert [(row["policy"], row["against"]) for row in content["pairs"]] == [
        ("random", "greedy"), ("random", "minimax:depth=2"), ("greedy", "minimax:depth=2"),
    ]  # fmt: skip
    for row in content["pairs"]:
        assert row["wins"] + row["ties"] + row["losses"] == row["games"] == 40
        assert row["win_rate"] == (row["wins"] + row["ties"] / 2) / 40
        assert row["ci95"][0] <= row["win_rate"] <= row["ci95"][1]
        assert row["score_difference_ci95"][0] < row["score_difference"] < row["score_difference_ci95"][1]
    ratings = {row["policy"]: row["elo"] for row in content["elo"]}
    assert ratings["random"] == 0 < ratings["greedy"] < ratings["minimax:depth=2"]
    assert list(ratings) == ["minimax:depth=2", "greedy", "random"]
    assert plot.stat().st_size > 10_000
    out = capsys.readouterr().out
    assert out.startswith("Azulejos 4x5, 3 colours, seeds 7 to 26\n")
    assert "Pairs, stronger policy first" in out
    assert "Elo: random = 0" in out


@pytest.mark.slow
def test_every_number_of_workers_plays_the_same_games(tmp_path, own):
    files = []
    for workers in ("1", "2"):
        files.append(tmp_path / f"{workers}.json")
        policies = ("random", "minimax:depth=2", f"{own}:First")
        assert run("--policy", *policies, "--workers", workers, "--json", str(files[-1])) == 0
    assert results(files[0]) == results(files[1])


def test_more_games_begin_with_the_same_ones(tmp_path):
    few, many = tmp_path / "few.json", tmp_path / "many.json"
    assert run("--policy", "random", "greedy", "--games", "2", "--json", str(few)) == 0
    assert run("--policy", "random", "greedy", "--games", "4", "--seed", "6", "--json", str(many)) == 0
    first, both = (results(path)["pairs"][0]["score_difference"] for path in (few, many))
    assert (
        evaluate.main([*SMALL, "--policy", "random", "greedy", "--games", "2", "--seed", "6", "--json", str(few)]) == 0
    )
    assert (first + results(few)["pairs"][0]["score_difference"]) / 2 == pytest.approx(both)


def test_classes_and_functions_of_users_play(own, capsys):
    assert run("--policy", f"{own}:First", f"{own}:make:last=true", "random", "--games", "4") == 0
    assert "own.py:make:last=true" in capsys.readouterr().out


def test_an_agent_of_a_run_folder_plays(tmp_path, capsys):
    torch = pytest.importorskip("torch")
    from baselines.azulejos.learning.agents import save_agent
    from baselines.azulejos.learning.network import AzulejosNetwork
    from baselines.learned.networks.size import NetworkSize

    torch.manual_seed(0)
    size = NetworkSize(8, 2)
    save_agent(tmp_path, AzulejosNetwork.of_size(size, 3), size, {})
    assert run("--policy", str(tmp_path), "greedy", "--games", "4") == 0
    assert str(tmp_path) in capsys.readouterr().out
    assert refused(capsys, "--policy", f"{tmp_path}:depth=2", "greedy").endswith("gives depth")


def test_the_results_are_written_while_the_games_go_on(tmp_path, monkeypatch):
    from baselines.cli.azulejos import evaluate as command

    found, complete = tmp_path / "results.json", []
    monkeypatch.setattr(command, "CHECKPOINT_SECONDS", 0.0)
    monkeypatch.setattr(tournament, "BATCHED_BOARDS", 5)
    played = tournament.play_blocks

    def watched(*arguments):
        for block in played(*arguments):
            if found.exists():
                complete.append(results(found)["complete_boards"])
            yield block

    monkeypatch.setattr(tournament, "play_blocks", watched)
    assert run("--policy", "random", "greedy", "--json", str(found)) == 0
    assert complete == [5, 10, 15]
    assert results(found)["complete_boards"] == 20


def test_an_interruption_reports_the_boards_that_all_pairs_have_played(tmp_path, capsys, monkeypatch):
    found = tmp_path / "results.json"
    played = tournament.play_blocks

    def interrupted(*arguments):
        for number, block in enumerate(played(*arguments)):
            if number == 7:
                raise KeyboardInterrupt
            yield block

    monkeypatch.setattr(tournament, "play_blocks", interrupted)
    # The batched pair has played all 20 boards; of the other two, one has played 15 and one 10.
    assert run("--policy", "random", "greedy", "minimax:depth=2", "--json", str(found)) == 130
    captured = capsys.readouterr()
    assert captured.err.splitlines()[-1] == "interrupted: 15 of 20 boards were complete"
    assert "Only the first 15 of 20 boards are complete." in captured.out
    assert {row["games"] for row in results(found)["pairs"]} == {30}


def test_an_interruption_before_all_pairs_have_played_reports_nothing(capsys, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt
        yield

    monkeypatch.setattr(tournament, "play_blocks", interrupted)
    assert run("--policy", "random", "greedy") == 130
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.splitlines()[-1] == "interrupted: 0 of 20 boards were complete"


def test_boards_behind_a_gap_do_not_count():
    games = tournament.Games(tournament.Tournament(None, ("a", "b"), 0, 20))
    for start in (0, 10):
        games.add(tournament.Block(0, start, start + 5), np.ones((5, 2, 2), np.int64))
    assert len(games.of_pair(0)) == 5


@pytest.mark.parametrize("workers", ["1", pytest.param("2", marks=pytest.mark.slow)])
def test_a_broken_policy_ends_with_one_line(own, capsys, workers):
    assert run("--policy", "greedy", f"{own}:Slow", "--workers", workers) == 1
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith(
        f"evaluate.py: {own}:Slow: choose must return the (row, col) of a tile of a group: a cell has"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--policy", "greedy"], "a match needs two policies or more, not greedy alone: --policy NAME NAME ..."),
        (["--policy", "greedy", "greedy"], "policy 'greedy' is given twice"),
        (["--policy", "random", "exact"], "unknown policy 'exact'; there are random, greedy, minimax, "),
        (["--policy", "random", "greddy"], "did you mean greedy?"),
        (["--policy", "random", "minimax:depth=0"], "depth must be a whole number of at least 1, not 0"),
        (["--policy", "random", "minimax:deep=2"], "has no option deep; its options: depth, seconds, nodes, prune"),
        (["--policy", "random", "minimax:prune=maybe"], "prune must be true or false, not 'maybe'"),
        (["--policy", "random", "nothing.py:First"], "there is no file nothing.py"),
        (["--policy", "random", "json:loads:colours=2"], "gets colours from its games; it is no option"),
        (["--games", "3"], "argument --games: must be even, since each board is played twice, not '3'"),
        (["--games", "0"], "argument --games: must be a whole number of at least 2, not '0'"),
        (["--mines", "10"], "Azulejos-v0 takes no --mines; its options are --help, --env, --policy, --games"),
        (["--seed", "2147483648"], "the seeds of test games are 0 to 1073741823, those"),
        (["--size", "101"], "rows must be 1 to 100, not 101"),
        (["--size", "8x"], "argument --size: a size is a side such as 8"),
        (["--colours", "10"], "colours must be 1 to 9, not 10"),
        (["--plot", "elo.txt"], "--plot takes a file that ends in .png, .pdf or .svg, not elo.txt"),
        (["--json", "nowhere/a.json"], "the folder of nowhere/a.json does not exist"),
    ],
)
def test_wrong_arguments_give_one_line_and_status_2(capsys, arguments, message):
    line = refused(capsys, *arguments)
    assert line.startswith("evaluate.py: ")
    assert message in line


def test_the_help_of_each_game_shows_its_own_options(capsys):
    for arguments, own, others in (([], "--mines", "--colours"), (["--env", "Azulejos-v0"], "--colours", "--mines")):
        with pytest.raises(SystemExit):
            evaluate.main([*arguments, "--help"])
        shown = capsys.readouterr().out
        assert own in shown
        assert others not in shown


@pytest.mark.parametrize("arguments", [["--env", "Minesweeper-v0"], ["--env=Minesweeper-v0"]])
def test_the_first_game_is_played_as_without_the_option(capsys, arguments):
    small = ["--size", "5x6", "--mines", "4", "--games", "5", "--policy", "random"]
    assert evaluate.main(small) == evaluate.main([*arguments, *small]) == 0
    rows = [line.split()[:7] for line in capsys.readouterr().out.splitlines() if line.startswith("random")]
    assert rows[0] == rows[1]


def test_an_unknown_environment_is_refused(capsys):
    with pytest.raises(SystemExit):
        evaluate.main(["--env", "Chess-v0"])
    assert "argument --env: must be Minesweeper-v0 or Azulejos-v0, not 'Chess-v0'" in capsys.readouterr().err
