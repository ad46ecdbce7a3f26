"""The board of every command: the number of mines follows --size unless --mines is given."""

from __future__ import annotations

import pytest

from baselines.cli import evaluate, train


@pytest.mark.parametrize(("size", "mines"), [("9", 10), ("16x30", 99)])
def test_mines_left_out_follow_the_size(size, mines, capsys):
    assert evaluate.main(["--policy", "random", "--games", "1", "--seed", "3", "--size", size]) == 0
    assert f"{mines} mines" in " ".join(capsys.readouterr().out.split())


def test_a_training_follows_the_size(tmp_path, capsys):
    options = ["--size", "9", "--steps", "20", "--envs", "4", "--channels", "4", "--depth", "1", "--eval-games", "2"]
    assert train.main([*options, "--out", str(tmp_path / "run"), "--threads", "1"]) == 0
    assert "9x9/10" in capsys.readouterr().out


@pytest.mark.parametrize("main", [evaluate.main, train.main])
def test_a_size_without_default_mines_needs_them(main, capsys):
    arguments = ["--policy", "random"] if main is evaluate.main else []
    with pytest.raises(SystemExit) as stopped:
        main([*arguments, "--size", "10x12"])
    assert stopped.value.code == 2
    written = capsys.readouterr().err
    assert "mines must be given for a board of 10x12; left out, they are 14 on 8x8" in written
    assert written.count("\n") == 1
