"""Learners around the algorithms of Stable-Baselines3, built from the settings of a training."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3.common.logger import Logger
from torch import nn

from baselines.learned.agents.loading import LearnedPolicy
from baselines.learned.common.budget import Budget
from baselines.learned.common.losses import is_probability
from baselines.learned.common.multi_board import BoardSlot, MultiBoardMixin
from baselines.learned.common.optimisation import OPTIMIZER_CLASSES, learning_rate_schedule
from baselines.learned.common.state import (
    optimiser_tensors,
    prefixed,
    random_tensors,
    restore_optimiser,
    restore_random,
    unprefixed,
)
from baselines.learned.common.tensor_files import Tensors, check_weights, load_weights
from baselines.learned.common.vec_env import MinesweeperVecEnv
from baselines.learned.networks.board import BoardNetwork
from baselines.learned.networks.precision import set_precision
from baselines.learned.settings.training import TrainingSettings
from minesweeper_env.config import BoardConfig


def snapshot_of_model(model: MultiBoardMixin) -> tuple[Tensors, dict[str, Any]]:
    """Returns the tensors and the counters of a model between two rollouts."""
    tensors = prefixed(model.policy.state_dict(), "policy") | optimiser_tensors(model.policy.optimizer)
    model.deactivate()
    for number, slot in enumerate(model.slots):
        # Stored names say "place" and "memory", so that checkpoints of older versions still load.
        tensors |= prefixed(_slot_tensors(slot), f"place{number}")
    generators, random_state = random_tensors()
    tensors |= generators
    state = {_stored(name): getattr(model, name) for name in model.counters} | {"random": random_state}
    state["places"] = [{"work": slot.work, "drawn": slot.drawn} for slot in model.slots]
    state["place"] = model.slots.index(model.slot)
    return tensors, state


def restore_model(model: MultiBoardMixin, tensors: Tensors, state: dict[str, Any]) -> None:
    """Restores a snapshot into a new model with the same settings.

    Raises:
        ValueError: the snapshot belongs to another training; the message is one line.
    """
    load_weights(model.policy, unprefixed(tensors, "policy"))
    try:
        restore_optimiser(model.policy.optimizer, tensors)
        for number, (slot, counters) in enumerate(zip(model.slots, state["places"], strict=True)):
            _restore_slot(slot, unprefixed(tensors, f"place{number}"))
            slot.work, slot.drawn = int(counters["work"]), int(counters["drawn"])
        model.activate(model.slots[state["place"]])
        for name in model.counters:
            setattr(model, name, type(getattr(model, name))(state[_stored(name)]))
        restore_random(tensors, state["random"])
    except (KeyError, TypeError, ValueError, RuntimeError, IndexError) as error:
        raise ValueError(f"it does not fit this training: {str(error).splitlines()[0]}") from error


def _stored(counter: str) -> str:
    """Returns the stored name of a counter; "n_calls" keeps snapshots of older versions readable."""
    return {"_n_calls": "n_calls"}.get(counter, counter)


def _slot_tensors(slot: BoardSlot) -> Tensors:
    arrays: dict[str, NDArray[Any]] = {f"env/{key}": value for key, value in slot.env.get_state().items()}
    arrays |= {"episode_starts": slot.episode_starts, "games": slot.games}
    arrays |= {f"memory/{key}": value for key, value in slot.hindsight_buffer.get_state().items()}
    return {name: torch.from_numpy(np.ascontiguousarray(array)) for name, array in arrays.items()}


def _restore_slot(slot: BoardSlot, tensors: Tensors) -> None:
    def arrays(prefix: str) -> dict[str, NDArray[Any]]:
        return {name: tensor.numpy() for name, tensor in unprefixed(tensors, prefix).items()}

    slot.observations = slot.env.set_state(arrays("env"))
    slot.episode_starts = tensors["episode_starts"].numpy().astype(np.bool_)
    slot.games = tensors["games"].numpy().copy()
    slot.hindsight_buffer.set_state(arrays("memory"))


ALGORITHMS = {
    "dqn": ("baselines.learned.dqn:MaskedDQN", "baselines.learned.dqn:MinesweeperQPolicy"),
    "ppo": ("baselines.learned.ppo:MinesweeperPPO", "baselines.learned.ppo:MinesweeperPolicy"),
    "plain-ppo": ("baselines.learned.ppo:MinesweeperPPO", "baselines.learned.ppo:PlainPolicy"),
}
"""Class of each algorithm and class of its policy, as module:name; imported when a training needs them."""

MIN_GAMES, MIN_BATCH = 32, 32
"""Lower bounds on large boards, where fewer games and smaller minibatches hold as many cells."""

NOT_FOR_MODELS = ("learning_rate", "learning_rate_flat", "learning_rate_final", "batch_size", "weight_decay")
"""Hyperparameters that the constructors of the algorithms take in another form."""

OF_POLICY = ("value_pooling", "share_features_extractor")
"""Hyperparameters of plain PPO that the constructor of its policy takes."""


class ModelLearner:
    """An algorithm of Stable-Baselines3 as a `Learner`.

    Args:
        model: a new model with games in progress.
    """

    def __init__(self, model: MultiBoardMixin) -> None:
        """Wraps the model."""
        self.model = model
        self.clock = model.clock

    @property
    def steps(self) -> int:
        """The number of steps in all games together."""
        return int(self.model.num_timesteps)

    def rounds(self, budget: Budget, logger: Logger) -> Iterator[None]:
        """Learns without end, and yields before each rollout."""
        self.model.set_logger(logger)
        yield from self.model.rounds(budget)

    def current_network(self) -> BoardNetwork:
        """Returns the network that plays; PPO merges its two heads into a new one."""
        return self.model.network()

    def policy(self, network: BoardNetwork, config: BoardConfig) -> LearnedPolicy:
        """Returns the greedy policy of a network on a board."""
        return LearnedPolicy(network, config.mines)

    def log(self) -> None:
        """Writes a log row."""
        self.model.log_row()

    def begin_with(self, network: nn.Module) -> None:
        """Copies the weights of a `BoardNetwork`; see `Learner.begin_with`."""
        if not isinstance(network, BoardNetwork):
            raise ValueError("it is of another kind")
        check_weights(self.current_network(), network.state_dict())
        self.model.begin_with(network)

    def snapshot(self) -> tuple[Tensors, dict[str, Any]]:
        """Returns the state of the model and of its games."""
        return snapshot_of_model(self.model)

    def restore(self, tensors: Tensors, state: dict[str, Any]) -> None:
        """Continues from a snapshot."""
        restore_model(self.model, tensors, state)


def make_model_learner(settings: TrainingSettings) -> ModelLearner:
    """Returns a new learner with the settings of a training."""
    return ModelLearner(make_model(settings))


def make_envs(settings: TrainingSettings) -> list[MinesweeperVecEnv]:
    """Returns the environments of a training, one per board, seeded for their first reset."""
    envs = []
    for index, config in enumerate(settings.configs):
        games = settings.scaled(settings.envs, config.cells, MIN_GAMES)
        envs.append(MinesweeperVecEnv(config, games, settings.reward))
        envs[-1].seed(settings.first_training_seed(index))
    return envs


def make_model(settings: TrainingSettings) -> Any:
    """Makes a model and starts its games; this seeds the generators of Python, NumPy and PyTorch.

    Returns:
        A `MaskedDQN` or a `MinesweeperPPO`.
    """
    algorithm, policy = (_load(place) for place in ALGORITHMS[settings.algo])
    envs = make_envs(settings)
    sizes = [settings.scaled(settings.hyperparameters.batch_size, env.config.cells, MIN_BATCH) for env in envs]
    model = algorithm(policy, env=envs[0], batch_size=sizes[0], **_arguments(settings))
    # The constructor seeded the games with the seed of the training, which is no seed of games.
    envs[0].seed(settings.first_training_seed(0))
    model.play_on(envs, sizes)
    set_precision(model.policy, settings.precision)
    return model


def _load(place: str) -> Any:
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


def _arguments(settings: TrainingSettings) -> dict[str, Any]:
    """Returns the arguments of an algorithm's constructor, without environment and batch size."""
    own = settings.hyperparameters
    if settings.algo == "dqn":
        of_algorithm = {"teacher": settings.teacher == "exact"}
    else:
        of_algorithm = {"normalize_advantage": settings.algo == "plain-ppo"}
    return {
        **{name: value for name, value in own.to_json().items() if name not in NOT_FOR_MODELS + OF_POLICY},
        **of_algorithm,
        "learning_rate": learning_rate_schedule(own),
        "gamma": settings.gamma,
        "seed": settings.seed,
        "device": settings.device,
        "policy_kwargs": _policy_arguments(settings),
    }


def _policy_arguments(settings: TrainingSettings) -> dict[str, Any]:
    own = settings.hyperparameters.to_json()
    return {
        **{name: own[name] for name in OF_POLICY if name in own},
        "probability": is_probability(settings.reward, settings.gamma),
        "optimizer_class": OPTIMIZER_CLASSES[settings.optimizer],
        "optimizer_kwargs": {"weight_decay": settings.hyperparameters.weight_decay},
        "features_extractor_kwargs": {"channels": settings.channels, "depth": settings.depth},
    }
