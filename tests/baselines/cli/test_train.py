import csv
import errno
import time
from contextlib import nullcontext
from importlib.metadata import version
from unittest.mock import Mock

import pytest
import torch
from support.clusters import wait_until
from support.commands import refused
from support.tiny_training import (  # noqa: F401 - two are fixtures
    BOTH,
    ENDLESS,
    TINY,
    PowerCutError,
    complete,
    complete_here,
    curves,
    one_thread,
    start,
    tiny,
    train_until_cut,
)

from baselines.cli.train import main
from baselines.files import hold_folder, read_json, write_json
from baselines.learned.agents import LearnedPolicy
from baselines.learned.common.tensor_files import read_tensors
from baselines.learned.configurations import record_session
from baselines.learned.training.loop import prepare, train
from baselines.registry import make_policy


def weights(folder):
    return read_tensors(folder / "agent.safetensors")[0]


def test_an_agent_in_a_run_folder_always_has_a_checkpoint(tmp_path, monkeypatch):
    monkeypatch.setattr("baselines.learned.training.state.save_agent", Mock(side_effect=PowerCutError))
    with pytest.raises(PowerCutError):
        train(tiny("dqn", steps=600), tmp_path)
    assert 0 < prepare(tiny("dqn", steps=600), tmp_path, resume=True).learner.num_timesteps < 600


def test_a_training_that_ended_before_its_first_checkpoint_begins_anew(tmp_path):
    settings = tiny("ppo", steps=200)
    record_session(tmp_path, settings, "", 0)
    assert train(settings, tmp_path, resume=True).steps >= 200
    assert len(read_json(tmp_path / "run.json")["sessions"]) == 2


@BOTH
@pytest.mark.usefixtures("curves")
def test_the_command_leaves_a_run_folder(algo, tmp_path, capsys):
    out = tmp_path / "run"
    changes = ["--set", "batch_size=32", *(["learning_starts=100"] if algo == "dqn" else [])]
    assert main(["--algo", algo, *TINY, *changes, "--steps", "400", "--out", str(out), "--threads", "1"]) == 0
    *_, rates, command = capsys.readouterr().out.splitlines()
    assert "random" in rates
    assert f"evaluate --policy {out}" in command
    record = read_json(out / "run.json")
    settings = record["settings"]
    assert (settings["boards"], settings["precision"]) == (["4x4/2"], "float32")
    assert settings["hyperparameters"]["batch_size"] == 32
    assert record["sessions"][0]["versions"]["torch"] == version("torch")
    assert read_json(out / "agent.json")["selected_by"]["first_seed"] == 1 << 30
    with (out / "progress.csv").open() as file:
        *_, last = csv.DictReader(file)
    assert {"eval/win_rate", "train/loss"} <= last.keys()
    assert float(last["eval/4x4-2/exact"]) > float(last["eval/4x4-2/random"])
    assert list((out / "tensorboard").iterdir())
    assert (out / "curves.png").read_bytes().startswith(b"\x89PNG")
    assert isinstance(make_policy(str(out), size=4, mines=2), LearnedPolicy)


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["--boards", "8x8"], "ROWSxCOLS/MINES"),
        (["--boards", "5x5/3", "5x5/3"], "once"),
        (["--boards", "5x5/3", "--size", "5"], "either"),
        (["--config", "moon"], "any-size"),
        (["--config", "dqn8x8"], "did you mean dqn-8x8?"),
        (["dqn-8x8"], "did you mean --config dqn-8x8?"),
        (["--size", "8", "8"], "ROWSxCOLS"),
        (["--eval-games", "5", "--threads", "5", "6"], "--threads takes one value"),
        (["--step", "5"], "did you mean --steps?"),
        (["--minutes", "soon"], "minutes must be a number"),
        (["--config", "no/such.toml"], "cannot be read"),
        (["--set", "batch_size=many"], "batch_size must be a whole number of at least 1, not 'many'"),
        (["--set", "batch_size"], "NAME=VALUE"),
        (["--set", "batch_size=32", "--set", "batch_size=64"], "batch_size"),
        (["--config", "any-size", "--mines", "20"], "--size"),
        (["--algo", "dqn", "--gamma", "0.9", "--set", "hindsight=2", "consistency=1"], "hindsight and consistency"),
        (["--algo", "dqn", "--teacher", "exact", "--set", "hindsight=2"], "teacher"),
        (["--gamma", "0.9", "--set", "keep_min=0.5", "isolated_weight_cap=3"], "keep_min and isolated_weight_cap"),
        (["--set", "gae_lambda=0.9"], "gae_lambda other than 0 would have no effect: the training needs gamma above 0"),
        (["--algo", "dqn", "--set", "target_update_interval=500"], "gamma above 0"),
        (["--algo", "plain-ppo", "--set", "replay_ratio=8", "keep_min=1"], "needs another algo than plain-ppo"),
        *([] if torch.cuda.is_available() else [(["--device", "cuda"], "cuda")]),
        (["--set", "learnin_rate=1e-3"], "did you mean learning_rate?"),
        (["--reward", "safe"], "reward must be one of win_loss"),
        (["--learning-rate", "3e-4"], "--set learning_rate=3e-4"),
        (["--teacher", "exact", "--algo", "ppo"], "teacher"),
        (["--steps", "5", "--minutes", "1"], "either"),
        (["--gamma", "1.5"], "gamma"),
        (["--resume"], "resume"),
    ],
)
def test_bad_arguments_are_one_line_and_leave_nothing(arguments, word, tmp_path, capsys):
    out = tmp_path / "run"
    assert word in refused(capsys, main, *arguments, "--out", out)
    assert not out.exists()


@pytest.mark.parametrize("changed", [["--reward", "shaped"], ["--reward", "win"], ["--gamma", "0.9"], []])
def test_a_training_says_that_it_goes_without_hindsight(changed, capsys):
    with pytest.raises(SystemExit):
        main(["--algo", "dqn", *changed, "--out", __file__.rpartition("/")[0]])
    assert ("; without hindsight, which needs reward safe_click" in capsys.readouterr().err) == bool(changed)


def test_folders_in_use_and_damaged_or_other_trainings_are_refused(tmp_path, capsys):
    (tmp_path / "mine").write_text("")
    assert "not empty" in refused(capsys, main, "--out", tmp_path)
    assert (tmp_path / "mine").exists()
    assert "no training" in refused(capsys, main, "--out", tmp_path, "--resume")
    run = tmp_path / "run"
    arguments, resume = [*TINY, "--out", str(run), "--threads", "1"], ["--out", run, "--resume"]
    main([*arguments, "--steps", "300"])
    assert "not empty" in refused(capsys, main, *arguments)
    assert "4x4/2" in refused(capsys, main, *resume, "--size", "4", "--mines", "3")
    (tmp_path / "wide.toml").write_text('algo = "dqn"\nchannels = 17\nsteps = 900')
    assert "not 17" in refused(capsys, main, *resume, "--config", tmp_path / "wide.toml")
    (run / "checkpoint.safetensors").write_bytes(b"")
    assert "checkpoint.safetensors" in refused(capsys, main, *resume)
    (run / "checkpoint.safetensors").unlink()
    agent, content = (run / "agent.safetensors").read_bytes(), read_json(run / "run.json")
    for name in ("agent.json", "agent.safetensors"):
        assert name in refused(capsys, main, *resume, "--steps", "2000")
        assert (run / "agent.safetensors").read_bytes() == agent
        (run / "agent.json").unlink(missing_ok=True)
    (run / "agent.safetensors").unlink()
    wrong = ({"depth": 0}, {"steps": -5}, {"first_click": "never"}, {"hyperparameters": {"batch_size": 0}})
    for settings in (*(content["settings"] | each for each in wrong), {"algo": 3}):
        write_json(run / "run.json", content | {"settings": settings})
        assert str(run / "run.json") in refused(capsys, main, *resume)


def test_the_folder_is_locked_before_the_checkpoint_is_read(tmp_path, capsys, monkeypatch):
    run = tmp_path / "run"
    main([*TINY, "--steps", "300", "--out", str(run), "--threads", "1"])
    with hold_folder(run):
        assert f"{run}: another process is writing into it" in refused(capsys, main, "--out", run, "--resume")

    def prepare_under_the_lock(*_):
        with pytest.raises(BlockingIOError), hold_folder(run):
            pass
        raise ValueError("it was locked")

    monkeypatch.setattr("baselines.learned.training.loop.prepare", prepare_under_the_lock)
    assert "it was locked" in refused(capsys, main, "--out", run, "--resume")
    with hold_folder(run):
        assert (run / "agent.json").exists()


def test_a_disk_that_fills_is_one_line_and_the_training_goes_on_later(tmp_path, capsys, monkeypatch):
    full = Mock(side_effect=OSError(errno.ENOSPC, "No space left on device"))
    run = ["--out", str(tmp_path / "run"), "--threads", "1"]
    with monkeypatch.context() as patched:
        patched.setattr("baselines.learned.common.tensor_files.replace_file", full)
        assert main([*TINY, *run, "--steps", "300"]) == 1
    last = capsys.readouterr().err.splitlines()[-1]
    assert "No space left on device" in last
    assert last.endswith(f"what was saved before is in {tmp_path / 'run'}")
    assert main([*run, "--resume"]) == 0
    assert weights(tmp_path / "run")


def test_a_folder_that_fills_while_the_lock_is_awaited_is_refused(tmp_path, capsys, monkeypatch):
    run = tmp_path / "run"
    monkeypatch.setattr("baselines.cli.train.hold_folder", lambda folder: nullcontext((folder / "run.json").touch()))
    assert "not empty" in refused(capsys, main, *TINY, "--steps", "300", "--out", str(run))
    assert (run / "run.json").exists()


def test_resume_continues_the_counters_to_a_new_total(tmp_path, capsys):
    out, checkpoint = tmp_path / "run", tmp_path / "run" / "checkpoint.safetensors"
    out.mkdir()
    # A killed first write leaves this.
    (out / ".run.json.0123456789abcdef.minesweeper-tmp").write_text("{")
    complete_here(out, *TINY, "--steps", 320)
    assert not list(out.glob(".*"))
    first = read_tensors(checkpoint)[1]
    complete_here(out, "--resume", "--steps", 512)
    second = read_tensors(checkpoint)[1]
    assert [each["learner"]["num_timesteps"] for each in (first, second)] == [320, 512]
    assert second["progress"]["seconds"] > first["progress"]["seconds"]
    assert [session["from_step"] for session in read_json(out / "run.json")["sessions"]] == [0, 320]
    (log,) = out.glob("progress*.csv")
    with log.open() as file:
        header, *rows = csv.reader(file)
    assert header == sorted(header)
    steps = [int(float(row[header.index("time/total_timesteps")])) for row in rows]
    assert steps == sorted(steps)
    assert 0 < steps[0] < 320 < steps[-1] == 512
    assert "512 steps are done" in refused(capsys, main, "--out", out, "--resume", "--steps", "400")
    complete_here(out, "--resume", "--steps", 512)


@pytest.mark.slow
def test_the_same_seed_gives_the_same_bytes_in_another_process_and_another_seed_others(tmp_path):
    words, agents = [*TINY, "--algo", "dqn", "--set", "learning_starts=40", "--steps", "100"], []
    for train_in, seed in ((complete, "0"), (complete_here, "0"), (complete_here, "1")):
        out = tmp_path / f"run-{len(agents)}"
        train_in(out, *words, "--seed", seed)
        agents.append((out / "agent.safetensors").read_bytes())
    assert agents[0] == agents[1] != agents[2]


@pytest.mark.slow
def test_kill_9_and_resume_reach_the_same_step_count(tmp_path):
    out, checkpoint = tmp_path / "run", tmp_path / "run" / "checkpoint.safetensors"
    with start(out, *TINY, "--steps", ENDLESS, before="loop.CHECKPOINT_SECONDS = 0.0") as process:
        wait_until(checkpoint.exists)
        # Many checkpoints are written meanwhile, and the kill may cut one off.
        time.sleep(0.7)
        assert process.poll() is None
    reached = read_tensors(checkpoint)[1]["learner"]["num_timesteps"]
    complete_here(out, "--resume", "--steps", str(reached + 64))
    assert read_tensors(checkpoint)[1]["learner"]["num_timesteps"] == reached + 64
    assert weights(out)
