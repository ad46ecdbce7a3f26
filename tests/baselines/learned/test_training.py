"""The loop of a training: what it keeps and records, who follows it, and how signals end it."""

import csv
import math
import shutil
import signal
import sys
import threading
from contextlib import closing
from importlib.machinery import ModuleSpec
from types import SimpleNamespace
from unittest.mock import MagicMock, Mock

import pytest
import torch
from support.tiny_training import (  # noqa: F401 - one_thread is a fixture
    ALL,
    BOTH,
    ENDLESS,
    TINY,
    assert_same_end,
    complete_here,
    one_thread,
    saving_often,
    tiny,
    train_until_cut,
)

from baselines.cli.seeds import carry_out, plan
from baselines.cli.train import main
from baselines.files import read_json
from baselines.learned.agents import find_agent
from baselines.learned.common.tensor_files import read_tensors
from baselines.learned.configurations import lineage, training_of
from baselines.learned.settings import Budget, Hyperparameters
from baselines.learned.training import loop, selection, state
from baselines.learned.training.curves import Log
from baselines.learned.training.loop import ANNOUNCEMENT, prepare, run, stop_on_signals, train
from baselines.learned.training.selection import REFERENCES, Score, play_selection
from baselines.learned.training.state import EVALUATIONS, Training, TrainingState


def folders(tmp_path, *names):
    found = [tmp_path / name for name in names]
    for folder in found:
        folder.mkdir()
    return found


def kept_step(folder):
    return read_json(folder / "agent.json")["selected_by"]["steps"]


def steps_of(folder):
    return read_tensors(folder / "checkpoint.safetensors")[1]["learner"]["num_timesteps"]


def test_the_schedule_is_flat_and_then_falls_and_the_budget_counts_earlier_sessions():
    schedule = Hyperparameters(1e-3, learning_rate_flat=0.5, learning_rate_final=0.1).learning_rate_at
    assert schedule(1.0) == schedule(0.5) == 1e-3
    assert schedule(0.0) == schedule(-0.1) == pytest.approx(1e-4)
    assert schedule(0.25) == pytest.approx(5.5e-4)
    assert Budget(steps=200).progress(50) == 0.25
    assert Budget(seconds=1000, seconds_before=500).progress(0) == pytest.approx(0.5, abs=0.01)


def planned(budget):
    """Returns a training with a learner that has taken no step."""
    return Training(tiny("dqn"), None, SimpleNamespace(num_timesteps=0), budget, TrainingState(0, 0, None, 0, None))


def test_evaluations_are_dense_at_first_and_skipped_where_they_would_take_too_long():
    training, due = planned(Budget(steps=1000)), []
    for training.learner.num_timesteps in range(0, 1001, 10):
        if training.is_due():
            training.evaluations_done += 1
            due.append(training.steps)
    assert due == [10, 20, 50, *range(100, 1001, 100)]
    training = planned(Budget(seconds=1000, seconds_before=150))
    assert training.is_due()
    training.cost = training.progress.evaluation_seconds = 14.0
    for seconds, is_due in ((250, False), (350, True)):
        training.budget.seconds_before = seconds
        assert training.is_due() == is_due


def test_the_standard_error_of_a_score():
    assert Score({"8x8/14": 0.64}, 100).standard_error == pytest.approx(0.048)
    two = Score({"8x8/14": 0.64, "5x5/5": 0.8}, 100)
    assert (two.win_rate, two.standard_error) == (pytest.approx(0.72), pytest.approx(math.hypot(0.048, 0.04) / 2))


@ALL
def test_an_evaluation_leaves_the_random_numbers_of_the_training_alone(algo, tmp_path):
    training = prepare(tiny(algo), tmp_path)
    with closing(Log(tmp_path, 0)) as log:
        next(training.learner.rounds(training.budget, log))
        before = torch.get_rng_state()
        training.evaluate(log, compares=False)
    assert torch.equal(torch.get_rng_state(), before)


def test_the_last_good_agent_is_kept_and_reference_games_are_played_once(tmp_path, monkeypatch, capsys):
    training, kept = prepare(tiny("dqn"), tmp_path), []
    monkeypatch.setattr(selection, "_cached_references", {})
    with closing(Log(tmp_path, 0)) as log:
        next(training.learner.rounds(training.budget, log))
        training.evaluate(log)
        assert training.progress.references is None
        monkeypatch.setattr(state, "REFERENCES_SECONDS", 0.0)
        training.progress.highest = 1.1  # the agent of the first evaluation stays
        for _ in range(2):
            training.evaluate(log)
        assert list(training.progress.references["4x5/2"]) == list(REFERENCES)
        assert training.budget.seconds_before < 0
        told = capsys.readouterr().err.splitlines()
        assert all(f" of 4x5/2 with {name}" in line for name, line in zip(REFERENCES, told, strict=True))
        training.progress.highest = 0.0
        # The bound is one standard error below the highest rate so far, so it never sinks.
        for rate in (0.30, 0.50, 0.46, 0.44, 0.41, 0.80, 0.77, 0.75):
            monkeypatch.setattr(selection, "play_selection", lambda *_, rate=rate: Score({"4x5/2": rate}, 100))
            training.evaluate(log)
            kept.append(read_json(tmp_path / "agent.json")["selected_by"]["win_rate"])
    assert kept == [0.30, 0.50, 0.46, 0.46, 0.46, 0.80, 0.77, 0.77]


def test_each_evaluation_is_reported_once_with_what_the_folder_holds(tmp_path):
    seen = []

    def follow(training):
        assert steps_of(tmp_path) == training.steps
        assert read_json(tmp_path / "agent.json")["selected_by"]["win_rate"] == training.progress.kept["win_rate"]
        seen.append(training.steps)
        return True

    training = train(tiny("dqn", steps=400), tmp_path, bar=False, on_evaluation=follow)
    assert seen == sorted(set(seen))
    assert seen[-1] == training.steps >= 400
    assert training.evaluations_done == len(EVALUATIONS) > 10


def test_false_ends_a_training_and_it_goes_on_in_another_thread(tmp_path):
    ended = train(tiny("ppo", steps=10_000), tmp_path, bar=False, on_evaluation=lambda _: False)
    assert 100 <= ended.steps < 200
    assert not ended.is_interrupted
    assert kept_step(tmp_path) == steps_of(tmp_path) == ended.steps
    thread = threading.Thread(target=train, args=(tiny("ppo", steps=500), tmp_path), kwargs={"resume": True})
    thread.start()
    thread.join(300)
    assert steps_of(tmp_path) >= 500


def test_wandb_gets_the_settings_and_continues_its_run(tmp_path, monkeypatch):
    settings, wandb = tiny("dqn", steps=200), MagicMock(__spec__=ModuleSpec("wandb", None))
    wandb.init.return_value.id = "made"
    monkeypatch.setitem(sys.modules, "wandb", wandb)
    for resume in (False, True):
        train(settings, tmp_path, resume=resume, bar=False, track=True)
    first, second = (call.kwargs for call in wandb.init.call_args_list)
    assert first["config"] == settings.to_json() | {"device": "cpu"}
    assert first["sync_tensorboard"]
    assert (first["id"], second["id"]) == (None, "made")
    wandb.init.side_effect = ZeroDivisionError("no network")
    with pytest.raises(ConnectionError, match="wandb cannot be used"):
        train(settings, tmp_path, bar=False, track=True)


def commands(folder):
    """Returns the command lines of a training, and of those of the agents that it began as."""
    runs = [each["run"] for each in lineage(training_of(folder))]
    return [run and [session["command"] for session in run["sessions"]] for run in runs]


def test_a_training_records_the_trainings_before_it(tmp_path):
    first, second, third = folders(tmp_path, "first", "second", "third")
    for folder, begins_as in ((first, None), (second, first), (third, second)):
        settings = tiny("dqn", steps=64, start=begins_as and str(begins_as))
        train(settings, folder, command=folder.name, bar=False)
    shutil.rmtree(first)
    assert commands(third) == [["third"], ["second"], ["first"]]
    assert all(each["steps"] >= 64 for each in lineage(training_of(third)))
    run(prepare(tiny("dqn", steps=128, start=str(second)), third, resume=True), "again", bar=False)
    assert commands(third) == [["third", "again"], ["second"], ["first"]]
    (second / "run.json").unlink()
    assert commands(second) == [None]


def interrupter(number, steps):
    """Returns what sends this process one signal when it is told of at least `steps` steps."""
    sent = []

    def interrupt(reached):
        if reached >= steps and not sent:
            sent.append(reached)
            signal.raise_signal(number)

    return interrupt


def interrupted(settings, folder, number, steps, resume=False):
    """Trains in this process until a checkpoint after `steps` steps, where the process gets a signal."""
    training = prepare(settings, folder, resume)
    with saving_often(interrupter(number, steps)):
        return run(training, bar=False)


def rows(folder):
    with (folder / "progress.csv").open() as file:
        return list(csv.DictReader(file))


@BOTH
def test_interrupted_trainings_resume_exactly(algo, tmp_path, monkeypatch):
    straight, stopped, cut_off, killed = folders(tmp_path, "straight", "stopped", "cut_off", "killed")
    settings = tiny(algo, steps=384, boards=("4x5/2", "3x4/2"))
    train(settings, straight, bar=False)
    training = interrupted(settings, stopped, signal.SIGINT, 150)
    assert training.is_interrupted
    assert 150 <= training.steps < 300
    played = [int(float(row["time/total_timesteps"])) for row in rows(stopped) if row["eval/win_rate"]]
    assert training.steps in played
    assert run(prepare(settings, stopped, resume=True), bar=False).steps == 384
    assert_same_end(straight, stopped)

    with monkeypatch.context() as patch:
        patch.setattr(selection, "play_selection", Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            train(settings, cut_off, bar=False)
    train(settings, cut_off, bar=False, resume=True)
    assert_same_end(straight, cut_off)
    train_until_cut(settings, killed, 250)
    train(settings, killed, bar=False, resume=True)
    assert_same_end(straight, killed)


@pytest.mark.parametrize(
    ("algo", "change"), [("dqn", {"depth": 2}), ("ppo", {"gamma": 0.9}), ("afterstate", {"boards": ("5x4/2",)})]
)
def test_a_checkpoint_of_other_settings_is_refused(algo, change, tmp_path):
    """Someone may have changed `run.json`; not every setting shows in the shapes of the weights."""
    prepare(tiny(algo, hyperparameters={}), tmp_path).save()
    prepare(tiny(algo, hyperparameters={}, steps=2400), tmp_path, resume=True)
    (name,) = change
    with pytest.raises(ValueError, match=rf"checkpoint\.safetensors cannot be resumed: it was made with {name} "):
        prepare(tiny(algo, hyperparameters={}, **change), tmp_path, resume=True)


def test_a_user_of_double_precision_trains_and_plays_the_same(tmp_path):
    single, double = folders(tmp_path, "single", "double")
    settings = tiny("dqn", steps=300)
    train(settings, single, bar=False)
    wins = play_selection(settings, find_agent(single))
    torch.set_default_dtype(torch.float64)
    try:
        train(settings, double, bar=False)
        assert torch.get_default_dtype() == torch.float64
        assert play_selection(settings, find_agent(double)) == wins
    finally:
        torch.set_default_dtype(torch.float32)
    assert_same_end(single, double)


def test_sigterm_saves_without_an_evaluation(tmp_path, monkeypatch):
    train(tiny("ppo", steps=200), tmp_path, bar=False)
    monkeypatch.setattr(Training, "evaluate", lambda *_, **__: pytest.fail("it evaluated"))
    training = interrupted(tiny("ppo", steps=1216), tmp_path, signal.SIGTERM, 300, resume=True)
    assert (training.is_interrupted, training.newest) == (True, None)
    assert training.progress.kept["steps"] == kept_step(tmp_path) == 256 > 0
    assert 300 <= steps_of(tmp_path) == training.steps


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_training_without_an_agent_evaluates_before_it_leaves(number, tmp_path, monkeypatch):
    monkeypatch.setattr(selection, "play_references", lambda *_: pytest.fail("the scripted policies played"))
    training = interrupted(tiny("ppo", steps=10**6), tmp_path, number, 100)
    assert training.progress.kept["steps"] == kept_step(tmp_path) == training.steps
    assert training.newest is not None


def test_a_signal_during_an_evaluation_needs_no_second_one(tmp_path, monkeypatch):
    evaluate, steps = Training.evaluate, []

    def signalled(self, log, **options):
        steps.append(self.steps)
        evaluate(self, log, **options)
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(Training, "evaluate", signalled)
    training = train(tiny("ppo", steps=1216), tmp_path, bar=False)
    assert training.is_interrupted
    assert steps == [training.steps]


@pytest.mark.parametrize("before", [signal.default_int_handler, signal.SIG_IGN], ids=["foreground", "background"])
def test_a_second_ctrl_c_raises_and_the_handlers_come_back(before, capsys):
    found = signal.signal(signal.SIGINT, before)
    with stop_on_signals() as stop:
        signal.raise_signal(signal.SIGINT)
        assert (stop.requested, stop.is_quick) == (True, False)
        assert ANNOUNCEMENT in capsys.readouterr().err
        assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.signal(signal.SIGINT, found) == before


def test_an_interrupted_training_of_a_study_has_no_result(tmp_path, monkeypatch):
    monkeypatch.setattr(loop, "train", lambda *_, **__: SimpleNamespace(is_interrupted=True))
    task = plan({"short": tiny("ppo", steps=200)}, 5, tmp_path, "command", range(20))[0]
    with pytest.raises(KeyboardInterrupt):
        carry_out(task)
    assert not task.done


def test_ctrl_c_evaluates_and_the_command_reports_the_step(tmp_path, capsys):
    out = tmp_path / "run"
    with saving_often(interrupter(signal.SIGINT, 200)):
        assert main([*TINY, "--out", str(out), "--threads", "1", "--minutes", "10"]) == 130
    printed, told = capsys.readouterr()
    assert ANNOUNCEMENT in told
    steps = steps_of(out)
    assert f"interrupted after {steps} steps: agent of step {kept_step(out)} in {out}" in printed
    assert (f"the newest weights, of step {steps}, win" in printed) == (kept_step(out) != steps)
    assert float(rows(out)[-1]["time/total_timesteps"]) == steps


def test_a_second_ctrl_c_ends_at_once_and_names_the_kept_agent(tmp_path, monkeypatch, capsys):
    out = tmp_path / "run"
    complete_here(out, *TINY, "--steps", "320")
    kept = kept_step(out)
    with monkeypatch.context() as patch, saving_often(interrupter(signal.SIGINT, 321)):
        patch.setattr(Training, "evaluate", lambda *_, **__: signal.raise_signal(signal.SIGINT))
        assert main(["--out", str(out), "--threads", "1", "--resume", "--steps", ENDLESS]) == 130
    *_, announced, last = capsys.readouterr().err.splitlines()
    assert announced == ANNOUNCEMENT
    assert f"the kept agent is of step {kept}, and --resume continues" in last
    assert last.endswith(str(out))
    reached = steps_of(out)
    assert reached > 320
    complete_here(out, "--resume", "--steps", str(reached + 100))
    assert read_json(out / "run.json")["sessions"][-1]["from_step"] == reached
