"""Signals that end a training: Ctrl-C evaluates the newest weights, a second one and SIGTERM do not."""

import csv
import json
import signal
import time

import pytest
import torch
from support.tiny_training import BOTH, one_thread, tiny  # noqa: F401 - one_thread is a fixture
from support.training_processes import ENDLESS, TINY, complete, start, wait_for, wait_for_change

from baselines.learned.agents import kept_step
from baselines.learned.common.tensor_files import read_tensors
from baselines.learned.training import loop, seed_study
from baselines.learned.training.loop import Outcome, Training, prepare, run, train
from baselines.learned.training.signals import ANNOUNCEMENT, StopSignals

HANGS = "an evaluation hangs"

HANG = f"""
import sys, time
import baselines.learned.training.loop as module

def hang(*_, **__):
    print({HANGS!r}, file=sys.stderr, flush=True)
    time.sleep(600)

module.CHECKPOINT_SECONDS = 0.0
module.Training.evaluate = hang
"""
"""Code that makes every evaluation endless, and saves a checkpoint after every round."""


def interrupted(settings, folder, number, steps, resume=False):
    """Trains in this process until a checkpoint after `steps` steps, where the process gets a signal."""
    training = prepare(settings, folder, resume)

    def interrupt(reached):
        if reached >= steps and not sent:
            sent.append(reached)
            signal.raise_signal(number)

    sent = []
    return run(training, bar=False, checkpoint_seconds=0, on_checkpoint=interrupt)


@BOTH
def test_an_interrupted_training_evaluates_its_newest_weights_and_resumes_exactly(algo, tmp_path):
    straight, broken = tmp_path / "straight", tmp_path / "broken"
    straight.mkdir()
    broken.mkdir()
    settings = tiny(algo, steps=1216)
    train(settings, straight, bar=False)
    outcome = interrupted(settings, broken, signal.SIGINT, 700)
    assert outcome.interrupted
    assert outcome.newest is not None
    assert 700 <= outcome.steps < 800
    played = [int(float(row["time/total_timesteps"])) for row in rows(broken) if row["eval/win_rate"]]
    assert outcome.steps in played
    assert run(prepare(settings, broken, resume=True), bar=False).steps == 1216
    assert_same_end(straight, broken)


@BOTH
def test_a_training_cut_off_in_its_first_evaluation_resumes_exactly(algo, tmp_path, monkeypatch):
    straight, broken = tmp_path / "straight", tmp_path / "broken"
    straight.mkdir()
    broken.mkdir()
    settings = tiny(algo, steps=1216)
    train(settings, straight, bar=False)
    with monkeypatch.context() as patch:
        patch.setattr(loop, "play_selection", cut_off)
        with pytest.raises(KeyboardInterrupt):
            train(settings, broken, bar=False)
    train(settings, broken, bar=False, resume=True)
    assert_same_end(straight, broken)


def cut_off(*_):
    raise KeyboardInterrupt


def assert_same_end(straight, broken):
    one, other = (read_tensors(folder / "checkpoint.safetensors") for folder in (straight, broken))
    assert one[1]["learner"] == other[1]["learner"]
    for name, value in one[0].items():
        assert torch.equal(other[0][name], value), name


def rows(folder):
    with (folder / "progress.csv").open() as file:
        return list(csv.DictReader(file))


def test_sigterm_saves_without_an_evaluation(tmp_path, monkeypatch):
    settings = tiny("ppo", steps=1216)
    train(tiny("ppo", steps=200), tmp_path, bar=False)
    monkeypatch.setattr(Training, "evaluate", lambda *_, **__: pytest.fail("it evaluated"))
    outcome = interrupted(settings, tmp_path, signal.SIGTERM, 300, resume=True)
    assert (outcome.interrupted, outcome.newest) == (True, None)
    assert outcome.kept_steps == kept_step(tmp_path) == 256 > 0
    assert 300 <= read_tensors(tmp_path / "checkpoint.safetensors")[1]["learner"]["num_timesteps"] == outcome.steps


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_training_without_an_agent_evaluates_before_it_leaves(number, tmp_path, monkeypatch):
    monkeypatch.setattr(loop, "play_references", lambda *_: pytest.fail("the scripted policies played"))
    outcome = interrupted(tiny("ppo", steps=10**6), tmp_path, number, 100)
    assert outcome.kept_steps == kept_step(tmp_path) == outcome.steps
    assert outcome.newest is not None


def test_a_signal_during_an_evaluation_needs_no_second_one(tmp_path, monkeypatch):
    evaluate, steps = Training.evaluate, []

    def signalled(self, log, **options):
        steps.append(self.learner.steps)
        evaluate(self, log, **options)
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(Training, "evaluate", signalled)
    outcome = train(tiny("ppo", steps=1216), tmp_path, bar=False)
    assert outcome.interrupted
    assert steps == [outcome.steps]


@pytest.mark.parametrize("before", [signal.default_int_handler, signal.SIG_IGN], ids=["foreground", "background"])
def test_a_second_ctrl_c_raises_and_the_handlers_come_back(before, capsys):
    found = signal.signal(signal.SIGINT, before)
    with StopSignals() as stop:
        signal.raise_signal(signal.SIGINT)
        assert (stop.requested, stop.is_quick) == (True, False)
        assert ANNOUNCEMENT in capsys.readouterr().err
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.signal(signal.SIGINT, found) == before


def test_sigterm_ends_the_last_evaluation():
    with StopSignals(False) as stop:
        signal.raise_signal(signal.SIGINT)
        stop.is_last = True
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGTERM)
        assert stop.is_quick


def test_an_interrupted_training_of_a_study_has_no_result(tmp_path, monkeypatch):
    outcome = Outcome(interrupted=True, steps=100, summary="", time_fractions={}, kept_steps=100, newest=0.5)
    monkeypatch.setattr(seed_study, "train", lambda *_, **__: outcome)
    task = seed_study.plan({"short": tiny("ppo", steps=200)}, 5, tmp_path, "command", 20)[0]
    with pytest.raises(KeyboardInterrupt):
        seed_study.carry_out(task)
    assert not task.done


@pytest.mark.slow
def test_ctrl_c_in_a_terminal_evaluates_and_reports_the_step(tmp_path):
    out = tmp_path / "run"
    with start(out, *TINY, "--minutes", "10") as process:
        wait_for(out / "progress.csv")
        process.send_signal(signal.SIGINT)
        printed, told = process.communicate(timeout=120)
    assert process.returncode == 130
    assert ANNOUNCEMENT in told
    steps = read_tensors(out / "checkpoint.safetensors")[1]["learner"]["num_timesteps"]
    assert f"interrupted after {steps} steps: agent of step {kept_step(out)} in {out}" in printed
    assert (f"the newest weights, of step {steps}, win" in printed) == (kept_step(out) != steps)
    assert float(rows(out)[-1]["time/total_timesteps"]) == steps


@pytest.mark.slow
def test_a_second_ctrl_c_ends_at_once_and_names_the_kept_agent(tmp_path):
    out = tmp_path / "run"
    complete(out, *TINY, "--steps", "320")
    kept, checkpoint = kept_step(out), out / "checkpoint.safetensors"
    written = checkpoint.stat().st_mtime_ns
    with start(out, "--resume", "--steps", ENDLESS, before=HANG) as process:
        wait_for_change(checkpoint, written)
        process.send_signal(signal.SIGINT)
        wait_for_lines(process.stderr, ANNOUNCEMENT, HANGS)
        process.send_signal(signal.SIGINT)
        begin = time.monotonic()
        _, told = process.communicate(timeout=60)
        assert time.monotonic() - begin < 20
    assert process.returncode == 130
    assert told.splitlines()[-1] == (
        f"python -m baselines train: stopped at once; the kept agent is of step {kept}, and --resume continues from "
        f"the last checkpoint in {out}"
    )
    reached = read_tensors(checkpoint)[1]["learner"]["num_timesteps"]
    assert reached > 320
    complete(out, "--resume", "--steps", str(reached + 100))
    sessions = json.loads((out / "run.json").read_text())["sessions"]
    assert sessions[-1]["from_step"] == reached


def wait_for_lines(stream, *texts):
    """Reads lines until each text has been in one of them."""
    missing = set(texts)
    for line in stream:
        missing = {text for text in missing if text not in line}
        if not missing:
            return
    pytest.fail(f"{sorted(missing)} was not printed")
