"""Minimal trainings for the tests of learning."""

import pytest
import torch

from baselines.learned.settings import TrainingSettings
from baselines.learned.training import loop
from baselines.learned.training.curves import draw_curves

BOTH = pytest.mark.parametrize("algo", ["dqn", "ppo"])
ALL = pytest.mark.parametrize("algo", ["dqn", "ppo", "plain-ppo"])


@pytest.fixture(autouse=True)
def one_thread(monkeypatch):
    """Uses one thread, and draws no curves: a picture takes longer than the training between two evaluations."""
    torch.set_num_threads(1)
    monkeypatch.setattr(loop, "draw_curves", lambda _folder: None)


@pytest.fixture
def curves(one_thread, monkeypatch):
    """Draws the curves all the same."""
    monkeypatch.setattr(loop, "draw_curves", draw_curves)


def tiny(algo, **changes):
    small = {"boards": ("4x5/2",), "minutes": None, "steps": 1200, "envs": 8, "channels": 4, "depth": 1}
    small["hyperparameters"] = {"batch_size": 32, "learning_starts": 100} if algo == "dqn" else {"batch_size": 32}
    return TrainingSettings(algo=algo, **{**small, "eval_games": 5, "threads": 1, "precision": "float32", **changes})


def make_model(settings):
    """Returns a new learner."""
    return settings.own.make_learner(settings)


class PowerCutError(Exception):
    """Raised right after a checkpoint, to end a training like a power cut."""


def train_until_cut(settings, folder, steps):
    """Trains in a folder until the first checkpoint after `steps` steps."""

    def cut(reached):
        if reached >= steps:
            raise PowerCutError

    with pytest.raises(PowerCutError):
        loop.train(settings, folder, bar=False, checkpoint_seconds=0, on_checkpoint=cut)
