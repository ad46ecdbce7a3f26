"""Command line: moves, trees, boards, matches and the window; wrong arguments and files give one line and status 2."""

import itertools
import os
import re
import runpy
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from support import ROOT
from support.processes import full_disk, run_python

from azulejos_env.__main__ import main
from azulejos_env.config import GameConfig
from azulejos_env.match import play_pair, wilson_interval
from azulejos_env.policies import find_policy
from azulejos_env.position import read_game
from azulejos_env.tree import search_tree


@pytest.fixture(autouse=True)
def _game(tmp_path, monkeypatch):
    """Files with a game and with something else, in the working folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "game.txt").write_text("3\n4\n0\n0\n1221\n1121\n3321\n")
    (tmp_path / "wrong.txt").write_text("2\n2\n0\n0\n11\n1x\n")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "own.dot").write_text("digraph search { a -> b }\n")


def files():
    """Returns the texts of the files in the working folder."""
    return {path.name: path.read_text() for path in Path().iterdir() if path.is_file()}


def run(capsys, line):
    """Runs the command; returns its status, stdout and stderr."""
    try:
        status = main(line.split())
    except SystemExit as end:
        status = end.code
    out, err = capsys.readouterr()
    return status, out, err


def test_every_order_of_the_options_prints_the_same_move(capsys):
    parts = ["-file game.txt", "-depth 3", "-console", "-prune", "-tree t.dot"]
    shown = {run(capsys, " ".join(order))[:2] for order in itertools.permutations(parts)}
    ((status, text),) = {(status, out.rpartition("time")[0]) for status, out in shown}
    assert status == 0
    assert text.splitlines()[0] == "(2,0)"
    assert [line.split()[0] for line in text.splitlines()[1:]] == ["value", "line", "positions", "depth"]
    assert Path("t.dot").read_text().startswith("digraph search {")
    for limit in ("-maxtime 5 -prune", "-depth 3"):
        assert run(capsys, f"-file game.txt -console {limit}")[1].startswith("(2,0)\n")


@pytest.mark.parametrize(
    ("scores", "ending"),
    [("3\n5", "second player is 2 points ahead"), ("1\n0", "first player is 1 point ahead"), ("4\n4", "equal")],
)
def test_a_game_that_is_over_is_said_to_be(capsys, scores, ending):
    Path("over.txt").write_text(f"1\n2\n{scores}\n12\n")
    status, out, _ = run(capsys, "-file over.txt -depth 2 -console")
    assert status == 0
    assert ending in out


def test_a_board_is_made_from_a_seed(capsys):
    assert run(capsys, "-file new.txt -generate 5x7 -colours 4 -seed 3")[0] == 0
    first = Path("new.txt").read_text()
    assert read_game("new.txt").board.shape == (5, 7)
    run(capsys, "-generate 5x7 -seed 3 -colours 4 -file new.txt")
    assert Path("new.txt").read_text() == first
    status, _, err = run(capsys, "-generate 5x7 -seed 4 -colours 4 -file new.txt")
    assert (status, "no other file is replaced" in err) == (2, True)
    assert Path("new.txt").read_text() == first


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("-file game.txt -console", "limit"),
        ("-file game.txt -console -depth 2 -maxtime 2", "limit"),
        ("-console -depth 2", "-file"),
        ("-file game.txt -depth 2", "-generate"),
        ("-file game.txt -maxtime -1 -console", "-1"),
        ("-file game.txt -generate 4x4 -colours 10", "9"),
        ("-file wrong.txt -generate 3x3", "no copy of this board"),
        ("-file wrong.txt -depth 2 -console", "wrong.txt: line 6: a row must be 2 digits, not '1x'"),
        ("-file nothing.txt -depth 2 -console", "nothing.txt"),
        ("match greedy", "two policies"),
        ("match greedy strong", "'strong'"),
        ("match greedy random --games 1", "--games"),
        ("match greedy random --games 99999999999999999999999", "--games"),
        ("-file pipe -depth 2 -console", "named pipe"),
        ("-file new.txt -generate 3x3 -seed -1", "-seed"),
        ("-file new.txt -generate 3x3 -prune -tree", "no -prune and no -tree"),
        ("-file game.txt -depth 2 -console -seed 0", "-seed"),
        ("-file game.txt -depth 2 -console -levels 2", "needs -tree"),
        ("-file game.txt -depth 2 -console -tree -levels 0", "at least 1"),
        ("-file game.txt -depth 2 -console -tree game.txt", "game.txt"),
        ("-file game.txt -depth 2 -console -tree own.dot", "own.dot exists"),
        ("-file game.txt -depth 2 -console -tree nowhere/x.dot", "folder"),
    ],
)
def test_wrong_arguments_and_files_give_one_line_and_status_2(capsys, line, word):
    before = files()
    status, out, err = run(capsys, line)
    last = err.splitlines()[-1]
    assert (status, out) == (2, "")
    assert last.startswith("python -m azulejos_env: ")
    assert word in last
    assert files() == before


@pytest.mark.parametrize("command", ["-file full.txt -generate 9x9", "-file game.txt -depth 2 -console -tree full.dot"])
def test_a_full_disk_is_named_and_leaves_what_was_there(capsys, command):
    assert run(capsys, command.replace("full.txt", "old.txt").replace("9x9", "3x3"))[0] == 0
    before = files()
    with full_disk(64):
        status, _, err = run(capsys, command)
    assert status == 1
    assert re.fullmatch(r"python -m azulejos_env: full\.\w+: \w.*", err.splitlines()[-1])
    assert files() == before


@pytest.mark.skipif(not Path("/dev/shm").is_dir(), reason="a folder of users below /dev")
@pytest.mark.parametrize(
    ("line", "written"),
    [("-file notes.txt -generate 4x4", "4\n4\n"), ("-file game.txt -depth 2 -console -tree notes.txt", "digraph")],
)
def test_a_file_below_dev_is_no_device_and_an_open_file_is_written_in_place(capfd, line, written):
    with TemporaryDirectory(dir="/dev/shm") as folder:
        notes = Path(folder, "notes.txt")
        notes.write_text("important notes\n")
        assert run(capfd, line.replace("notes.txt", str(notes)))[0] == 2
        assert notes.read_text() == "important notes\n"
    status, out, _ = run(capfd, line.replace("notes.txt", "/dev/stdout"))
    assert (status, written in out) == (0, True)


def test_a_tree_that_was_written_is_replaced_also_through_a_link(capsys):
    Path("link.dot").symlink_to("real.dot")
    for depth in (1, 2):
        assert run(capsys, f"-file game.txt -depth {depth} -console -tree link.dot -levels 9")[0] == 0
        assert Path("link.dot").is_symlink()
    assert Path("real.dot").read_text() == search_tree(read_game("game.txt"), depth=2, prune=False).dot()


def test_the_machine_in_the_window_writes_the_tree_of_its_move(capsys, monkeypatch):
    monkeypatch.setattr("azulejos_env.window.play", lambda position, choose: choose(position))
    assert run(capsys, "-file game.txt -depth 2 -visual -tree")[:2] == (0, "")
    assert Path("tree.dot").read_text() == search_tree(read_game("game.txt"), depth=2, prune=False).dot()


def test_a_match_prints_wins_with_their_interval(capsys):
    status, out, _ = run(capsys, "match random greedy minimax:depth=1 --size 4x5 --games 20 --seed 3")
    lines = out.splitlines()
    assert status == 0
    assert lines[0].endswith("boards of seeds 3 to 12")
    pairs = itertools.combinations(("random", "greedy", "minimax:depth=1"), 2)
    assert [tuple(line.split()[:2]) for line in lines[2:]] == list(pairs)
    for line in lines[2:]:
        wins, ties, losses = map(int, line.split()[2:5])
        low, high = (f"{bound:.1%}" for bound in wilson_interval(wins, 20))
        assert wins + ties + losses == 20
        assert line.endswith(f"{wins / 20:.1%} ({low} to {high})")
    # Greedy makes the moves of a search of depth 1, and each of them moves first in half of the games.
    assert lines[-1].split()[2] == lines[-1].split()[4]


def test_the_stronger_policy_wins_most_games():
    policies = [find_policy(name) for name in ("random", "greedy", "minimax")]
    config = GameConfig(10, 10, 5)
    assert play_pair(config, range(20), policies[1], policies[0])[0] >= 30
    assert play_pair(config, range(20), policies[2], policies[1])[0] >= 22


def test_the_interval_is_wilsons():
    assert wilson_interval(0, 10) == pytest.approx((0.0, 0.27753), abs=1e-5)
    assert wilson_interval(15, 20) == pytest.approx((0.53130, 0.88814), abs=1e-5)


def test_the_module_runs_as_a_command():
    result = run_python("-m", "azulejos_env", "--help", check=True)
    assert "python -m azulejos_env" in result.stdout


@pytest.mark.slow
def test_the_example_trains_and_plays(monkeypatch, capsys):
    pytest.importorskip("sb3_contrib", reason="needs the extra train")
    monkeypatch.setattr(sys, "argv", ["azulejos_ppo.py", "--steps", "100", "--games", "5"])
    runpy.run_path(str(ROOT / "examples" / "azulejos_ppo.py"), run_name="__main__")
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in lines] == ["against random", "against greedy"]
    assert all("of 5 won" in line for line in lines)
