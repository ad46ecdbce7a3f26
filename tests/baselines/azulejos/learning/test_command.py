"""`train.py --env Azulejos-v0`: run folders, help, bad arguments, signals, killed processes."""

from __future__ import annotations

import csv
import json
import shlex
import signal
import time

import pytest
from support.commands import complaint
from support.tiny_azulejos import OPTIONS
from support.training_processes import complete, start, wait_for, wait_for_change

from baselines.azulejos.learning.agents import AzulejosAgent, load_agent
from baselines.cli.azulejos.train import opponent_names
from baselines.cli.train import main
from baselines.learned.common.tensor_files import read_tensors

SET = ["--set", "n_steps=8", "batch_size=32"]
FEW = ["--opponents", "greedy,self", *SET]


def fails(arguments, capsys):
    with pytest.raises(SystemExit) as error:
        main(arguments)
    assert error.value.code == 2
    return complaint(capsys.readouterr().err)


def test_the_command_leaves_a_run_folder_that_goes_on(tmp_path, capsys):
    out = tmp_path / "run"
    place = ["--out", str(out), "--threads", "1"]
    assert main([*OPTIONS, *FEW, "--steps", "256", *place]) == 0
    told = capsys.readouterr()
    assert "Train ppo on Azulejos, 4x4 with 3 colours for 256 steps" in told.err
    assert "% against greedy" in told.out
    last = shlex.split(told.out.splitlines()[-1])
    assert last[:4] == ["python", "evaluate.py", "--env", "Azulejos-v0"]
    assert last[last.index("--policy") + 1] == str(out)
    record = json.loads((out / "run.json").read_text())
    assert record["settings"]["env"] == "Azulejos-v0"
    assert record["settings"]["opponents"] == ["greedy", "self"]
    agent = json.loads((out / "agent.json").read_text())
    assert agent["selected_by"]["first_seed"] == 1 << 30
    assert (out / "curves.png").read_bytes().startswith(b"\x89PNG")
    with (out / "progress.csv").open() as file:
        assert {"eval/against greedy", "train/loss", "eval/win_rate"} <= set(next(csv.reader(file)))
    assert isinstance(load_agent(out), AzulejosAgent)
    assert main(["--env", "Azulejos-v0", "--resume", *place, "--steps", "384"]) == 0
    assert read_tensors(out / "checkpoint.safetensors")[1]["learner"]["num_timesteps"] == 384
    assert len(json.loads((out / "run.json").read_text())["sessions"]) == 2


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["--mines", "5"], "Azulejos-v0 takes no --mines; its options are --help, --env, --size"),
        (["--algo", "dqn"], "Azulejos-v0 takes no --algo"),
        (["--first-click", "any"], "takes no --first-click"),
        (["--config", "quick"], "takes no --config"),
        (["--size", "0"], "rows"),
        (["--size", "8x"], "ROWSxCOLS"),
        (["--size", "101"], "rows must be 1 to 100, not 101"),
        (["--colours", "10"], "colours must be 1 to 9, not 10"),
        (["--opponents", "greedly"], "opponents must be self, one of random, greedy, minimax"),
        (["--opponents", ""], "opponents must be self"),
        (["--opponents", "minimax:depth=0"], "depth"),
        (["--reward", "gold"], "reward"),
        (["--steps", "5", "--minutes", "1"], "either"),
        (["--minutes", "0"], "minutes"),
        (["--set", "batch=3"], "unknown hyperparameter batch; the hyperparameters are"),
        (["--set", "batch_size=many"], "batch_size must be a whole number of at least 1, not 'many'"),
        (["--set", "batch_size"], "NAME=VALUE"),
        (["--set", "learning_rate=fast"], "learning_rate must be a number of 1e-08 to 1, not 'fast'"),
        (["--size", "100", "--envs", "16384", "--set", "n_steps=60000"], "GB of memory"),
        (["--start", "nowhere"], "cannot start from nowhere"),
        (["--resume"], "--resume finds no training"),
        (["--seed", "-1"], "seed"),
    ],
)
def test_bad_arguments_are_one_line_and_leave_nothing(arguments, word, tmp_path, capsys):
    out = tmp_path / "run"
    assert word in fails(["--env", "Azulejos-v0", *arguments, "--out", str(out)], capsys)
    assert not out.exists()


def test_an_unknown_game_is_one_line(capsys):
    assert "must be Minesweeper-v0 or Azulejos-v0, not 'Foo'" in fails(["--env", "Foo"], capsys)


def test_options_of_this_game_are_none_of_the_other(capsys):
    assert "--colours" in fails(["--colours", "3"], capsys)
    assert "--opponents" in fails(["--env", "Minesweeper-v0", "--opponents", "self"], capsys)


def test_a_run_of_the_other_game_is_not_resumed(tmp_path, capsys):
    (tmp_path / "run.json").write_text(json.dumps({"settings": {"algo": "ppo"}, "sessions": []}))
    told = fails(["--env", "Azulejos-v0", "--resume", "--out", str(tmp_path)], capsys)
    assert told.endswith("the run is no training of Azulejos-v0; resume it without --env")


def test_a_run_of_this_game_is_not_resumed_as_the_other(tmp_path, capsys):
    (tmp_path / "run.json").write_text(json.dumps({"settings": {"env": "Azulejos-v0"}, "sessions": []}))
    assert "add --env Azulejos-v0" in fails(["--resume", "--out", str(tmp_path)], capsys)


def test_each_game_has_its_own_help(capsys):
    for arguments, word, other in ((["--env", "Azulejos-v0"], "--opponents", "--mines"), ([], "--mines", "--colours")):
        with pytest.raises(SystemExit) as left:
            main([*arguments, "--help"])
        assert left.value.code == 0
        told = capsys.readouterr().out
        assert word in told
        assert other not in told
        assert "--env ID" in told


def test_the_examples_of_the_help_are_commands(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "400")
    monkeypatch.setattr("baselines.cli.azulejos.train.run_training", lambda _, options, *_rest: options)
    with pytest.raises(SystemExit):
        main(["--env", "Azulejos-v0", "--help"])
    examples = [line.split(maxsplit=2)[2] for line in capsys.readouterr().out.splitlines() if "train.py --env" in line]
    assert len(examples) == 3
    for example in examples:
        assert main(shlex.split(example)).env == "Azulejos-v0"


def test_options_of_an_opponent_may_have_commas():
    names = opponent_names("random,minimax:depth=2,nodes=500,self")
    assert names == ("random", "minimax:depth=2,nodes=500", "self")


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_save_and_exit_130(number, tmp_path):
    out = tmp_path / "run"
    with start(out, *OPTIONS, *FEW, "--minutes", "10") as process:
        wait_for(out / "progress.csv")
        process.send_signal(number)
        printed, _ = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "interrupted" in printed
    assert read_tensors(out / "checkpoint.safetensors")[1]["learner"]["num_timesteps"] > 0
    assert (out / "agent.json").exists()


@pytest.mark.slow
def test_kill_9_and_resume_reach_the_weights_of_an_uninterrupted_training(tmp_path):
    out, straight = tmp_path / "run", tmp_path / "straight"
    checkpoint = out / "checkpoint.safetensors"
    often = "import baselines.learned.training.run as t; t.CHECKPOINT_SECONDS = 0.0"
    new = [*OPTIONS, *FEW, "--steps", "2048"]
    resume = ["--env", "Azulejos-v0", "--resume"]
    for arguments in (new, resume, resume):
        written = checkpoint.stat().st_mtime_ns if checkpoint.exists() else 0
        with start(out, *arguments, before=often):
            wait_for_change(checkpoint, written)
            time.sleep(0.7)
    assert read_tensors(checkpoint)[1]["learner"]["num_timesteps"] > 0
    complete(out, *resume)
    complete(straight, *new)
    ends = [read_tensors(folder / "checkpoint.safetensors") for folder in (out, straight)]
    assert ends[0][1]["learner"] == ends[1][1]["learner"]
    assert all((ends[0][0][name] == tensor).all() for name, tensor in ends[1][0].items())
