"""All that a training needs to go on exactly where it was, in one file.

`checkpoint.safetensors` holds the weights, the optimiser, the games in progress, the random generators and,
for DQN, the replay buffer, as tensors; the counters lie as JSON in its header, so that the two can never come
from different moments. A snapshot is taken between two rollouts, where no update is under way.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from baselines.learned.checkpoints import load_weights
from baselines.learned.dqn import MaskedDQN
from baselines.learned.files import Tensors, read_tensors, write_tensors
from baselines.learned.ppo import MinesweeperPPO
from baselines.learned.vec_env import MinesweeperVecEnv

CHECKPOINT_FILE = "checkpoint.safetensors"
REPLAYED = ("observations", "next_observations", "actions", "rewards", "dones", "timeouts")
COUNTERS = ("num_timesteps", "_n_updates", "_episode_num")

Model = MaskedDQN | MinesweeperPPO


def save_snapshot(folder: Path, model: Model, env: MinesweeperVecEnv, progress: dict[str, Any]) -> None:
    """Writes the checkpoint of a run folder, in place of the one before.

    Args:
        folder: the run folder.
        model: the algorithm, between two rollouts.
        env: its environment.
        progress: what the caller wants back, as JSON-able values.
    """
    tensors = _prefixed("policy", model.policy.state_dict()) | _optimiser_tensors(model.policy.optimizer)
    tensors |= _prefixed(
        "env", {key: torch.from_numpy(np.ascontiguousarray(value)) for key, value in env.get_state().items()}
    )
    generators, random_state = _random_state()
    tensors |= _prefixed("random", generators)
    assert model._last_episode_starts is not None
    tensors["episode_starts"] = torch.as_tensor(np.asarray(model._last_episode_starts))
    state = {name: getattr(model, name) for name in COUNTERS} | {"random": random_state, "progress": progress}
    if isinstance(model, MaskedDQN):
        tensors |= _prefixed("replay", _replay_tensors(model))
        assert model.replay_buffer is not None
        state |= {"n_calls": model._n_calls, "replay_position": model.replay_buffer.pos}
        state["exploration_rate"] = model.exploration_rate
    write_tensors(folder / CHECKPOINT_FILE, tensors, state)


def restore_snapshot(folder: Path, model: Model, env: MinesweeperVecEnv) -> dict[str, Any]:
    """Brings a new model and its environment to where the checkpoint was written.

    Returns:
        The `progress` that `save_snapshot` was given.

    Raises:
        ValueError: the file is missing, damaged, or belongs to another training; the message is one line.
    """
    path = folder / CHECKPOINT_FILE
    tensors, state = read_tensors(path)
    load_weights(model.policy, _part(tensors, "policy"), path)
    try:
        _restore_optimiser(model.policy.optimizer, tensors)
        arrays = {key: value.numpy() for key, value in _part(tensors, "env").items()}
        model._last_obs = env.set_state(arrays)
        model._last_original_obs = None
        model._last_episode_starts = tensors["episode_starts"].numpy().astype(np.bool_)
        for name in COUNTERS:
            setattr(model, name, int(state[name]))
        if isinstance(model, MaskedDQN):
            _restore_replay(model, _part(tensors, "replay"), int(state["replay_position"]))
            model._n_calls, model.exploration_rate = int(state["n_calls"]), float(state["exploration_rate"])
        _restore_random_state(_part(tensors, "random"), state["random"])
        progress: dict[str, Any] = state["progress"]
    except (KeyError, TypeError, ValueError, RuntimeError, IndexError) as error:
        raise ValueError(f"{path} does not fit this training: {str(error).splitlines()[0]}") from error
    return progress


def _prefixed(prefix: str, tensors: Tensors) -> Tensors:
    return {f"{prefix}/{name}": tensor for name, tensor in tensors.items()}


def _part(tensors: Tensors, prefix: str) -> Tensors:
    return {name.removeprefix(f"{prefix}/"): value for name, value in tensors.items() if name.startswith(f"{prefix}/")}


def _optimiser_tensors(optimizer: torch.optim.Optimizer) -> Tensors:
    moments = optimizer.state_dict()["state"]
    return {f"optimizer/{index}/{key}": value for index, values in moments.items() for key, value in values.items()}


def _restore_optimiser(optimizer: torch.optim.Optimizer, tensors: Tensors) -> None:
    moments: dict[int, dict[str, Tensor]] = {}
    for name, value in _part(tensors, "optimizer").items():
        index, key = name.split("/")
        moments.setdefault(int(index), {})[key] = value
    optimizer.load_state_dict({"state": moments, "param_groups": optimizer.state_dict()["param_groups"]})


def _random_state() -> tuple[Tensors, dict[str, Any]]:
    # Stable-Baselines3 draws minibatches from NumPy's global generator.
    _, keys, position, has_gauss, gauss = np.random.get_state(legacy=True)  # noqa: NPY002
    tensors = {"numpy": torch.from_numpy(np.asarray(keys)), "torch": torch.get_rng_state()}
    if torch.cuda.is_available():
        tensors["cuda"] = torch.cuda.get_rng_state()
    return tensors, {"position": position, "has_gauss": has_gauss, "gauss": gauss}


def _restore_random_state(tensors: Tensors, state: dict[str, Any]) -> None:
    np.random.set_state(("MT19937", tensors["numpy"].numpy(), state["position"], state["has_gauss"], state["gauss"]))  # noqa: NPY002
    torch.set_rng_state(tensors["torch"])
    if torch.cuda.is_available() and "cuda" in tensors:
        torch.cuda.set_rng_state(tensors["cuda"])


def _replay_tensors(model: MaskedDQN) -> Tensors:
    buffer = model.replay_buffer
    assert buffer is not None
    return {name: torch.from_numpy(getattr(buffer, name)[: buffer.size()]) for name in REPLAYED}


def _restore_replay(model: MaskedDQN, tensors: Tensors, position: int) -> None:
    buffer = model.replay_buffer
    assert buffer is not None
    size = len(tensors["rewards"])
    for name in REPLAYED:
        getattr(buffer, name)[:size] = tensors[name].numpy()
    buffer.full = size == buffer.buffer_size
    buffer.pos = position
