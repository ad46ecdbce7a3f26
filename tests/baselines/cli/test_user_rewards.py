"""Rewards of users in a training: loaded, tried, recorded, and chosen by the command line alone."""

import json

import numpy as np
import pytest
from support.commands import refused
from support.tiny_training import TINY, make_model, one_thread, tiny  # noqa: F401 - one_thread is a fixture

from baselines.cli.seeds import carry_out, plan
from baselines.cli.train import main

SOURCE = """
import numpy as np
number = 3
def opened(step): return np.asarray(step.opened) * 0.25
def one(step): return 1.0
def branch(step): return 1.0 if step.won else 0.0
def broken(step): raise KeyError("colour")
def endless(step): return np.full(np.shape(step.won), np.inf)
"""


@pytest.fixture
def rewards(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(SOURCE)
    return tmp_path / "mine.py"


@pytest.mark.usefixtures("rewards")
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("one", "returns N numbers; the fields of a Transition are won, lost, opened, "),
        ("branch", "in branch; MINESWEEPER_TRACEBACK=1 shows all); a reward gets"),
        ("broken", "KeyError: 'colour' (mine.py, line 7, in broken"),
        ("endless", "must be finite"),
        ("number", "must be a class or a function, not int"),
        ("opend", "did you mean opened?"),
    ],
)
def test_a_reward_that_cannot_be_used_is_one_line_before_any_work(name, words, tmp_path, capsys):
    assert words in refused(capsys, main, *TINY, "--reward", f"mine.py:{name}", "--out", tmp_path / "run")
    assert not (tmp_path / "run").exists()


@pytest.mark.usefixtures("rewards")
@pytest.mark.parametrize("name", ["mine.py:opened", "mine:opened"])
@pytest.mark.parametrize("algo", ["dqn", "ppo"])
def test_a_learner_learns_from_the_reward(algo, name):
    env = make_model(tiny(algo, reward=name)).slots[0].env
    before = env.reset()
    after, earned, ended, _ = env.step(np.zeros(len(before), np.int64))
    opened = (after < 9).sum(axis=(1, 2))
    assert (earned == 0.25 * opened)[~ended].all()
    assert (earned > 0).all()


def test_only_the_command_line_chooses_the_code_of_a_reward(rewards, tmp_path, capsys):
    (tmp_path / "mine.toml").write_text('reward = "mine.py:opened"')
    assert "type --reward" in refused(capsys, main, *TINY, "--config", "mine.toml", "--out", "run")
    typed = ["--reward", "mine.py:opened"]
    assert main([*TINY, *typed, "--steps", "200", "--out", "run"]) == 0
    assert json.loads((tmp_path / "run" / "run.json").read_text())["settings"]["reward"] == typed[1]
    more = ["--resume", "--steps", "300", "--out", "run"]
    assert "type --reward" in refused(capsys, main, *more)
    assert main([*more, *typed]) == 0
    assert "reward" in refused(capsys, main, *more, "--reward", "win")
    task, *_ = plan({"mine": tiny("dqn", reward=typed[1])}, 3, tmp_path, "", range(5))
    rewards.write_text(SOURCE.replace("0.25", "0.5"))
    assert "code of the reward" in refused(capsys, main, *more, *typed)
    with pytest.raises(ValueError, match="opened has changed since the command began"):
        carry_out(task)
