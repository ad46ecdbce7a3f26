"""Command line: moves, trees and boards; wrong arguments and files give one line and status 2."""

from __future__ import annotations

import errno
import itertools
import subprocess
import sys
from pathlib import Path

import pytest

from azulejos_env.cli.main import main
from azulejos_env.files import read_game

GAME = "3\n4\n0\n0\n1221\n1121\n3321\n"


@pytest.fixture
def game(tmp_path, monkeypatch):
    """A file with a game, in the working folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "game.txt").write_text(GAME)
    (tmp_path / "folder.dot").mkdir()
    return "game.txt"


def run(capsys, line):
    """Runs the command; returns its status, stdout and stderr."""
    try:
        status = main(line.split())
    except SystemExit as end:
        status = end.code
    out, err = capsys.readouterr()
    return status, out, err


@pytest.mark.parametrize(
    "line",
    [
        "-file game.txt -depth 3 -console -prune",
        "-console -prune -depth 3 -file game.txt",
        "-prune -file game.txt -maxtime 5 -console",
        "-file game.txt -depth 3 -console",
    ],
)
def test_the_move_is_printed_whatever_the_order_of_the_options(game, capsys, line):
    status, out, err = run(capsys, line)
    lines = out.splitlines()
    assert status == 0
    assert lines[0] == "(2,0)"
    assert [text.split()[0] for text in lines[1:]] == ["value", "line", "positions", "depth", "time"]
    assert err.startswith("Search game.txt")


@pytest.mark.parametrize(
    ("scores", "ending"),
    [("3\n5", "second player is 2 points ahead"), ("1\n0", "first player is 1 point ahead"), ("4\n4", "equal")],
)
def test_a_game_that_is_over_is_said_to_be(tmp_path, capsys, scores, ending):
    (tmp_path / "over.txt").write_text(f"1\n2\n{scores}\n12\n")
    status, out, _ = run(capsys, f"-file {tmp_path}/over.txt -depth 2 -console")
    assert status == 0
    assert ending in out


@pytest.mark.parametrize("order", ["-prune -tree", "-tree -prune"])
def test_the_tree_is_written_beside_the_move(game, capsys, tmp_path, order):
    status, _, err = run(capsys, f"-file game.txt -depth 2 -console {order}")
    assert status == 0
    assert (tmp_path / "tree.dot").read_text().startswith("digraph search {")
    assert "Wrote tree.dot: " in err


def test_a_board_is_made_from_a_seed(tmp_path, capsys):
    path = tmp_path / "new.txt"
    assert run(capsys, f"-file {path} -generate 5x7 -colours 4 -seed 3")[0] == 0
    first = path.read_text()
    assert read_game(path).board.shape == (5, 7)
    run(capsys, f"-generate 5x7 -seed 3 -colours 4 -file {path}")
    assert path.read_text() == first


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("-file game.txt -console", "give one limit: -maxtime SECONDS or -depth MOVES"),
        ("-file game.txt -console -depth 2 -maxtime 2", "give one limit"),
        ("-console -depth 2", "the following arguments are required: -file"),
        ("-file game.txt -depth 2", "one of the arguments -console -visual -generate is required"),
        ("-file game.txt -depth 2 -console -visual", "not allowed with argument -console"),
        ("-file game.txt -depth 0 -console", "argument -depth: must be a whole number from 1 to 256, not '0'"),
        ("-file game.txt -depth 2.5 -console", "argument -depth: must be a whole number"),
        ("-file game.txt -maxtime -1 -console", "argument -maxtime: must be a number of seconds above 0, not '-1'"),
        ("-file game.txt -maxtime soon -console", "argument -maxtime: must be a number of seconds above 0"),
        ("-file game.txt -depth 2 -console -tree x.txt", "argument -tree: must end in .dot, .svg, .png or .pdf"),
        ("-file game.txt -depth 2 -visual -tree", "-tree belongs to -console"),
        ("-file game.txt -depth 2 -console -levels 1", "-levels belongs to -tree"),
        ("-file game.txt -depth 2 -console -seed 1", "-seed does not go with -console"),
        ("-file game.txt -generate 4x4 -depth 2", "-depth does not go with -generate"),
        ("-file game.txt -generate 0x4", "argument -generate: must be ROWSxCOLS with 1 to 100 each"),
        ("-file game.txt -generate 4x4 -colours 10", "argument -colours: must be a whole number from 1 to 9"),
        ("-file nothing.txt -depth 2 -console", "nothing.txt: No such file or directory"),
        ("-file game.txt -depth 2 -console -tree nowhere/x.dot", "the folder of nowhere/x.dot does not exist"),
        ("-file game.txt -depth 2 -console -tree nowhere/x.png", "the folder of nowhere/x.png does not exist"),
        ("-file game.txt -depth 2 -console -tree folder.dot", "folder.dot cannot be written"),
        ("-file game.txt -depth 2 -console -tree .dot", "argument -tree: must end in .dot, .svg, .png or .pdf"),
    ],
)
def test_wrong_arguments_give_one_line_and_status_2(game, capsys, line, message):
    status, out, err = run(capsys, line)
    last = err.splitlines()[-1]
    assert (status, out) == (2, "")
    assert last.startswith("python -m azulejos_env: ")
    assert message in last


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("2\n2\n-1\n0\n11\n11\n", "line 3: the score of the first player must be a whole number from 0"),
        ("2\n2\n0\n0\n11\n1x\n", "line 6, column 2: 'x' is no tile"),
        ("3\n2\n0\n0\n11\n11\n", "line 7: the file ends after 2 of 3 rows"),
    ],
)
def test_a_wrong_file_gives_one_line_and_status_2(game, capsys, tmp_path, text, message):
    (tmp_path / game).write_text(text)
    status, out, err = run(capsys, "-file game.txt -depth 2 -console")
    assert (status, out) == (2, "")
    assert f"python -m azulejos_env: game.txt: {message}" in err.splitlines()[-1]


def test_a_file_that_is_no_game_is_not_overwritten(tmp_path, capsys):
    path = tmp_path / "thesis.txt"
    path.write_text("years of work\n")
    assert run(capsys, f"-file {path} -generate 3x3")[0] == 2
    assert path.read_text() == "years of work\n"


@pytest.mark.parametrize("command", ["-file {} -generate 3x3", "-file game.txt -depth 2 -console -tree {}"])
def test_a_full_disk_is_named_and_leaves_no_file(game, capsys, tmp_path, monkeypatch, command):
    path = tmp_path / "full.dot"

    def fill(self, _content):
        self.touch()
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", fill)
    status, _, err = run(capsys, command.format(path))
    assert status == 1
    assert err.splitlines()[-1].endswith(f"{path}: No space left on device")
    assert not path.exists()


def test_every_order_of_the_options_gives_the_same(game, capsys):
    parts = ["-file game.txt", "-depth 3", "-console", "-prune", "-tree t.dot"]
    shown = {run(capsys, " ".join(order))[:2] for order in itertools.permutations(parts)}
    assert len({(status, out.rpartition("time")[0]) for status, out in shown}) == 1


def test_a_file_that_cannot_be_written_gives_status_1(game, capsys):
    status, _, err = run(capsys, "-file nowhere/new.txt -generate 4x4")
    assert status == 1
    assert err == "python -m azulejos_env: nowhere/new.txt: No such file or directory\n"


def test_the_module_runs_as_a_command(game):
    command = [sys.executable, "-m", "azulejos_env", "--help"]
    result = subprocess.run(command, capture_output=True, text=True, check=True, cwd=sys.path[0] or None)
    assert "python -m azulejos_env -file game.txt -depth 6 -console -prune" in result.stdout
