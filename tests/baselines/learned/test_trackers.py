"""Trackers: the settings and every row arrive, a resumed training continues its run, and a missing package is named."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace

import pytest
from support.tiny_training import one_thread, tiny, train_until_cut  # noqa: F401 - a fixture

from baselines.cli.train import main
from baselines.cli.training import arguments
from baselines.learned.training.run import train


class Wandb(ModuleType):
    """A stand-in that records the calls."""

    def __init__(self):
        super().__init__("wandb")
        self.runs, self.rows, self.finished = [], [], 0

    def init(self, **options):
        self.runs.append(options)
        return SimpleNamespace(id=options["id"] or "made", log=self.log, finish=self.finish)

    def log(self, numbers, step):
        self.rows.append((step, numbers))

    def finish(self):
        self.finished += 1


def test_wandb_gets_the_settings_and_the_rows_and_continues_its_run(tmp_path, monkeypatch):
    tracker = Wandb()
    monkeypatch.setitem(sys.modules, "wandb", tracker)
    settings = tiny("dqn")
    train(settings, tmp_path, bar=False, log_to=["wandb"])
    (begun,) = tracker.runs
    assert begun["config"] == settings.to_json() | {"device": "cpu"}
    assert begun["id"] is None
    assert any("eval/win_rate" in numbers for _, numbers in tracker.rows)
    assert [step for step, _ in tracker.rows] == sorted(step for step, _ in tracker.rows)
    assert tracker.finished == 1
    train(settings, tmp_path, resume=True, bar=False, log_to=["wandb"])
    assert [run["id"] for run in tracker.runs] == [None, "made"]


def test_a_tracker_that_fails_does_not_end_the_training(tmp_path, monkeypatch, capsys):
    tracker = Wandb()
    tracker.log = lambda _numbers, step: 1 / (step - step)
    monkeypatch.setitem(sys.modules, "wandb", tracker)
    outcome = train(tiny("dqn"), tmp_path, bar=False, log_to=["wandb"])
    assert outcome.steps >= 1200
    assert capsys.readouterr().err.count("wandb fails, and the training goes on without it: division by zero") == 1


def test_a_tracker_that_refuses_is_named_in_one_line(tmp_path, monkeypatch):
    tracker = Wandb()
    tracker.init = lambda **_options: 1 / 0
    monkeypatch.setitem(sys.modules, "wandb", tracker)
    with pytest.raises(ConnectionError, match="wandb cannot be used: division by zero"):
        train(tiny("dqn"), tmp_path, bar=False, log_to=["wandb"])


@pytest.mark.parametrize("name", arguments.TRACKERS)
def test_a_missing_tracker_is_named_before_the_training(name, tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setattr("baselines.support.extras.find_spec", lambda module: None if module == name else module)
    with pytest.raises(SystemExit) as stopped:
        main(["--steps", "100", "--log-to", name, "--out", str(tmp_path / "run")])
    assert stopped.value.code == 2
    assert f"pip install 'minesweeper-env[{name}]'" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def test_trackers_do_not_log_from_a_cluster(capsys):
    with pytest.raises(SystemExit):
        main(["--steps", "100", "--log-to", "wandb", "--ray", "local"])
    assert "--log-to logs from this machine" in capsys.readouterr().err
