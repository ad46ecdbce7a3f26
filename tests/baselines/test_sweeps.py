"""Sweeps on Optuna: search spaces, a killed sweep that goes on, bad trials that end early, and the report."""

import os
import signal
import subprocess
import sys
from contextlib import suppress
from itertools import count
from types import SimpleNamespace
from unittest.mock import Mock, call

import pytest
from support.clusters import wait_until
from support.commands import refused
from support.processes import started
from support.tiny_training import tiny

from baselines.cli.sweep import Sweep, check_values, end_last_line, main, parse_search, rounded, run_trial
from baselines.files import hold_folder, read_json, write_json
from baselines.learned.configurations import read_configuration
from baselines.learned.settings import TrainingSettings
from baselines.learned.training import loop
from baselines.workers import Workers

pytest.importorskip("optuna")

CONFIGURATION = """\
algo = "dqn"
boards = ["4x4/2"]
steps = 4000
channels = 8
depth = 2
eval_games = 50
envs = 32
"""
TRIALS = 4


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["learning_rate"], "as NAME=FORM"),
        (["lr=log:1:2"], "not 'lr=log:1:2'; dqn has learning_rate.*did you mean learning_rate"),
        (["learning_rate=1e-4:1e-2"], "did you mean learning_rate=log:1e-4:1e-2"),
        (["depth=4:8"], "did you mean depth=int:4:8"),
        (["reward=win,no/such.py:reward"], "there is no file no/such.py"),
        (["learning_rate=log:1e-2:1e-4"], "the forms are log:LOW:HIGH"),
        (["learning_rate=log:1e-4"], "the forms are"),
        (["gamma=uniform:a:b"], "the forms are"),
        (["gamma=uniform:0:inf"], "gamma must be a number"),
        (["depth=1,2", "depth=int:1:4"], "search each setting once"),
        (["learning_rate=0.01,7"], "learning_rate must be a number"),
        (["depth=int:0:4"], "depth"),
    ],
)
def test_a_bad_search_is_refused_before_any_work(tmp_path, texts, message):
    with pytest.raises(ValueError, match=message):
        check_values(Sweep(tiny("dqn"), parse_search(texts, "dqn"), 1, 0, tmp_path, ""))
    assert not list(tmp_path.iterdir())


def test_a_search_without_effect_is_refused_unless_another_draw_gives_it_one(tmp_path):
    def check(*texts):
        check_values(Sweep(tiny("dqn", gamma=0.9), parse_search(texts, "dqn"), 1, 0, tmp_path, ""))

    with pytest.raises(ValueError, match="hindsight other than 0"):
        check("hindsight=0,1")
    check("hindsight=0,1", "gamma=0,0.9")


@pytest.fixture
def sweeps(monkeypatch):
    """Sweeps, each of which ends before its first training."""
    begun = []
    monkeypatch.setattr("baselines.cli.sweep._work", lambda sweep, _: begun.append(sweep))
    return begun


def test_a_reward_is_typed_or_drawn(tmp_path, capsys):
    words = ["--config", "quick", "--search", "reward=win,progress", "--reward", "win", "--out", tmp_path / "out"]
    assert "--reward" in refused(capsys, main, *words)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "words", [["--search", "depth=1,2", "--reward", "mine.py:one"], ["--search", "reward=win,mine.py:one"]]
)
@pytest.mark.usefixtures("sweeps")
def test_a_sweep_does_not_go_on_with_other_code_of_a_reward(words, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    source = tmp_path / "mine.py"
    source.write_text("def one(step):\n    return step.opened * 0.25\n")
    command = ["--config", "quick", *words, "--out", "out"]
    assert [main(command), main(command)] == [0, 0]
    source.write_text(source.read_text().replace("0.25", "-9.0"))
    assert "code of the reward mine.py:one" in refused(capsys, main, *command)


def test_values_replace_those_of_the_configuration(tmp_path):
    sweep = Sweep(base := tiny("dqn"), {}, 1, 0, tmp_path, "")
    settings = sweep.settings_of({"learning_rate": 0.00512345, "depth": 3, "optimizer": "adam"})
    assert (settings.hyperparameters.learning_rate, settings.depth, settings.optimizer) == (0.00512, 3, "adam")
    assert settings.hyperparameters.learning_starts == base.hyperparameters.learning_starts


def test_draws_keep_to_their_forms_and_depend_on_the_seed(tmp_path):
    search = parse_search(["learning_rate=log:1e-4:1e-2", "depth=int:4:6", "batch_size=32,64", "gamma=0.5,0.9"], "dqn")

    def drawn(name, seed):
        (tmp_path / name).mkdir()
        sweep = Sweep(tiny("dqn"), search, 8, seed, tmp_path / name, "")
        return [rounded(sweep.study(draw).ask(search).params) for draw in range(8)]

    one, same, other = drawn("one", 1), drawn("same", 1), drawn("other", 1_500_000_000)
    assert one == same != other
    assert all(1e-4 <= each["learning_rate"] <= 1e-2 and each["depth"] in (4, 5, 6) for each in one)
    assert {each["batch_size"] for each in one} == {32, 64}
    assert len({each["learning_rate"] for each in one}) == 8


class KilledError(Exception):
    """Stands for the end of a process."""


def play(out, trials, kills=()):
    """Runs a sweep whose trainings win as their values say, and kills it at these evaluations; returns its trials.

    A kill at -n comes after evaluation n, once it is written and reported.
    Returns the values, the evaluations and the win rate of each trial.
    """
    out.mkdir()
    search = parse_search(["learning_rate=log:1e-4:1e-2", "gamma=uniform:0.5:1", "depth=1,2"], "dqn")
    sweep, evaluations = Sweep(tiny("dqn"), search, trials, 5, out, ""), count(1)

    def train(settings, folder, command, *, resume, on_evaluation, bar):
        """A training of four evaluations, which goes on after the last one of an earlier session."""
        kept, file = {"win_rate": 0.0}, folder / "run.json"
        begun = read_json(file)["steps"] if resume else 0
        for step in range(begun + 1, 5):
            number = next(evaluations)
            if number in kills:
                raise KilledError
            write_json(file, {"steps": step})
            rate = (1 - 30 * settings.hyperparameters.learning_rate) * settings.gamma * step / 8
            kept["win_rate"] = max(kept["win_rate"], rate)
            budget = SimpleNamespace(progress=lambda steps: 0.25 * steps)
            progress, score = SimpleNamespace(kept=kept), SimpleNamespace(win_rate=rate)
            if not on_evaluation(SimpleNamespace(budget=budget, steps=step, progress=progress, score=score)):
                break
            if -number in kills:
                raise KilledError
        return SimpleNamespace(is_interrupted=False)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loop, "train", train)
        for _ in range(trials):
            with suppress(KilledError):
                for number in sweep.remaining():
                    run_trial(sweep, number)
    trials = {each.user_attrs["first"]: each for each in sweep.done()}
    return {
        number: (each.params, each.intermediate_values, each.user_attrs["win_rate"], each.state)
        for number, each in sorted(trials.items())
    }


@pytest.mark.slow
def test_a_sweep_ends_bad_trials_and_draws_the_same_values_when_it_is_killed(tmp_path):
    # From the tenth trial on, the draws depend on the trials before.
    whole = play(tmp_path / "whole", 14)
    assert [*whole] == [*range(14)]
    assert {state.name for *_, state in whole.values()} == {"COMPLETE", "PRUNED"}
    assert all((max(curve) == 100) == (state.name == "COMPLETE") for _, curve, _, state in whole.values())
    for number, kills in enumerate([(1, -4), (2, 3, 4, 9), (6, 20, 21, 33)]):
        assert play(tmp_path / str(number), 14, kills) == whole


def is_free(folder):
    with suppress(BlockingIOError), hold_folder(folder):
        return True
    return False


@pytest.mark.slow
def test_a_killed_sweep_goes_on_repeats_no_trial_and_ends_bad_trials_early(tmp_path, capsys, monkeypatch):
    (tmp_path / "tiny.toml").write_text(CONFIGURATION)
    out = tmp_path / "a sweep"
    search = ["learning_rate=1e-7,0.005", "gamma=uniform:0.9:1"]
    words = ["--config", tmp_path / "tiny.toml", "--search", *search, "--seed", 0, "--out", out, "--trials"]
    words = [*map(str, words)]
    command = [sys.executable, "-m", "baselines", "sweep", *words, str(TRIALS)]
    with started(command, stderr=subprocess.DEVNULL, start_new_session=True) as driver:
        wait_until(lambda: any(out.glob("trials/001/checkpoint.safetensors")))
        os.killpg(driver.pid, signal.SIGKILL)
    # The worker process of the killed command may die later than the command itself.
    wait_until(lambda: is_free(out / "trials/001"))
    cut_off = read_json(out / "trials/001/run.json")["settings"]
    # The killed command had a worker process; another one costs seconds.
    here = SimpleNamespace(run=Workers().run, close=lambda: None)
    monkeypatch.setattr("baselines.cli.sweep.ProcessPool", lambda _: here)
    assert main([*words, str(TRIALS)]) == 0
    said = capsys.readouterr()
    assert f"{TRIALS} of {TRIALS} trials are done" in said.err
    assert f"python -m baselines train --config '{out}/best.toml'" in said.out
    results = read_json(out / "results.json")["trials"]
    assert len(results) == TRIALS
    assert len({each["values"]["gamma"] for each in results}) == TRIALS
    by_number = {each["trial"]: each for each in results}
    assert by_number[1]["values"]["gamma"] == cut_off["gamma"]
    assert len(read_json(out / "trials/001/run.json")["sessions"]) == 2
    good = [each for each in results if each["values"]["learning_rate"] == 0.005]
    bad = [each for each in results if each["values"]["learning_rate"] == 1e-7]
    assert results[0] in good
    assert good[0]["curve"][-1]["percent"] == 100
    assert any(each["stopped_early"] and each["curve"][-1]["percent"] < 100 for each in bad)
    best = TrainingSettings.of(read_configuration(str(out / "best.toml")))
    assert best.gamma == results[0]["values"]["gamma"]
    assert main([*words, str(TRIALS)]) == 0
    assert f"{TRIALS} of {TRIALS} trials are done" in capsys.readouterr().err
    assert f"trials {TRIALS}, not 2" in refused(capsys, main, *words, "2")


def test_a_sweep_has_no_more_workers_than_it_was_told_and_than_it_has_trainings(tmp_path, monkeypatch):
    pool = Mock(side_effect=KilledError)
    monkeypatch.setattr("baselines.cli.sweep.ProcessPool", pool)
    words = ["--config", "quick", "--search", "depth=1,2"]
    for workers, trials in (("1", "2"), ("2", "1")):
        with pytest.raises(KilledError):
            main([*words, "--workers", workers, "--trials", trials, "--out", str(tmp_path / trials)])
    assert pool.call_args_list == [call(1)] * 2


@pytest.mark.parametrize("other", [["gamma=0.5,0.9"], ["depth=1,2", "--seed", "3"], ["depth=1,2", "--steps", "9"]])
@pytest.mark.usefixtures("sweeps")
def test_the_journal_of_another_sweep_is_refused(tmp_path, capsys, other):
    words, folders = ["--config", "quick", "--search"], [tmp_path / "own", tmp_path / "other"]
    for searched, out in zip((["depth=1,2"], other), folders, strict=True):
        assert main([*words, *searched, "--out", str(out)]) == 0
    assert main([*words, *other, "--out", str(folders[1])]) == 0
    journals = [folder / "journal.log" for folder in folders]
    journals[1].write_bytes(journals[0].read_bytes())
    assert str(journals[1]) in refused(capsys, main, *words, *other, "--out", folders[1])


def test_half_a_line_at_the_end_of_the_journal_is_cut_off_and_other_damage_is_named(tmp_path, capsys, sweeps):
    words = ["--config", "quick", "--search", "depth=1,2", "--out", str(tmp_path)]
    assert main(words) == 0
    (sweep,) = sweeps
    journal = tmp_path / "journal.log"
    whole = journal.read_bytes()
    journal.write_bytes(whole + whole[:20])
    end_last_line(journal)
    assert journal.read_bytes() == whole
    damage = [whole[:20] + b"\n" + whole]
    damage += [whole + line for line in (b"[1]\n", b"{}\n", b'{"op_code": 99, "worker_id": ""}\n', b"3\n", b"x\n")]
    trial = sweep.study().ask()
    sweep.study().tell(trial, 0.5)
    damage.append(journal.read_bytes())  # a trial that is done, and does not say its number
    journal.write_bytes(whole)
    trial = sweep.study().ask(parse_search(["depth=9"], "dqn"))
    for name, value in (("first", 0), ("win_rate", 0.5), ("steps", 1)):
        trial.set_user_attr(name, value)
    sweep.study().tell(trial, 0.5)
    damage.append(journal.read_bytes())  # a trial of a depth that the sweep does not draw
    for content in damage:
        journal.write_bytes(content)
        assert f"{journal} is damaged: " in refused(capsys, main, *words)
