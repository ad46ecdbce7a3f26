"""The board of every command: the number of mines follows --size unless --mines is given."""

from __future__ import annotations

import pytest

from baselines.cli import evaluate, safety, train

ONE_GAME = ["--games", "1", "--seed", "3"]
COMMANDS = {
    "evaluate": (evaluate.main, ["--policy", "random", *ONE_GAME]),
    "safety": (safety.main, ["--agent", "dqn", *ONE_GAME]),
}


@pytest.mark.parametrize(
    ("command", "size", "mines"),
    [("evaluate", "9", 10), ("evaluate", "16x30", 99), ("safety", "9", 10)],
)
def test_mines_left_out_follow_the_size(command, size, mines, capsys):
    main, arguments = COMMANDS[command]
    assert main([*arguments, "--size", size]) == 0
    assert f"{mines} mines" in " ".join(capsys.readouterr().out.split())


def test_a_training_follows_the_size(tmp_path, capsys):
    options = ["--size", "9", "--steps", "20", "--envs", "4", "--channels", "4", "--depth", "1", "--eval-games", "2"]
    assert train.main([*options, "--out", str(tmp_path / "run"), "--threads", "1"]) == 0
    assert "9x9/10" in capsys.readouterr().out


@pytest.mark.parametrize("main", [*(main for main, _ in COMMANDS.values()), train.main])
def test_a_size_without_default_mines_needs_them(main, capsys):
    arguments = ["--policy", "random"] if main is evaluate.main else []
    with pytest.raises(SystemExit) as stopped:
        main([*arguments, "--size", "10x12"])
    assert stopped.value.code == 2
    written = capsys.readouterr().err
    assert "mines must be given for a board of 10x12; left out, they are 14 on 8x8" in written
    assert written.count("\n") == 1
