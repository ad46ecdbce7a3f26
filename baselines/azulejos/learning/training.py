"""Training of an agent of Azulejos: the parts that the training loop of all games runs."""

from __future__ import annotations

from pathlib import Path

from baselines.azulejos.agent_folders import agent_folder, agent_names
from baselines.azulejos.learning.agents import load_network
from baselines.azulejos.learning.learner import make_learner
from baselines.azulejos.learning.network import Planes
from baselines.azulejos.learning.observations import PLANES
from baselines.azulejos.learning.selection import BestAzulejosAgent, OpponentGames
from baselines.azulejos.learning.settings import AzulejosSettings
from baselines.learned.training.evaluation import References
from baselines.learned.training.run import Parts, prepare
from baselines.learned.training.session import Training


def _selection(settings: AzulejosSettings, references: References | None) -> OpponentGames:  # noqa: ARG001
    return OpponentGames(settings)


PARTS = Parts(make_learner, _selection, BestAzulejosAgent, agent_folder, agent_names, load_network)


def memory_needed(settings: AzulejosSettings) -> int:
    """Returns the approximate size of the rollout and of the largest minibatch, in bytes."""
    own, cells, floats = settings.hyperparameters, settings.config.cells, 4
    # An observation of int32 and a mask of float32, twice while minibatches are made of them.
    rollout = 2 * own.n_steps * settings.games * cells * floats * (PLANES + 1)
    layers = 3 * settings.depth + 4
    planes = Planes.count(settings.colours)
    return rollout + max(settings.batch_size, settings.games) * cells * floats * (layers * settings.channels + planes)


def prepare_training(settings: AzulejosSettings, folder: Path, resume: bool = False) -> Training:
    """Returns a training that is ready to run; it writes nothing.

    Args:
        settings: of the training.
        folder: the run folder, which exists.
        resume: whether to continue from the checkpoint in the folder, if there is one.

    Raises:
        ValueError: the checkpoint is damaged, the agent to start from does not fit, or there is no such device.
    """
    return prepare(settings, folder, resume, PARTS)
