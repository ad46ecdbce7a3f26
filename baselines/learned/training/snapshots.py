"""All that a model needs to go on exactly where it was: tensors, and the counters as JSON-able values.

They are the weights, the optimiser, the games in progress and the buffer of each board, and the random generators. A
snapshot is taken between two rollouts, where no update is under way.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from baselines.learned.agents.storage import load_weights
from baselines.learned.common.multi_board import Place
from baselines.learned.common.tensor_files import Tensors
from baselines.learned.dqn.algorithm import MaskedDQN
from baselines.learned.ppo.algorithm import MinesweeperPPO

COUNTERS = ("num_timesteps", "_n_updates", "_episode_num")

Model = MaskedDQN | MinesweeperPPO


def snapshot_of_model(model: Model) -> tuple[Tensors, dict[str, Any]]:
    """Returns the tensors and the counters of a model that is between two rollouts."""
    tensors = _prefixed("policy", model.policy.state_dict()) | optimiser_tensors(model.policy.optimizer)
    model.leave()
    for number, place in enumerate(model.places):
        tensors |= _prefixed(f"place{number}", _place_tensors(place))
    generators, random_state = random_tensors()
    tensors |= generators
    state = {name: getattr(model, name) for name in COUNTERS} | {"random": random_state}
    state["places"] = [{"work": place.work, "drawn": place.drawn} for place in model.places]
    state["place"] = model.places.index(model.place)
    if isinstance(model, MaskedDQN):
        state |= {"n_calls": model._n_calls, "exploration_rate": model.exploration_rate}
    return tensors, state


def restore_model(model: Model, tensors: Tensors, state: dict[str, Any]) -> None:
    """Brings a new model, and its games, to where a snapshot of an equal one was taken.

    Raises:
        ValueError: the snapshot belongs to another training; the message is one line.
    """
    load_weights(model.policy, part(tensors, "policy"))
    try:
        restore_optimiser(model.policy.optimizer, tensors)
        for number, (place, counters) in enumerate(zip(model.places, state["places"], strict=True)):
            _restore_place(place, part(tensors, f"place{number}"))
            place.work, place.drawn = int(counters["work"]), int(counters["drawn"])
        model.enter(model.places[state["place"]])
        for name in COUNTERS:
            setattr(model, name, int(state[name]))
        if isinstance(model, MaskedDQN):
            model._n_calls, model.exploration_rate = int(state["n_calls"]), float(state["exploration_rate"])
        restore_random(tensors, state["random"])
    except (KeyError, TypeError, ValueError, RuntimeError, IndexError) as error:
        raise ValueError(f"it does not fit this training: {str(error).splitlines()[0]}") from error


def _place_tensors(place: Place) -> Tensors:
    arrays: dict[str, NDArray[Any]] = {f"env/{key}": value for key, value in place.env.get_state().items()}
    arrays |= {"episode_starts": place.episode_starts, "games": place.games}
    arrays |= {f"memory/{key}": value for key, value in place.memory.get_state().items()}
    return {name: torch.from_numpy(np.ascontiguousarray(array)) for name, array in arrays.items()}


def _restore_place(place: Place, tensors: Tensors) -> None:
    def arrays(prefix: str) -> dict[str, NDArray[Any]]:
        return {name: tensor.numpy() for name, tensor in part(tensors, prefix).items()}

    place.observations = place.env.set_state(arrays("env"))
    place.episode_starts = tensors["episode_starts"].numpy().astype(np.bool_)
    place.games = tensors["games"].numpy().copy()
    place.memory.set_state(arrays("memory"))


def _prefixed(prefix: str, tensors: Tensors) -> Tensors:
    return {f"{prefix}/{name}": tensor for name, tensor in tensors.items()}


def part(tensors: Tensors, prefix: str) -> Tensors:
    """Returns the tensors whose names begin with the prefix and a slash, by what follows."""
    return {name.removeprefix(f"{prefix}/"): value for name, value in tensors.items() if name.startswith(f"{prefix}/")}


def optimiser_tensors(optimizer: torch.optim.Optimizer) -> Tensors:
    """Returns the moments of an optimiser."""
    moments = optimizer.state_dict()["state"]
    return {f"optimizer/{index}/{key}": value for index, values in moments.items() for key, value in values.items()}


def restore_optimiser(optimizer: torch.optim.Optimizer, tensors: Tensors) -> None:
    """Goes on from `optimiser_tensors`."""
    moments: dict[int, dict[str, Tensor]] = {}
    for name, value in part(tensors, "optimizer").items():
        index, key = name.split("/")
        moments.setdefault(int(index), {})[key] = value
    optimizer.load_state_dict({"state": moments, "param_groups": optimizer.state_dict()["param_groups"]})


def random_tensors() -> tuple[Tensors, dict[str, Any]]:
    """Returns the states of the global generators, as tensors and as JSON-able values."""
    # Stable-Baselines3 draws the minibatches of PPO from NumPy's global generator.
    _, keys, position, has_gauss, gauss = np.random.get_state(legacy=True)  # noqa: NPY002
    tensors = {"numpy": torch.from_numpy(np.asarray(keys)), "torch": torch.get_rng_state()}
    if torch.cuda.is_available():
        tensors["cuda"] = torch.cuda.get_rng_state()
    return _prefixed("random", tensors), {"position": position, "has_gauss": has_gauss, "gauss": gauss}


def restore_random(tensors: Tensors, state: dict[str, Any]) -> None:
    """Goes on from `random_tensors`."""
    generators = part(tensors, "random")
    keys = generators["numpy"].numpy()
    np.random.set_state(("MT19937", keys, state["position"], state["has_gauss"], state["gauss"]))  # noqa: NPY002
    torch.set_rng_state(generators["torch"])
    if torch.cuda.is_available() and "cuda" in generators:
        torch.cuda.set_rng_state(generators["cuda"])
