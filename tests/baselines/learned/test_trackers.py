"""Weights & Biases: it reads the TensorBoard files, and a resumed training continues its run."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from types import ModuleType

import pytest
from support.tiny_training import one_thread, tiny  # noqa: F401 - a fixture

from baselines.cli.train import main
from baselines.learned.training.loop import train


class Wandb(ModuleType):
    """A stand-in that records the calls."""

    def __init__(self):
        super().__init__("wandb")
        self.runs = []

    def init(self, **options):
        self.runs.append(options)
        run = nullcontext()
        run.id = options["id"] or "made"
        return run


def test_wandb_gets_the_settings_and_continues_its_run(tmp_path, monkeypatch):
    tracker = Wandb()
    monkeypatch.setitem(sys.modules, "wandb", tracker)
    settings = tiny("dqn")
    train(settings, tmp_path, bar=False, track=True)
    (begun,) = tracker.runs
    assert begun["config"] == settings.to_json() | {"device": "cpu"}
    assert begun["sync_tensorboard"]
    train(settings, tmp_path, resume=True, bar=False, track=True)
    assert [run["id"] for run in tracker.runs] == [None, "made"]


def test_a_tracker_that_refuses_is_named_in_one_line(tmp_path, monkeypatch):
    tracker = Wandb()
    tracker.init = lambda **_options: 1 / 0
    monkeypatch.setitem(sys.modules, "wandb", tracker)
    with pytest.raises(ConnectionError, match="wandb cannot be used"):
        train(tiny("dqn"), tmp_path, bar=False, track=True)


def test_a_missing_tracker_is_named_before_the_training(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "wandb", None)
    monkeypatch.setattr("baselines.support.extras.find_spec", lambda module: None if module == "wandb" else module)
    with pytest.raises(SystemExit) as stopped:
        main(["--steps", "100", "--track", "--out", str(tmp_path / "run")])
    assert stopped.value.code == 2
    assert "pip install 'minesweeper-env[wandb]'" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()
