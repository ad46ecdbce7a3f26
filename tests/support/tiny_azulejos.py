"""Minimal trainings of Azulejos for the tests."""

from baselines.azulejos.learning.settings import AzulejosSettings

OPTIONS = ["--env", "Azulejos-v0", "--size", "4", "--envs", "8", "--channels", "4", "--depth", "1", "--eval-games", "5"]
"""Options of train.py."""


def tiny(**changes):
    """Returns the settings of a training of some seconds."""
    small = {"size": "4x4", "opponents": ("greedy", "self"), "minutes": None, "steps": 640, "envs": 8, "channels": 4}
    own = {"n_steps": 8, "batch_size": 32, "version_interval": 0.1}
    return AzulejosSettings(**{**small, "depth": 1, "eval_games": 5, "hyperparameters": own, **changes})
