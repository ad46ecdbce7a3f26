"""Minimal trainings for the tests of learning, in this process and in processes of their own."""

import subprocess
import sys
from contextlib import contextmanager

import pytest
import torch
from stable_baselines3.common.logger import Logger

from baselines.cli import train
from baselines.learned.common.tensor_files import read_tensors
from baselines.learned.settings import Budget, TrainingSettings
from baselines.learned.training import loop, state
from support.processes import started

BOTH = pytest.mark.parametrize("algo", ["dqn", "ppo"])
ALL = pytest.mark.parametrize("algo", ["dqn", "ppo", "plain-ppo"])
TINY = ["--size", "4", "--mines", "2", "--envs", "4", "--channels", "4", "--depth", "1", "--eval-games", "5"]

ENDLESS = str(10**9)
"""A number of steps that no test waits for."""

DRAW_CURVES = state.draw_curves


@pytest.fixture(autouse=True)
def one_thread(monkeypatch):
    """Uses one thread, and draws no curves: a picture takes longer than the training between two evaluations."""
    torch.set_num_threads(1)
    monkeypatch.setattr(state, "draw_curves", lambda *_: None)


@pytest.fixture
def curves(one_thread, monkeypatch):
    """Draws the curves all the same."""
    monkeypatch.setattr(state, "draw_curves", DRAW_CURVES)


def tiny(algo, **changes):
    small = {"boards": ("4x5/2",), "minutes": None, "steps": 1200, "envs": 8, "channels": 4, "depth": 1}
    small["hyperparameters"] = {"batch_size": 32, "learning_starts": 100} if algo == "dqn" else {"batch_size": 32}
    return TrainingSettings(algo=algo, **{**small, "eval_games": 5, "threads": 1, "precision": "float32", **changes})


def make_model(settings):
    """Returns a new learner."""
    return settings.make_learner()


def learn(model, steps):
    """Trains a model for a number of steps, on its boards in turn; returns it."""
    rounds = model.rounds(Budget(steps), Logger(None, []))
    while model.num_timesteps < steps:
        next(rounds)
    return model


@contextmanager
def saving_often(on_save):
    """Saves a checkpoint after every round of the trainings in the block, and calls a function with the steps."""
    save = state.Training.save

    def saved(training):
        save(training)
        on_save(training.steps)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loop, "CHECKPOINT_SECONDS", 0.0)
        patch.setattr(state.Training, "save", saved)
        yield


class PowerCutError(Exception):
    """Raised right after a checkpoint, to end a training like a power cut."""


def train_until_cut(settings, folder, steps):
    """Trains in a folder until the first checkpoint after `steps` steps."""

    def cut(reached):
        if reached >= steps:
            raise PowerCutError

    with saving_often(cut), pytest.raises(PowerCutError):
        loop.train(settings, folder, bar=False)


def assert_same_end(straight, broken):
    """Asserts that the checkpoints of two trainings are equal."""
    one, other = (read_tensors(folder / "checkpoint.safetensors") for folder in (straight, broken))
    assert one[1]["learner"] == other[1]["learner"]
    assert one[0].keys() == other[0].keys()
    for name, value in one[0].items():
        assert torch.equal(other[0][name], value), name


def start(out, *arguments, before=""):
    """Starts train.py in a run folder, on one thread, for a block, which draws no curves; `before` is run first."""
    code = "import sys\nfrom baselines.cli.train import main\nfrom baselines.learned.training import loop, state\n"
    code += f"state.draw_curves = lambda *_: None\n{before}\nsys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", code, "--out", str(out), "--threads", "1", *arguments]
    return started(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def complete(out, *arguments):
    """Runs train.py in a run folder to its end, which must be a success."""
    with start(out, *arguments) as process:
        _, told = process.communicate(timeout=300)
    assert process.returncode == 0, told


def complete_here(out, *arguments):
    """Runs train.py in a run folder to its end in this process, which starts nothing and imports nothing again."""
    assert train.main(["--out", str(out), "--threads", "1", *map(str, arguments)]) == 0
